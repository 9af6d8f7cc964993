import type { Codec, Document } from "../core/index.js";
import type { Files, LedgerStore } from "./ports.js";
import { parse } from "./texts.js";

interface KeptContext {
  readonly files: Files;
  readonly store: LedgerStore;
  readonly codec: Codec | null;
}

/** Kept texts of one file, by version; null if it is not kept. */
export type Texts = (version: string) => Promise<Document | null>;

/** A file with a thousand edits has a thousand texts: only so many are held at a time. */
const held = 24;

/** `encoding` is how the file was last read, `found` texts that are there anyway. */
export function keptTexts(
  encoding: string | null,
  found: readonly (Document | null)[],
  context: KeptContext,
): Texts {
  const pinned = new Map(found.flatMap((document) => (document ? [[document.version, document]] : [])));
  const recent = new Map<string, Document | null>();
  const fetch = async (version: string): Promise<Document | null> => {
    const bytes = await context.store.version(version);
    if (!bytes) return null;
    for (const last of new Set([encoding, null])) {
      const document = await parse(bytes, last, context);
      if (document.version === version) return document;
    }
    return null;
  };
  return async (version) => {
    const known = pinned.get(version) ?? recent.get(version);
    const document = known === undefined ? await fetch(version) : known;
    recent.delete(version);
    recent.set(version, document);
    const [oldest] = recent.keys();
    if (recent.size > held && oldest !== undefined) recent.delete(oldest);
    return document;
  };
}
