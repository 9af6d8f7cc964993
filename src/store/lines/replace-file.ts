import {
  attempts,
  errorCode,
  newToken,
  openStateFile,
  remove,
  withFile,
  writeAll,
} from "../../host/index.js";
import { type FileStamp, stampOf } from "./file-stamp.js";
import { repairing, type StateFolder } from "./put-aside.js";

export interface StoreContext extends StateFolder {
  /** The workspace's folder in the state folder. */
  readonly folder: string;
}

/**
 * Replaces a file of the state folder as a whole. Not flushed: what a power failure takes from the ledger makes the
 * next edit be refused with "read it again", and a flush would double the time of every commit.
 */
export function replaceFile(context: StoreContext, path: string, bytes: Uint8Array): FileStamp {
  return repairing(context, path, () => replaceOnce(context, path, bytes));
}

function replaceOnce(context: StoreContext, path: string, bytes: Uint8Array, attempt = 1): FileStamp {
  const { io, platform, clock } = context;
  const temporary = `${path}.${newToken(clock)}.tmp`;
  try {
    const fd = openStateFile(io, platform, temporary);
    const stamp = withFile(io, fd, () => {
      writeAll(io, fd, bytes);
      return stampOf(io, fd);
    });
    io.rename(temporary, path);
    return stamp;
  } catch (error) {
    try {
      remove(io, temporary);
    } catch {
      // Pruning finds it.
    }
    if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
    return replaceOnce(context, path, bytes, attempt + 1);
  }
}
