/** Texts of the tree's files: which of them go on record, and how one is found again. */

import { committedTexts } from "../git/index.js";
import type { Repository } from "../host/index.js";
import { encodingIn, isKept, keptTexts, parse } from "../ledger/index.js";
import type { FileId, Files } from "../ports/index.js";
import { Document } from "../text/index.js";
import type { TreeStore } from "./tree-store.js";

export type TreeMode = "dirty" | "all" | "off";

const largestUntracked = 1024 * 1024;

/** Files that a look reads; what is larger is known by its identity. */
export const largestRead = 16 * 1024 * 1024;

/** Whether the text may be on record. `isTracked` by git, in which case it is no build product. */
export function isRecordable(
  file: FileId,
  text: Document,
  { mode, isTracked }: { readonly mode: TreeMode; readonly isTracked: boolean },
): boolean {
  if (!isKept(file, text)) return false;
  return isTracked || mode === "all" || (text.bytes.length < largestUntracked && !text.isBinary);
}

interface TextContext {
  readonly files: Files;
  readonly store: TreeStore;
}

/** The text as a session would read it: a version stands for bytes and encoding. */
export async function documentOf(
  bytes: Uint8Array,
  key: string,
  { files, store }: TextContext,
): Promise<Document> {
  const plain = Document.parse(bytes);
  if (plain.isBinary || plain.encoding !== "latin1") return plain;
  const last = encodingIn(await store.look(key, ""));
  return parse(bytes, last, { files, codec: null });
}

/** A kept version; null if it is not on record. */
export async function keptDocument(
  version: string | null,
  key: string,
  { files, store }: TextContext,
): Promise<Document | null> {
  if (version === null) return null;
  const encoding = encodingIn(await store.look(key, ""));
  return keptTexts(encoding, [], { files, store, codec: null })(version);
}

const pointer = "version https://git-lfs.github.com/";

/** Texts of files in a commit, as a checkout would have written them beside the texts they have now. */
export async function textsIn(
  repository: Repository | null,
  commit: string | null,
  files: ReadonlyMap<string, Document | null>,
): Promise<Map<string, Document>> {
  if (!repository || commit === null || files.size === 0) return new Map();
  const blobs = await committedTexts(repository, commit, [...files.keys()]).catch(
    () => new Map<string, Uint8Array>(),
  );
  return new Map(
    [...blobs].flatMap(([path, bytes]) => {
      const text = new TextDecoder("latin1").decode(bytes.subarray(0, pointer.length));
      // A filter keeps the file itself elsewhere.
      return text === pointer
        ? []
        : [[path, Document.parse(withReturns(bytes, files.get(path) ?? null))] as const];
    }),
  );
}

/** Line ends may be converted on the way out of the repository: the file beside it shows whether they are. */
function withReturns(bytes: Uint8Array, now: Document | null): Uint8Array {
  if (!now || now.isBinary || bytes.includes(13) || !hasReturns(now)) return bytes;
  return Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll("\n", "\r\n"), "latin1");
}

function hasReturns(document: Document): boolean {
  return (
    document.lineCount > 1 &&
    document.terminator(0) === "\r\n" &&
    document.terminator(document.lineCount - 2) === "\r\n"
  );
}
