/** Rows that were shown of a text that the file no longer has: it was changed before they were told of. */
import {
  type CallEnv,
  carry,
  countsOf,
  type Env,
  hasSeen,
  isShownLast,
  knownNow,
  type OpenFile,
  olderTexts,
  peek,
  withFile,
} from "../ledger/index.js";
import { PortError } from "../ports/index.js";
import { type Document, LineSet, wholeFile } from "../text/index.js";

interface Row {
  readonly line: number;
  readonly text: string;
}

/**
 * If the text they were shown of is recorded, that is what was shown. Else it is made of them, as far as they tell, and
 * recorded: what became of them since is then followed like everything else. Returns how many lines are known by it.
 */
async function observeLate(rows: readonly Row[], now: Standing, opened: OpenFile, env: Env): Promise<number> {
  if (await isRecorded(rows, opened, env)) return now.lines.size;
  const made = now.others.subtract(knownNow(opened.agent)).isEmpty ? null : textShown(rows, opened.text);
  if (!made) {
    // The agent knows what stands there: it has seen it since.
    opened.credit(now.lines);
    return now.lines.size;
  }
  if (opened.isFresh) await opened.stepBack(made.document);
  else {
    opened.committed(made.document, null);
    if (hasSeen(opened.agent)) opened.update(carry(opened.agent, opened.history));
  }
  const state = opened.states.length - 1;
  opened.showed(made.rows, null, "observed");
  opened.arriveAgain();
  return opened.history.follow(state)?.carry(made.rows).size ?? 0;
}

/** Whether all of the rows stand in a text that was recorded before; then that one was shown. */
async function isRecorded(rows: readonly Row[], opened: OpenFile, { agent }: Env): Promise<boolean> {
  const { states } = opened;
  const own = states.findLastIndex(({ exact, by }) => !exact || by !== agent);
  for await (const { at, text } of olderTexts(opened)) {
    const then = standing(rows, text);
    // Between that text and the one now there was nothing but the agent's own doing.
    const isBeforeOwn = at >= own;
    if (!then.others.isEmpty || then.lines.isEmpty || !(isBeforeOwn || isTelling(then.lines, text))) continue;
    await opened.showedLate(at, then.lines);
    return true;
  }
  return false;
}

/** Three lines or more, one of which stands nowhere else in the text: few others would read like this. */
function isTelling(lines: LineSet, text: Document): boolean {
  if (lines.size < 3) return false;
  const counts = countsOf(text.lines());
  return lines
    .spans()
    .some(([start, end]) => text.lines(start, end).some((line) => hasText(line) && counts.get(line) === 1));
}

function hasText(line: string): boolean {
  return line.trim().length > 3;
}

/**
 * A text in which the rows stand under their numbers; around them it is the text now, cut or filled up so that the
 * numbers come out right. Nothing but the rows counts as shown. null: nothing says that they are of this file.
 */
function textShown(rows: readonly Row[], now: Document): { document: Document; rows: LineSet } | null {
  const sorted = rows.toSorted((one, two) => one.line - two.line).filter(isNext);
  const place = placing(sorted, now);
  if (!place) return null;
  const lines: string[] = [];
  let end = 0;
  for (const [at, { line, text }] of sorted.entries()) {
    const there = Math.min(Math.max(place(line), end), now.lineCount);
    const wanted = line - 1 - lines.length;
    if (wanted > 0) {
      const filler = now.lines(Math.max(end, there - wanted), there);
      for (let left = wanted - filler.length; left > 0; left--) lines.push("");
      for (const one of filler) lines.push(one);
    }
    lines.push(text);
    // Rows that follow one another stand for as many lines: what came between them since is not between them then.
    end = sorted[at + 1]?.line === line + 1 ? end : Math.min(there + 1, now.lineCount);
  }
  const document = wholeFile([...lines, ...now.lines(end, now.lineCount)], now);
  if ("unencodable" in document) return null;
  const whole = sorted.filter(({ text }) => !isUnreadable(text, now));
  return { document, rows: LineSet.lines(whole.map(({ line }) => line - 1)) };
}

function isNext({ line }: Row, at: number, all: readonly Row[]): boolean {
  return line >= 1 && line !== all[at - 1]?.line;
}

/** Cut by the client, or not text that can be shown: such a row shows nothing. */
function isUnreadable(text: string, now: Document): boolean {
  return text.includes("\uFFFD") || (text.length > shortest && now.lines().some((line) => isCut(text, line)));
}

