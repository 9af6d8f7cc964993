import type { Adapter, Answer, Event, Payload, Recalled, Sent, Write } from "../event.js";
import { isRefusal } from "../messages.js";
import {
  isRecord,
  list,
  number,
  offsetDoor,
  partsText,
  plain,
  pluginReply,
  quotesOf,
  record,
  rowsFrom,
  sentText,
  text,
} from "../payload.js";

const names = { old: "oldText", new: "newText", all: "all" };

function writesOf(tool: string, input: Payload): Write[] {
  const path = text(input, "path");
  const content = text(input, "content");
  if (path === undefined) return [];
  if (tool === "write" && content !== undefined)
    return [{ path, tool, change: { kind: "whole", content: plain(content) } }];
  const edits = Array.isArray(input.edits) ? list(input, "edits") : [input];
  const quotes = tool === "edit" ? quotesOf(edits, names) : null;
  return quotes && quotes.length > 0 ? [{ path, tool, change: { kind: "quotes", quotes } }] : [];
}

/** The remark that it adds below a part of a file. */
const more = /\n\n\[\d+ more lines in file\. Use offset=\d+ to continue\.\]$/;
/** `path:12: text`, and `path-12- text` around it. */
const hit = /^(.+?)([:-])(\d+)\2 /gm;

function after(tool: string, input: Payload, payload: Payload): Event[] {
  const cut = text(record(record(payload, "details"), "truncation"), "content");
  const parts = list(payload, "content").map((part) => text(part, "text") ?? "");
  const output = tool === "read" && cut !== undefined ? cut : parts.join("\n");
  const path = text(input, "path");
  if (tool === "read") {
    if (payload.isError === true) return [];
    // The lines of a part are joined: a newline at its end stands before a blank line.
    const rows = rowsFrom(output.replace(more, "\n"), number(input, "offset") ?? 1);
    return path === undefined ? [] : [{ kind: "read", path, rows }];
  }
  if (tool === "bash") return [{ kind: "output", tool, command: text(input, "command") ?? "", output }];
  if (tool === "grep")
    return [{ kind: "output", tool, command: null, output: output.replace(hit, "$1$2$3$2"), where: path }];
  const writes = writesOf(tool, input);
  if (writes.length === 0) return [];
  if (payload.isError === true) return [{ kind: "settled", paths: [], refused: writes.filter(isQuoting) }];
  return [{ kind: "changed", writes, settled: true }];
}

const isQuoting = ({ change }: Write): boolean => change.kind === "quotes";

function eventsOf(payload: Payload): Event[] {
  const tool = text(payload, "toolName") ?? "";
  const input = record(payload, "input");
  switch (payload.k) {
    case "session_start":
      return [{ kind: "begin" }];
    case "session_before_compact":
    case "session_compact":
    case "session_tree":
      return [{ kind: "fold" }];
    case "tool_call": {
      const command = tool === "bash" ? text(input, "command") : undefined;
      if (command !== undefined) return [{ kind: "command", command }];
      const writes = writesOf(tool, input);
      return writes.length > 0 ? [{ kind: "change", writes }] : [];
    }
    case "tool_result":
      return after(tool, input, payload);
    default:
      return [];
  }
}

function reply(answer: Answer, payload: Payload): unknown {
  const input = record(payload, "input");
  const edits = answer.quotes?.map((one) => ({ oldText: one.old, newText: one.new }));
  const fresh = edits && (Array.isArray(input.edits) ? { ...input, edits } : { ...input, ...edits[0] });
  return pluginReply(answer, fresh ?? null);
}

/** The extension hands over the session's entries, and the system prompt, when it is asked to. */
function recalled({ sent, keeps }: Payload): Recalled | "later" {
  if (sent === undefined && keeps === true) return "later";
  const prompt = text(sent, "system");
  const calls = new Map<string, Made>();
  const messages = keptOf(list(sent, "entries")).flatMap((entry) => sentBy(entry, calls));
  return {
    sent: [...(prompt === undefined ? [] : [sentText(prompt)]), ...messages],
    isComplete: sent !== null,
  };
}

/** After a compaction the model still has the newest of the messages before it. */
function keptOf(entries: readonly unknown[]): readonly unknown[] {
  const last = entries.findLastIndex((entry) => text(entry, "type") === "compaction");
  const kept = text(entries[last], "firstKeptEntryId");
  const from = entries.findIndex((entry) => kept !== undefined && text(entry, "id") === kept);
  return last < 0 ? entries : entries.slice(from < 0 ? last : from);
}

interface Made {
  readonly input: Payload;
  readonly time: number;
}

function sentBy(entry: unknown, calls: Map<string, Made>): Sent[] {
  const told = text(entry, "summary") ?? partsText(isRecord(entry) ? entry.content : undefined);
  if (told !== "") return [sentText(told)];
  const message = record(entry, "message");
  const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
  switch (message.role) {
    case "assistant":
      for (const block of list(message, "content"))
        calls.set(text(block, "id") ?? "", { input: record(block, "arguments"), time });
      return [];
    case "toolResult":
      return resultOf(message, calls.get(text(message, "toolCallId") ?? ""));
    case "bashExecution":
      return [sentText(text(message, "output") ?? "")];
    default:
      return [sentText(partsText(message.content))];
  }
}

function resultOf(message: Payload, made: Made | undefined): Sent[] {
  const tool = text(message, "toolName");
  const output = partsText(message.content);
  // A call that failed may repeat what the model said; a command that failed shows what it printed.
  if (message.isError === true && (tool !== "bash" || isRefusal(output))) return [];
  const { input, time } = made ?? { input: {}, time: 0 };
  const shown = tool === "grep" ? output.replace(hit, "$1$2$3$2") : output;
  const sent = { text: shown, call: text(input, "command") ?? JSON.stringify(input), time };
  const of = tool === "read" ? text(input, "path") : undefined;
  return [of === undefined ? sent : { ...sent, of }];
}

export const pi: Adapter = {
  client: "pi",
  door: offsetDoor("read"),
  names,
  cuts: { longest: 50_000, printed: 50_000, quoting: "edit" },
  room: 20_000,
  parallel: true,
  tellsBefore: true,
  rewrites: true,
  recall: recalled,
  understand(payload) {
    const cwd = text(payload, "cwd");
    if (cwd === undefined) return null;
    const call = text(payload, "toolCallId");
    const caller = { conversation: text(payload, "session") ?? "", cwd, ...(call ? { call } : {}) };
    return { caller, events: eventsOf(payload) };
  },
  reply,
};
