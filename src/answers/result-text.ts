/** Words what came of a call: what was done, the anchors of what it wrote, rows of what others wrote. */
import { isPrintable, longestLine, type SchemeName } from "../anchors/index.js";
import type { LineChange } from "../changes/index.js";
import { anchorOf } from "../edits/index.js";
import type { Applied } from "../merge/index.js";
import { fewRanges, LineSet, lineIndexes, type Range } from "../text/index.js";
import { type NewName, newNameRows } from "./offers.js";
import { unprintable } from "./refusal-text.js";
import { closingAdvice, rowOf, type Voice } from "./voice.js";

interface ResultText {
  readonly path: string;
  readonly applied: Applied;
  readonly scheme: SchemeName;
  readonly voice: Voice;
  readonly dryRun?: boolean;
  /** The file is new. The change alone does not tell: an empty file looks the same in it. */
  readonly created?: boolean;
  readonly diff?: string;
  /** Lines of the new text that others changed and the agent has not seen. */
  readonly foreign?: LineSet;
  /** Written lines that were quoted only in part, and whose rest the agent was never shown. */
  readonly unseen?: LineSet;
  /** Further changes of others, in words. */
  readonly notes?: readonly string[];
  /** For each deletion that no note tells of, the lines beside it. */
  readonly untold?: readonly LineSet[];
  readonly note?: string;
  /** Its path from now on. */
  readonly movedTo?: string;
  /** Lines that are named anew. */
  readonly newNames?: readonly NewName[];
}

/** Above this number, written lines are not named; the answer says how to read them. */
export const listedAnchors = 60;

/** How every answer to a dry run begins that tells of a change. */
export const dryRunBegins = "Dry run: nothing was written. ";

interface ResultPrinted {
  readonly text: string;
  /** Rows of the new text whose anchors (or whole rows) were printed. */
  readonly printed: LineSet;
}

/** Words a result: one line on the change, the anchors of written lines without their text, rows of lines that others wrote. */
export function resultText(result: ResultText): ResultPrinted {
  const { path, applied, dryRun, note, voice } = result;
  const { document, change } = applied;
  if (applied.status === "noop") {
    const rows = noopRows(applied);
    const lines = [
      note ?? `NO CHANGE: ${path} already reads like this.`,
      ...applied.warnings,
      ...rowsOf(rows, result),
      ...leftOut(result, { lines: applied.rows.subtract(LineSet.lines(rows)) }),
    ];
    return { text: lines.join("\n"), printed: LineSet.lines(rows) };
  }
  const written = change.regions.flatMap(({ bStart, bEnd }) => lineIndexes(bStart, bEnd));
  const begin = dryRun ? dryRunBegins : "";
  const end = result.movedTo === undefined ? "" : `, moved to ${result.movedTo}`;
  const done = `${begin}${path}${deed(result, written.length)}${moved(applied)}${end}`;
  const lines = [
    dryRun || result.created ? done : `${done}${closingAdvice(isShifted(change), voice)}`,
    ...applied.warnings.map((text) => `! ${text}`),
  ];
  if (dryRun) return { text: [...lines, result.diff ?? ""].join("\n"), printed: LineSet.of([]) };
  const { unseen = LineSet.empty } = result;
  const own = written.filter((index) => !unseen.has(index));
  const listed = own.slice(0, listedAnchors);
  if (listed.length > 0 && !voice.numbered)
    lines.push(listed.map((index) => anchorOf(document, index, result.scheme)).join(" "));
  const bare = LineSet.lines(own.slice(listed.length));
  if (!voice.numbered) lines.push(...leftOut(result, { lines: bare, what: "anchors of " }));
  lines.push(...newNameRows(document, result.newNames ?? []));
  const quoted = quotedInPart(result, unseen);
  lines.push(...quoted.lines);
  const foreign = (result.foreign ?? LineSet.empty).intersect(LineSet.all(document.lineCount));
  const others = foreign
    .indexes()
    .filter((index) => document.text(index).length <= 200)
    .slice(0, 12);
  const rest = { lines: foreign.subtract(LineSet.lines(others)), deletions: result.untold ?? [] };
  const news = [...rowsOf(others, result), ...(result.notes ?? []), ...leftOut(result, rest)];
  if (news.length > 0) lines.push("changed by others since you read:", ...news);
  return {
    text: lines.join("\n"),
    printed: LineSet.lines([...listed, ...quoted.rows, ...others]),
  };
}

const quotedRows = 20;
const quotedLength = 4000;

