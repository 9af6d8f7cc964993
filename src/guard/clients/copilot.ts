import { join } from "node:path";
import type { Door } from "../../answers/index.js";
import { homeFolder } from "../../host/index.js";
import type { ForeignChange } from "../../placement/index.js";
import type { Adapter, Answer, Environment, Event, Payload, Recalled, Sent, Write } from "../event.js";
import { isRefusal } from "../messages.js";
import { list, plain, quotesOf, record, rowsFrom, text, window } from "../payload.js";
import { patchWrites } from "./patch-writes.js";
import { linesSince, parsedLine } from "./transcript-tail.js";

const door: Door = {
  read: (path, ranges) => {
    const span = window(ranges);
    return `call view on ${path}${span ? ` with view_range [${span.start}, ${span.end}]` : ""}`;
  },
  retry: () => "the call again",
};

const names = { old: "old_str", new: "new_str", all: "replace_all" };
const searchers = new Set(["grep", "rg"]);
const tooLarge = /^File too large to read at once \(/;
/** The line before the note is cut. */
const truncated = /(?:^|\n)[^\n]*\n\n\[Output truncated\. Use view_range=\[\d+, [\s\S]*$/;
const ended = /\n?<shellId: \S+ completed with exit code -?\d+>\s*$/;
/** The model gets the first characters of long output, and the name of a file with all of it. */
const preview = /^Output too large to read at once \([\s\S]*?\nPreview \(first \d+ chars\):\n/;
/** Notes of hooks stand below the result that they were given for. */
const guidance = /\n\nTool "\w+" succeeded\. Additional guidance from postToolUse hooks:\n[\s\S]*$/;

/** A patch comes as a bare text, all other arguments by their names. */
function writeOf(tool: string, payload: Payload): Write[] {
  const patch = text(payload, "toolArgs");
  if (tool === "apply_patch") return patch === undefined ? [] : patchWrites(tool, patch);
  const input = record(payload, "toolArgs");
  const path = text(input, "path");
  const change = changeOf(tool, input);
  return path === undefined || !change ? [] : [{ path, tool, change, single: tool === "edit" }];
}

function changeOf(tool: string, input: Payload): ForeignChange | null {
  const content = text(input, "file_text");
  if (tool === "create" && content !== undefined) return { kind: "whole", content: plain(content) };
  const quotes = tool === "edit" ? quotesOf([input], names) : null;
  return quotes && { kind: "quotes", quotes };
}

function shownBy(input: Payload, content: string): Event[] {
  const path = text(input, "path");
  if (path === undefined || tooLarge.test(content)) return [];
  const [first] = list(input, "view_range");
  const output = content.replace(truncated, "");
  // The lines of a part are joined: a newline at its end stands before a blank line.
  const isPart = typeof first === "number" || output !== content;
  return [
    { kind: "read", path, rows: rowsFrom(isPart ? `${output}\n` : output, isPart ? Number(first ?? 1) : 1) },
  ];
}

function printedBy(content: string): string {
  const head = preview.exec(content)?.[0];
  if (head === undefined) return content.replace(ended, "");
  const shown = content.slice(head.length);
  return shown.slice(0, shown.lastIndexOf("\n") + 1);
}

function after(tool: string, payload: Payload): Event[] {
  const input = record(payload, "toolArgs");
  const output = text(record(payload, "toolResult"), "textResultForLlm") ?? "";
  if (tool === "view") return shownBy(input, output);
  if (tool === "bash")
    return [{ kind: "output", tool, command: text(input, "command") ?? "", output: printedBy(output) }];
  if (searchers.has(tool))
    return [{ kind: "output", tool, command: null, output: printedBy(output), where: text(input, "path") }];
  const writes = writeOf(tool, payload);
  return writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
}

function failed(tool: string, payload: Payload): Event[] {
  const refused = writeOf(tool, payload).filter(({ change }) => change.kind === "quotes");
  return refused.length > 0 ? [{ kind: "settled", paths: [], refused }] : [];
}

function before(tool: string, payload: Payload): Event[] {
  if (tool === "bash") {
    const input = record(payload, "toolArgs");
    return [{ kind: "command", command: text(input, "command") ?? "", isBackground: input.mode === "async" }];
  }
  const writes = writeOf(tool, payload);
  return writes.length > 0 ? [{ kind: "change", writes }] : [];
}

/** Its payloads do not name the event: what they hold tells it. */
function eventsOf(payload: Payload): Event[] {
  const tool = text(payload, "toolName");
  if (tool !== undefined) {
    if ("toolResult" in payload) return after(tool, payload);
    if ("error" in payload) return failed(tool, payload);
    return before(tool, payload);
  }
  if ("trigger" in payload) return [{ kind: "fold" }];
  if ("source" in payload) return [{ kind: "begin" }];
  return "prompt" in payload ? [{ kind: "prompt" }] : [];
}

const isCompaction = (line: string): boolean => line.startsWith('{"type":"session.compaction_complete"');

/** One file for each conversation, with the events of its subagents. */
function recalled(payload: Payload, isLate: () => boolean, env: Environment = {}): Recalled {
  const subagent = text(payload, "agentId");
  const conversation = conversationOf(payload);
  const folder = env.COPILOT_HOME || join(homeFolder(env), ".copilot");
  if (conversation === undefined || /[\\/]/.test(conversation)) return { sent: [], isComplete: true };
  const path = join(folder, "session-state", conversation, "events.jsonl");
  const { lines, isComplete } = linesSince(path, isCompaction, isLate);
  const whose = (line: string): string | undefined => /"agentId":"([^"]+)","id":/.exec(line)?.[1];
  return { sent: sentIn(lines.filter((line) => whose(line) === subagent)), isComplete };
}

const editors = new Set(["edit", "create", "apply_patch"]);

function sentIn(lines: readonly string[]): Sent[] {
  const calls = new Map<string, { readonly tool: string; readonly args: Payload; readonly time: number }>();
  return lines.flatMap((line): Sent[] => {
    if (!/^\{"type":"(?:user\.message|system\.message|tool\.execution_)/.test(line)) return [];
    const entry = parsedLine(line);
    const data = record(entry, "data");
    const type = text(entry, "type");
    const id = text(data, "toolCallId") ?? "";
    if (type === "tool.execution_start") {
      const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
      calls.set(id, { tool: text(data, "toolName") ?? "", args: record(data, "arguments"), time });
      return [];
    }
    if (type !== "tool.execution_complete") {
      const said = text(data, "transformedContent") ?? text(data, "content");
      return said === undefined ? [] : [{ text: said, call: "", time: 0 }];
    }
    const { tool, args, time } = calls.get(id) ?? { tool: "", args: {}, time: 0 };
    const content = text(record(data, "result"), "content");
    if (content === undefined || isRefusal(content) || editors.has(tool)) return [];
    const shown = printedBy(content.replace(guidance, "").replace(truncated, ""));
    const sent = { text: shown, call: text(args, "command") ?? JSON.stringify(args), time };
    const of = tool === "view" ? text(args, "path") : undefined;
    return [of === undefined ? sent : { ...sent, of }];
  });
}

/** A subagent has a session of its own, and is told whose it is. */
function conversationOf(payload: Payload): string | undefined {
  return text(payload, "parentAgentId") ?? text(payload, "sessionId");
}

/** Its hooks have no way to the person: the model is asked to hand on everything but the line that all is well. */
function handedOn(say: string | undefined): string[] {
  return say === undefined || /^kedge: guarding(?: \([^)]*\))?$/.test(say) ? [] : [`For the person: ${say}`];
}

function reply({ deny, quotes, tell, say }: Answer, payload: Payload): unknown {
  const [quote] = quotes ?? [];
  const notes = [...(tell === undefined ? [] : [tell]), ...handedOn(say)];
  const output = {
    ...(deny === undefined ? {} : { permissionDecision: "deny", permissionDecisionReason: deny }),
    ...(quote
      ? { modifiedArgs: { ...record(payload, "toolArgs"), old_str: quote.old, new_str: quote.new } }
      : {}),
    ...(notes.length > 0 ? { additionalContext: notes.join("\n\n") } : {}),
  };
  return Object.keys(output).length > 0 ? output : null;
}

export const copilot: Adapter = {
  client: "copilot",
  door,
  names,
  room: 9_000,
  parallel: true,
  tellsBefore: false,
  rewrites: true,
  understand(payload) {
    const conversation = conversationOf(payload);
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    const subagent = text(payload, "agentId");
    return { caller: { conversation, cwd, ...(subagent ? { subagent } : {}) }, events: eventsOf(payload) };
  },
  recall: recalled,
  sentIn,
  reply,
};
