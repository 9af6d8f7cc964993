import { PortError } from "../session/index.js";
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

/** What a caller is told when the system refuses; an error that is worded already stays as it is. */
export function failure(action: string, path: string, error: unknown): PortError {
  if (error instanceof PortError) return error;
  return new PortError("io", `cannot ${action} ${path}: ${reason(error)}`, { cause: error });
}
