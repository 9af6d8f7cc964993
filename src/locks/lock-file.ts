import {
  errorCode,
  flags,
  type Holder,
  type Io,
  isSharingViolation,
  makeFolder,
  type Platform,
  type Processes,
  readFile,
  remove,
  stateFailure,
  ticks,
  withFile,
  writeAll,
} from "../host/index.js";
import { PortError } from "../ports/index.js";
import { type Label, linkSlot, type Slot, type Slots, withFolder } from "./lock-slots.js";

/**
 * The content of a lock file. The token is the same for files taken together, and for one that is taken again
 * (`Slots.again`).
 */
export interface LockRecord extends Holder {
  readonly token: string;
  /** Key of the file that is held. */
  readonly key: string;
  /** Its real path: what a dead holder left beside it is cleared away there. */
  readonly path: string;
}

/** Milliseconds by which locks are judged whose holders cannot be asked for. */
export interface LockTiming {
  /** How often a holder refreshes the date of its locks. */
  readonly refresh: number;
  /** Several missed refreshes, seen with own eyes: no clock is involved that could jump. */
  readonly silent: number;
  /** By its date alone a lock is never called dead: it is also watched, for more than one refresh. */
  readonly outdated: number;
  readonly watch: number;
  /**
   * A lock is written microseconds after it was made. Should a maker stand still just there for so long, and then go
   * on, it finds its lock gone before it changes anything (`Lock.check`).
   */
  readonly unwritten: number;
}

export const defaultTiming: LockTiming = {
  refresh: 2000,
  silent: 8000,
  outdated: 15_000,
  watch: 2500,
  unwritten: 300,
};

export interface LockOptions {
  readonly io: Io;
  readonly platform: Platform;
  readonly processes: Processes;
  /** Milliseconds since 1970, by the clock that dates files. */
  readonly clock: () => number;
  /** The folder for lock files; made when needed. Never in a workspace. */
  readonly folder: string;
  /** Milliseconds after which waiting ends with `busy`. */
  readonly wait: number;
  readonly timing: LockTiming;
  /** One or two locks in all: making files to be used again does not pay. */
  readonly brief?: boolean;
  readonly slots: Slots;
  /** Clears away what a dead holder left, before its lock is broken. */
  readonly clear: (dead: LockRecord) => void;
  /** Puts aside what stands where the lock file should be; false if nothing does. */
  readonly repair: (path: string) => boolean;
  /** Whether a dead holder left a batch half done, which has to be dealt with before anybody gets the file. */
  readonly unfinished: (token: string) => boolean;
}

export interface Lockable {
  readonly key: string;
  /** As it was asked for: `busy` names it like this. */
  readonly path: string;
  readonly real: string;
}

/** A lock file of ours. */
interface Own {
  readonly name: string;
  /** The file it was linked from; null where files have one name only. */
  readonly slot: Slot | null;
}

/** The locks that one call holds. */
export class Lock {
  private own: Own[] = [];
  private readonly since: { readonly ticks: number; readonly clock: number };

  constructor(
    readonly token: string,
    private readonly options: LockOptions,
    /** Filled for the lock that is waited for. */
    private ready: { readonly name: string; readonly slot: Slot } | null = null,
  ) {
    this.since = { ticks: ticks(), clock: options.clock() };
  }

  /** False if somebody has it. */
  create(name: string, file: Lockable): boolean {
    const { platform, brief } = this.options;
    try {
      if (brief) return this.createNow(name, file);
      return this.linkReady(name, file) ?? this.createAlone(name, file);
    } catch (error) {
      if (isSharingViolation(platform, errorCode(error))) return false;
      const { folder } = this.options;
      throw stateFailure(`lock ${file.path}`, platform.path.dirname(folder), error);
    }
  }

  private linkReady(name: string, file: Lockable): boolean | null {
    const { io, slots } = this.options;
    const link = (): { slot: Slot; linked: boolean | null } => {
      const slot = this.ready?.name === name ? this.ready.slot : this.fill(name, file);
      return { slot, linked: linkSlot(io, slot, name) };
    };
    const { slot, linked } = withFolder(link, () => {
      // It was removed, if not the folder.
      this.ready = null;
    });
    if (linked === false) return false;
    this.ready = null;
    if (linked) this.own.push({ name, slot });
    else slots.free(slot);
    return linked;
  }

