/** Every text that a model reads about an edit is made here and nowhere else. */
import {
  defaultLimit,
  isPrintable,
  linesToRead,
  longestLine,
  notShown,
  type SchemeName,
  scheme,
} from "../anchors/index.js";
import type { LineChange } from "../changes/index.js";
import { type Cause, codes, exitStatus, type Problem } from "../edits/index.js";
import type { Applied } from "../merge/index.js";
import { type Document, fewRanges, LineSet, lineIndexes, type Range, visible } from "../text/index.js";
import type { Door } from "./next-call.js";
import { type HashMismatch, type RefusalDetails, type RefusalRow, tooLong } from "./refusal-details.js";

interface RefusalText {
  readonly details: RefusalDetails;
  readonly problems: readonly Problem[];
  readonly rows: readonly RefusalRow[];
  readonly complete: boolean;
  readonly now: Document | null;
  readonly scheme: SchemeName;
  readonly door: Door;
  /** How often this very request was refused before. */
  readonly repeated?: number;
  readonly contention?: string;
}

/** How every refusal begins. */
export const rejected = "REJECTED, nothing written.";

const mentioned = 5;
const quoted = 160;

export function refusalText(refusal: RefusalText): string {
  const next = nextStep(refusal.details, refusal.rows.length, refusal.door);
  return [rejected, ...refusalBody(refusal), ...(next ? [next] : [])].join("\n");
}

/** Without the opening line and the next step: a batch says those once for all its files. */
export function refusalBody(refusal: RefusalText): string[] {
  const { details, rows, now, door } = refusal;
  const parts: string[] = [];
  const sharper = sharperWords(refusal);
  if (sharper) parts.push(sharper);
  // What may be done to a whole file only is told by what it lacks.
  const met = refusal.problems.filter((one) => isForeign(one) && one.code !== "not_shown");
  const marked = rows.some((row) => row.changed);
  const others = refusal.problems.filter((one) => !met.includes(one));
  const told = new Set(sharper && details.code === "not_read" ? [] : others.map(({ message }) => message));
  if (details.code === "not_read" && !sharper) parts.push(details.message);
  else parts.push(...told);
  const changes = details.mismatches.filter(({ cause }) => foreign.has(cause));
  const isGone = changes.every(({ cause }) => cause === "deleted");
  const count = changes.length + (details.omitted ?? 0);
  if (met.length > 0 && !marked) parts.push(`${counted(count, isGone)} since last read.`);
  if (met.length > 0 && marked)
    parts.push(
      `${counted(count, false)} since last read. Use the updated ${
        refusal.scheme === "lean" ? "anchors" : "LINE#ID references"
      } shown below (>>> marks changed lines).`,
    );
  const isOnly = changes.length === 1 && marked;
  parts.push(
    ...changes.slice(0, mentioned).map((one) => was(one, isOnly ? "It" : one.anchor, now?.lineCount ?? 0)),
  );
  if (count > mentioned) parts.push(`[and ${count - mentioned} more]`);
  if (refusal.contention) parts.push(refusal.contention);
  if (now && rows.length > 0) parts.push("", ...rowLines(rows, now, refusal.scheme));
  parts.push(...meantLines(refusal));
  const long = tooLong(refusal.problems, now, door).map((line) => line - 1);
  parts.push(...unprintable(LineSet.lines(long)));
  // Lines that were never shown are asked for by the next step.
  if (!refusal.complete && refusal.problems.some(({ changed }) => !changed.isEmpty))
    parts.push(`[not all changed lines are shown: ${door.read(details.path, details.affectedRanges)}]`);
  return parts;
}

function counted(count: number, isGone: boolean): string {
  const [one, many, deed] = isGone ? ["was", "were", "deleted"] : ["has", "have", "changed"];
  return `${count} ${count === 1 ? `line ${one}` : `lines ${many}`} ${deed}`;
}

const foreign = new Set<Cause>(["changed", "blanks", "deleted", "inserted"]);

