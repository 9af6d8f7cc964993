import {
  errorCode,
  failure,
  held,
  ifThere,
  isSharingViolation,
  isWindows,
  nameOf,
  newToken,
  readFile,
  remove,
  ticks,
} from "../host/index.js";
import { type Cancellation, type PortError, throwIfAborted } from "../ports/index.js";
import { Lock, type Lockable, type LockOptions, parseLock } from "./lock-file.js";
import {
  backPause,
  busy,
  type Found,
  firstPause,
  frontPause,
  lookPause,
  type Patience,
  sleep,
  type Watch,
  waitInLine,
  watched,
} from "./lock-queue.js";
import { ending } from "./lock-slots.js";

/** A lock of a dead holder is in the way, and with it a batch that was not finished. */
export class Unfinished extends Error {
  constructor(readonly token: string) {
    super(`batch ${token} was not finished`);
  }
}

/** Claims on dead locks (see `bury`) that somebody died over; long before, whoever could act on them is gone. */
const claimsKeptFor = 86_400_000;
const mostPaths = 2000;
const frontEnding = "-next";

/**
 * Locks between processes: one file for each locked path, in the state folder, under a name that only one can take.
 *
 * A lock is broken only if its holder is known to be dead (same machine, same start of it, same set of process
 * numbers: no such process, or one that started at another time), or, where that cannot be told, if it was not
 * refreshed for a time. Two that find the same dead lock cannot both break it: see `bury`.
 */
export class Locks {
  /** Those who wait in this process for what it holds or waits for, so that they do not poll against each other. */
  private readonly lines = new Map<string, (() => void)[]>();
  private readonly fresh = new Set<Lock>();
  private timer: NodeJS.Timeout | undefined;
  private readonly paths = new Map<string, string>();

  constructor(private readonly options: LockOptions) {}

  /** Runs the body while the files are held. */
  async hold<T>(
    files: readonly Lockable[],
    body: (lock: Lock) => Promise<T>,
    { wait = this.options.wait, adopt = "", token, signal }: HoldOptions = {},
  ): Promise<T> {
    const patience: Patience = { deadline: ticks() + wait, signal };
    let entered = 0;
    let lock: Lock | undefined;
    const ordered = this.inOrder(files);
    try {
      for (const { name, file } of ordered) {
        throwIfAborted(signal);
        const line = this.lines.get(name);
        if (line) await waitInLine(line, file, patience);
        else this.lines.set(name, []);
        entered += 1;
        lock ??= this.newLock(name, files.length === 1 ? file : null, token);
        // From the first on: the others may be waited for.
        this.keepFresh(lock);
        if (!lock.create(name, file)) await this.take(name, file, { ...patience, lock, adopt });
      }
      lock ??= this.newLock("", null, token);
      throwIfAborted(signal);
      return await body(lock);
    } finally {
      if (lock) {
        this.fresh.delete(lock);
        lock.release();
        if (token === undefined) held.tokens.delete(lock.token);
      }
      for (const { name } of ordered.slice(0, entered)) this.leave(name);
    }
  }

  private leave(name: string): void {
    const next = this.lines.get(name)?.shift();
    if (next) next();
    else this.lines.delete(name);
  }

  /** Made of the slot of the last lock, and with its token, if that was of this file alone. */
  private newLock(name: string, file: Lockable | null, token?: string): Lock {
    const { slots, timing, brief, clock } = this.options;
    const isAlone = file !== null && token === undefined && !brief;
    // So that it is refreshed before anybody has watched it for long enough, who may have begun when it was held before.
    const slot = isAlone ? slots.again(file, (timing.watch - timing.refresh) / 2) : null;
    const lock = new Lock(
      token ?? slot?.label.token ?? newToken(clock),
      this.options,
      slot && { name, slot },
    );
    held.tokens.add(lock.token);
    return lock;
  }

  /** Real paths are one order for everybody, so that two who want the same files never wait for each other. */
  private inOrder(files: readonly Lockable[]): Named[] {
    const named = files.map((file) => ({ name: this.pathOf(file.key), file }));
    if (named.length < 2) return named;
    const ordered = named.toSorted((one, other) => (one.file.key < other.file.key ? -1 : 1));
    return ordered.filter(({ name }, at) => name !== ordered[at - 1]?.name);
  }

