/** Messages of the guard to models and people. Refusals are worded by the session. */
import { type Door, rejected } from "../answers/index.js";
import type { Touched } from "../calls/index.js";
import type { Quote } from "../edits/index.js";
import type { Formatted, News, QuotedRows } from "../foreign/index.js";
import type { LostEdit } from "../lost/index.js";
import { type Range, shortAgentName, visible } from "../text/index.js";
import type { QuoteNames } from "./event.js";

/** True for a text with a refusal: the rows that it shows do not let the same call through. */
export function isRefusal(text: string): boolean {
  return text.includes(rejected);
}

/** Why a call went through that nothing on record allows. */
export const notSearched = "the model was sent more than could be looked through";

export function guarding(
  others: number,
  { troubles, asides }: { readonly troubles: readonly string[]; readonly asides: readonly string[] },
): string {
  const company = others === 0 ? "" : ` (${others} other ${others === 1 ? "agent" : "agents"} here)`;
  const trouble = troubles.length === 0 ? "" : `, but ${visible(troubles.join("; "))}: run \`kedge doctor\``;
  return [`kedge: guarding${company}${trouble}`, ...asides].join(". ");
}

/** Names what a project asked for and may not have, and what it may: the person is to know of it. */
export function asides({
  vain,
  unkept,
}: {
  readonly vain: readonly string[];
  readonly unkept: readonly string[];
}): string[] {
  const loose =
    vain.length > 0 ? [`${vain.join("; ")}: only your own configuration may loosen the guard`] : [];
  const patterns = visible(unkept.join(", "));
  const gone = `The project keeps the text of ${patterns} out of the record: edits lost there cannot be restored`;
  return [...loose, ...(unkept.length > 0 ? [gone] : [])];
}

/** The edit was carried to where its lines are now, and the tool is given other arguments. */
export function carriedNote(path: string): string {
  return `kedge: ${visible(path)} has changed since you saw it; your edit was carried to where its lines are now.`;
}

/** Only blanks were wrong with the quote, and the tool is given the file's. */
export function healedNote(path: string): string {
  return `kedge: your quote differs from ${visible(path)} in blanks at line starts and ends only; the edit was made with the file's, and the new text was indented the same way.`;
}

/** Only blanks are wrong with the quote: the lines as they stand. */
export function alikeRows(path: string, rows: QuotedRows): string {
  return [
    `your quote differs from ${visible(path)} in blanks at line starts and ends only. The lines as they stand:`,
    ...rows.map(rowText),
  ].join("\n");
}

/** The edit with the blanks of the file, for the model to send. */
export function healedEdit(quotes: readonly Quote[], names: QuoteNames | undefined): string {
  return [
    "If it still holds, send this, which has the blanks of the file:",
    ...quotes.map((one) => quoteText(one, names)),
  ].join("\n");
}

/** Under the names that the client's tool has for the fields. */
function quoteText(one: Quote, names: QuoteNames | undefined): string {
  return `${names?.old ?? "old"}: ${JSON.stringify(one.old)}\n${names?.new ?? "new"}: ${JSON.stringify(one.new)}`;
}

const quotedLines = 30;

/** Words the changes of others that are worth telling. */
export function newsNote(path: string, news: News | null, door: Door): string {
  if (!news) return `${visible(path)} has changed since you saw it.`;
  const { rows, deleted, more } = news;
  const writers = [...new Set(rows.flatMap(({ by }) => by ?? []))];
  const who = writers.length > 0 ? ` by ${visible(writers.join(", "))}` : "";
  const gone = deleted > 0 ? ` ${deleted} ${deleted === 1 ? "line" : "lines"} taken out.` : "";
  const head = `${visible(path)} has changed since you saw it${who}.${gone}`;
  const shown = rows.length > 0 ? ["Changed lines, as they are now:", ...rows.map(rowText)] : [];
  return [
    head,
    ...shown,
    ...(more.length > 0 ? [`[also ${lineList(more)}: ${visible(door.read(path, more))}]`] : []),
  ].join("\n");
}

