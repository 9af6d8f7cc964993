/** The same work on files of 1,000 to 1,000,000 lines: time a line, and memory beside the bytes. */

import { formatHashLineBytes } from "../../src/anchors/listing.js";
import { History } from "../../src/changes/history.js";
import { anchorOf } from "../../src/edits/problem.js";
import { run } from "../../src/merge/run-edits.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";
import { held, processor } from "./harness.js";
import { changed, sourceText } from "./text.js";

export interface ScalePoint {
  readonly lines: number;
  readonly bytes: number;
  /** Milliseconds of the processor, median; the baseline in the same run. */
  readonly split: number;
  readonly list: number;
  readonly edit: number;
  readonly stale: number;
  /** Memory of a parsed document, beyond nothing. */
  readonly memory: number;
  /** The goal: 4 × the bytes + 64 bytes a line. */
  readonly allowed: number;
}

const sizes = [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

function total(work: () => unknown, repeats: number): number {
  const start = processor();
  for (let at = 0; at < repeats; at++) held.own = work();
  return processor() - start;
}

function median(work: () => unknown, repeats: number): number {
  const times = Array.from({ length: repeats }, () => total(work, 1));
  return times.sort((one, two) => one - two)[Math.floor(repeats / 2)] as number;
}

/** Until compiled: a small size that is slow for want of that would flatter the large one. */
function warm(work: () => unknown): void {
  const end = performance.now() + 500;
  do held.own = work();
  while (performance.now() < end);
}

function editOnce(base: Document, now: Document, edits: unknown): Document {
  const state = (document: Document) => ({
    ...{ version: document.version, lineCount: document.lineCount, document, exact: null },
  });
  const rows = LineSet.all(base.lineCount);
  const states = base === now ? [state(base)] : [state(base), state(now)];
  const view = {
    history: new History(states),
    showings: [{ state: 0, rows, scheme: "hex6" as const }],
    known: () => rows,
  };
  const made = run(edits, view);
  if (made.status !== "applied") throw new Error("the edit was not applied");
  void made.document.version;
  return made.document;
}

/** Bytes that a parsed document holds; `--expose-gc` makes it exact. */
function memoryOf(bytes: Uint8Array): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) throw new Error("start node with --expose-gc");
  const used = (): number => {
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  // The bytes count: a document keeps its own.
  held.own = null;
  const before = used() - bytes.length;
  const document = Document.parse(bytes);
  void document.version;
  const after = used();
  if (document.lineCount < 0) throw new Error("unreachable");
  return after - before;
}

type Works = Readonly<Record<"split" | "list" | "edit" | "stale", () => unknown>>;

function worksOn(lines: number): { works: Works; bytes: Uint8Array } {
  const text = sourceText(lines);
  const bytes = new TextEncoder().encode(text);
  const other = new TextEncoder().encode(changed(text, 50));
  const buffer = Buffer.from(bytes);
  const base = Document.parse(bytes);
  void base.version;
  const at = Math.floor(lines / 2) - 1;
  const edits = [{ op: "insert_after", anchor: anchorOf(base, at, "hex6"), text: "  inserted;" }];
  const fresh = () => {
    const now = Document.parse(bytes);
    return editOnce(now, now, edits);
  };
  const works = {
    split: () => buffer.toString().split("\n"),
    list: () => formatHashLineBytes(bytes),
    edit: fresh,
    stale: () => editOnce(base, Document.parse(other), edits),
  };
  for (const work of Object.values(works)) warm(work);
  return { works, bytes };
}

function point(lines: number): ScalePoint {
  const { works, bytes } = worksOn(lines);
  const repeats = Math.max(9, Math.min(101, Math.floor(2_000_000 / lines)));
  return {
    ...{ lines, bytes: bytes.length },
    ...{ split: median(works.split, repeats), list: median(works.list, repeats) },
    ...{ edit: median(works.edit, repeats), stale: median(works.stale, repeats) },
    ...{ memory: memoryOf(bytes), allowed: 4 * bytes.length + 64 * lines },
  };
}

export function scaling(): ScalePoint[] {
  return sizes.map(point);
}

/**
 * How much more a line costs at a million lines than at 10,000, for the work that grows most. Plays both in turn, as
 * many lines each: the points of the curve lie minutes apart, and the machine is not the same then.
 */
export function growth(): number {
  const [small, large] = [worksOn(10_000).works, worksOn(1_000_000).works];
  const grown = (["list", "edit", "stale"] as const).map((work) => {
    const ratios = Array.from({ length: 9 }, () => {
      const whole = total(large[work], 1);
      return whole / total(small[work], 100);
    });
    return ratios.sort((one, two) => one - two)[4] as number;
  });
  return Math.max(...grown);
}