  /** See `Slots.renew`. */
  renew(): void {
    this.options.slots.renew();
  }

  /** One timer for all, which ends when it finds nothing to do: most locks are held for less than one of its rounds. */
  private keepFresh(lock: Lock): void {
    if (this.options.brief) return;
    this.fresh.add(lock);
    this.timer ??= setInterval(() => {
      for (const held of this.fresh) held.refresh();
      if (this.fresh.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    }, this.options.timing.refresh).unref();
  }

  /** Locks whose holders are known to be dead, broken; for the start of a door. Locks of unfinished batches stay. */
  sweep(): void {
    const { io, folder, platform, unfinished, clock } = this.options;
    for (const entry of ifThere(() => io.readdir(folder)) ?? []) {
      const path = platform.path.join(folder, entry.name);
      const found = this.look(path);
      if (entry.name.endsWith(ending)) {
        // Left by a process that is gone. Ours are idle, or a lock by another name as well.
        if (found && found.record?.copy !== held.copy && this.isDead(found, null)) remove(io, path);
        continue;
      }
      if (entry.name.includes(".")) {
        if (found && clock() - found.modified > claimsKeptFor) remove(io, path);
        continue;
      }
      const isDead =
        found && (entry.name.endsWith(frontEnding) ? this.isLeft(found) : this.isDead(found, null));
      if (isDead && !unfinished(found.token)) this.breakDeadLock(path, found);
    }
  }

  private pathOf(key: string): string {
    let path = this.paths.get(key);
    if (path === undefined) {
      if (this.paths.size >= mostPaths) this.paths.clear();
      path = this.options.platform.path.join(this.options.folder, nameOf(key));
      this.paths.set(key, path);
    }
    return path;
  }

  /**
   * One of those who wait for a lock asks often, the others seldom: if all did, with some dozens of them the holder
   * would get nothing done. The one is who has the lock "<name>-next" (`frontEnding`), which gives no right but that.
   */
  private async take(name: string, file: Lockable, hold: Taking): Promise<void> {
    const next = `${name}${frontEnding}`;
    const front = new Lock(newToken(this.options.clock), this.options);
    held.tokens.add(front.token);
    const forget = held.clearAtExit(() => front.release());
    try {
      await this.waitFor(name, hold, {
        ask: () => hold.lock.create(name, file),
        step: () => front.create(next, { ...file, path: next }),
        ahead: () => this.breakDead(next),
        busy: (found, waited) => busy(file, found, waited),
      });
    } finally {
      front.release();
      forget();
      held.tokens.delete(front.token);
    }
  }

  private async waitFor(name: string, { deadline, signal, adopt }: Taking, turn: Turn): Promise<void> {
    const started = ticks();
    let watch: Watch | null = null;
    let looked = Number.NEGATIVE_INFINITY;
    let isFront = false;
    let crowd = 0;
    for (;;) {
      throwIfAborted(signal);
      const now = ticks();
      isFront ||= now - started >= firstPause / 2 && turn.step();
      const isLook = now - looked >= (isFront ? lookPause.front : lookPause.back) || now >= deadline;
      if ((isFront || isLook) && turn.ask()) return;
      // To ask for it costs one call, to find out who has it ten.
      if (isLook) {
        looked = now;
        if (!isFront) crowd = turn.ahead();
        const found = this.look(name);
        if (found === null) continue;
        watch = watched(watch, found);
        if (this.isDead(found, watch)) {
          if (found.token !== adopt && this.options.unfinished(found.token))
            throw new Unfinished(found.token);
          if (this.breakDeadLock(name, found)) continue;
        }
        if (ticks() >= deadline) throw turn.busy(found, ticks() - started);
      }
      await sleep(isFront ? frontPause(ticks() - started) : backPause(ticks() - started, crowd));
    }
  }

  /** How many files there are for locks: about twice as many as processes that wait for one, or did. */
  private breakDead(path: string): number {
    const { io, folder } = this.options;
    const found = this.look(path);
    if (found && this.isLeft(found)) this.breakDeadLock(path, found);
    return ifThere(() => io.readdir(folder))?.length ?? 0;
  }

  /**
   * Tells whether a place at the front is deserted: as it gives no right, a process that is only slow to write it loses
   * nothing.
   */
  private isLeft(found: Found): boolean {
    const { clock, timing } = this.options;
    const isWritten = found.record !== null || found.user !== undefined;
    if (isWritten) return this.isDead(found, null);
    return clock() - found.modified > timing.unwritten;
  }

  private look(path: string): Found | null {
    const { io, platform } = this.options;
    try {
      const stat = io.lstat(path);
      const modified = Number(stat.mtimeMs);
      const mark = `${stat.ino}-${stat.mtimeNs}`;
      try {
        const record = parseLock(readFile(io, path));
        return { token: record?.token ?? `unwritten-${mark}`, record, modified };
      } catch (error) {
        if (errorCode(error) !== "EACCES" || isWindows(platform)) throw error;
        return { token: `unreadable-${mark}`, record: null, modified, user: stat.uid };
      }
    } catch (error) {
      if (errorCode(error) === "ENOENT" || this.options.repair(path)) return null;
      if (isSharingViolation(platform, errorCode(error)))
        return { token: "vanishing", record: null, modified: this.options.clock() };
      throw failure("read the lock", path, error);
    }
  }

  private isDead(found: Found, watch: Watch | null): boolean {
    const { processes, clock, timing } = this.options;
    const { record, user } = found;
    if (record !== null) {
      const self = processes.self();
      if (record.copy === self.copy) return !held.tokens.has(record.token);
      const alive = processes.isAlive(record);
      // A thread of this process may have ended without the process: only time tells then.
      const unsure = alive === null || (alive && record.pid === self.pid);
      if (!unsure) return !alive;
    }
    const outdated = clock() - found.modified > timing.outdated;
    const silent = watch === null ? 0 : ticks() - watch.since;
    if (record === null && user === undefined) return outdated || silent > timing.unwritten;
    const { host, boot } = processes.self();
    // This machine before it was started again, or one of the same name, which would have refreshed it.
    if (outdated && record?.host === host && record.boot !== boot) return true;
    return silent > timing.silent || (silent > timing.watch && outdated);
  }

  /**
   * Breaks a dead lock, so that of several who found it exactly one does. The maker of the file "<lock>.<token>" is the
   * one; if it dies before it is done, its own token names the next such file. Removing the lock without that
   * would let a slow finder remove the lock of the living one who came after.
   */
  private breakDeadLock(path: string, dead: Found): boolean {
    const { io, clear } = this.options;
    const claim = new Lock(newToken(this.options.clock), this.options);
    const chain: string[] = [];
    let token = dead.token;
    held.tokens.add(claim.token);
    try {
      for (;;) {
        const marker = `${path}.${token}`;
        chain.push(marker);
        if (claim.create(marker, { key: marker, path: marker, real: "" })) break;
        const other = this.look(marker);
        if (other === null || !this.isDead(other, null) || chain.length > 8) return false;
        token = other.token;
      }
      const found = this.look(path);
      // One who stood still, and goes on, has dated it since, or takes it again by the same token and dates that.
      if (found?.token === dead.token && found.modified === dead.modified) {
        if (found.record !== null) clear(found.record);
        remove(io, path);
      }
      for (const marker of chain) remove(io, marker);
      return true;
    } finally {
      claim.release();
      held.tokens.delete(claim.token);
    }
  }
}

interface Named {
  readonly name: string;
  readonly file: Lockable;
}

interface HoldOptions {
  readonly wait?: number;
  /** The unfinished batch that the caller is about to deal with: locks that it left are broken without further ado. */
  readonly adopt?: string;
  /** The token of a lock that is held already, for one more within it. */
  readonly token?: string;
  readonly signal?: Cancellation | undefined;
}

interface Taking extends Patience {
  readonly lock: Lock;
  readonly adopt: string;
}

/** The moves of a process that waits. */
interface Turn {
  /** Asks for the lock. */
  readonly ask: () => boolean;
  /** Asks to be the one who asks often. */
  readonly step: () => boolean;
  /** Clears the way to that, if who has it is dead; and how many are about. */
  readonly ahead: () => number;
  readonly busy: (found: Found, waited: number) => PortError;
}
