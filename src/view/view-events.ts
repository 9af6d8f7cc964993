/** Journal entries as the view shows them. */
import { codes } from "../edits/index.js";
import type { JournalEntry } from "../ports/index.js";
import type { AgentStep, ViewEvent } from "./contract.js";

/** Tools that run a command: the cause of their entries is the command. */
const commandTools = new Set(["shell", "Bash", "bash", "run_shell_command", "exec_command"]);

interface Naming {
  readonly path: string;
  /** Whose edits were lost or restored. */
  readonly owners: readonly string[];
}

export function eventOf(entry: JournalEntry, { path, owners }: Naming): ViewEvent {
  const { id, time, kind, agent, tool, lines, relocated = 0, code, cause, edits = [] } = entry;
  const { before, after, initial = false } = entry;
  const isRestore = kind === "commit" && (edits.length > 0 || entry.instead !== undefined);
  return {
    ...{ id, time, kind, agent, tool: isRestore ? "restore" : tool, what: whatOf(entry) },
    ...{ path, lines, relocated, edits, owners },
    ...{ code: code ?? null, cause: cause ?? null },
    canUndo: (kind === "commit" || kind === "undo") && (before !== null || after !== null) && !initial,
  };
}

function whatOf({ kind, before, after, to, reformat }: JournalEntry): ViewEvent["what"] {
  if (kind !== "commit" && kind !== "undo") return null;
  if (to !== undefined) return "moved";
  if (after === null) return "deleted";
  if (before === null) return "created";
  return reformat ? "reformatted" : "edited";
}

export function stepOf(entry: JournalEntry, path: string): AgentStep {
  const { tool, lines, time, cause, kind, code = null } = entry;
  const command = commandTools.has(tool) ? (cause ?? null) : null;
  return { tool, path, lines, command, time, code: kind === "refusal" ? code : null };
}

/** Says in a sentence why a call was refused; null where only its own words are known. */
export function reasonOf({ code }: JournalEntry): string | null {
  return code === undefined ? null : codes[code].meaning;
}

/** Codes of calls that were refused for what somebody else had changed. */
const overtaken = new Set<JournalEntry["code"]>(["stale", "deleted", "ambiguous", "wrong_hash"]);
/** Entries that are looked through for the edit that stood in the way. */
const mostLooked = 2000;

/** Returns the newest change by somebody else of the lines that a refused call was about; null if none is known. */
export function standingInTheWay(
  refusal: JournalEntry,
  entries: readonly JournalEntry[],
): JournalEntry | null {
  if (!overtaken.has(refusal.code)) return null;
  const at = entries.findLastIndex(({ id }) => id === refusal.id);
  const others = entries
    .slice(Math.max(0, at - mostLooked), Math.max(0, at))
    .filter(
      ({ file, agent, kind }) =>
        file === refusal.file && agent !== refusal.agent && (kind === "commit" || kind === "undo"),
    );
  const isMeeting = ({ lines }: JournalEntry): boolean =>
    lines.some((one) => refusal.lines.some((two) => one.start <= two.end && two.start <= one.end));
  return others.findLast(isMeeting) ?? others.at(-1) ?? null;
}
