import { type SchemeName, scheme } from "../anchors/index.js";
import { type KeptText, type LineChange, Timeline } from "../changes/index.js";
import { type FileId, type Files, keptVersion, type NewVersion, type StoreReader } from "../ports/index.js";
import { type Codec, Document, hasKey, LineSet, latin1Codec } from "../text/index.js";
import type { StateRecord } from "./file-ledger.js";

interface KeptContext {
  readonly files: Files;
  readonly store: StoreReader;
  readonly codec: Codec | null;
}

/** Kept texts of one file, by version; null if it is not kept. */
export type Texts = (version: string) => Promise<Document | null>;

/** A file with a thousand edits has a thousand texts: only so many are held at a time. */
const held = 24;

/** Loads a version from the store, as it was read with one of these encodings; null if it is not kept as text. */
async function storedText(
  version: string,
  encodings: Iterable<string | null>,
  context: KeptContext,
): Promise<Document | null> {
  const bytes = await keptVersion(context.store, version);
  return bytes ? parsedAs(version, bytes, encodings, context) : null;
}

/** The text that has this version, of those that these bytes are in one of the encodings. */
async function parsedAs(
  version: string,
  bytes: Uint8Array,
  encodings: Iterable<string | null>,
  context: TextContext,
): Promise<Document | null> {
  for (const encoding of encodings) {
    const document = await parse(bytes, encoding, context);
    if (document.version === version) return document;
  }
  return null;
}

/** Loads kept texts and holds the last of them. `encoding`: how the file was last read; `found`: texts that are there anyway. */
export function keptTexts(
  encoding: string | null,
  found: readonly (Document | null)[],
  context: KeptContext,
): Texts {
  const pinned = new Map(found.flatMap((document) => (document ? [[document.version, document]] : [])));
  const recent = new Map<string, Document | null>();
  const encodings = new Set([encoding, null]);
  return async (version) => {
    const known = pinned.get(version) ?? recent.get(version);
    const document = known === undefined ? await storedText(version, encodings, context) : known;
    recent.delete(version);
    recent.set(version, document);
    const [oldest] = recent.keys();
    if (recent.size > held && oldest !== undefined) recent.delete(oldest);
    return document;
  };
}

interface TextContext {
  readonly files: Files;
  /** Forced encoding. */
  readonly codec: Codec | null;
}

/** The lines a change writes, in the numbers after it. */
export function writtenLines(map: LineChange): LineSet {
  const spans = map.regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const);
  return LineSet.of(spans.filter(([start, end]) => start < end));
}

/** How often each line stands there. */
export function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** The anchors that rows are printed with, by line index. */
export function hashesOf(text: Document, rows: LineSet, name: SchemeName): Record<number, string> {
  const { hashLine } = scheme(name);
  return Object.fromEntries(rows.indexes().map((index) => [index, hashLine(text, index)]));
}

/** Files up to this size are kept whole; of larger ones only the line hashes. */
const keptBytes = 4 * 1024 * 1024;

/** Whether text of this file may be recorded at all: never what looks secret, by its path or by a key in it. */
export function isKeepable({ keep }: FileId, text: Document): boolean {
  return keep && !hasKey(text);
}

/** Whether this version is kept as text, so that later ones can be compared with it. */
export function isKept(file: FileId, text: Document): boolean {
  return text.bytes.length <= keptBytes && isKeepable(file, text);
}

/** The stored part of a text: all of it, with its name by `before` where that is stored too, or its line hashes. */
export function textToKeep(file: FileId, text: Document, before: Document | null): NewVersion {
  if (!isKept(file, text)) return { id: hashesKey(text.version), bytes: hashBytes(text), file: file.key };
  const base = before && isKept(file, before) ? { base: { id: before.version, bytes: before.bytes } } : {};
  return { id: text.version, bytes: text.bytes, file: file.key, ...base };
}

function hashesKey(version: string): string {
  return `${version}-hashes`;
}

