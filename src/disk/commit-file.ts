import {
  closeQuietly,
  errorCode,
  explained,
  failure,
  flags,
  isMissing,
  isSharingViolation,
  remove,
  type Stat,
  ticks,
} from "../host/index.js";
import { type Content, type Fence, type Intent, PortError, type Write } from "../ports/index.js";
import { type Disk, Folder } from "./folder-handle.js";
import { isStillSame, lookAtContent, ReplacedFile } from "./replaced-file.js";
import {
  Bound,
  makeFolders,
  makeLike,
  openNew,
  putNew,
  removeFolders,
  store,
  writeBeside,
} from "./temp-file.js";

/** One file of a commit, with the real path it has under the lock. */
export interface Target extends Pick<Write, "before" | "after" | "folders"> {
  readonly key: string;
  /** As it was asked for. */
  readonly path: string;
  readonly real: string;
  /** Until the target before it is gone, that one is found under its name too. */
  readonly respells?: boolean;
  /** Key of the target that is moved here. */
  readonly from?: string;
}

export interface Commit {
  /** Names temporary files, so that whoever finds the lock of a dead process finds them too. */
  readonly token: string;
  /** Throws if the lock is no longer ours. */
  readonly check: (path: string) => void;
  readonly fence?: Fence | undefined;
}

interface Replacing extends Commit {
  /** The file that is replaced. */
  readonly like: Stat;
}

/** Whether a file is of a commit that is under way, or of one that was killed. */
export function isTemporaryName(name: string): boolean {
  return /^\.kedge-[\w-]+-\d+\.tmp(\.old)?$/.test(name);
}

export function temporaryName(token: string, number = 0): string {
  return `.kedge-${token}-${number}.tmp`;
}

/** The intent of a commit that replaces one file, or makes it. */
export function plainIntent(token: string, real: string): Intent {
  return { token, files: [{ path: real, temporary: temporaryName(token) }], isBound: false };
}

const oldEnding = ".old";

/** Every name that a commit of one file may leave beside it. */
export function temporaryNames(token: string): string[] {
  return [temporaryName(token), `${temporaryName(token)}${oldEnding}`];
}

/** Whether it has several names. */
export function isShared(stat: Stat | null): boolean {
  return stat !== null && stat.nlink > 1n;
}

/**
 * One file, wholly old or wholly new at any moment. True: it is new. False: somebody changed it before; nothing was
 * written. An error means that nothing was written either; `Bound`, that it has to be written in place.
 *
 * A writer who does not lock is noticed if it writes before the rename, and also if it writes into the replaced file
 * until the folder is flushed: then that file gets its name back. Three gaps are left: a writer that opened the file
 * before the rename and writes only after the flush loses its text; where files have one name only, a writer between
 * the last look and the rename, some ten microseconds, does; and so does a write into memory that was mapped before,
 * which changes no date, if it comes after the bytes were compared.
 */
export async function commitOne(disk: Disk, target: Target, commit: Commit): Promise<boolean> {
  const { path } = disk.platform;
  try {
    const { token } = commit;
    const deletion = { token, files: [{ path: target.real, temporary: null }], isBound: true };
    await commit.fence?.intent(target.after === null ? deletion : plainIntent(token, target.real));
    const above = path.dirname(target.real);
    let made: string[] = [];
    try {
      let folder = Folder.open(disk, above);
      if (folder === null && target.before === null && target.after !== null) {
        made = makeFolders(disk, above);
        folder = Folder.open(disk, above);
      }
      if (folder === null) return target.before === null && target.after === null;
      try {
        if (await write(disk, folder, target, commit)) return true;
      } finally {
        folder.close();
      }
      removeFolders(disk, made);
      return false;
    } catch (error) {
      removeFolders(disk, made);
      throw error;
    }
  } catch (error) {
    // A file that is mounted by itself, as containers do, cannot be renamed over.
    const mounted = errorCode(error) === "EBUSY" && target.before !== null && target.after !== null;
    if (error instanceof Bound || mounted) throw new Bound(target.path, { cause: error });
    throw failure(target.after === null ? "delete" : "write", target.path, error);
  }
}

function write(disk: Disk, folder: Folder, target: Target, commit: Commit): boolean | Promise<boolean> {
  const name = disk.platform.path.basename(target.real);
  const stat = folder.stat(name);
  if ((stat === null) !== (target.before === null)) return false;
  if (stat === null) return target.after === null || create(disk, folder, target, commit);
  checkKind(stat, target);
  if (target.after === null) {
    checkWritable(disk, folder.at(name), target);
    return erase(disk, folder, target, commit);
  }
  if (isShared(stat)) throw new Bound(`${target.path} has several names`);
  return replace(disk, folder, target, { ...commit, like: stat });
}

