import { PortError } from "../ports/index.js";
import { errorCode } from "./io.js";

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reported an error",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  EISDIR: "it is a folder",
  EFTYPE: "it is not a regular file",
  ENOTDIR: "a part of the path is not a folder",
  ENOENT: "it does not exist",
  ELOOP: "symbolic links lead in a circle",
  ENAMETOOLONG: "the name is too long",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that runs",
};

/** "permission denied (EACCES)" */
export function reason(error: unknown): string {
  const code = errorCode(error);
  const text = words[code];
  if (text) return `${text} (${code})`;
  return error instanceof Error ? error.message : String(error);
}

const closed = "this user has no permission to read and write in its folder";

/** Which permission is missing, by what was tried: the system only says that one is. */
const missing: Readonly<Record<string, string>> = {
  find: "this user has no permission to enter a folder on the way",
  read: "this user has no permission to read it",
  write: closed,
  delete: closed,
  "write to": "this user has no permission to write to it",
};

/** The same, with what to do about it where that is known. */
export function explained(action: string, error: unknown): string {
  const code = errorCode(error);
  const permission = missing[action];
  if (code === "EACCES" && permission) return `${permission} (${code}); give it first`;
  if (code === "EPERM" && (action === "write" || action === "delete"))
    return `${reason(error)}: it belongs to somebody else, or is marked as unchangeable`;
  return reason(error);
}

/** Words the system's refusal for a caller; an error that is worded already stays as it is. */
export function failure(action: string, path: string, error: unknown): PortError {
  if (error instanceof PortError) return error;
  if (errorCode(error) === "EISDIR") return new PortError("io", `${path} is a folder; name a file in it`);
  return new PortError("io", `cannot ${action} ${path}: ${explained(action, error)}`, { cause: error });
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS"]);

/**
 * The fault is that of the state folder: every other file meets it too.
 *
 * @example
 * console.log(new StateError("io", "the state folder is full") instanceof PortError); // → true
 */
export class StateError extends PortError {}

/** For what needs the state folder: nobody finds the fault at the file. */
export function stateFailure(action: string, state: string, error: unknown): PortError {
  const code = errorCode(error);
  if (error instanceof PortError) return error;
  if (!unwritable.has(code))
    return new StateError("io", `cannot ${action}: ${reason(error)}`, { cause: error });
  const hint = `the state folder ${state} may not be written (${code}); allow that first, or name another in KEDGE_STATE`;
  return new StateError("io", `cannot ${action}: ${hint}`, { cause: error });
}
