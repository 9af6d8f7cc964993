import type { Io } from "../../host/index.js";

/** A file as it is now: whoever writes makes it longer, or another one. */
export interface FileStamp {
  readonly ino: bigint;
  readonly size: number;
  readonly time: bigint;
}

export function stampOf(io: Io, fd: number): FileStamp {
  const { ino, size, mtimeNs } = io.fstat(fd);
  return { ino, size: Number(size), time: mtimeNs };
}