const nothing = new Uint8Array(0);

/** The content to write; only a batch moves a file that is not held in memory. */
export function bytesOf(content: Content | null): Uint8Array {
  if (content === null) return nothing;
  if (content instanceof Uint8Array) return content;
  throw new Error("what was measured can only be moved");
}

async function create(disk: Disk, folder: Folder, target: Target, commit: Commit): Promise<boolean> {
  const temporary = temporaryName(commit.token);
  await writeBeside(disk, folder, temporary, bytesOf(target.after));
  try {
    commit.check(target.path);
    commit.fence?.check();
    if (!putNew(disk, folder, temporary, disk.platform.path.basename(target.real))) return false;
    await folder.flushed();
    return true;
  } finally {
    folder.discard(temporary);
  }
}

async function erase(disk: Disk, folder: Folder, target: Target, commit: Commit): Promise<boolean> {
  const name = disk.platform.path.basename(target.real);
  const seen = await lookAtContent(disk, folder, name, target.before);
  if (seen === null) return false;
  commit.check(target.path);
  commit.fence?.check();
  if (!isStillSame(folder, name, seen)) return false;
  await patiently(disk, target.path, () => remove(disk.io, folder.at(name)));
  await folder.flushed();
  return true;
}

/** Milliseconds. A disk that has written the new file in less flushes the folder sooner than a thread is found for it. */
const quick = 4;

/** False: somebody wrote into the file, before it was replaced or just then; in that case it stands there again. */
async function replace(disk: Disk, folder: Folder, target: Target, commit: Replacing): Promise<boolean> {
  const { io } = disk;
  const { path } = target;
  const name = disk.platform.path.basename(target.real);
  const temporary = temporaryName(commit.token);
  const original = new ReplacedFile(disk, folder, name, target.before && bytesOf(target.before));
  const after = bytesOf(target.after);
  const started = ticks();
  let fd: number | null = openNew(disk, folder, temporary, commit.like);
  let isLeft = true;
  try {
    const fresh = makeLike(disk, fd, commit.like, true);
    const stored = store(disk, fd, after, commit.like);
    try {
      checkWritable(disk, folder.at(name), target);
      original.keep(`${temporary}${oldEnding}`);
      // The bytes take as long as everything else. If nothing happens until the rename, they need no second look.
      original.compare();
    } finally {
      // In every case: a descriptor that is closed while it is written may be another file's by then.
      await stored;
    }
    const written = fd;
    fd = null;
    io.close(written);
    const isQuick = ticks() - started < quick;
    commit.check(path);
    await patiently(disk, path, () => {
      if (!original.isStill(fresh)) return;
      commit.fence?.check();
      io.rename(folder.at(temporary), folder.at(name));
      isLeft = false;
    });
    if (isLeft) return false;
    if (isQuick) folder.flush();
    else await folder.flushed();
    return original.isLast(path, after);
  } finally {
    if (fd !== null) closeQuietly(io, fd);
    if (isLeft) folder.discard(temporary);
    original.release();
  }
}

export function checkKind(stat: Stat, { path }: Target): void {
  if (stat.isFile()) return;
  if (!stat.isSymbolicLink()) throw new PortError("io", `cannot write ${path}: it is not a regular file`);
  throw new PortError("busy", `${path} was replaced by a link just now; nothing was changed`);
}

/** A rename would go over a file that is marked as read-only; its owner did not mean that. */
export function checkWritable({ io }: Disk, at: string, { path, after }: Target): void {
  try {
    io.access(at, flags.writable);
  } catch (error) {
    // Then whoever compares it next finds that out.
    if (isMissing(error)) return;
    const action = after === null ? "delete" : "write";
    throw new PortError("io", `cannot ${action} ${path}: ${explained("write to", error)}`, { cause: error });
  }
}

const attempts = 8;

/** Windows refuses to touch a file that another program has open; scanners and indexers let go of it soon. */
export function patiently(disk: Disk, path: string, action: () => void): Promise<void> | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (!isSharingViolation(disk.platform, errorCode(error))) throw error;
    return tryAgain(disk, path, action, error);
  }
}

async function tryAgain(disk: Disk, path: string, action: () => void, first: unknown): Promise<void> {
  let cause = first;
  for (let attempt = 1; attempt < attempts; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 2 ** attempt));
    try {
      action();
      return;
    } catch (error) {
      if (!isSharingViolation(disk.platform, errorCode(error))) throw error;
      cause = error;
    }
  }
  throw new PortError("busy", `${path} is open in another program; nothing was changed`, { cause });
}
