/** Lines that somebody else's tool showed to the agent. */
import { type Document, LineSet } from "../core/index.js";
import { olderTexts, peek, withFile } from "./holding.js";
import { isShownLast } from "./ledger.js";
import type { OpenFile } from "./open.js";
import { PortError } from "./ports.js";
import type { Env } from "./result.js";

export interface Observation {
  readonly path: string;
  /** Line numbers with the text they were shown with. */
  readonly rows: readonly Row[];
  /** All of it was shown, in a form that is not its lines. */
  readonly whole?: boolean;
}

interface Row {
  readonly line: number;
  readonly text: string;
}

/**
 * Credits lines by their content; how many. Rows that read otherwise now were shown of an older text: if that is
 * recorded, it is what was shown. Else those that do stand are known, and the others have changed.
 */
export async function observe(observation: Observation, env: Env): Promise<number> {
  const { path, rows } = observation;
  // Read again, and nothing happened: what is written down already takes no lock.
  const file = await env.files.identify(path);
  const known = await peek(file, env, ({ showings }) => showings.at(-1)?.printer === "observed");
  if (typeof known === "object") {
    const { lines, others } = standingOf(observation, known.document);
    if (
      others.isEmpty &&
      isShownLast(known.agent, { state: known.state, rows: lines, printer: "observed", scheme: null })
    )
      return lines.size;
  }
  return withFile(file, env, async (opened) => {
    const { document } = opened;
    if (!document) throw new PortError("not_found", `${path} does not exist`);
    const now = standingOf(observation, document);
    const isEmpty = rows.length === 0 && document.lineCount === 0;
    if (now.others.isEmpty) {
      if (!now.lines.isEmpty || isEmpty) opened.showed(now.lines, null, "observed");
    } else if (!(await isLate(rows, opened))) opened.credit(now.lines, now.others);
    await opened.save();
    return now.lines.size;
  });
}

/** Whether all of the rows stand in a text that was recorded before; then that one was shown. */
async function isLate(rows: readonly Row[], opened: OpenFile): Promise<boolean> {
  for await (const { at, text } of olderTexts(opened)) {
    const then = standing(rows, text);
    if (!then.others.isEmpty || !isTelling(then.lines, text)) continue;
    await opened.showedLate(at, then.lines);
    return true;
  }
  return false;
}

/** Three lines or more, one of which stands nowhere else in the text: few others would read like this. */
function isTelling(lines: LineSet, text: Document): boolean {
  if (lines.size < 3) return false;
  const counts = new Map<string, number>();
  for (const line of text.lines()) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines
    .spans()
    .some(([start, end]) =>
      text.lines(start, end).some((line) => line.trim().length > 3 && counts.get(line) === 1),
    );
}

function standingOf({ rows, whole }: Observation, text: Document): Standing {
  return whole ? { lines: LineSet.all(text.lineCount), others: LineSet.empty } : standing(rows, text);
}

interface Standing {
  readonly lines: LineSet;
  readonly others: LineSet;
}

/** Lines that read as they were shown, and others; rows that were cut or garbled, or lie behind the end, are neither. */
function standing(rows: readonly Row[], text: Document): Standing {
  const lines: number[] = [];
  const others: number[] = [];
  const there = rows.filter(({ line }) => line >= 1 && line <= text.lineCount);
  const first = there.reduce((least, { line }) => Math.min(least, line), text.lineCount + 1);
  const end = there.reduce((most, { line }) => Math.max(most, line), 0);
  // All at once: line by line takes longer than all the rest.
  const texts = text.lines(first - 1, end);
  for (const { line, text: shown } of there) {
    const now = texts[line - first] as string;
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
