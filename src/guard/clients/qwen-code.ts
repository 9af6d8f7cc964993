import type { Door } from "../../answers/index.js";
import type { ForeignChange } from "../../placement/index.js";
import type { Adapter, Event, Payload, Recalled, Sent, Write } from "../event.js";
import { isRefusal } from "../messages.js";
import { list, number, plain, quotesOf, record, rowsFrom, text, window } from "../payload.js";
import { claudeReply, names } from "./claude-code.js";
import { hitsIn } from "./gemini-cli.js";
import { linesSince, parsedLine } from "./transcript-tail.js";

/** Its offset counts from 0. */
const door: Door = {
  read: (path, ranges) => {
    const span = window(ranges);
    const some = span ? ` with offset ${span.start - 1} and limit ${span.end - span.start + 1}` : "";
    return `call read_file on ${path}${some}`;
  },
  retry: () => "the call again",
};

const part = /^Showing lines (\d+)-\d+ of (?:at least )?\d+ total lines\.\n\n---\n\n/;
const unchanged = /^\[File .+ unchanged since last read in this session\b.*\]$/;
const gap = /[^\n]*\n\n---\n\.\.\. \[CONTENT TRUNCATED\] \.\.\.\n---\n\n[^\n]*/;

function writeOf(tool: string, input: Payload): Write[] {
  if (tool === "notebook_edit") {
    const path = text(input, "notebook_path");
    // Cells are not lines: all of the notebook has to be as it was shown.
    return path === undefined ? [] : [{ path, tool, change: { kind: "whole", content: null } }];
  }
  const path = text(input, "file_path");
  const change = changeOf(tool, input);
  return path === undefined || !change ? [] : [{ path, tool, change, single: tool === "edit" }];
}

function changeOf(tool: string, input: Payload): ForeignChange | null {
  const content = text(input, "content");
  if (tool === "write_file" && content !== undefined) return { kind: "whole", content: plain(content) };
  const quotes = tool === "edit" ? quotesOf([input], names) : null;
  if (!quotes) return null;
  // An empty quote makes a new file.
  return quotes[0]?.old === "" ? { kind: "whole", content: quotes[0].new } : { kind: "quotes", quotes };
}

/** A write with what the client tells after it. */
function doneBy(tool: string, input: Payload, response: Payload): Write[] {
  const display = record(response, "result_display");
  const after = text(display, "newContent");
  const original = text(display, "originalContent");
  // The text before a new file is null or empty; only the report tells it from an empty file.
  const isNew = /^(?:Created|Successfully created)\b/.test(resultOf(response).output);
  const before = isNew ? null : original && plain(original);
  return writeOf(tool, input).map((write) => ({
    ...write,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after: plain(after) }),
  }));
}

function shownBy(input: Payload, output: string): Event[] {
  const path = text(input, "file_path");
  if (path === undefined || unchanged.test(output)) return [];
  if (path.endsWith(".ipynb")) return [{ kind: "read", path, rows: [], whole: true }];
  const banner = part.exec(output);
  // The lines of a part are joined: a newline at its end stands before a blank line.
  const rows = banner
    ? rowsFrom(`${output.slice(banner[0].length)}\n`, Number(banner[1]))
    : rowsFrom(output, (number(input, "offset") ?? 0) + 1);
  return [{ kind: "read", path, rows }];
}

/** Takes the report around a command's output away: it repeats the command, which are the model's own words. */
function printedBy(content: string, command: string): string {
  const head = `Command: ${command}\nDirectory: `;
  const start = content.indexOf(head);
  const output = content.indexOf("\nOutput: ", start < 0 ? 0 : start + head.length);
  const end = content.lastIndexOf("\nError: ");
  const from = output < 0 ? 0 : output + "\nOutput: ".length;
  return content.slice(from, end < from ? undefined : end).replace(gap, "");
}

interface Result {
  readonly output: string;
  readonly isFailed: boolean;
}

/** The text that the model gets of a call. A command that ends with a status other than 0 counts as failed, and shows its output. */
function resultOf(response: Payload): Result {
  const [first] = list(response, "response_parts");
  const told = record(record(first, "functionResponse"), "response");
  const output = text(told, "output");
  return { output: output ?? text(told, "error") ?? "", isFailed: output === undefined };
}

/** After all calls of one answer and every hook of theirs; the results stand as the model gets them. */
function batch(payload: Payload): Event[] {
  const shown: Event[] = [];
  const writes: Write[] = [];
  const refused: Write[] = [];
  for (const call of list(payload, "tool_calls")) {
    const tool = text(call, "tool_name") ?? "";
    const input = record(call, "tool_input");
    const response = record(call, "tool_response");
    const { output, isFailed } = resultOf(response);
    if (tool === "run_shell_command") shown.push(commandOf(input, output));
    else if (isFailed) refused.push(...(isRefusal(output) ? [] : writeOf(tool, input)));
    else if (tool === "read_file") shown.push(...shownBy(input, output));
    else if (tool === "grep_search")
      shown.push({ kind: "output", tool, command: null, output: hitsIn(output), where: text(input, "path") });
    else writes.push(...doneBy(tool, input, response));
  }
  const done: Event[] = writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
  const isQuoted = ({ change }: Write): boolean => change.kind === "quotes";
  return [...shown, ...done, { kind: "settled", paths: [], refused: refused.filter(isQuoted) }];
}

