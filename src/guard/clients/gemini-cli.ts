import type { Door } from "../../answers/index.js";
import type { ForeignChange } from "../../placement/index.js";
import type { Adapter, Answer, Event, Mark, Missed, Payload, Recalled, Sent, Write } from "../event.js";
import { isRefusal } from "../messages.js";
import { list, number, plain, quotesOf, record, rowsFrom, text, window } from "../payload.js";
import { linesSince, parsedLine, tailOf } from "./transcript-tail.js";

const door: Door = {
  read: (path, ranges) => {
    const span = window(ranges);
    const some = span ? ` with start_line ${span.start} and end_line ${span.end}` : "";
    return `call read_file on ${path}${some}`;
  },
  retry: () => "the call again",
};

const names = { old: "old_string", new: "new_string", all: "allow_multiple" };
const files = /--- Content from referenced files ---\n([\s\S]*?)\n--- End of content ---/;
const cut = /Showing lines (\d+)-\d+ of \d+[\s\S]*?--- FILE CONTENT[^\n]*---\n/;
const searchers = new Set(["grep_search", "search_file_content"]);
/** The model gets the beginning and the end of longer output. */
const [longest, first, last] = [40_000, 8_000, 32_000];

function writeOf(tool: string, input: Payload): Write[] {
  const path = text(input, "file_path");
  const content = text(input, "content");
  if (path === undefined) return [];
  if (tool === "write_file" && content !== undefined)
    return [{ path, tool, change: { kind: "whole", content: plain(content) } }];
  const quotes = tool === "replace" ? quotesOf([input], names) : null;
  const [quote] = quotes ?? [];
  if (!quotes || !quote) return [];
  const change: ForeignChange =
    quote.old === "" ? { kind: "whole", content: quote.new } : { kind: "quotes", quotes };
  return [{ path, tool, change, single: true }];
}

function shown(input: Payload, content: string): Event[] {
  const path = text(input, "file_path");
  if (path === undefined) return [];
  const banner = cut.exec(content);
  const first = Number(banner?.[1] ?? number(input, "start_line") ?? 1);
  // The lines of a part are joined: a newline at its end stands before a blank line.
  const rows = rowsFrom(banner ? `${content.slice(banner.index + banner[0].length)}\n` : content, first);
  return [{ kind: "read", path, rows }];
}

/** The part of a command's output that the model gets: whole lines of it. */
function outputOf(content: string): string {
  const output = content.replace(/^<untrusted_context>\n/, "").replace(/^Output: /, "");
  if (content.length <= longest) return output;
  const [start, end] = [output.slice(0, first), output.slice(-last)];
  return `${start.slice(0, start.lastIndexOf("\n"))}\n${end.slice(end.indexOf("\n") + 1)}`;
}

/** Hits as other programs print them: path, number, text. */
export function hitsIn(output: string): string {
  let path = "";
  return output
    .split("\n")
    .map((line) => {
      path = /^File: (.+)$/.exec(line)?.[1] ?? path;
      const hit = /^L(\d+)([:-]) (.*)$/.exec(line);
      return hit ? `${path}${hit[2]}${hit[1]}${hit[2]}${hit[3]}` : "";
    })
    .join("\n");
}

/** Files named with @ in a prompt. */
function attached(prompt: string): Event[] {
  const parts = (files.exec(prompt)?.[1] ?? "").split(/^Content from @(.+):\n/m).slice(1);
  return parts.flatMap((path, at) =>
    at % 2 === 0 ? [{ kind: "read", path, rows: rowsFrom(parts[at + 1] ?? "", 1) } as const] : [],
  );
}

function after(tool: string, payload: Payload): Event[] {
  const input = record(payload, "tool_input");
  const response = record(payload, "tool_response");
  const output = text(response, "llmContent") ?? "";
  if (tool === "read_file") return shown(input, output);
  if (tool === "run_shell_command")
    return [
      {
        kind: "output",
        tool,
        command: text(input, "command") ?? "",
        output: outputOf(output),
        where: text(input, "dir_path"),
      },
    ];
  if (searchers.has(tool))
    return [{ kind: "output", tool, command: null, output: hitsIn(output), where: text(input, "dir_path") }];
  if (response.error !== undefined) {
    const refused = writeOf(tool, input).filter(({ change }) => change.kind === "quotes");
    return refused.length > 0 ? [{ kind: "settled", paths: [], refused }] : [];
  }
  const display = record(response, "returnDisplay");
  const original = display.isNewFile === true ? null : text(display, "originalContent");
  const after = text(display, "newContent");
  const before = {
    ...(original === undefined ? {} : { before: original }),
    ...(after === undefined ? {} : { after: plain(after) }),
  };
  const writes = writeOf(tool, input).map((write) => ({ ...write, ...before }));
  return writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
}

