/** Lines that an edit quotes only in part: the rest of such a line may never have been shown to the agent. */
import type { LineChange } from "../changes/index.js";
import type { ParsedEdit, Quote } from "../edits/index.js";
import type { OpenFile } from "../ledger/index.js";
import { type Document, LineSet, lineIndexes, type Range, splitText } from "../text/index.js";

/** Text that the agent sent: whole lines of it, and what it replaced by what. */
interface Sent {
  readonly words: ReadonlySet<string>;
  readonly quotes: readonly Pick<Quote, "old" | "new">[];
}

export function sentIn(edits: readonly ParsedEdit[]): Sent {
  const quotes = edits.flatMap((edit) => (edit.op === "replace_text" ? [edit] : []));
  const texts = edits.flatMap((edit) => ("text" in edit ? edit.text : []));
  return { words: new Set([...texts, ...newLines(quotes)]), quotes };
}

/** The lines of what quotes are replaced by. */
export function newLines(quotes: Sent["quotes"]): string[] {
  return quotes.flatMap((quote) => splitText(quote.new));
}

/** An edit and what the agent knew of the text before it. */
export interface Edited {
  readonly map: LineChange;
  readonly before: Document;
  readonly after: Document;
  readonly known: LineSet;
}

/**
 * Written lines that hold text which the agent neither knew nor sent. The agent knows a line all of which it wrote, one
 * that came from known lines only, and one that a known line reads like with the quotes replaced.
 */
export function unseenLines({ map, before, after, known }: Edited, { words, quotes }: Sent): LineSet {
  const replaced = (line: string) => quotes.reduce((text, one) => text.split(one.old).join(one.new), line);
  const unseen: number[] = [];
  for (const { aStart, aEnd, bStart, bEnd } of map.regions) {
    if (known.hasSpan(aStart, aEnd)) continue;
    const seen = known.intersect(LineSet.of([[aStart, aEnd]])).indexes();
    const texts = new Set(seen.map((line) => replaced(before.text(line))));
    for (const line of lineIndexes(bStart, bEnd)) {
      const text = after.text(line);
      if (!words.has(text) && !texts.has(text)) unseen.push(line);
    }
  }
  return LineSet.lines(unseen);
}

/** Lines that somebody else's tool changed for the agent in all places at once, and that the agent was not shown. */
export interface Touched {
  readonly count: number;
  readonly rows: readonly { readonly line: number; readonly text: string }[];
  /** Those that there was no room for. */
  readonly more: readonly Range[];
}

const toldRows = 20;
const toldCharacters = 4_000;
const longestRow = 500;

/** The rows that fit count as shown. */
export function tell(lines: LineSet, opened: OpenFile, room: number): Touched | null {
  if (lines.isEmpty) return null;
  const { text } = opened;
  const told: number[] = [];
  let left = Math.min(toldCharacters, room);
  for (const at of lines.indexes()) {
    if (told.length === toldRows || text.text(at).length > Math.min(left, longestRow)) continue;
    told.push(at);
    left -= text.text(at).length;
  }
  const shown = LineSet.lines(told);
  if (!shown.isEmpty) opened.showed(shown, null, "observed");
  const rows = told.map((at) => ({ line: at + 1, text: text.text(at) }));
  return { count: lines.size, rows, more: lines.subtract(shown).ranges() };
}
