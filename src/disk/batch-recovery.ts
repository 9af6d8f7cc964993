import { flags, ifThere, newToken, readAll, reason, remove, withFile, writeAll } from "../host/index.js";
import type { LockRecord, Locks } from "../locks/index.js";
import { PortError } from "../ports/index.js";
import type { Item, Phase, Plan, Plans } from "./batch-plan.js";
import { temporaryNames } from "./commit-file.js";
import { type Disk, Folder } from "./folder-handle.js";
import { isSameMeasure, measureFile } from "./measure.js";
import { removeFolders } from "./temp-file.js";

/** Puts right what processes left that died in the middle of something. */
export class Recovery {
  constructor(
    private readonly disk: Disk,
    private readonly plans: Plans,
    private readonly locks: Locks,
    private readonly clock: () => number,
  ) {}

  /** At the start of every door. Never fails: what cannot be put right is reported. */
  async all(isBrief: boolean): Promise<void> {
    const { report } = this.disk;
    try {
      for (const id of this.plans.ids()) {
        await this.one(id, { wait: 0, ownerIsDead: false }).catch((error) => {
          // Held by somebody alive: then it is not unfinished but under way.
          if (!(error instanceof PortError && error.code === "busy")) report(reason(error));
        });
      }
      if (!isBrief) this.locks.sweep();
    } catch (error) {
      report(`looking for unfinished batches failed: ${reason(error)}`);
    }
  }

  /** Undoes one batch, or clears up after it, while its files are held: so its owner is not at work any more. */
  async one(id: string, { wait, ownerIsDead }: { wait: number; ownerIsDead: boolean }): Promise<void> {
    const found = this.plans.read(id, ownerIsDead);
    if (found === null) return;
    const files = found.plan.items.map(({ key, path, real }) => ({ key, path, real }));
    const undo = async (): Promise<void> => {
      const now = this.plans.read(id, true);
      if (now === null) return;
      if (now.phase === "done") clearUp(this.disk, now.plan);
      else rollBack(this.disk, now.plan, now.phase);
      this.plans.forget(id);
      if (now.phase === "apply") {
        this.disk.report(`undid a batch that was interrupted: ${files.map(({ path }) => path).join(", ")}`);
      }
    };
    await this.locks.hold(files, undo, { wait, adopt: id });
  }

  /** Files that a process left beside the target when it died within a commit. */
  clearAfter({ path, token }: LockRecord): void {
    if (path === "") return;
    try {
      clearBeside(this.disk, path, token);
    } catch (error) {
      this.disk.report(`clearing up beside ${path} failed: ${reason(error)}`);
    }
  }

  /** Remembers a temporary file that cannot be removed now. */
  leave(path: string): void {
    this.locks.renew();
    try {
      const id = newToken(this.clock);
      this.plans.write({ format: 1, id, items: [], folders: [], leftovers: [path] }, "done");
    } catch {
      // The lock cannot be removed either, most likely; then whoever breaks it clears up.
    }
    this.disk.report(`${path} is a temporary file that could not be removed; it will be at the next start`);
  }
}

/**
 * Brings back what stood before a batch, as far as nobody else has written since: what others wrote stays, and is
 * reported. How far each file got is read off the names that are there, so it can be run again after a crash of its own.
 */
export function rollBack(disk: Disk, plan: Plan, phase: Phase): void {
  if (phase === "apply") {
    for (const item of plan.items.toReversed()) {
      inFolder(disk, item, (folder, name) => bringBack(disk, item, folder, name));
    }
  }
  clearUp(disk, plan);
  removeFolders(disk, plan.folders);
}

/**
 * Finishes a batch of another host, or takes it back. Nothing but the names beside the files says how far it got: where the
 * old content of a file that is written is gone already, all of them were. Run by one at a time.
 */
export function settle(disk: Disk, plan: Plan): "finished" | "taken back" {
  const isDone = plan.items.some((item) => isCleared(disk, item));
  if (isDone) clearUp(disk, plan);
  else rollBack(disk, plan, "apply");
  return isDone ? "finished" : "taken back";
}

/** Removes what a call of another host left beside a file: then a rename of its own, if it comes late, fails. */
export function clearBeside(disk: Disk, path: string, token: string): void {
  const folder = Folder.open(disk, disk.platform.path.dirname(path));
  for (const name of temporaryNames(token)) folder?.discard(name);
  folder?.close();
}