/** Lines that somebody changed since the agent saw them, told before they are in anybody's way. */
export function earlyNote(path: string, { rows, deleted, more }: News, door: Door): string {
  const writers = [...new Set(rows.flatMap(({ by }) => by ?? []))].map(shortName);
  const who = writers.length > 0 ? visible(writers.join(", ")) : "Somebody else";
  const gone = deleted > 0 ? ` and took out ${deleted === 1 ? "a line" : `${deleted} lines`}` : "";
  const what =
    rows.length > 0 ? ` lines you have seen${gone}; now:` : `${gone.slice(4) || " lines you have seen"}.`;
  const rest = more.slice(0, listedNews);
  return [
    `kedge: ${who} changed ${visible(path)}:${what}`,
    ...rows.map(rowText),
    ...(rest.length > 0 ? [`[also ${lineList(rest)}: ${visible(door.read(path, rest))}]`] : []),
  ].join("\n");
}

const listedNews = 3;

/** A commit that the agent is about to make has lines of other agents in it. */
export function takesAlong(
  others: readonly { readonly path: string; readonly agents: readonly string[] }[],
  command: string,
): string {
  const [first] = others;
  const who = [...new Set(others.flatMap(({ agents }) => agents))].map(shortName).join(", ");
  const where = `${first?.path}${others.length > 1 ? ` and ${others.length - 1} more` : ""}`;
  const ran = (command.split("\n")[0] ?? "").slice(0, 80);
  return visible(
    `kedge: ${JSON.stringify(ran)} takes lines of ${who} along (${where}); \`kedge commit --mine -m MESSAGE\` commits yours alone.`,
  );
}

/** A client and the first digits of its conversation: a whole one costs tokens and tells a model nothing. */
function shortName(agent: string): string {
  if (agent === "outside") return "the person or another program";
  return agent.split(" or ").map(shortAgentName).join(" or ");
}

/** Said to the person whose work a command destroyed. */
export function lostOfPerson(edits: readonly LostEdit[], command: string | undefined): string {
  const ran =
    command === undefined
      ? "A command"
      : visible(JSON.stringify((command.split("\n")[0] ?? "").slice(0, 120)));
  const files = [...new Set(edits.map(({ path }) => path))];
  const listed = files
    .slice(0, listedEdits)
    .map((path) => visible(path))
    .join(", ");
  const rest = files.length > listedEdits ? ` and ${files.length - listedEdits} more files` : "";
  const lists = `kedge: ${ran} took away lines that no agent wrote, in ${listed}${rest}: \`kedge lost\` lists them`;
  return `${lists}, ${edits.some(({ kept }) => kept) ? "`kedge restore --all` brings them back" : unrecorded}`;
}

const rowText = ({ line, text }: { line: number; text: string }): string => `${line}\t${text}`;

interface Carried {
  readonly quotes: readonly Quote[];
  /** The tool takes patches. */
  readonly isPatch: boolean;
  /** Names the step that is needed before the edit is sent again. */
  readonly first?: string;
  readonly names: QuoteNames | undefined;
}

/** The same edit for the text as it is now, where the model has to send it itself. */
export function carriedEdit({ quotes, isPatch, first, names }: Carried): string {
  const size = quotes.reduce((sum, one) => sum + one.old.split("\n").length, 0);
  const then = first ? `${first[0]?.toUpperCase()}${first.slice(1)}; then ` : "";
  if (size > quotedLines) return `${then || "Then "}send it again, and quote more of the lines you mean.`;
  const signed = (sign: string, text: string): string => text.replace(/^/gm, sign);
  const parts = quotes.map((one) =>
    isPatch ? `@@\n${signed("-", one.old)}\n${signed("+", one.new)}` : quoteText(one, names),
  );
  return [
    `${then || "If it still holds, "}send this, which does the same to the text as it is now:`,
    ...parts,
  ].join("\n");
}

/** The person changed an edit before the client wrote it, and the model was not told how. */
export function modifiedNote(news: string): string {
  return `kedge: the person changed your edit before it was written. ${news}`;
}

/** Words what a formatter, or another hook, made of the agent's text. */
export function formattedNote(path: string, { rows, ranges, deleted }: Formatted, door: Door): string {
  const gone = deleted > 0 ? `${deleted} ${deleted === 1 ? "line was" : "lines were"} taken out` : "";
  if (ranges.length === 0)
    return `kedge: after your edit ${gone} of ${visible(path)}, by a formatter or another hook.`;
  const where = lineList(ranges);
  const head = `kedge: after your edit a formatter or another hook changed ${visible(path)}, ${where}${gone ? `, and ${gone}` : ""}`;
  if (rows.length === 0) return `${head}. To edit those, ${visible(door.read(path, ranges))} first.`;
  return [`${head}. They read now:`, ...rows.map(rowText)].join("\n");
}

