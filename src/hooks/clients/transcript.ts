/** What Claude Code shows of files without a call of a tool, and so without an event: its transcript tells. */
import { resolve } from "node:path";
import type { Event, Payload } from "../event.js";
import { number, record, rowsFrom, text } from "../fields.js";
import { parsedLine, tailOf } from "../tail.js";

/** Lines since the last compaction. A subagent has a transcript of its own. */
export function transcriptLines(payload: Payload): readonly string[] {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined || text(payload, "agent_id") !== undefined) return [];
  const lines = tailOf(transcript).text.split("\n");
  return lines.slice(lines.findLastIndex((line) => line.includes('"compact_boundary"')) + 1);
}

/** Files named with @ in a prompt, and those it shows again after a compaction. */
export function attachedFiles(payload: Payload, path: string): Event[] {
  const cwd = text(payload, "cwd");
  if (cwd === undefined) return [];
  return transcriptLines(payload).flatMap((line) => {
    if (!line.includes('"attachment"')) return [];
    const attachment = record(parsedLine(line), "attachment");
    const file = record(record(attachment, "content"), "file");
    const shown = text(file, "content");
    const name = text(file, "filePath") ?? text(attachment, "filename");
    if (attachment.type !== "file" || shown === undefined || name === undefined) return [];
    if (resolve(cwd, name) !== path) return [];
    return [
      { kind: "read", path, rows: rowsFrom(shown, Math.max(1, number(file, "startLine") ?? 1)) } as const,
    ];
  });
}
