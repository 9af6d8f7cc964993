/** Credits rows that another program showed to the agent, also of a version that the file no longer has. */
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
 * If a recorded version contains all rows, that version was shown. Otherwise builds a version from the rows and records it,
 * so that later changes of the rows are followed. Returns how many lines become known.
 */
async function observeLate(rows: readonly Row[], now: Standing, opened: OpenFile, env: Env): Promise<number> {
  if (await isRecorded(rows, opened, env)) return now.lines.size;
  const made = now.others.subtract(knownNow(opened.agent)).isEmpty ? null : textShown(rows, opened.text);
  if (!made) {
    // The agent has seen these lines since, so it knows them.
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

/** True if an earlier recorded version has all the rows, which makes it the one that was shown. */
async function isRecorded(rows: readonly Row[], opened: OpenFile, { agent }: Env): Promise<boolean> {
  const { states } = opened;
  const own = states.findLastIndex(({ exact, by }) => !exact || by !== agent);
  for await (const { at, text } of olderTexts(opened)) {
    const then = standing(rows, text);
    // Only the agent itself has changed the file since that version.
    const isBeforeOwn = at >= own;
    if (!then.others.isEmpty || then.lines.isEmpty || !(isBeforeOwn || isTelling(then.lines, text))) continue;
    await opened.showedLate(at, then.lines);
    return true;
  }
  return false;
}

/** True for three lines or more with one that is single in the text: hardly any other text reads so. */
function isTelling(lines: LineSet, text: Document): boolean {
  if (lines.size < 3) return false;
  const counts = countsOf(text.lines());
  return lines.spans.some(([start, end]) =>
    text.lines(start, end).some((line) => hasText(line) && counts.get(line) === 1),
  );
}

function hasText(line: string): boolean {
  return line.trim().length > 3;
}

/**
 * Builds a text that has the rows under their numbers, and around them the text now, cut or filled up so that the numbers
 * fit. Only the rows count as shown. null if nothing says that they are of this file.
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
    // Consecutive rows were consecutive lines: lines that were inserted between them since are left out.
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

/** True for a row that was cut by the client or is no printable text: it shows nothing. */
function isUnreadable(text: string, now: Document): boolean {
  return text.includes("\uFFFD") || (text.length > shortest && now.lines().some((line) => isCut(text, line)));
}

/** This many rows must match at one offset before the offset is used for the rest. */
const enough = 3;

/**
 * Returns where a line with a number of the rows is now: at the offset of the nearest row that matches under its number, or
 * of several that match once at one offset. null if there is no such row.
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

/** Lines that read as they were shown, and lines that do not. Rows that were cut or garbled, or lie behind the end, are neither. */
function standing(rows: readonly Row[], text: Document): Standing {
  const lines: number[] = [];
  const others: number[] = [];
  let [first, end] = [text.lineCount + 1, 0];
  for (const { line } of rows) {
    if (line < 1 || line > text.lineCount) continue;
    if (line < first) first = line;
    if (line > end) end = line;
  }
  // All lines at once, because one by one takes longer than everything else.
  const texts = text.lines(first - 1, end);
  for (const { line, text: shown } of rows) {
    const now = texts[line - first];
    if (now === undefined) continue;
    if (now === shown) lines.push(line - 1);
    else if (!isCut(shown, now) && !shown.includes("\uFFFD")) others.push(line - 1);
  }
  return { lines: LineSet.lines(lines), others: LineSet.lines(others) };
}

/** True for the beginning of a long line with a mark that says it was cut. */
function isCut(shown: string, whole: string): boolean {
  return whole.length > shortest && shown.length > shortest && whole.startsWith(shown.slice(0, shortest));
}

const shortest = 200;
/** Lines that another program's tool showed to the agent. */

export interface Observation {
  readonly path: string;
  /** Line numbers with the text that was shown under them. */
  readonly rows: readonly Row[];
  /** The whole file was shown, in another form than its lines. */
  readonly whole?: boolean;
}

/** Credits lines by their content and returns how many. Rows that read otherwise now are of an older version. */
export async function observe(observation: Observation, outer: CallEnv): Promise<number> {
  const { path, rows } = observation;
  // A second read of an unchanged file needs no lock, because it is recorded already.
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