function isCleared(disk: Disk, item: Item): boolean {
  const { path } = disk.platform;
  const folder = Folder.open(disk, path.dirname(item.real));
  if (folder === null) return false;
  try {
    const name = path.basename(item.real);
    if (folder.stat(item.fresh) !== null || folder.stat(item.old) !== null) return false;
    if (item.op === "remove") return folder.stat(name) === null;
    return folder.stat(name)?.isFile() === true && isWritten(disk, item, folder.at(name));
  } finally {
    folder.close();
  }
}

/** Removes every temporary name of a batch. */
export function clearUp(disk: Disk, plan: Plan): void {
  const { io } = disk;
  for (const path of plan.leftovers) remove(io, path);
  for (const item of plan.items) {
    inFolder(disk, item, (folder) => {
      remove(io, folder.at(item.fresh));
      remove(io, folder.at(item.old));
    });
  }
}

function inFolder(disk: Disk, item: Item, body: (folder: Folder, name: string) => void): void {
  const { path } = disk.platform;
  const folder = Folder.open(disk, path.dirname(item.real));
  if (folder === null) return;
  try {
    body(folder, path.basename(item.real));
    folder.flush();
  } finally {
    folder.close();
  }
}

function bringBack(disk: Disk, item: Item, folder: Folder, name: string): void {
  const { io } = disk;
  const fresh = folder.stat(item.fresh);
  const old = folder.stat(item.old);
  const now = folder.stat(name);
  const isOurs = (): boolean => now?.isFile() === true && isWritten(disk, item, folder.at(name));
  if (item.op === "create") {
    const made = now !== null && (fresh === null || (fresh.ino === now.ino && fresh.dev === now.dev));
    if (made && isOurs()) remove(io, folder.at(name));
    else if (made) foreign(disk, item);
    return;
  }
  if (old === null) return;
  if (item.op === "remove") {
    if (now === null) io.rename(folder.at(item.old), folder.at(name));
    else foreign(disk, item);
    return;
  }
  if (item.op === "replace") {
    if (fresh !== null) return;
    if (isOurs()) io.rename(folder.at(item.old), folder.at(name));
    else foreign(disk, item);
    return;
  }
  restoreInPlace(disk, item, folder, name);
}

function restoreInPlace(disk: Disk, item: Item, folder: Folder, name: string): void {
  const before = read(disk, folder.at(item.old));
  const after = read(disk, folder.at(item.fresh));
  const now = read(disk, folder.at(name));
  if (before !== null && now !== null && Buffer.compare(now, before) === 0) return;
  if (before !== null && after !== null && now !== null && isMixture(now, before, after)) {
    overwrite(disk, folder.at(name), before);
  } else foreign(disk, item);
}

function isWritten({ io }: Disk, { after }: Item, at: string): boolean {
  const fd = ifThere(() => io.open(at, flags.read));
  if (fd === null) return false;
  return withFile(io, fd, () => {
    const isAsLarge = after !== null && Number(io.fstat(fd).size) === after.size;
    return isAsLarge && isSameMeasure(measureFile(io, fd), after);
  });
}

function foreign(disk: Disk, item: Item): void {
  disk.report(`${item.path} was changed by somebody else after a batch was interrupted; it is left as it is`);
}

function read({ io }: Disk, at: string): Uint8Array | null {
  const fd = ifThere(() => io.open(at, flags.read));
  return fd === null ? null : withFile(io, fd, () => readAll(io, fd, Number.MAX_SAFE_INTEGER));
}

/**
 * In place, keeping every name of the file. Files that grow are written first, so that a full disk is met while the old
 * content is still there.
 */
export function overwrite({ io }: Disk, at: string, bytes: Uint8Array): void {
  const fd = io.open(at, flags.update);
  withFile(io, fd, () => {
    const size = Number(io.fstat(fd).size);
    if (bytes.length > size) writeAll(io, fd, bytes.subarray(size), size);
    writeAll(io, fd, bytes.subarray(0, size), 0);
    if (bytes.length < size) io.truncate(fd, bytes.length);
    io.fsync(fd);
  });
}

/**
 * Whether a write in place was cut off here, rather than somebody else having written: every byte is the old one or
 * the new one in its place, or was never written.
 */
export function isMixture(now: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const shorter = Math.min(before.length, after.length);
  if (now.length > Math.max(before.length, after.length) || now.length < shorter) return false;
  return now.every((byte, at) => byte === before[at] || byte === after[at] || (byte === 0 && at >= shorter));
}