/** Rows of lines that were quoted only in part: what is printed of them is known by that, and nothing else. */
function quotedInPart(result: ResultText, unseen: LineSet): { rows: readonly number[]; lines: string[] } {
  if (unseen.isEmpty) return { rows: [], lines: [] };
  const { document } = result.applied;
  const rows: number[] = [];
  const tooLong: number[] = [];
  let left = quotedLength;
  for (const index of unseen.indexes()) {
    if (!isPrintable(document, index)) tooLong.push(index);
    else if (rows.length < quotedRows && document.text(index).length <= left) {
      rows.push(index);
      left -= document.text(index).length;
    }
  }
  const rest = unseen.subtract(LineSet.lines([...rows, ...tooLong]));
  const head = "quoted in part, in lines that you were not shown; they read now:";
  return {
    rows,
    lines: [
      ...(rows.length > 0 ? [head, ...rowsOf(rows, result)] : []),
      ...leftOut(result, { lines: rest, what: rows.length > 0 ? "" : "quoted in part: " }),
      ...unprintable(LineSet.lines(tooLong)),
    ],
  };
}

function noopRows({ rows, document }: Applied): number[] {
  return rows
    .indexes()
    .filter((index) => document.text(index).length <= longestLine)
    .slice(0, 10);
}

interface LeftOut {
  readonly lines: LineSet;
  readonly what?: string;
  readonly deletions?: readonly LineSet[];
}

const placesToRead = 5;

/** How much is not printed, and the call that shows it. */
function leftOut({ path, movedTo, voice }: ResultText, left: LeftOut): string[] {
  const { lines, what = "", deletions = [] } = left;
  const count = (many: number, name: string) => (many > 0 ? [`${many} ${name}${many === 1 ? "" : "s"}`] : []);
  const counts = [...count(lines.size, "line"), ...count(deletions.length, "deletion")];
  if (counts.length === 0) return [];
  const places = deletions.reduce((set, beside) => set.union(beside), lines).ranges();
  const read = voice.door.read(movedTo ?? path, fewRanges(places, placesToRead));
  return [`[${what}${counts.join(" and ")} not shown: ${read}]`];
}

/** Says the deed in one word where the anchors that follow tell how many lines were edited: every token is paid for. */
function deed({ applied: { change }, created = false, dryRun = false }: ResultText, written: number): string {
  const would = dryRun ? " would be" : "";
  if (created) return `${would} created (${written === 0 ? "empty" : lineCount(written)})`;
  const removed = change.regions.reduce((sum, region) => sum + region.aEnd - region.aStart, 0);
  return written > 0 || removed === 0 ? `${would} edited` : `: ${lineCount(removed)}${would} deleted`;
}

const lineCount = (lines: number): string => `${lines} ${lines === 1 ? "line" : "lines"}`;

function moved({ edits }: Applied): string {
  const relocated = edits.filter(({ status }) => status === "relocated").length;
  const already = edits.filter(({ status }) => status === "noop").length;
  const parts = [
    ...(relocated > 0 ? [`${relocated === edits.length ? "" : `${relocated} `}relocated`] : []),
    ...(already > 0 ? [`${already} already there`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function rowsOf(indexes: readonly number[], { applied, scheme, voice }: ResultText): string[] {
  return indexes.map((index) => rowOf(applied.document, index, scheme, voice));
}

/** Lines below a changed place have other numbers now. */
function isShifted({ regions }: LineChange): boolean {
  return regions.some(({ aStart, aEnd, bStart, bEnd }) => aEnd - aStart !== bEnd - bStart);
}

/** Words the warning that the file has its new text and the record does not. */
export function unrecordedText(reasons: readonly string[]): string {
  return `it is written, but the record of it is incomplete (${reasons.join("; ")}): read it again before you edit it, and do not rely on undo`;
}

/** The details of a change, for programs. */
export interface EditToolDetails {
  readonly status: "applied" | "noop" | "dry_run";
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly edits: Applied["edits"];
  readonly diff: string;
  readonly firstChangedLine: number | null;
  readonly changedRanges: readonly Range[];
  readonly warnings: readonly string[];
  readonly id?: string;
  /** The handle that applies the call again, if it was applied before and then taken back. */
  readonly retry?: string;
}

/** The changed places in today's numbers; a pure deletion is named by the line that follows it. */
export function changedRanges(map: LineChange): Range[] {
  return map.regions.map(({ bStart, bEnd }) => ({ start: bStart + 1, end: Math.max(bEnd, bStart + 1) }));
}
