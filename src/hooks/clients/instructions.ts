/** Instruction files that Claude Code has loaded by itself: its event names the file and not its text. */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Event, Payload } from "../event.js";
import { text } from "../fields.js";
import { linesIn } from "../lines.js";

const largest = 1024 * 1024;
/** Of its own memory the model gets the beginning. */
const longestMemory = 200;

export function loaded(payload: Payload): Event[] {
  const path = text(payload, "file_path");
  const lines = path === undefined ? null : linesOf(path);
  if (path === undefined || !lines) return [];
  const count = basename(path) === "MEMORY.md" ? longestMemory : lines.length;
  const hidden = hiddenLines(lines);
  const rows = lines
    .slice(0, count)
    .flatMap((line, at) => (hidden.has(at) ? [] : [{ line: at + 1, text: line }]));
  return rows.length > 0 ? [{ kind: "read", path, rows }] : [];
}

function linesOf(path: string): readonly string[] | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= largest ? linesIn(readFileSync(path)) : null;
  } catch {
    return null;
  }
}

/** Comments, and the head that says for which files a rule is, are not sent. */
function hiddenLines(lines: readonly string[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  for (let at = 0; at <= end; at++) hidden.add(at);
  let isComment = false;
  for (const [at, line] of lines.entries()) {
    isComment ||= line.includes("<!--");
    if (isComment) hidden.add(at);
    isComment &&= !line.includes("-->");
  }
  return hidden;
}