function commandOf(input: Payload, content: string): Event {
  const command = text(input, "command") ?? "";
  const output = isRefusal(content) ? "" : printedBy(content, command);
  const where = text(input, "directory");
  return { kind: "output", tool: "run_shell_command", command, output, where };
}

function before(tool: string, input: Payload): Event[] {
  if (tool === "run_shell_command") {
    const isBackground = input.is_background === true;
    const where = text(input, "directory");
    return [{ kind: "command", command: text(input, "command") ?? "", where, isBackground }];
  }
  const writes = writeOf(tool, input);
  return writes.length > 0 ? [{ kind: "change", writes }] : [];
}

function eventsOf(payload: Payload): Event[] {
  switch (payload.hook_event_name) {
    case "SessionStart":
      if (payload.source === "compact") return [{ kind: "fold" }];
      return payload.source === "clear" ? [{ kind: "fold" }, { kind: "begin" }] : [{ kind: "begin" }];
    case "PostCompact":
      return [{ kind: "fold" }];
    case "PreToolUse":
      return before(text(payload, "tool_name") ?? "", record(payload, "tool_input"));
    case "PostToolBatch":
      return batch(payload);
    default:
      return [];
  }
}

const isCompaction = (line: string): boolean => line.includes('"subtype":"chat_compression"');

/** A subagent has a transcript of its own, in a folder beside that of the conversations. */
function recalled(payload: Payload, isLate: () => boolean): Recalled {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { sent: [], isComplete: true };
  const subagent = text(payload, "agent_id");
  const own = transcript.replace(
    /([\\/])chats[\\/]([^\\/]+)\.jsonl$/,
    (_, slash: string, conversation: string) =>
      `${slash}subagents${slash}${conversation}${slash}agent-${subagent}.jsonl`,
  );
  const { lines, isComplete } = linesSince(subagent ? own : transcript, isCompaction, isLate);
  return { sent: sentIn(lines), isComplete };
}

function sentIn(lines: readonly string[]): Sent[] {
  const calls = new Map<string, { readonly args: Payload; readonly time: number }>();
  return lines.flatMap((line) => {
    if (!line.includes('"message":')) return [];
    const entry = parsedLine(line);
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const parts = list(record(entry, "message"), "parts");
    if (text(entry, "type") === "assistant") {
      for (const call of parts.map((one) => record(one, "functionCall")))
        calls.set(text(call, "id") ?? "", { args: record(call, "args"), time });
      return [];
    }
    return parts.flatMap((one): Sent[] => {
      // A person may put old text into a prompt.
      const said = text(one, "text");
      if (said !== undefined) return [{ text: said, call: "", time: 0 }];
      return sentBy(record(one, "functionResponse"), calls);
    });
  });
}

const editors = new Set(["edit", "write_file", "notebook_edit"]);

function sentBy(
  { id, name, response }: Payload,
  calls: ReadonlyMap<string, { readonly args: Payload; readonly time: number }>,
): Sent[] {
  const { args, time } = calls.get(String(id)) ?? { args: {}, time: 0 };
  const isCommand = name === "run_shell_command";
  const output = text(response, "output") ?? (isCommand ? text(response, "error") : undefined);
  // An edit's result shows what the model wrote itself.
  if (output === undefined || isRefusal(output) || editors.has(String(name))) return [];
  const command = text(args, "command");
  const shown = isCommand
    ? printedBy(output, command ?? "")
    : name === "grep_search"
      ? hitsIn(output)
      : output.replace(part, "");
  const sent = { text: shown, call: command ?? JSON.stringify(args), time };
  const of = name === "read_file" ? text(args, "file_path") : undefined;
  return [of === undefined ? sent : { ...sent, of, ...(of.endsWith(".ipynb") ? { whole: true } : {}) }];
}

/** Claude Code's events, with tools named as in Gemini CLI. */
export const qwenCode: Adapter = {
  client: "qwen-code",
  door,
  names,
  room: 9_000,
  parallel: false,
  tellsBefore: false,
  rewrites: false,
  understand(payload) {
    const conversation = text(payload, "session_id");
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    const subagent = text(payload, "agent_id");
    const call = text(payload, "tool_use_id");
    const more = { ...(subagent ? { subagent } : {}), ...(call ? { call } : {}) };
    return { caller: { conversation, cwd, ...more }, events: eventsOf(payload) };
  },
  recall: recalled,
  sentIn,
  reply: claudeReply,
};
