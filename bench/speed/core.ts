import { formatHashLineBytes } from "../../src/anchors/listing.js";
import { History, type State } from "../../src/changes/history.js";
import type { View } from "../../src/edits/located-edit.js";
import { anchorOf } from "../../src/edits/problem.js";
import { run } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import { measure, processor, type Row } from "./harness.js";
import { changed, sourceText } from "./text.js";

const count = 10_000;
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function viewOf(base: Document, now: Document): View {
  const state = (document: Document): State => ({
    version: document.version,
    lineCount: document.lineCount,
    document,
    exact: null,
  });
  const states = base === now ? [state(base)] : [state(base), state(now)];
  const rows = LineSet.all(base.lineCount);
  return {
    history: new History(states),
    showings: [{ state: 0, rows, scheme: "hex6" }],
    known: () => rows,
  };
}

/** The new text, its version known. */
function edit(base: Document, now: Document, edits: unknown): Document {
  const made = run(edits, viewOf(base, now));
  if (made.status !== "applied") throw new Error(`the edit was not applied: ${JSON.stringify(made)}`);
  void made.document.version;
  return made.document;
}

/** One call from a file's bytes to the new bytes and version. */
export function editBytes(bytes: Uint8Array, edits: unknown): Document {
  const now = Document.parse(bytes);
  return edit(now, now, edits);
}

function setLines(base: Document, indexes: readonly number[]): unknown {
  return indexes.map((index) => ({
    op: "set_line",
    anchor: anchorOf(base, index, "hex6"),
    text: `  changed ${index};`,
  }));
}

/** The rows of the speed table that need no disk. */
export function coreRows(): Row[] {
  const text = sourceText(count);
  const bytes = encode(text);
  const buffer = Buffer.from(bytes);
  const split = { name: "toString().split", run: () => buffer.toString().split("\n"), clock: processor };
  const base = Document.parse(bytes);
  void base.version;
  const one = setLines(base, [5000]);
  const hundred = setLines(
    base,
    Array.from({ length: 100 }, (_, at) => at * 99 + 7),
  );
  const fresh = (content: Uint8Array, edits: unknown) => () => {
    const now = Document.parse(content);
    return edit(now, now, edits);
  };
  const stale = (changes: number) => {
    const content = encode(changed(text, changes));
    const edits = setLines(base, [4990]);
    return () => edit(base, Document.parse(content), edits);
  };
  const other = Document.parse(encode(sourceText(count, 99)));
  const shuffled = Document.parse(encode(shuffle(text)));
  const compared = (now: Document) => () => viewOf(base, now).history.follow(0);
  return [
    measure("list 10,000 lines with hex6, bytes to bytes", 1.5, () => formatHashLineBytes(bytes), split),
    measure("one edit, bytes to new bytes and version", 1.5, fresh(bytes, one), split),
    measure("100 edits in one call", 2, fresh(bytes, hundred), split),
    measure("stale edit, 50 foreign changes", 3, stale(50), split),
    measure("stale edit, 500 foreign changes", 4, stale(500), split),
    measure("two unrelated texts", 40, compared(other), split),
    measure("two shuffled texts", 40, compared(shuffled), split),
  ];
}

function shuffle(text: string): string {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const to = (at * 7919) % lines.length;
    [lines[at], lines[to]] = [lines[to] as string, lines[at] as string];
  }
  return lines.join("\n");
}
