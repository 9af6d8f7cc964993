import type { Repository } from "../host/index.js";
import { presentObjects, runGit } from "./run-git.js";

/** Bytes that are read of one answer, and milliseconds that are waited for it. */
const longestAnswer = 64 * 1024 * 1024;
const patience = 10_000;

/** Runs git for a short answer. */
export async function ask(repository: Repository, args: readonly string[], input = ""): Promise<Buffer> {
  return runGit(repository, { args, input, timeout: patience, longest: longestAnswer });
}

/** The bytes of blobs by their ids; null for an object that is no blob, none at all for one that is missing. */
export async function contentsOf(
  repository: Repository,
  blobs: readonly string[],
): Promise<Map<string, Uint8Array | null>> {
  const read = async (ids: readonly string[]): Promise<Map<string, Uint8Array | null>> => {
    const found = blobsIn(await ask(repository, ["cat-file", "--batch"], `${ids.join("\n")}\n`), ids.length);
    return new Map(ids.map((id, at) => [id, found[at] ? Uint8Array.from(found[at]) : null]));
  };
  try {
    return await read(blobs);
  } catch (error) {
    const there = await presentObjects(repository, blobs);
    if (there.length === blobs.length) throw error;
    return read(there);
  }
}

/** The blobs in an answer of `git cat-file --batch`, as parts of it; null for an object that is no blob. */
export function blobsIn(output: Buffer, count: number): (Buffer | null)[] {
  const found: (Buffer | null)[] = [];
  let at = 0;
  while (found.length < count) {
    const end = output.indexOf(10, at);
    const [, kind, size] = output.toString("latin1", at, end).split(" ");
    at = end + 1;
    found.push(kind === "blob" ? output.subarray(at, at + Number(size)) : null);
    if (kind === "blob") at += Number(size) + 1;
    if (end < 0) break;
  }
  return found;
}
