import { isTakingBack, nameOfAgent } from "../../ledger/index.js";
import { undoneIds } from "../../lost/index.js";
import type { JournalEntry, StoreReader } from "../../ports/index.js";
import { displayName, hueOf, outside, terminalColour } from "../../text/index.js";
import { UsageError } from "../args.js";
import type { Colour, Column, Stream } from "./output.js";
import { rangeList } from "./shell-wording.js";

/** Commits that can be taken back, newest first: those that were not yet. */
export function undoable(entries: readonly JournalEntry[]): JournalEntry[] {
  const undone = undoneIds(entries);
  return entries
    .filter(({ kind, id, initial }) => kind === "commit" && !initial && !undone.has(id))
    .reverse();
}

/** Returns the colour of the agent that a cell names; words of its prompt may follow the name. */
export function agentColour(cell: string): Colour | null {
  if (cell === "" || cell === "-" || cell === "unknown" || cell.includes(" or ")) return null;
  return terminalColour(hueOf(/^\S+:\S+/.exec(cell)?.[0] ?? cell));
}

/** Returns the agent with this id, or the one that is printed like it. */
export async function agentNamed(name: string, store: StoreReader): Promise<string> {
  if (name === "person" || name === outside) return outside;
  if ((await store.journal({ agent: name, last: 1 })).length > 0) return name;
  const agents = new Set((await store.journal()).flatMap(({ agent, authors = [agent] }) => authors));
  const found = [...agents].filter((agent) => displayName(agent) === name);
  if (found.length > 1)
    throw new UsageError(`${name} is short for ${found.join(" and ")}: give one of these`);
  return found[0] ?? name;
}

/** Says in a word or two what happened. */
export function happened(entry: JournalEntry): string {
  const { kind, relocated, code, tool, after, before, to, edits, instead, reformat } = entry;
  if (kind === "head") return "moved HEAD";
  if (kind === "lost" && tool === "forget") return "dismissed";
  if (kind === "lost") return edits && edits.length > 1 ? `lost: ${edits.length} edits` : "lost";
  if (kind === "commit" && (edits ?? instead)) return "restored";
  if (kind === "refusal") return `${isTakingBack(tool) ? `${tool} ` : ""}refused: ${code ?? "?"}`;
  if (kind === "undo") return "undone";
  if (to !== undefined) return "moved";
  if (after === null) return "deleted";
  if (before === null) return "created";
  if (reformat) return "reformatted";
  return relocated ? "relocated" : tool === "write" ? "written" : "edited";
}

export function placeOf({ path, lines, to, kind, cause, head }: JournalEntry): string {
  if (head) {
    const count = head.files === 1 ? "1 file" : `${head.files} files`;
    return `${head.from.slice(0, 7)} → ${head.to.slice(0, 7)}, ${count}`;
  }
  if (to !== undefined) return `${path} → ${to}`;
  if (kind === "lost") return cause === undefined ? path : `${path}, after ${cause}`;
  const shown = rangeList(lines.slice(0, 3));
  return lines.length > 0 ? `${path}:${shown}${lines.length > 3 ? ",…" : ""}` : path;
}

export const logColumns: readonly Column[] = [
  { title: "time" },
  { title: "agent", shrinks: "end", colour: agentColour },
  {
    title: "what",
    colour: (cell) =>
      /refused|^lost|cannot/.test(cell) ? "red" : cell.startsWith("relocated") ? "yellow" : "green",
  },
  { title: "where", shrinks: "start" },
  { title: "id" },
];

/** How agents read: on a terminal with their names beside their ids, which leave the machine nowhere. */
export async function agentNames(
  agents: Iterable<string>,
  store: StoreReader,
  { isTerminal }: Pick<Stream, "isTerminal">,
): Promise<(agent: string) => string> {
  const names = new Map<string, string>();
  if (isTerminal)
    for (const agent of new Set(agents)) {
      const name = await nameOfAgent(agent, store);
      if (name !== null) names.set(agent, `${displayName(agent)} ${name}`);
    }
  return (agent) => names.get(agent) ?? displayName(agent);
}

export function logRow(entry: JournalEntry, now: number, nameOf = displayName): string[] {
  return [
    formatTime(entry.time, now),
    nameOf(entry.agent),
    happened(entry),
    placeOf(entry),
    entry.batch ?? entry.id,
  ];
}

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** "30m", "2h", "7d" before now, or a date, as milliseconds since 1970. */
export function parseSince(text: string, now: number): number {
  const ago = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim());
  if (ago) return now - Number(ago[1]) * (units[ago[2] as string] as number);
  const date = Date.parse(text);
  if (!Number.isNaN(date) && /\d{4}/.test(text)) return date;
  throw new UsageError(`--since is like 30m, 2h, 7d or 2026-11-15; got ${JSON.stringify(text)}`);
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Local time; the date only where it is not today's. */
export function formatTime(time: number, now: number): string {
  const date = new Date(time);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return new Date(now).toDateString() === date.toDateString() ? clock : `${day} ${clock}`;
}

/** "just now", "5 minutes ago". */
export function formatAge(milliseconds: number): string {
  const steps: readonly (readonly [string, number])[] = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];
  for (const [name, length] of steps) {
    const count = Math.floor(milliseconds / length);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
