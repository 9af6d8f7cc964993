import {
  flags,
  ifThere,
  makeFolder,
  readFile,
  reason,
  remove,
  stateFailure,
  withChecksum,
  withFile,
  withoutChecksum,
  writeAll,
} from "../host/index.js";
import type { Measure } from "../ports/index.js";
import { type Disk, Folder } from "./folder-handle.js";

export interface Item {
  /** `overwrite`: in place, for files with several names. */
  readonly op: "create" | "replace" | "overwrite" | "remove";
  readonly key: string;
  readonly path: string;
  readonly real: string;
  /** The new content, beside the file. */
  readonly fresh: string;
  /** The old content, beside the file. */
  readonly old: string;
  /** Tells whether a file still holds the new content, without keeping it. */
  readonly after: Measure | null;
}

/** A batch, written down before anything is done, so that whoever comes after a crash can undo it. */
export interface Plan {
  readonly format: 1;
  readonly id: string;
  readonly items: readonly Item[];
  /** Folders that are made for it, outermost first. */
  readonly folders: readonly string[];
  /** Files of ours that could not be removed when they should have been. */
  readonly leftovers: readonly string[];
}

/**
 * How far a batch got; it is the ending of the plan's name, so that going on is one rename. A crash in `prepare` or
 * `apply` is undone; in `done` all that is left is clearing up.
 */
export type Phase = "prepare" | "apply" | "done";

const longAgo = 15_000;

const phases: readonly Phase[] = ["prepare", "apply", "done"];

/** The plans of all unfinished batches: a folder that is nearly always empty. */
export class Plans {
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly repair: (path: string) => boolean,
    private readonly clock: () => number,
  ) {}

  has(id: string): boolean {
    return this.phase(id) !== null;
  }

  ids(): string[] {
    const { io } = this.disk;
    if (!io.isThere(this.folder)) return [];
    const names = (ifThere(() => io.readdir(this.folder)) ?? []).map(({ name }) => name);
    return names.flatMap((name) => /^([\w-]+)\.(?:prepare|apply|done)$/.exec(name)?.[1] ?? []);
  }

  /** `ownerIsDead`: nobody is about to write it. */
  read(id: string, ownerIsDead: boolean): { plan: Plan; phase: Phase } | null {
    const phase = this.phase(id);
    const bytes = phase && readFile(this.disk.io, this.pathOf(id, phase));
    if (!phase || !bytes) return null;
    try {
      const plan = withoutChecksum(new TextDecoder().decode(bytes)) as Plan;
      if (plan.format === 1 && Array.isArray(plan.items)) return { plan, phase };
    } catch {
      // Said below, together with a plan of another format.
    }
    if (phase === "prepare") {
      // Cut off by a crash, and then nothing was done yet; or just being written.
      const stat = ifThere(() => this.disk.io.lstat(this.pathOf(id, phase)));
      if (ownerIsDead || (stat && this.clock() - Number(stat.mtimeMs) > longAgo)) this.forget(id);
      return null;
    }
    this.disk.io.rename(this.pathOf(id, phase), this.pathOf(id, "damaged"));
    this.disk.report(`the plan of an unfinished batch cannot be read; put aside as ${id}.damaged`);
    return null;
  }

  write(plan: Plan, phase: Phase): void {
    try {
      this.writeDown(plan, phase);
    } catch (error) {
      const paths = plan.items.map(({ path }) => path).join(", ");
      throw stateFailure(`write ${paths}`, this.disk.platform.path.dirname(this.folder), error);
    }
  }

  private writeDown(plan: Plan, phase: Phase): void {
    const { io, platform } = this.disk;
    this.repair(this.pathOf(plan.id, phase));
    makeFolder(io, this.folder, platform.path.dirname);
    const fd = io.open(this.pathOf(plan.id, phase), flags.create, 0o600);
    withFile(io, fd, () => {
      writeAll(io, fd, new TextEncoder().encode(withChecksum(plan)));
      io.fsync(fd);
    });
  }

  /** Flushed before it returns: what follows relies on it after a power failure. */
  advance(id: string, from: Phase, to: Phase): void {
    const { io, report } = this.disk;
    io.rename(this.pathOf(id, from), this.pathOf(id, to));
    try {
      const folder = Folder.open(this.disk, io.realpath(this.folder));
      folder?.flush();
      folder?.close();
    } catch (error) {
      // The rename counts: an error now would say that the batch did not get there.
      report(`the plan of a batch may not survive a power failure: ${reason(error)}`);
    }
  }

  forget(id: string): void {
    for (const phase of phases) remove(this.disk.io, this.pathOf(id, phase));
  }

  private phase(id: string): Phase | null {
    const { io } = this.disk;
    return phases.find((phase) => ifThere(() => io.lstat(this.pathOf(id, phase))) !== null) ?? null;
  }

  private pathOf(id: string, phase: Phase | "damaged"): string {
    return this.disk.platform.path.join(this.folder, `${id}.${phase}`);
  }
}
