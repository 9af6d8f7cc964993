import { resolve } from "node:path";
import type { Door } from "../../answers/index.js";
import type { Adapter, Event, Payload, Recalled, Sent, Write } from "../event.js";
import { isRefusal } from "../messages.js";
import { number, record, sedCommand, text, textIn } from "../payload.js";
import { claudeReply } from "./claude-code.js";
import { patchWrites } from "./patch-writes.js";
import { linesSince, parsedLine } from "./transcript-tail.js";

/** It reads with the shell alone. */
const door: Door = {
  read: (path, ranges) => `run \`${sedCommand(path, ranges)}\``,
  retry: () => "the patch again",
};

/** `apply_patch <<'EOF'` in a command is done by the client itself; a `cd` before it moves its paths. */
function commandWrites(command: string, cwd: string): Write[] {
  if (!/^\s*(?:cd\s+[^\n;&]+(?:&&|;|\n)\s*)?apply_?patch\b/.test(command)) return [];
  const folder = /^\s*cd\s+(["']?)(.+?)\1\s*(?:&&|;|\n)/.exec(command)?.[2] ?? ".";
  return patchWrites("apply_patch", command).map((write) => ({
    ...write,
    path: resolve(cwd, folder, write.path),
  }));
}

function before(tool: string, command: string, cwd: string): Event[] {
  const writes = tool === "apply_patch" ? patchWrites(tool, command) : commandWrites(command, cwd);
  if (writes.length === 0) return tool === "Bash" ? [{ kind: "command", command }] : [];
  return [{ kind: "change", writes, ...(tool === "apply_patch" ? {} : { unannounced: true }) }];
}

/** A call from within a script: what it printed went to the script, not to the model. */
const isNested = (payload: Payload): boolean => text(payload, "tool_use_id")?.startsWith("exec-") ?? false;

function after(tool: string, command: string, payload: Payload): Event[] {
  if (tool === "Bash") {
    const output = isNested(payload) ? "" : (text(payload, "tool_response") ?? "");
    return [{ kind: "output", tool, command, output }];
  }
  const writes = tool === "apply_patch" ? patchWrites(tool, command) : [];
  return writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
}

function eventsOf(payload: Payload, cwd: string): Event[] {
  const tool = text(payload, "tool_name") ?? "";
  const command = text(record(payload, "tool_input"), "command") ?? "";
  switch (payload.hook_event_name) {
    case "SessionStart":
      return payload.source === "compact" ? [] : [{ kind: "begin" }];
    case "PostCompact":
      return [{ kind: "fold" }];
    case "UserPromptSubmit":
      return [{ kind: "prompt", text: text(payload, "prompt") ?? "" }];
    case "PreToolUse":
      return before(tool, command, cwd);
    case "PostToolUse":
      return after(tool, command, payload);
    default:
      return [];
  }
}

export const codex: Adapter = {
  client: "codex",
  door,
  room: 8_000,
  parallel: true,
  tellsBefore: true,
  rewrites: false,
  understand(payload) {
    // As its own commands are told: a subagent is a thread of its own.
    const conversation = text(payload, "agent_id") ?? text(payload, "session_id");
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    const call = text(payload, "tool_use_id");
    return { caller: { conversation, cwd, ...(call ? { call } : {}) }, events: eventsOf(payload, cwd) };
  },
  recall: recalled,
  sentIn,
  // It goes on behind the reason with a full stop of its own.
  reply: ({ deny, ...rest }, payload) =>
    claudeReply(deny === undefined ? rest : { ...rest, deny: deny.replace(/\.$/, "") }, payload),
};
/** Reads what Codex has sent to its model: its rollout file holds it, one line for each item. */

const isCompaction = (line: string): boolean => line.includes('"type":"compacted"');

/** A subagent has a file of its own, and is told its name. */
function recalled(payload: Payload, isLate: () => boolean): Recalled {
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
      sent.push({ text: textIn(item.content), call: "", time: 0 });
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
  const result = textIn(item.output);
  if (made?.tool === "apply_patch" || repeats.test(result) || isRefusal(result)) return [];
  return [{ text: result, call: made?.call ?? "", time: made?.time ?? 0 }];
}
