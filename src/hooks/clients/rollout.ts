/** What Codex has sent to its model: its rollout file holds it, one line for each item. */
import type { Payload, Recalled, Sent } from "../event.js";
import { isRecord, list, number, record, text } from "../fields.js";
import { linesSince, parsedLine } from "../tail.js";
import { isRefusal } from "../words.js";

const isCompaction = (line: string): boolean => line.includes('"type":"compacted"');

/** A subagent has a file of its own, and is told its name. */
export function recalled(payload: Payload, isLate: () => boolean): Recalled {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { sent: [], isComplete: true };
  const { lines, isComplete } = linesSince(transcript, isCompaction, isLate);
  return { sent: sentIn(lines), isComplete };
}

interface Call {
  readonly tool: string;
  readonly call: string;
  readonly time: number;
}

function sentIn(lines: readonly string[]): Sent[] {
  const sent: Sent[] = [];
  const calls = new Map<string, Call>();
  /** How much had been sent when each turn began. */
  const turns: number[] = [];
  for (const line of lines) {
    const entry = parsedLine(line);
    const item = record(entry, "payload");
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const type = text(item, "type") ?? "";
    const id = text(item, "call_id") ?? "";
    if (type === "task_started") turns.push(sent.length);
    else if (type === "thread_rolled_back") {
      const [first] = turns.splice(Math.max(0, turns.length - (number(item, "num_turns") ?? 0)));
      sent.length = Math.min(sent.length, first ?? sent.length);
    } else if (type === "message" && item.role !== "assistant")
      sent.push({ text: textOf(item.content), call: "", time: 0 });
    else if (type.endsWith("_call_output")) sent.push(...resultOf(item, calls.get(id)));
    else if (type.endsWith("_call")) calls.set(id, { ...callIn(item), time });
  }
  return sent;
}

function callIn(item: Payload): Omit<Call, "time"> {
  const given = text(item, "arguments") ?? text(item, "input") ?? "";
  const call = text(parsedLine(given), "cmd") ?? text(parsedLine(given), "command") ?? given;
  return { tool: text(item, "name") ?? "", call };
}

/** A patch that fails is repeated in its result. */
const repeats = /Failed to find expected lines|apply_patch verification failed|blocked by PreToolUse hook/;

function resultOf(item: Payload, made: Call | undefined): Sent[] {
  const result = textOf(item.output);
  if (made?.tool === "apply_patch" || repeats.test(result) || isRefusal(result)) return [];
  return [{ text: result, call: made?.call ?? "", time: made?.time ?? 0 }];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (isRecord(content)) return text(content, "content") ?? textOf(list(content, "content"));
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => text(part, "text") ?? "").join("\n");
}
