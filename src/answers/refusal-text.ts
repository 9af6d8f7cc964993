/** Words a refusal: what is wrong, the rows worth showing, the next call. */
import { defaultLimit, linesToRead, notShown, type SchemeName } from "../anchors/index.js";
import { type Cause, codes, exitStatus, type Problem } from "../edits/index.js";
import { type Document, LineSet, visible } from "../text/index.js";
import { type NewName, newNameRows } from "./offers.js";
import { type HashMismatch, type RefusalDetails, type RefusalRow, tooLong } from "./refusal-details.js";
import { type Door, lineName, rowOf, type Voice } from "./voice.js";

interface RefusalText {
  readonly details: RefusalDetails;
  readonly problems: readonly Problem[];
  readonly rows: readonly RefusalRow[];
  readonly complete: boolean;
  readonly now: Document | null;
  readonly scheme: SchemeName;
  readonly voice: Voice;
  /** How often this very request was refused before. */
  readonly repeated?: number;
  readonly contention?: string;
  /** Lines that are named anew. */
  readonly newNames?: readonly NewName[];
  /** False for a call that would not have written anything. */
  readonly writes?: boolean;
}

/** How every refusal of a write begins. */
export const rejected = "REJECTED, nothing written.";

const mentioned = 5;
const quoted = 160;

export function refusalText(refusal: RefusalText): string {
  const next = nextStep(refusal.details, refusal.rows.length, refusal.voice);
  const { writes = true } = refusal;
  return [...(writes ? [rejected] : []), ...refusalBody(refusal), ...(next ? [next] : [])].join("\n");
}

/** Without the opening line and the next step: a batch says those once for all its files. */
export function refusalBody(refusal: RefusalText): string[] {
  const { details, rows, now, voice } = refusal;
  const { door } = voice;
  const parts: string[] = [];
  const sharper = sharperWords(refusal);
  if (sharper) parts.push(sharper);
  // A problem of a whole file names the lines it lacks, so its changes are not told.
  const met = refusal.problems.filter((one) => isForeign(one) && one.code !== "not_shown");
  const marked = rows.some((row) => row.changed);
  const others = refusal.problems.filter((one) => !met.includes(one));
  const told = new Set(
    sharper && details.code === "not_read" ? [] : others.map((one) => messageOf(one, voice)),
  );
  if (details.code === "not_read" && !sharper) parts.push(details.message);
  else parts.push(...told);
  const changes = details.mismatches.filter(({ cause }) => foreign.has(cause));
  const isGone = changes.every(({ cause }) => cause === "deleted");
  const count = changes.length + (details.omitted ?? 0);
  if (met.length > 0 && !marked) parts.push(`${counted(count, isGone)} since last read.`);
  if (met.length > 0 && marked) parts.push(`${counted(count, false)} since last read${changedRows(refusal)}`);
  const isOnly = changes.length === 1 && marked;
  parts.push(
    ...changes.slice(0, mentioned).map((one) => was(one, isOnly, { lines: now?.lineCount ?? 0, voice })),
  );
  if (count > mentioned) parts.push(`[and ${count - mentioned} more]`);
  if (refusal.contention) parts.push(refusal.contention);
  if (now && rows.length > 0) parts.push("", ...rowLines(rows, now, refusal));
  if (now) parts.push(...newNameRows(now, refusal.newNames ?? []));
  parts.push(...meantLines(refusal));
  const long = tooLong(refusal.problems, now, door).map((line) => line - 1);
  parts.push(...unprintable(LineSet.lines(long)));
  // Lines that were never shown are asked for by the next step.
  if (!refusal.complete && refusal.problems.some(({ changed }) => !changed.isEmpty))
    parts.push(`[not all changed lines are shown: ${door.read(details.path, details.affectedRanges)}]`);
  return parts;
}

function messageOf({ message, withoutAnchors = message }: Problem, { numbered }: Voice): string {
  return numbered ? withoutAnchors : message;
}

/** Says that the rows below are as they are now. */
function changedRows({ scheme, voice }: RefusalText): string {
  const marks = "(>>> marks changed lines)";
  if (voice.numbered) return `; the text as it is now ${marks}:`;
  return `. Use the updated ${scheme === "lean" ? "anchors" : "LINE#ID references"} shown below ${marks}.`;
}

function counted(count: number, isGone: boolean): string {
  const [one, many, deed] = isGone ? ["was", "were", "deleted"] : ["has", "have", "changed"];
  return `${count} ${count === 1 ? `line ${one}` : `lines ${many}`} ${deed}`;
}

const foreign = new Set<Cause>(["changed", "blanks", "deleted", "inserted"]);