  private fill(name: string, { key, real }: Lockable): Slot {
    const { slots, processes } = this.options;
    const label = { token: this.token, key, real };
    const slot = withFolder(
      () => slots.fill(label, recordBytes(processes.self(), label)),
      () => this.makeFolder(name),
    );
    this.ready = { name, slot };
    return slot;
  }

  private createNow(name: string, file: Lockable): boolean {
    return withFolder(
      () => this.createAlone(name, file),
      () => this.makeFolder(name),
    );
  }

  /** Creates the lock where files have one name only: others may see it before it is written. */
  private createAlone(name: string, { key, real }: Lockable): boolean {
    const { io, processes } = this.options;
    const bytes = recordBytes(processes.self(), { token: this.token, key, real });
    let fd: number;
    try {
      fd = io.open(name, flags.create, 0o600);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    try {
      withFile(io, fd, () => writeAll(io, fd, bytes));
      this.own.push({ name, slot: null });
      return true;
    } catch (error) {
      this.drop(name);
      throw error;
    }
  }

  private makeFolder(name: string): void {
    const { io, folder, platform, repair } = this.options;
    repair(name);
    makeFolder(io, folder, platform.path.dirname);
  }

  /** Throws if the lock was broken by somebody who took this process for dead: asked right before anything is changed. */
  check(path: string): void {
    for (const { name, slot } of this.own) {
      if (this.isTooShort(slot) || this.fate(name) === "own") continue;
      throw new PortError(
        "busy",
        `${path}: the lock was lost while this process stood still; nothing was changed`,
      );
    }
  }

  /** Leaves the lock files where they are: what they protect has to be put right by whoever comes next. */
  abandon(): void {
    this.own = [];
  }

  release(): void {
    const { slots } = this.options;
    for (const { name, slot } of this.own) {
      // Broken and taken by somebody else meanwhile, it is no longer ours to remove.
      const lost = !this.isTooShort(slot) && this.fate(name) === "lost";
      if ((lost || this.drop(name)) && slot) slots.free(slot);
    }
    this.own = [];
    if (this.ready) slots.free(this.ready.slot);
    this.ready = null;
  }

  /**
   * Held for less time than anybody watches a lock before breaking it, so it cannot have been broken; one that was not
   * made of a slot is watched for less, as long as nothing is written there. By both clocks: one stands still while the
   * machine sleeps, the other may be set back.
   */
  private isTooShort(slot: Slot | null): boolean {
    const { clock, timing } = this.options;
    const elapsed = Math.max(ticks() - this.since.ticks, clock() - this.since.clock);
    return elapsed < (slot ? timing.watch : timing.unwritten) / 2;
  }

  private fate(name: string): "own" | "lost" | "unknown" {
    try {
      return parseLock(readFile(this.options.io, name))?.token === this.token ? "own" : "lost";
    } catch {
      return "unknown";
    }
  }

  refresh(): void {
    const { io, clock } = this.options;
    for (const { name } of this.own) {
      try {
        if (this.fate(name) === "own") io.touch(name, clock() / 1000);
      } catch {
        // Asked for again before anything is changed, by `check`.
      }
    }
  }

  // A lock that cannot be removed is found to be leaked by this process, or dead by the next one.
  private drop(name: string): boolean {
    try {
      remove(this.options.io, name);
      return true;
    } catch {
      return false;
    }
  }
}

let self: Holder | undefined;
let selfText = "";

/** A lock's record as JSON. Our own name is put into words once: it takes longer than making the lock. */
function recordBytes(holder: Holder, { token, key, real }: Label): Uint8Array {
  if (self !== holder) {
    self = holder;
    selfText = JSON.stringify(holder).slice(0, -1);
  }
  const rest = `"token":"${token}","key":${JSON.stringify(key)},"path":${JSON.stringify(real)}}`;
  return Buffer.from(`${selfText},${rest}`);
}

export function parseLock(bytes: Uint8Array | null): LockRecord | null {
  if (bytes === null) return null;
  try {
    const record = JSON.parse(new TextDecoder().decode(bytes)) as LockRecord;
    return typeof record.token === "string" && /^[\w-]+$/.test(record.token) ? record : null;
  } catch {
    return null;
  }
}
