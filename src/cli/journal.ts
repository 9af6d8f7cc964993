import { isTakingBack, type JournalEntry, undoneIds } from "../session/index.js";
import type { Column } from "./columns.js";
import { rangeList } from "./door.js";
import { formatTime } from "./time.js";

/** Commits that can be taken back, newest first: those that were not yet. */
export function undoable(entries: readonly JournalEntry[]): JournalEntry[] {
  const undone = undoneIds(entries);
  return entries.filter(({ kind, id }) => kind === "commit" && !undone.has(id)).reverse();
}

/** "process:codex-123-456-ab" is for machines; a person wants the first parts. */
export function agentName(agent: string): string {
  const process = /^process:(.+)-(\d+)-[^-]*-[^-]*$/.exec(agent);
  if (process) return `${process[1]} ${process[2]}`;
  return /^[\w-]+:[0-9a-f]{8}-[0-9a-f-]{27}$/.test(agent) ? agent.slice(0, agent.indexOf(":") + 9) : agent;
}

/** What happened, in a word or two. */
export function happened(entry: JournalEntry): string {
  const { kind, relocated, code, tool, after, before, to, edits, instead } = entry;
  if (kind === "lost") return edits && edits.length > 1 ? `lost: ${edits.length} edits` : "lost";
  if (kind === "commit" && (edits ?? instead)) return "restored";
  if (kind === "refusal") return `${isTakingBack(tool) ? `${tool} ` : ""}refused: ${code ?? "?"}`;
  if (kind === "undo") return "undone";
  if (to !== undefined) return "moved";
  if (after === null) return "deleted";
  if (before === null) return "created";
  return relocated ? "relocated" : tool === "write" ? "written" : "edited";
}

export function placeOf({ path, lines, to, kind, cause }: JournalEntry): string {
  if (to !== undefined) return `${path} → ${to}`;
  if (kind === "lost") return cause === undefined ? path : `${path}, after ${cause}`;
  const shown = rangeList(lines.slice(0, 3));
  return lines.length > 0 ? `${path}:${shown}${lines.length > 3 ? ",…" : ""}` : path;
}

export const logColumns: readonly Column[] = [
  { title: "time" },
  { title: "agent", shrinks: "end" },
  {
    title: "what",
    colour: (cell) =>
      /refused|^lost|cannot/.test(cell) ? "red" : cell.startsWith("relocated") ? "yellow" : "green",
  },
  { title: "where", shrinks: "start" },
  { title: "id" },
];

export function logRow(entry: JournalEntry, now: number): string[] {
  return [
    formatTime(entry.time, now),
    agentName(entry.agent),
    happened(entry),
    placeOf(entry),
    entry.batch ?? entry.id,
  ];
}