function eventsOf(payload: Payload): Event[] {
  const tool = text(payload, "tool_name") ?? "";
  switch (payload.hook_event_name) {
    case "SessionStart":
      return payload.source === "clear" ? [{ kind: "fold" }, { kind: "begin" }] : [{ kind: "begin" }];
    case "BeforeAgent":
      return [
        ...attached(text(payload, "prompt") ?? ""),
        { kind: "prompt", text: text(payload, "prompt") ?? "" },
      ];
    case "BeforeTool": {
      const input = record(payload, "tool_input");
      const command = tool === "run_shell_command" ? text(input, "command") : undefined;
      if (command !== undefined) return [{ kind: "command", command, where: text(input, "dir_path") }];
      const writes = writeOf(tool, input);
      return writes.length > 0 ? [{ kind: "change", writes }] : [];
    }
    case "AfterTool":
      return after(tool, payload);
    default:
      return [];
  }
}

function reply({ deny, quotes, tell, say }: Answer, payload: Payload): unknown {
  const hookEventName = payload.hook_event_name;
  const [quote] = quotes ?? [];
  const specific = {
    ...(quote
      ? { tool_input: { ...record(payload, "tool_input"), old_string: quote.old, new_string: quote.new } }
      : {}),
    ...(tell === undefined ? {} : { additionalContext: tell }),
  };
  // Context is dropped from a call that failed; a reason takes the place of its message.
  const error = text(record(record(payload, "tool_response"), "error"), "message");
  if (error !== undefined && tell !== undefined) return { decision: "deny", reason: `${error}\n\n${tell}` };
  const output = {
    ...(deny === undefined ? {} : { decision: "deny", reason: deny }),
    ...(Object.keys(specific).length > 0 ? { hookSpecificOutput: { hookEventName, ...specific } } : {}),
    ...(say === undefined ? {} : { systemMessage: say }),
  };
  return Object.keys(output).length > 0 ? output : null;
}

/** How the history goes on after it was compressed. */
const compressed = /<state_snapshot>|Got it\. Thanks for the additional context!/;

/**
 * Its event for compression comes before every request, and says nothing. Compressed texts are in the transcript, and
 * are written there again when the conversation is resumed.
 */
function missed(payload: Payload, from: Mark): Missed {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { events: [], mark: from };
  const { text: fresh, to } = tailOf(transcript, from.to);
  const line = fresh.split("\n").findLast((one) => one.includes('"$set"') && one.includes('"messages"'));
  const [first] = list(record(parsedLine(line ?? ""), "$set"), "messages");
  const seen = line !== undefined && compressed.test(line) ? JSON.stringify(first).slice(0, 2000) : from.seen;
  return { events: seen === from.seen ? [] : [{ kind: "fold" }], mark: { to, seen } };
}

interface Message {
  readonly id: string;
  readonly entry: unknown;
}

/** Every set of messages takes the place of all before it. */
const isHistory = (line: string): boolean => line.startsWith('{"$set":{"messages"');

function recalled(payload: Payload, isLate: () => boolean): Recalled {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { sent: [], isComplete: true };
  const { lines, isComplete } = linesSince(transcript, isHistory, isLate);
  return { sent: sentIn(historyIn(lines)), isComplete };
}

function historyIn(lines: readonly string[]): unknown[] {
  let messages: Message[] = [];
  const message = (entry: unknown): Message => ({ id: text(entry, "id") ?? "", entry });
  for (const line of lines) {
    const entry = parsedLine(line);
    const back = text(entry, "$rewindTo");
    const history = record(entry, "$set").messages;
    if (back !== undefined)
      messages = messages.slice(
        0,
        Math.max(
          0,
          messages.findIndex(({ id }) => id === back),
        ),
      );
    else if (Array.isArray(history)) messages = history.map(message);
    else if (text(entry, "id") !== undefined) messages.push(message(entry));
  }
  return messages.map(({ entry }) => entry);
}

function sentIn(history: readonly unknown[]): Sent[] {
  const calls = new Map<string, { readonly args: Payload; readonly time: number }>();
  return history.flatMap((entry) => {
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    for (const call of list(entry, "toolCalls"))
      calls.set(text(call, "id") ?? "", { args: record(call, "args"), time });
    if (text(entry, "type") !== "user") return [];
    return list(entry, "content").flatMap((part) => {
      const said = text(part, "text");
      if (said !== undefined) return [{ text: said, call: "", time: 0 }];
      const { id, name, response } = record(part, "functionResponse");
      const output = text(response, "output");
      if (output === undefined || isRefusal(output)) return [];
      const { args, time } = calls.get(String(id)) ?? { args: {}, time: 0 };
      const shown = searchers.has(String(name)) ? hitsIn(output) : outputOf(output);
      const sent = { text: shown, call: text(args, "command") ?? JSON.stringify(args), time };
      const of = name === "read_file" ? text(args, "file_path") : undefined;
      return [of === undefined ? sent : { ...sent, of }];
    });
  });
}

export const geminiCli: Adapter = {
  client: "gemini-cli",
  door,
  names,
  cuts: { longest: 2000, printed: 39_000, quoting: "replace" },
  room: 20_000,
  parallel: true,
  tellsBefore: false,
  rewrites: true,
  understand(payload) {
    const conversation = text(payload, "session_id");
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    return { caller: { conversation, cwd }, events: eventsOf(payload) };
  },
  recall: recalled,
  sentIn: (lines) => sentIn(historyIn(lines)),
  missed,
  reply,
};
