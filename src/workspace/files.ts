import {
  Bound,
  commitBatch,
  commitOne,
  type Disk,
  defaultLimits,
  HalfDone,
  hasBytes,
  type Limits,
  measureBeside,
  missingFolders,
  moved,
  openReal,
  type Place,
  Plans,
  plainIntent,
  Recent,
  Recovery,
  Roots,
  removeFolders,
  type Target,
  useOpened,
} from "../disk/index.js";
import { failure, nodeIo, readAll, type Stat, systemProcesses, thisPlatform } from "../host/index.js";
import { defaultTiming, type Lock, Locks, Slots, Unfinished } from "../locks/index.js";
import {
  type Cancellation,
  type Fence,
  type FileId,
  type Files,
  foldedName,
  type Held,
  PortError,
  type SearchQuery,
  type SearchResult,
  throwIfAborted,
  type Write,
} from "../ports/index.js";
import { makeWay } from "../store/index.js";
import { refuseRules } from "./config.js";
import type { NodeFilesOptions } from "./files-options.js";
import { sharedNames } from "./shared-names.js";
import { UnderWay } from "./under-way.js";

export interface NodeFiles extends Files {
  /** Undoes or clears up what a crash left. Happens by itself before the first call. */
  recover(): Promise<void>;
  /** Resolves once no file is held: at once, if none is. */
  settled(): Promise<void>;
}

/**
 * The file system as a session needs it: confined, locked between processes, atomic.
 *
 * @example
 * const files = nodeFiles({ roots: [root], state });
 * console.log((await files.identify("a.ts")).path); // → a.ts
 */
export function nodeFiles(options: NodeFilesOptions): NodeFiles {
  return new DiskFiles(options);
}

/** Milliseconds. */
const justNow = 20;

class DiskFiles implements NodeFiles {
  readonly isLasting = true;
  private readonly disk: Disk;
  private readonly roots: Roots;
  private readonly locks: Locks;
  private readonly plans: Plans;
  private readonly recovery: Recovery;
  private readonly limits: Limits;
  private readonly recent = new Recent();
  private readonly clock: () => number;
  private started: Promise<void> | undefined;
  private readonly underWay = new UnderWay();

  constructor(private readonly options: NodeFilesOptions) {
    const { io = nodeIo, platform = thisPlatform, clock = Date.now, report = () => {} } = options;
    const { roots, base, confine = true, deny = [], foreign = false, secrets = [] } = options;
    this.clock = clock;
    this.limits = { ...defaultLimits, ...options.limits };
    this.disk = { io, platform, report, leave: (path) => this.recovery.leave(path) };
    const repair = (path: string): boolean =>
      makeWay({ io, platform, clock, report, state: options.state }, path);
    this.plans = new Plans(this.disk, platform.path.join(options.state, "batches"), repair, clock);
    this.roots = new Roots({
      ...{ io, platform, roots, confine, deny, foreign, secrets, state: options.state },
      ...(base === undefined ? {} : { base }),
      ...(options.scope ? { scope: options.scope } : {}),
    });
    const folder = platform.path.join(options.state, "locks");
    this.locks = new Locks({
      ...{ io, platform, clock, repair, wait: this.limits.wait },
      ...{ timing: { ...defaultTiming, ...options.timing }, brief: options.brief ?? false },
      processes: options.processes ?? systemProcesses(io, platform),
      ...{ folder, slots: new Slots(io, platform, folder, clock) },
      clear: (dead) => this.recovery.clearAfter(dead),
      unfinished: (token) => this.plans.has(token),
    });
    this.recovery = new Recovery(this.disk, this.plans, this.locks, clock);
  }

  async identify(path: string): Promise<FileId> {
    await this.start();
    const { key, keep } = await this.roots.locate(path);
    return { key, path, keep };
  }

  async read(file: FileId): Promise<Uint8Array | null> {
    await this.start();
    const { signal } = this.options;
    // Nothing else in a long look at many files lets a signal in.
    if (signal) await new Promise(setImmediate);
    throwIfAborted(signal);
    return this.readNow(file);
  }

