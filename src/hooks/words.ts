/** What the guard says to models and people, but for refusals, which are the session's. */
import type { Door, Quote, Range } from "../core/index.js";
import type { Formatted, LostEdit } from "../session/index.js";

/** A refused write quotes nothing. */
export const writeAgain = "Decide again with all of the file as it is now.";

export function guarding(others: number): string {
  if (others === 0) return "kedge: guarding";
  return `kedge: guarding (${others} other ${others === 1 ? "agent" : "agents"} here)`;
}

/** The edit was carried to where its lines are now, and the tool is given other arguments. */
export function carriedNote(path: string): string {
  return `kedge: ${path} has changed since you saw it; your edit was carried to where its lines are now.`;
}

const quotedLines = 30;

/** The same, where the model has to send it again itself. */
export function carriedReason(path: string, quotes: readonly Quote[]): string {
  const size = quotes.reduce((sum, one) => sum + one.old.split("\n").length, 0);
  const head = `REJECTED, nothing written.\n${path} has changed since you saw it, and the text you quote does not stand there alone.`;
  if (size > quotedLines) return `${head}\nQuote more of the lines you mean.`;
  const parts = quotes.map((one) => `old: ${JSON.stringify(one.old)}\nnew: ${JSON.stringify(one.new)}`);
  return [head, "This does the same to the text as it is now; send it if it still holds:", ...parts].join(
    "\n",
  );
}

/** What a formatter, or another hook, made of what the agent wrote. */
export function formattedNote(path: string, { rows, ranges, deleted }: Formatted, door: Door): string {
  const gone = deleted > 0 ? `${deleted} ${deleted === 1 ? "line was" : "lines were"} taken out` : "";
  if (ranges.length === 0)
    return `kedge: after your edit ${gone} of ${path}, by a formatter or another hook.`;
  const where = linesOf(ranges);
  const head = `kedge: after your edit a formatter or another hook changed ${path}, lines ${where}${gone ? `, and ${gone}` : ""}`;
  if (rows.length === 0) return `${head}. To edit those, ${door.read(path, ranges)} first.`;
  return [`${head}. They read now:`, ...rows.map(({ line, text }) => `${line}\t${text}`)].join("\n");
}

/** The client refused an edit in its own words; what is known besides. */
export function addedNote(path: string, text: string): string {
  return `kedge, on ${path}: ${text.replace(/^REJECTED, nothing written\.\n/, "")}`;
}

export function unchecked(path: string, cause: string): string {
  return `kedge could not check this edit of ${path} (${cause}), and is set to let nothing through unchecked. Run \`kedge doctor\`.`;
}

export function failedOpen(cause: string): string {
  return `kedge: not guarding: ${cause}. Edits go through unchecked; run \`kedge doctor\`.`;
}

export function linesOf(ranges: readonly Range[]): string {
  return ranges.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`)).join(", ");
}

interface Loss {
  readonly command: string | undefined;
  /** Who ran the command. */
  readonly agent: string;
  /** Said to whose edits they were, as against who ran the command. */
  readonly isOwner: boolean;
}

const listedEdits = 8;

/** Edits that are gone though nobody edited them away. */
export function lostNote(edits: readonly LostEdit[], { command, agent, isOwner }: Loss): string {
  const count = `${edits.length} ${edits.length === 1 ? "edit" : "edits"}`;
  const ran = command === undefined ? null : JSON.stringify((command.split("\n")[0] ?? "").slice(0, 120));
  const head = isOwner
    ? `kedge: ${count} of yours ${edits.length === 1 ? "is" : "are"} gone${ran ? ` since ${agent} ran ${ran}` : ""}:`
    : `kedge: ${ran ? `${ran} took away` : "gone without an edit that replaced them:"} ${count}:`;
  const rows = edits.slice(0, listedEdits).map(({ id, path, lines, agent: owner }) => {
    const whose = isOwner ? "" : owner === agent ? ", yours" : `, of ${owner}`;
    return `${id}  ${path}${lines.length > 0 ? `, lines ${linesOf(lines)}` : ""}${whose}`;
  });
  const more = edits.length > listedEdits ? [`and ${edits.length - listedEdits} more: \`kedge lost\``] : [];
  const next = "If that was not meant, `kedge restore --all` (or `kedge restore ID`) merges them back.";
  return [head, ...rows, ...more, next].join("\n");
}