/** Others' changes stand in the way, as against a call that is wrong in itself. */
function isForeign({ mismatches }: Problem): boolean {
  return mismatches.some(({ cause }) => foreign.has(cause));
}

/** The same call refused again: an answer that cannot be taken for a passing fault. */
function sharperWords({ repeated = 0, details, problems, now, door }: RefusalText): string | null {
  const { code, path, reread, affectedRanges } = details;
  // Only time helps there; and an ambiguous anchor is the agent's to decide, with the handles given again.
  if (repeated === 0 || code === "busy" || problems.some(({ open }) => open)) return null;
  const whole = code === "not_read" && now && door.lists ? linesToRead(now, defaultLimit) : undefined;
  const isKnown = now !== null || code === "not_read" || exitStatus(code) === 5;
  const isReadable = path !== "" && isKnown;
  // A read without ranges ends before them.
  const far = affectedRanges.some(({ end }) => end > defaultLimit)
    ? affectedRanges
    : whole?.length
      ? whole
      : undefined;
  const step = isReadable ? `${door.read(path, reread ?? far)} first` : "the answer stays the same";
  return `${repeated > 1 ? "Stop. Do" : "do"} not retry identical arguments: ${step}`;
}

/** `name` is what the line is called: its anchor, or "It" where only one is spoken of, and marked. */
function was({ anchor, cause, shown, now, by }: HashMismatch, name: string, lines: number): string {
  const who = by ? ` by ${visible(by)}` : "";
  if (cause === "inserted") return `${anchor} was added${who}`;
  if (shown === null) {
    const isPast = Number(/\d+/.exec(anchor)) > lines;
    const gone = isPast ? "is past the end" : "was deleted";
    return `${anchor} ${cause === "deleted" ? gone : "is not what stands there now"}${who}`;
  }
  const text = JSON.stringify(shown.length > quoted ? `${shown.slice(0, quoted)}…` : shown);
  if (cause === "deleted") return `${anchor} was ${text}, deleted${who}`;
  if (now === null) return `${name} was ${text}`;
  if (cause === "blanks") return `${name} was ${text}, only blanks changed${who}`;
  return by ? `${name} was ${text}, changed${who}` : `${name} was ${text}`;
}

function rowLines(rows: readonly RefusalRow[], now: Document, name: SchemeName): string[] {
  const used = scheme(name);
  const lines: string[] = [];
  let expected = -1;
  for (const { index, changed } of rows) {
    if (expected >= 0 && index !== expected) lines.push(`    ${notShown(expected + 1, index)}`);
    lines.push(
      `${changed ? ">>> " : "    "}${used.tag(index + 1, used.hashLine(now, index))}${used.separator}${now.text(index)}`,
    );
    expected = index + 1;
  }
  return lines;
}

/** What a quote with other blanks comes to with those of the file. */
function meantLines({ problems, now }: RefusalText): string[] {
  const hunks = problems.flatMap(({ meant }) => meant?.hunks ?? []);
  if (!now || hunks.length === 0) return [];
  const rows = hunks.flatMap(({ start, end, lines }) => [
    ...now.lines(start, end).map((line) => `-${line}`),
    ...lines.map((line) => `+${line}`),
  ]);
  return ["With the blanks of the file the edit is:", ...rows];
}

/** Ends of messages that name the next step themselves. */
export const editsAgain = "send the edits again";
export const removeFirst = "move or delete the file first if it has to go";
const saidSteps = [editsAgain, removeFirst];

