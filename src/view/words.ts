/** Times, ranges and names as the page and the terminal write them. */
import { displayName, type Range, visible } from "../text/index.js";
import type { ViewEvent } from "./contract.js";

const minute = 60_000;
export const hour = 60 * minute;

/** Returns how long ago a moment is, in one short word. */
export function ago(time: number, now: number): string {
  const past = Math.max(0, now - time);
  if (past < 5_000) return "now";
  if (past < minute) return `${Math.floor(past / 1000)} s`;
  if (past < hour) return `${Math.floor(past / minute)} min`;
  if (past < 48 * hour) return `${Math.floor(past / hour)} h`;
  return `${Math.floor(past / (24 * hour))} d`;
}

/** Returns the time of day, with the date where it is not today's. */
export function clockTime(time: number, now: number): string {
  const at = new Date(time);
  const digits = (value: number): string => String(value).padStart(2, "0");
  const day =
    at.toDateString() === new Date(now).toDateString() ? "" : `${at.getMonth() + 1}/${at.getDate()} `;
  return `${day}${digits(at.getHours())}:${digits(at.getMinutes())}:${digits(at.getSeconds())}`;
}

const listed = 3;

/** Returns line ranges as `4-9, 12`; further ranges are counted. */
export function rangeText(ranges: readonly Range[]): string {
  const shown = ranges
    .slice(0, listed)
    .map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  const rest = ranges.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

export function lineCount(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns the last folder and the name of a long path, with an ellipsis before them. */
export function shortPath(path: string, longest = 44): string {
  if (path.length <= longest) return path;
  return `…${path.slice(path.length - longest + 1)}`;
}

/** Returns what happened, without the agent's name. */
export function eventText(event: ViewEvent, nameOf: (agent: string) => string = displayName): string {
  const { kind, tool, what, path, lines, code, cause, relocated, edits, owners } = event;
  const where = `${visible(path)}${lines.length > 0 ? `:${rangeText(lines)}` : ""}`;
  if (kind === "refusal") return `${visible(tool)} of ${where} refused${code ? ` (${code})` : ""}`;
  if (kind === "lost") {
    const ownerNames = owners.map((one) => (one === event.agent ? "its own" : visible(nameOf(one))));
    const owned = owners.length === 0 ? "" : ` of ${ownerNames.join(", ")}`;
    const few = edits.length < 2 ? "an edit" : counted(edits.length, "edit");
    return tool === "forget"
      ? `dismissed ${few}${owned} in ${where}`
      : `took away ${few}${owned} in ${where}`;
  }
  if (kind === "undo") return `took back an edit in ${where}`;
  if (kind === "head") return cause === null ? "moved HEAD" : `moved HEAD with ${visible(cause)}`;
  if (tool === "restore") return `restored ${where}`;
  return `${what} ${where}${tool === "shell" ? " by a command" : ""}${relocated > 0 ? " (relocated)" : ""}`;
}