/** An edit of all places that read alike changed some that were never shown. */
export function touchedNote(path: string, { count, rows, more }: Touched, door: Door): string {
  const lines = count === 1 ? "a line" : `${count} lines`;
  const head = `kedge: your edit of ${visible(path)} changed ${lines} that you were not shown`;
  const listed = more.slice(0, listedRanges);
  const rest = more.length > listed.length ? ", …" : "";
  const unread = `${lineList(listed)}${rest}: ${visible(door.read(path, listed))}`;
  if (rows.length === 0) return `${head}: ${unread}`;
  return [`${head}; now:`, ...rows.map(rowText), ...(more.length > 0 ? [`[also ${unread}]`] : [])].join("\n");
}

const listedRanges = 10;

/** The client refused an edit in its own words; what is known besides. */
export function addedNote(path: string, text: string): string {
  return `kedge, on ${visible(path)}: ${text.replace(`${rejected}\n`, "")}`;
}

/** No agent writes the file that binds it. */
export function ownRules(path: string): string {
  return `${rejected}\n${visible(path)} says what agents may do in this project, so no agent writes it. Ask the person to change it.`;
}

export function unchecked(path: string, cause: string): string {
  return `kedge could not check this edit of ${visible(path)} (${visible(cause)}), and is set to let nothing through unchecked. Run \`kedge doctor\`.`;
}

export function notGuarding(cause: string, isClosed: boolean): string {
  const edits = isClosed ? "Edits are refused until that is put right" : "Edits go through unchecked";
  return `kedge: not guarding: ${visible(cause)}. ${edits}; run \`kedge doctor\`.`;
}

/** "line 8", "lines 3-5, 9". */
function lineList(ranges: readonly Range[]): string {
  const isOne = ranges.length === 1 && ranges[0]?.start === ranges[0]?.end;
  const parts = ranges.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  return `${isOne ? "line" : "lines"} ${parts.join(", ")}`;
}

interface Loss {
  readonly command: string | undefined;
  /** The agent that ran the command. */
  readonly agent: string;
  /** Said to whose edits they were, as against who ran the command. */
  readonly isOwner: boolean;
}

const listedEdits = 8;

/** Edits that are gone, or lines of them, though nobody edited them away. */
export function lostNote(edits: readonly LostEdit[], { command, agent, isOwner }: Loss): string {
  const isPart = edits.every(isPartlyGone);
  const count = `${isPart ? "lines of " : ""}${edits.length} ${edits.length === 1 ? "edit" : "edits"}`;
  const ran =
    command === undefined ? null : visible(JSON.stringify((command.split("\n")[0] ?? "").slice(0, 120)));
  const are = edits.length === 1 && !isPart ? "is" : "are";
  const head = isOwner
    ? `kedge: ${count} of yours ${are} gone${ran ? ` since ${visible(shortName(agent))} ran ${ran}` : ""}:`
    : `kedge: ${ran ? `${ran} took away` : "gone without an edit that replaced them:"} ${count}:`;
  const rows = edits.slice(0, listedEdits).map((edit) => {
    const { id, path, lines, gone, agent: owner } = edit;
    const whose = isOwner ? "" : owner === agent ? ", yours" : `, of ${visible(shortName(owner))}`;
    const place = edit.stash === undefined ? "" : `, put away in ${edit.stash}`;
    const bare = edit.kept ? "" : `, ${unrecorded}`;
    const part = isPartlyGone(edit) ? ` (${gone} of ${lineCount(lines)} gone)` : "";
    return `${id}  ${visible(path)}${lines.length > 0 ? `, ${lineList(lines)}${part}` : ""}${whose}${place}${bare}`;
  });
  const more = edits.length > listedEdits ? [`and ${edits.length - listedEdits} more: \`kedge lost\``] : [];
  const pop = edits.every(({ stash }) => stash !== undefined) ? "`git stash pop` brings them back, and " : "";
  const next = `If that was not meant, ${pop}\`kedge restore --all\` (or \`kedge restore ID\`) merges them back.`;
  const isKept = edits.some(({ kept }) => kept);
  return [head, ...rows, ...more, ...(isKept ? [next] : [])].join("\n");
}

const unrecorded = "no text of it is on record";

function isPartlyGone({ gone, lines }: LostEdit): boolean {
  return gone > 0 && gone < lineCount(lines);
}

function lineCount(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
}