/** The exact next call, in the words of the door; `rowCount` rows were printed. */
export function nextStep(details: RefusalDetails, rowCount: number, door: Door): string | null {
  const { code, path, retry, places } = details;
  if (places && exitStatus(code) === 5)
    return places.some((one) => one.retry)
      ? null
      : `Next: ${door.read(path, details.affectedRanges)}; then use the anchors that it prints.`;
  if (retry) return `Still right? Send ${door.retry(path, retry)}; else use the anchors above.`;
  // What is to be done is said already.
  if (saidSteps.some((step) => details.message.endsWith(step))) return null;
  if (code === "bad_request" || code === "bad_anchor" || code === "overlap") return codes[code].next;
  if (details.reread) return `Next: ${door.read(path, details.reread)}.`;
  if (rowCount > 0 && code === "not_shown")
    return "Decide again with these rows, and send a call made from them.";
  if (rowCount > 0) return "Decide again with these rows, and use their anchors.";
  if (code === "not_read") return null;
  if (code === "not_shown" && details.affectedRanges.length > 0)
    return `Next: ${door.read(path, details.affectedRanges)}.`;
  if (path === "") return null;
  if (exitStatus(code) === 5 || code === "not_shown") return `Next: ${door.read(path)}.`;
  return codes[code].next;
}

const longLines = "its lines are too long to be shown whole: change a part of one with replace_text";

/** The gate's words for a file that was never shown. */
export function notRead(path: string, door: Door, now: Document | null = null): string {
  const ranges = now && door.lists ? linesToRead(now, defaultLimit) : undefined;
  const begin = `${path} was not read in this session`;
  const isTooLong = ranges?.length === 0;
  const first = `${begin}: ${door.read(path, isTooLong ? undefined : ranges).replace(` on ${path}`, " on it")} first`;
  return isTooLong ? `${first}; ${longLines}` : first;
}

interface ResultText {
  readonly path: string;
  readonly applied: Applied;
  readonly scheme: SchemeName;
  readonly door: Door;
  readonly dryRun?: boolean;
  /** There was no such file before: an empty one looks the same in the change. */
  readonly created?: boolean;
  readonly diff?: string;
  /** Lines of the new text that others changed and the agent has not seen. */
  readonly foreign?: LineSet;
  /** Written lines that were quoted only in part, and whose rest the agent was never shown. */
  readonly unseen?: LineSet;
  /** What else others did, in words. */
  readonly notes?: readonly string[];
  /** For each deletion that no note tells of, the lines beside it. */
  readonly untold?: readonly LineSet[];
  readonly note?: string;
  /** Its path from now on. */
  readonly movedTo?: string;
}

const listedAnchors = 60;

/** How every answer to a dry run begins that tells of a change. */
export const dryRunBegins = "DRY RUN, nothing written: ";

interface ResultPrinted {
  readonly text: string;
  /** Rows of the new text whose anchors (or whole rows) were printed. */
  readonly printed: LineSet;
}

/** What was done, in one line; anchors of what was written, without its text; rows only of what others wrote. */
export function resultText(result: ResultText): ResultPrinted {
  const { path, applied, dryRun, note } = result;
  const { document, change } = applied;
  if (applied.status === "noop") {
    const rows = noopRows(applied);
    const lines = [
      note ?? `NO CHANGE: ${path} already reads like this.`,
      ...applied.warnings,
      ...rowsOf(rows, document, result.scheme),
      ...leftOut(result, { lines: applied.rows.subtract(LineSet.lines(rows)) }),
    ];
    return { text: lines.join("\n"), printed: LineSet.lines(rows) };
  }
  const written = change.regions.flatMap(({ bStart, bEnd }) => lineIndexes(bStart, bEnd));
  const begin = dryRun ? dryRunBegins : "";
  const end = result.movedTo === undefined ? "" : `, moved to ${result.movedTo}`;
  const done = `${begin}${path}${deed(result, written.length)}${moved(applied)}${end}`;
  const lines = [
    dryRun ? done : `${done}; keep using the anchors you were shown`,
    ...applied.warnings.map((text) => `! ${text}`),
  ];
  if (dryRun) return { text: [...lines, result.diff ?? ""].join("\n"), printed: LineSet.of([]) };
  const { unseen = LineSet.empty } = result;
  const own = written.filter((index) => !unseen.has(index));
  const listed = own.slice(0, listedAnchors);
  const used = scheme(result.scheme);
  if (listed.length > 0)
    lines.push(listed.map((index) => used.tag(index + 1, used.hashLine(document, index))).join(" "));
  const bare = LineSet.lines(own.slice(listed.length));
  lines.push(...leftOut(result, { lines: bare, what: "anchors of " }));
  const quoted = quotedInPart(result, unseen);
  lines.push(...quoted.lines);
  const foreign = (result.foreign ?? LineSet.empty).intersect(LineSet.all(document.lineCount));
  const others = foreign
    .indexes()
    .filter((index) => document.text(index).length <= 200)
    .slice(0, 12);
  const rest = { lines: foreign.subtract(LineSet.lines(others)), deletions: result.untold ?? [] };
  const news = [
    ...rowsOf(others, document, result.scheme),
    ...(result.notes ?? []),
    ...leftOut(result, rest),
  ];
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
      ...(rows.length > 0 ? [head, ...rowsOf(rows, document, result.scheme)] : []),
      ...leftOut(result, { lines: rest, what: rows.length > 0 ? "" : "quoted in part: " }),
      ...unprintable(LineSet.lines(tooLong)),
    ],
  };
}