  async hold<T>(
    files: readonly FileId[],
    body: (held: Held) => Promise<T>,
    signal?: Cancellation,
  ): Promise<T> {
    await this.start();
    throwIfAborted(this.options.signal);
    const places: Place[] = [];
    for (const file of files) places.push(this.direct(file) ?? (await this.again(file)));
    for (let attempt = 1; ; attempt++) {
      let end = (): void => {};
      try {
        const work = (lock: Lock): Promise<T> => {
          end = this.underWay.begin();
          return body(this.held(lock, places, signal));
        };
        return await this.locks.hold(places, work, { signal });
      } catch (error) {
        if (error instanceof Unfinished && attempt === 5) throw failure("lock", files[0]?.path ?? "", error);
        if (!(error instanceof Unfinished)) throw error;
        await this.recovery.one(error.token, { wait: this.limits.wait, ownerIsDead: true });
      } finally {
        end();
      }
    }
  }

  settled(): Promise<void> {
    return this.underWay.settled();
  }

  async search(query: SearchQuery): Promise<SearchResult> {
    await this.start();
    const { search } = await import("../search/index.js");
    const searchPath = this.options.ripgrep === false ? undefined : process.env.PATH;
    const codec = this.codec.bind(this);
    return search(query, { disk: this.disk, roots: this.roots, limits: this.limits, codec, searchPath });
  }

  async codec(bytes: Uint8Array, last: string | null) {
    const { detectCodec } = await import("./encoding.js");
    return detectCodec(bytes, { last, forced: this.options.encoding ?? null });
  }

  recover(): Promise<void> {
    return this.recovery.all(this.options.brief ?? false);
  }

  private start(): Promise<void> {
    this.started ??= this.recover();
    return this.started;
  }

  private held(lock: Lock, places: readonly Place[], signal: Cancellation | undefined): Held {
    const check = (file: FileId): void => {
      if (!places.some(({ key }) => key === file.key)) throw new Error(`${file.path} is not held`);
    };
    const [only] = places.length === 1 ? places : [];
    return {
      ...(only ? { intent: plainIntent(lock.token, only.real) } : {}),
      read: async (file) => {
        check(file);
        return this.readNow(file);
      },
      measure: async (file) => {
        check(file);
        return this.withOpened(file, (fd) => measureBeside(this.disk.io, fd, { signal }));
      },
      missingFolders: async (file) => {
        check(file);
        this.checkName(file.path);
        const { real } = await this.again(file);
        try {
          return missingFolders(this.disk, this.disk.platform.path.dirname(real)).length;
        } catch (error) {
          throw failure("write", file.path, error);
        }
      },
      commit: async (writes, fence) => {
        for (const { file } of writes) check(file);
        try {
          const targets = await this.targets(writes);
          const isDone = await this.commit(lock, targets, fence);
          if (isDone)
            for (const target of targets) {
              this.removeAbove(target);
              if (target.after instanceof Uint8Array) this.remember(target.key, target.after);
            }
          return isDone;
        } catch (error) {
          throw failure("write", writes.map(({ file }) => file.path).join(", "), error);
        }
      },
    };
  }

  private async targets(writes: readonly Write[]): Promise<Target[]> {
    const targets: Target[] = [];
    for (const write of writes) {
      const place = this.place(write);
      const target = this.target(write, place instanceof Promise ? await place : place);
      const before = targets.findIndex(({ key }) => key === target.key);
      if (before < 0) targets.push(target);
      else targets.splice(before, 1, ...this.respelled(targets[before] as Target, target));
    }
    return targets;
  }

  private async commit(lock: Lock, targets: readonly Target[], fence?: Fence): Promise<boolean> {
    const commit = { token: lock.token, check: (path: string) => lock.check(path), fence };
    const [only] = targets;
    if (only === undefined) return true;
    if (targets.length === 1) {
      try {
        return await commitOne(this.disk, only, commit);
      } catch (error) {
        if (!(error instanceof Bound)) throw error;
      }
    }
    const shared = sharedNames(this.disk, targets);
    // A batch that cannot be cleared up leaves a plan and files that have the token in their names.
    this.locks.renew();
    const write = (inPlace: boolean) => commitBatch(this.disk, this.plans, targets, { ...commit, inPlace });
    try {
      // One more lock, since the other names of such a file have locks of their own.
      return await this.locks.hold(shared, () => this.bound(targets.length === 1, write), {
        token: lock.token,
      });
    } catch (error) {
      if (error instanceof HalfDone) {
        lock.abandon();
        fence?.abandon?.();
      }
      if (!(error instanceof Unfinished)) throw error;
      await this.recovery.one(error.token, { wait: this.limits.wait, ownerIsDead: true });
      return false;
    }
  }

  /** Once more, in place, if that is how one of the files has to be written. */
  private async bound<T>(inPlace: boolean, write: (inPlace: boolean) => Promise<T>): Promise<T> {
    try {
      return await write(inPlace);
    } catch (error) {
      if (inPlace || !(error instanceof Bound)) throw error;
      return write(true);
    }
  }