/** Tells whether changes of others refuse the call, rather than a fault of its own. */
function isForeign({ mismatches }: Problem): boolean {
  return mismatches.some(({ cause }) => foreign.has(cause));
}

/** The same call refused again: an answer that cannot be taken for a passing fault. */
function sharperWords({ repeated = 0, details, problems, now, voice }: RefusalText): string | null {
  const { door } = voice;
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

interface Told {
  /** How many lines the file has. */
  readonly lines: number;
  readonly voice: Voice;
}

/** `isOnly`: no other line is spoken of, and its row is marked. */
function was(
  { cause, shown, now, by, ...one }: HashMismatch,
  isOnly: boolean,
  { lines, voice }: Told,
): string {
  const anchor = lineName(one.anchor, voice);
  const name = isOnly ? "It" : anchor;
  const who = by ? ` by ${visible(by)}` : "";
  if (cause === "inserted") return `${anchor} was added${who}`;
  if (shown === null) {
    const isPast = Number(/\d+/.exec(one.anchor)) > lines;
    const gone = isPast ? "is past the end" : "was deleted";
    return `${anchor} ${cause === "deleted" ? gone : "is not what stands there now"}${who}`;
  }
  const text = JSON.stringify(shown.length > quoted ? `${shown.slice(0, quoted)}…` : shown);
  if (cause === "deleted") return `${anchor} was ${text}, deleted${who}`;
  if (now === null) return `${name} was ${text}`;
  if (cause === "blanks") return `${name} was ${text}, only blanks changed${who}`;
  return by ? `${name} was ${text}, changed${who}` : `${name} was ${text}`;
}

function rowLines(
  rows: readonly RefusalRow[],
  now: Document,
  { scheme, voice }: Pick<RefusalText, "scheme" | "voice">,
): string[] {
  const lines: string[] = [];
  let expected = -1;
  for (const { index, changed } of rows) {
    if (expected >= 0 && index !== expected) lines.push(`    ${notShown(expected + 1, index)}`);
    lines.push(`${changed ? ">>> " : "    "}${rowOf(now, index, scheme, voice)}`);
    expected = index + 1;
  }
  return lines;
}

/** Shows, as a diff, an edit whose quote has other blanks, with the blanks of the file. */
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
const saidSteps = [editsAgain, removeFirst, "name a file in it", "copy it exactly as it was shown"];

/** The next step of a refusal whose rows have no anchors. */
const quoteAgain = "Decide again with the text as it is now, and quote that.";

/** The exact next call, in the words of the door; `rowCount` rows were printed. */
export function nextStep(details: RefusalDetails, rowCount: number, voice: Voice): string | null {
  const { code, path, retry, places } = details;
  const { door, numbered } = voice;
  if (places && exitStatus(code) === 5 && places.some((one) => one.retry)) return null;
  if (numbered && (retry || (places && exitStatus(code) === 5))) return quoteAgain;
  if (places && exitStatus(code) === 5)
    return `Next: ${door.read(path, details.affectedRanges)}; then use the anchors that it prints.`;
  if (retry) return `Still right? Send ${door.retry(path, retry)}; else use the anchors above.`;
  // The message names the next step already.
  if (saidSteps.some((step) => details.message.endsWith(step))) return null;
  if (code === "bad_request" || code === "bad_anchor" || code === "overlap") return codes[code].next;
  if (details.reread) return `Next: ${door.read(path, details.reread)}.`;
  if (rowCount > 0 && code === "not_shown")
    return "Decide again with these rows, and send a call made from them.";
  if (rowCount > 0) return numbered ? quoteAgain : "Decide again with these rows, and use their anchors.";
  if (code === "not_read") return null;
  if (code === "not_shown" && details.affectedRanges.length > 0)
    return `Next: ${door.read(path, details.affectedRanges)}.`;
  if (path === "") return null;
  if (exitStatus(code) === 5 || code === "not_shown") return `Next: ${door.read(path)}.`;
  return code === "not_found" ? notFound(details.message) : codes[code].next;
}

/** A path and a quoted text can be checked; an edit that is to be taken back cannot. */
function notFound(message: string): string | null {
  if (message.endsWith("does not exist")) return "Check the path.";
  return /is not in the text|does not stand/.test(message) ? "Check the text." : null;
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

/** Lines that no read shows whole. */
export function unprintable(lines: LineSet): string[] {
  if (lines.isEmpty) return [];
  const numbers = lines.indexes().map((index) => index + 1);
  const listed = `${numbers.slice(0, mentioned).join(", ")}${numbers.length > mentioned ? ", …" : ""}`;
  const [are, them] = numbers.length === 1 ? [`line ${listed} is`, "it"] : [`lines ${listed} are`, "them"];
  return [`[${are} too long to be shown whole: change a part of ${them} with replace_text]`];
}