function hashBytes(document: Document): Uint8Array {
  const hashes = Uint32Array.from({ length: document.lineCount }, (_, index) => document.lineHash(index));
  return new Uint8Array(hashes.buffer);
}

/** The states whose text is compared when lines are followed from these states to the last, and those states themselves. */
export function needed(states: readonly StateRecord[], from: readonly number[], agent: string): Set<number> {
  const wanted = new Set(from);
  const timeline = Timeline.of(states);
  for (const state of from)
    for (const { start, end } of timeline.way(state, states.length - 1, agent)) {
      if (start === end || states[start]?.version === states[end]?.version) continue;
      wanted.add(start).add(end);
    }
  return wanted;
}

/** Documents that are a function of their bytes alone. */
const parsed = new WeakMap<Uint8Array, Document>();

/** Should its bytes be read again, this is their document. */
export function keepParsed(document: Document, { isLasting = false }: Files): void {
  if (isLasting && document.isPlain) parsed.set(document.bytes, document);
}

export async function parse(bytes: Uint8Array, last: string | null, context: TextContext): Promise<Document> {
  if (context.codec) return Document.parse(bytes, { codec: context.codec });
  const document = parsed.get(bytes) ?? Document.parse(bytes);
  keepParsed(document, context.files);
  if (document.isBinary) return document;
  const isLegacy = last !== null && !last.startsWith("utf-");
  if (document.encoding === "utf-8")
    return isLegacy && document.isAscii ? inLastEncoding(bytes, last, context) : document;
  const fallback = document.encoding === "latin1" ? await context.files.codec?.(bytes, last) : null;
  return fallback ? Document.parse(bytes, { fallback }) : document;
}

/** Plain ASCII that was in a legacy encoding: new text is written in that one. */
async function inLastEncoding(bytes: Uint8Array, last: string, { files }: TextContext): Promise<Document> {
  const codec = last === latin1Codec.name ? latin1Codec : await files.codec?.(bytes, last);
  return Document.parse(bytes, codec?.name === last ? { fallback: codec, last: codec } : {});
}

const notKept: KeptText = { document: null, hashes: null };

/** Texts of older versions, taken from the store as they are needed; of some only the line hashes are kept. */
export class KeptTexts {
  private readonly texts = new Map<string, KeptText>();

  constructor(private readonly context: KeptContext) {}

  text(version: string): KeptText {
    return this.texts.get(version) ?? notKept;
  }

  keep(document: Document): void {
    this.texts.set(document.version, { document, hashes: null });
  }

  adopt(other: KeptTexts): void {
    for (const [version, text] of other.texts) this.texts.set(version, text);
  }

  /** All at once; the hashes of lines are asked for only where no text is kept. False: all were there. */
  async load(states: readonly StateRecord[]): Promise<boolean> {
    const missing = states.filter(({ version }) => !this.texts.has(version));
    if (missing.length === 0) return false;
    const { store } = this.context;
    const texts = await store.versions([...new Set(missing.map(({ version }) => version))]);
    const without = missing
      .filter(({ version }) => !texts.has(version))
      .map(({ version }) => hashesKey(version));
    const hashes =
      without.length > 0 ? await store.versions([...new Set(without)]) : new Map<string, Uint8Array>();
    const found = new Map([...texts, ...hashes]);
    for (const state of missing) this.texts.set(state.version, await this.textIn(found, state));
    return true;
  }

  private async textIn(
    found: ReadonlyMap<string, Uint8Array>,
    { version, encoding }: StateRecord,
  ): Promise<KeptText> {
    const bytes = found.get(version);
    if (bytes) return { document: await parsedAs(version, bytes, [encoding], this.context), hashes: null };
    const hashes = found.get(hashesKey(version));
    // A copy, since they may begin anywhere in what the store has read; `slice` of a Buffer makes none.
    return hashes ? { document: null, hashes: new Uint32Array(Uint8Array.from(hashes).buffer) } : notKept;
  }
}
