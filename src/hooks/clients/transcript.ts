/** What Claude Code has sent to its model: its transcript holds it, one line for each message. */
import type { Payload, Recalled, Sent } from "../event.js";
import { isRecord, list, number, record, text } from "../fields.js";
import { linesSince, parsedLine, tailOf } from "../tail.js";
import { isRefusal } from "../words.js";
import { Branches } from "./branches.js";

const isCompaction = (line: string): boolean => line.includes('"subtype":"compact_boundary"');

/** A name for what the conversation has left behind. */
export function leftBehind(payload: Payload): string | null {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined || text(payload, "agent_id") !== undefined) return null;
  const lines = tailOf(transcript).text.split("\n");
  const own = lines.slice(lines.findLastIndex(isCompaction) + 1);
  return new Branches(own.filter((line) => !isOfSubagent(line))).left;
}

const isOfSubagent = (line: string): boolean => line.startsWith('"isSidechain":true', line.indexOf(",") + 1);

/** A subagent has a transcript of its own; older builds write it into that of the conversation. */
export function recalled(payload: Payload, isLate: () => boolean): Recalled {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { sent: [], isComplete: true };
  const subagent = text(payload, "agent_id");
  const own = subagent && transcript.replace(/(\.jsonl)$/, `/subagents/agent-${subagent}$1`);
  const alone = own ? linesSince(own, isCompaction, isLate) : null;
  const { lines, isComplete } = alone?.lines.length ? alone : linesSince(transcript, isCompaction, isLate);
  const isOwn = (line: string): boolean =>
    subagent ? line.includes(`"agentId":${JSON.stringify(subagent)}`) : !isOfSubagent(line);
  return { sent: sentIn(lines.filter(isOwn)), isComplete };
}

interface Call {
  readonly tool: string;
  readonly input: Payload;
  readonly time: number;
}

function sentIn(lines: readonly string[]): Sent[] {
  const branches = new Branches(lines);
  const calls = new Map<string, Call>();
  return lines.flatMap((line) => {
    if (!line.includes('"message":') && !line.includes('"attachment":')) return [];
    const entry = parsedLine(line);
    if (branches.isLeft(text(entry, "uuid") ?? "")) return [];
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const { content } = record(entry, "message");
    if (isRecord(entry) && isRecord(entry.attachment)) return attached(entry.attachment, entry, time);
    const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
    if (text(entry, "type") === "assistant") {
      for (const block of blocks) noteCall(block, time, calls);
      return [];
    }
    return blocks.flatMap((block) => {
      // What a person puts into a prompt may be old.
      const said = text(block, "text");
      if (said !== undefined) return [{ text: said, call: "", time: 0 }];
      return text(block, "type") === "tool_result"
        ? resultOf(block, record(entry, "toolUseResult"), calls)
        : [];
    });
  });
}

function noteCall(block: unknown, time: number, calls: Map<string, Call>): void {
  const [id, tool] = [text(block, "id"), text(block, "name")];
  if (id !== undefined && tool !== undefined) calls.set(id, { tool, input: record(block, "input"), time });
}

const editor = /^(?:Edit|MultiEdit|Write|NotebookEdit)$|^mcp__.*kedge/;
const ownError = /^\s*<tool_use_error>/;
/** Where it puts output that is too long to be sent. */
const savedOutput = /[\\/]tool-results[\\/]/;

function resultOf(block: unknown, told: Payload, calls: ReadonlyMap<string, Call>): Sent[] {
  const { tool, input, time } = calls.get(text(block, "tool_use_id") ?? "") ?? {
    tool: "",
    input: {},
    time: 0,
  };
  const result = textOf(isRecord(block) ? block.content : undefined);
  const isError = isRecord(block) && block.is_error === true;
  // Such a text may repeat what the model said itself.
  if (ownError.test(result) || (isError && (editor.test(tool) || isRefusal(result)))) return [];
  // A subagent's report is indented for the model.
  const report = list(told, "content").map((part) => text(part, "text") ?? "");
  const sent = {
    text: [result, ...report].join("\n\n"),
    call: text(input, "command") ?? JSON.stringify(input),
    time,
  };
  const path = text(record(told, "file"), "filePath") ?? text(input, "file_path");
  if (tool !== "Read" || path === undefined || savedOutput.test(path)) return [sent];
  return [{ ...sent, of: path, ...(path.endsWith(".ipynb") ? { whole: true } : {}) }];
}

function attached(attachment: Payload, entry: Payload, time: number): Sent[] {
  const content = record(attachment, "content");
  const file = record(content, "file");
  const of = text(file, "filePath") ?? text(attachment, "path") ?? text(attachment, "filename");
  const shown = text(file, "content");
  if (shown !== undefined && of !== undefined)
    return [{ text: numbered(shown, number(file, "startLine") ?? 1), call: "", time, of }];
  const memory = text(content, "content") ?? text(attachment, "snippet");
  if (memory !== undefined && of !== undefined) return [{ text: memory, call: "", time, of }];
  const instructions = list(attachment, "files").flatMap((one) => {
    const [path, said] = [text(one, "path"), text(one, "content")];
    return path === undefined || said === undefined ? [] : [{ text: said, call: "", time, of: path }];
  });
  if (instructions.length > 0) return instructions;
  const rendered = list(entry, "rendered").map((one) => textOf(isRecord(one) ? one.content : undefined));
  const prompt = list(attachment, "systemPrompt").filter((one) => typeof one === "string");
  const texts = [...rendered, ...prompt].filter((one) => !isRefusal(one));
  return texts.map((one) => ({ text: one, call: "", time: 0 }));
}

function numbered(shown: string, first: number): string {
  return shown
    .split("\n")
    .map((line, at) => `${Math.max(1, first) + at}\t${line}`)
    .join("\n");
}

/** Of several blocks the texts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => text(part, "text") ?? "").join("\n");
}