/** Lines that no read shows whole. */
function unprintable(lines: LineSet): string[] {
  if (lines.isEmpty) return [];
  const numbers = lines.indexes().map((index) => index + 1);
  const listed = `${numbers.slice(0, mentioned).join(", ")}${numbers.length > mentioned ? ", …" : ""}`;
  const [are, them] = numbers.length === 1 ? [`line ${listed} is`, "it"] : [`lines ${listed} are`, "them"];
  return [`[${are} too long to be shown whole: change a part of ${them} with replace_text]`];
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
function leftOut({ path, movedTo, door }: ResultText, left: LeftOut): string[] {
  const { lines, what = "", deletions = [] } = left;
  const count = (many: number, name: string) => (many > 0 ? [`${many} ${name}${many === 1 ? "" : "s"}`] : []);
  const counts = [...count(lines.size, "line"), ...count(deletions.length, "deletion")];
  if (counts.length === 0) return [];
  const places = deletions.reduce((set, beside) => set.union(beside), lines).ranges();
  const read = door.read(movedTo ?? path, fewRanges(places, placesToRead));
  return [`[${what}${counts.join(" and ")} not shown: ${read}]`];
}

/** One word where one will do: the anchors that follow tell how many lines were written, and every token is paid for. */
function deed({ applied: { change }, created = false }: ResultText, written: number): string {
  if (written > 0) return created ? " created" : " edited";
  const removed = change.regions.reduce((sum, region) => sum + region.aEnd - region.aStart, 0);
  if (removed === 0) return created ? " created, empty" : " edited";
  return `: ${removed} ${removed === 1 ? "line" : "lines"} deleted`;
}

function moved({ edits }: Applied): string {
  const relocated = edits.filter(({ status }) => status === "relocated").length;
  const already = edits.filter(({ status }) => status === "noop").length;
  const parts = [
    ...(relocated > 0 ? [`${relocated === edits.length ? "" : `${relocated} `}relocated`] : []),
    ...(already > 0 ? [`${already} already there`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function rowsOf(indexes: readonly number[], document: Document, name: SchemeName): string[] {
  const used = scheme(name);
  return indexes.map(
    (index) =>
      `${used.tag(index + 1, used.hashLine(document, index))}${used.separator}${document.text(index)}`,
  );
}

/** The file has its new text, and the record does not know it. */
export function unrecordedText(reasons: readonly string[]): string {
  return `it is written, but the record of it is incomplete (${reasons.join("; ")}): read it again before you edit it, and do not rely on undo`;
}

/** What programs get of a change. */
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
  /** Of a call that was applied before, then taken back: the handle that applies it again. */
  readonly retry?: string;
}

/** The changed places in today's numbers; a pure deletion is named by the line that follows it. */
export function changedRanges(map: LineChange): Range[] {
  return map.regions.map(({ bStart, bEnd }) => ({ start: bStart + 1, end: Math.max(bEnd, bStart + 1) }));
}