  /** A file that is removed and made again gets the name as it is spelled now. */
  private respelled(gone: Target, made: Target): Target[] {
    const { path } = this.disk.platform;
    const spelled = path.basename(path.resolve(this.roots.base, made.path));
    const name = path.basename(gone.real);
    if (gone.after !== null || made.before !== null || foldedName(spelled) !== foldedName(name))
      throw new PortError("bad_request", "a commit names a file twice");
    if (spelled === name) return made.after instanceof Uint8Array ? [{ ...gone, after: made.after }] : [];
    return [gone, { ...made, real: path.join(path.dirname(gone.real), spelled), respells: true }];
  }

  /** Folders are made only where the path leads now. */
  private place({ file, before }: Write): Place | Promise<Place> {
    return (before === null ? null : this.direct(file)) ?? this.again(file);
  }

  private target({ file, before, after, from, folders = 0 }: Write, { real, key, path }: Place): Target {
    refuseRules(file.path, real, this.disk.platform);
    if (after instanceof Uint8Array) this.checkSize(file.path, after.length);
    if (before === null && after) this.checkName(path);
    const target = { real, key, path, before, after, folders };
    return from ? { ...target, from: from.key } : target;
  }

  private checkName(path: string): void {
    if (["/", this.disk.platform.path.sep].some((end) => path.endsWith(end)))
      throw new PortError("bad_request", `${path} is the name of a folder: a file's does not end like this`);
  }

  /** Only what is empty can be removed like this. */
  private removeAbove({ real, after, folders = 0 }: Target): void {
    const { dirname } = this.disk.platform.path;
    if (after !== null) return;
    const above: string[] = [];
    for (let at = dirname(real); above.length < folders && dirname(at) !== at; at = dirname(at))
      above.unshift(at);
    removeFolders(this.disk, above);
  }

  /**
   * Where the path leads, without a look at it, if no link was on the way when it was identified. Reading and writing
   * then see by what they open whether one is there now: `isBehind`, `Folder.open`, `checkKind`.
   */
  private direct(file: FileId): Place | null {
    const place = this.roots.last(file.path);
    return place?.direct && place.key === file.key ? place : null;
  }

  /** Where the path leads now; `busy` if that is another file than it was: a link was changed on the way. */
  private async again(file: FileId): Promise<Place> {
    const place = await this.roots.locate(file.path);
    if (place.key === file.key) return place;
    throw new PortError("busy", `${file.path} leads to another file than a moment ago; nothing was changed`);
  }

  /** Emptied just now, somebody may be about to write what belongs there, as many programs do it. */
  private async readNow(file: FileId): Promise<Uint8Array | null> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.withOpened(file, (fd, stat) => {
        this.checkSize(file.path, Number(stat.size));
        if (stat.size === 0n && Math.abs(this.clock() - Number(stat.mtimeMs)) < justNow) return "emptied";
        const last = this.recent.get(file.key);
        if (last && hasBytes(this.disk.io, fd, stat, last)) return last;
        const bytes = readAll(this.disk.io, fd, this.limits.size, stat);
        if (bytes === null) this.checkSize(file.path, Number.POSITIVE_INFINITY);
        else this.remember(file.key, bytes);
        return bytes;
      });
      if (result !== "emptied") return result;
      if (attempt === 3) return new Uint8Array(0);
      await new Promise((resolve) => setTimeout(resolve, justNow));
    }
  }

  private remember(key: string, bytes: Uint8Array): void {
    if (!this.options.brief) this.recent.keep(key, bytes);
  }

  private async withOpened<T>(
    file: FileId,
    use: (fd: number, stat: Stat) => T | Promise<T>,
  ): Promise<T | null> {
    for (let attempt = 1; ; attempt++) {
      const { real } = (attempt === 1 ? this.direct(file) : null) ?? (await this.again(file));
      const opened = openReal(this.disk, real, file.path);
      if (opened === null) return null;
      if (opened !== moved) return useOpened(this.disk.io, opened, use);
      if (attempt === 3) throw new PortError("busy", `${file.path} keeps being moved`);
    }
  }

  private checkSize(path: string, size: number): void {
    const { size: limit } = this.limits;
    if (size <= limit) return;
    const found = Number.isFinite(size) ? `${size} bytes` : "more bytes than it announces";
    throw new PortError("too_large", `${path} has ${found}; the limit is ${limit} (limits.size)`);
  }
}