/** So many rows have to stand, all as far from their numbers, for the others to be looked for there. */
const enough = 3;

/**
 * Where a line with a number of the rows' is now: as far away as the nearest row that stands under its number, or, with
 * others, all as far from theirs, as one that stands once. null: there is no such row.
 */
function placing(rows: readonly Row[], now: Document): ((line: number) => number) | null {
  const lines = now.lines();
  const [here, there] = [countsOf(lines), countsOf(rows.map(({ text }) => text))];
  const indexes = new Map(lines.map((text, index) => [text, index]));
  const isSingle = ({ text }: Row): boolean => hasText(text) && here.get(text) === 1 && there.get(text) === 1;
  const shifts = new Set(
    rows.filter(isSingle).map(({ line, text }) => (indexes.get(text) as number) + 1 - line),
  );
  const standingAt = (shift: number) =>
    rows.filter(({ line, text }) => lines[line - 1 + shift] === text).map(({ line }) => ({ line, shift }));
  const many = [0, ...shifts].map(standingAt).filter(({ length }) => length >= enough);
  const found = many.length > 0 ? many.flat() : standingAt(0);
  if (found.length === 0) return null;
  return (line) => {
    const distance = (one: { readonly line: number }): number => Math.abs(one.line - line);
    return line - 1 + found.reduce((one, two) => (distance(two) < distance(one) ? two : one)).shift;
  };
}

interface Standing {
  readonly lines: LineSet;
  readonly others: LineSet;
}

/** Lines that read as they were shown, and others; rows that were cut or garbled, or lie behind the end, are neither. */
function standing(rows: readonly Row[], text: Document): Standing {
  const lines: number[] = [];
  const others: number[] = [];
  let [first, end] = [text.lineCount + 1, 0];
  for (const { line } of rows) {
    if (line < 1 || line > text.lineCount) continue;
    if (line < first) first = line;
    if (line > end) end = line;
  }
  // All at once: line by line takes longer than all the rest.
  const texts = text.lines(first - 1, end);
  for (const { line, text: shown } of rows) {
    const now = texts[line - first];
    if (now === undefined) continue;
    if (now === shown) lines.push(line - 1);
    else if (!isCut(shown, now) && !shown.includes("\uFFFD")) others.push(line - 1);
  }
  return { lines: LineSet.lines(lines), others: LineSet.lines(others) };
}

/** The beginning of a long line, with something behind it that says so. */
function isCut(shown: string, whole: string): boolean {
  return whole.length > shortest && shown.length > shortest && whole.startsWith(shown.slice(0, shortest));
}

const shortest = 200;
/** Lines that somebody else's tool showed to the agent. */

export interface Observation {
  readonly path: string;
  /** Line numbers with the text they were shown with. */
  readonly rows: readonly Row[];
  /** All of it was shown, in a form that is not its lines. */
  readonly whole?: boolean;
}

/** Credits lines by their content; how many. Rows that read otherwise now were shown of an older text. */
export async function observe(observation: Observation, outer: CallEnv): Promise<number> {
  const { path, rows } = observation;
  // Read again, and nothing happened: what is written down already takes no lock.
  const file = await outer.files.identify(path);
  const known = await peek(file, outer, ({ showings }) => showings.at(-1)?.printer === "observed");
  if (typeof known === "object") {
    const { lines, others } = standingOf(observation, known.document);
    if (
      others.isEmpty &&
      isShownLast(known.agent, { state: known.state, rows: lines, printer: "observed", scheme: null })
    )
      return lines.size;
  }
  return withFile(file, outer, async (opened, env) => {
    const { document } = opened;
    if (!document) throw new PortError("not_found", `${path} does not exist`);
    const now = standingOf(observation, document);
    const isEmpty = rows.length === 0 && document.lineCount === 0;
    if (now.others.isEmpty) {
      if (!now.lines.isEmpty || isEmpty) opened.showed(now.lines, null, "observed");
      opened.save();
      return now.lines.size;
    }
    const count = await observeLate(rows, now, opened, env);
    opened.save();
    return count;
  });
}

function standingOf({ rows, whole }: Observation, text: Document): Standing {
  return whole ? { lines: LineSet.all(text.lineCount), others: LineSet.empty } : standing(rows, text);
}
