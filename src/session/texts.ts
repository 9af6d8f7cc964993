import { type Codec, Document, type LineMap, LineSet } from "../core/index.js";
import type { Files } from "./ports.js";
import type { StateRecord } from "./record.js";

interface Context {
  readonly files: Files;
  /** Forced encoding. */
  readonly codec: Codec | null;
}

/** The lines a change writes, in the numbers after it. */
export function writtenLines(map: LineMap): LineSet {
  const spans = map.regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const);
  return LineSet.of(spans.filter(([start, end]) => start < end));
}

export function hashesKey(version: string): string {
  return `${version}-hashes`;
}

export function hashBytes(document: Document): Uint8Array {
  const hashes = Uint32Array.from({ length: document.lineCount }, (_, index) => document.lineHash(index));
  return new Uint8Array(hashes.buffer);
}

/** The states whose text is compared when lines are followed from one state to the last, and that state itself. */
export function needed(states: readonly StateRecord[], from: number): Set<number> {
  const wanted = new Set([from]);
  let at = from;
  const between = (one: number, two: number): void => {
    if (one === two || states[one]?.version === states[two]?.version) return;
    wanted.add(one).add(two);
  };
  for (let next = from + 1; next < states.length; next++) {
    if (!states[next]?.exact) continue;
    between(at, next - 1);
    at = next;
  }
  between(at, states.length - 1);
  return wanted;
}

export async function parse(bytes: Uint8Array, last: string | null, context: Context): Promise<Document> {
  if (context.codec) return Document.parse(bytes, { codec: context.codec });
  const document = Document.parse(bytes);
  if (document.encoding !== "latin1" || document.binary || !context.files.codec) return document;
  const fallback = await context.files.codec(bytes, last);
  return fallback ? Document.parse(bytes, { fallback }) : document;
}
