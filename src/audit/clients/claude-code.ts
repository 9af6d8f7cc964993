/** `projects/**\/*.jsonl` in the configuration folder of Claude Code: a line for each message. */
import { basename, dirname, join } from "node:path";
import { isRecord, list, number, type Payload, plain, record, text, textIn } from "../../guard/index.js";
import { remark } from "../commands.js";
import { type LineSpan, linesAt, linesOf, parsedLine } from "../sessions/lines.js";
import { callOf, type Outcome, type Progress, type Shown, type Step, type Told } from "../sessions/steps.js";
import { adapterOf, type SessionReader } from "./reader.js";
import { SentLines } from "./sent-lines.js";

const adapter = adapterOf("claude-code");

/** Copies of requests, snapshots and progress: a person's conversation is not told by them. */
const isOther = (head: string): boolean =>
  /^\{"type":"(?!user|assistant|system|attachment)[\w-]+"/.test(head);

export const claudeCode: SessionReader = {
  client: "claude-code",
  folders: ({ env, home }) => [
    join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), "projects"),
    ...(env.CLAUDE_CONFIG_DIR
      ? []
      : [join(env.XDG_CONFIG_HOME || join(home, ".config"), "claude", "projects")]),
  ],
  isSession: (path, head) =>
    path.endsWith(".jsonl") &&
    /"(?:parentUuid|sessionId|leafUuid)":/.test(head) &&
    !/"projectHash"/.test(head),
  files: (file) => [
    {
      ...file,
      client: "claude-code",
      session: sessionOf(file.path),
      steps: (progress) => stepsOf(file.path, progress),
    },
  ],
};

/** A subagent's file lies in a folder of its conversation, in older builds beside its file. */
const subagentFile = /[\\/]([^\\/]+)[\\/]subagents[\\/](?:.*[\\/])?agent-([^\\/]+)\.jsonl$/;

function sessionOf(path: string): string {
  const own = basename(path, ".jsonl");
  const parent = subagentFile.exec(path)?.[1];
  return parent ?? (own.startsWith("agent-") ? (sessionIn(path) ?? own) : own);
}

/** Words of lines that tell of a call, a compaction or a change: the most frequent first. */
const telling = ['"tool_result"', '"type":"tool_use"', '"compact_boundary"', '"edited_text_file"'];
const isTelling = (line: string): boolean => telling.some((word) => line.includes(word));

/** The first lines name the session of the file. */
function sessionIn(path: string): string | undefined {
  const ignored = { read: () => {}, damaged: () => {} };
  for (const line of linesOf(path, ignored)) {
    const found = /"sessionId":"([^"]+)"/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Asked {
  readonly id: string;
  readonly tool: string;
  readonly input: Payload;
}

function* stepsOf(path: string, progress: Progress): Generator<Step> {
  const session = sessionOf(path);
  const own = subagentFile.exec(path)?.[2];
  const asked = new Map<string, Asked>();
  const sent = new Map<string, SentLines>();
  const entries = new Entries(path);
  const sentTo = (agent: string): SentLines => {
    const known =
      sent.get(agent) ?? new SentLines((lines, input) => adapter.sentIn?.(lines, input) ?? [], path);
    sent.set(agent, known);
    return known;
  };
  let folder = dirname(path);
  let isCut: boolean | null = null;
  for (const { line, span, isSide, kept } of readLines(path, progress)) {
    isCut ??= isBegunBefore(line);
    if (!isTelling(line)) {
      if (line.includes('"message":') || line.includes('"attachment":'))
        sentTo(isSide ? "side" : "").add(kept);
      continue;
    }
    const printed = isSide ? null : printedIn(line, asked);
    if (printed) {
      asked.delete(printed.call.id);
      // A part of a line would hold all of the line.
      if (printed.cwd !== folder) folder = Buffer.from(printed.cwd).toString();
      const agent = own === undefined ? session : `${session}/${own}`;
      const base = { agent, subagent: own, session, time: printed.time, cwd: folder };
      const found = { ...base, ...printed.call, recall: sentTo("").now() };
      const outcome = (): Outcome => outcomeOf(found, entries.at(span, progress));
      yield callOf(adapter, { ...toldOf(found, null, outcome), isPlain: true });
      sentTo("").add(kept);
      continue;
    }
    const entry = entries.take(span, parsedLine(line, progress));
    const subagent = own ?? (isSide ? (text(entry, "agentId") ?? "side") : undefined);
    const agent = subagent === undefined ? session : `${session}/${subagent}`;
    const context = sentTo(own === undefined && isSide ? (subagent as string) : "");
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    if (text(entry, "subtype") === "compact_boundary") {
      context.fold();
      context.add(kept);
      isCut = false;
      yield { kind: "fold", agent, time };
      continue;
    }
    const notice = record(entry, "attachment");
    if (notice.type === "edited_text_file")
      yield { kind: "noticed", agent, time, path: text(notice, "filename") ?? "" };
    const blocks = list(record(entry, "message"), "content");
    for (const call of askedIn(blocks)) asked.set(call.id, call);
    const base = { agent, subagent, session, time, cwd: text(entry, "cwd") ?? dirname(path) };
    for (const block of blocks) {
      const id = text(block, "tool_use_id") ?? "";
      const call = text(block, "type") === "tool_result" ? asked.get(id) : undefined;
      if (!call) continue;
      asked.delete(id);
      const found = { ...base, ...call, recall: context.now(call.input) };
      const outcome = (): Outcome => outcomeOf(found, entries.at(span, progress));
      yield callOf(adapter, { ...toldOf(found, failureIn(block), outcome), isCut: isCut ?? false });
    }
    context.add(kept);
  }
}

function askedIn(blocks: readonly unknown[]): Asked[] {
  return blocks.flatMap((block) => {
    const [id, tool] = [text(block, "id"), text(block, "name")];
    const isCall = text(block, "type") === "tool_use" && id !== undefined && tool !== undefined;
    return isCall ? [{ id, tool, input: record(block, "input") }] : [];
  });
}

interface ReadLine {
  /** As the client writes it. */
  readonly line: string;
  readonly span: LineSpan;
  readonly isSide: boolean;
  /** How to find it again: its place in the file, if it stands there as the client writes it. */
  readonly kept: string | LineSpan;
}

function* readLines(path: string, progress: Progress): Generator<ReadLine> {
  const cursor = { start: 0, end: 0 };
  for (const read of linesOf(path, progress, (head) => !isOther(head), cursor)) {
    const isAnew = writtenAnew.test(read);
    const line = isAnew ? JSON.stringify(parsedLine(read, progress)) : read;
    const span = { ...cursor };
    yield { line, span, isSide: isOfSubagent(line), kept: isAnew ? line : span };
  }
}

/** Whether the first entry follows one that is not in the file; null for a line without a place in the conversation. */
function isBegunBefore(line: string): boolean | null {
  const [, parent] = /"parentUuid":(null|")/.exec(line) ?? [];
  return parent === undefined ? null : parent !== "null";
}

/** Other programs, such as those that copy a session without its secrets, put blanks between names and values. */
const writtenAnew = /^\s*\{(?:\s|"[^"]*"\s*:\s)/;

/** The client names it second; a program that has sorted the names may have put it anywhere. */
function isOfSubagent(line: string): boolean {
  const word = '"isSidechain":true';
  if (line.startsWith(word, line.indexOf(",") + 1)) return true;
  return !line.startsWith('{"parentUuid":') && line.includes(word);
}

/** The lines of a session file, parsed. One is held: what is asked of a line is mostly asked at once. */
class Entries {
  private start = -1;
  private entry: unknown = null;

  constructor(private readonly path: string) {}

  take({ start }: LineSpan, entry: unknown): unknown {
    [this.start, this.entry] = [start, entry];
    return entry;
  }

  at(span: LineSpan, progress: Progress): unknown {
    if (this.start === span.start) return this.entry;
    const [line = ""] = linesAt(this.path, [span]);
    return this.take(span, parsedLine(line, progress));
  }
}

const commandTool = "Bash";

/**
 * The result of a command that went well is parsed only if somebody asks for it: most say nothing about files. A quotation
 * mark within a text is escaped, so that these words are names and values, never a part of a text.
 */
function printedIn(line: string, asked: ReadonlyMap<string, Asked>) {
  const at = line.indexOf('"tool_use_id":"');
  const id = valueIn(line, "tool_use_id", at);
  const call = id === null ? undefined : asked.get(id);
  if (id === null || call?.tool !== commandTool) return null;
  const isOnly = !line.includes('"tool_use_id":"', at + 1);
  if (!isOnly || line.includes('"is_error":true') || line.includes(remark)) return null;
  const cwd = valueIn(line, "cwd", line.lastIndexOf('"cwd":"'));
  const time = Date.parse(valueIn(line, "timestamp", line.lastIndexOf('"timestamp":"')) ?? "");
  return cwd === null || !(time > 0) ? null : { call, cwd, time };
}

/** null: there is none, or it is not written as it is. */
function valueIn(line: string, name: string, at: number): string | null {
  const start = at + name.length + 4;
  const value = at < 0 ? "" : line.slice(start, line.indexOf('"', start));
  return value === "" || value.includes("\\") ? null : value;
}

interface Found extends Asked, Pick<Told, "agent" | "id" | "time" | "cwd"> {
  readonly session: string;
  readonly subagent: string | undefined;
  readonly recall: Told["recall"] & {};
}

const editors = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

function toldOf(found: Found, failure: string | null, outcome: () => Outcome): Told {
  const { agent, id, time, cwd, tool, input, recall } = found;
  const before = editors.has(tool) ? { ...namedAs(found), hook_event_name: "PreToolUse" } : null;
  const command = tool === commandTool ? (text(input, "command") ?? "") : null;
  return { agent, id, time, cwd, tool, input, recall, failure, command, before, outcome };
}

function namedAs({ session, subagent, cwd, tool, input, id }: Found): Payload {
  const caller = { session_id: session, cwd, ...(subagent === undefined ? {} : { agent_id: subagent }) };
  return { ...caller, tool_name: tool, tool_input: input, tool_use_id: id };
}

const resultIn = (block: unknown): string => textIn(isRecord(block) ? block.content : undefined);

function failureIn(block: unknown): string | null {
  return isRecord(block) && block.is_error === true ? resultIn(block) : null;
}

function outcomeOf(found: Found, entry: unknown): Outcome {
  const { tool, input, id } = found;
  const block = list(record(entry, "message"), "content").find((one) => text(one, "tool_use_id") === id);
  const told = isRecord(entry) ? entry.toolUseResult : undefined;
  const result = resultIn(block);
  const isError = failureIn(block) !== null;
  const named = namedAs(found);
  // A call that a person or a hook did not let through is no error of the tool.
  const isToolError = isError && editors.has(tool) && !/^\s*<tool_use_error>/.test(result);
  const shownResult =
    isToolError && !isDeclined(result) ? `<tool_use_error>${result}</tool_use_error>` : rowsOf(tool, result);
  const batch = {
    ...{ ...named, hook_event_name: "PostToolBatch" },
    tool_calls: [{ tool_name: tool, tool_input: input, tool_use_id: id, tool_response: shownResult }],
  };
  const done = { ...named, hook_event_name: "PostToolUse", tool_response: told };
  return {
    result,
    shown: tool === "Read" ? shownBy(input, told, result) : null,
    after: [...(isError || !isRecord(told) ? [] : [done]), batch],
  };
}

/** Older builds put an arrow between a line's number and its text. */
function rowsOf(tool: string, result: string): string {
  return tool === "Read" && /^ *\d+→/.test(result) ? result.replace(/^( *\d+)→/gm, "$1\t") : result;
}

const isDeclined = (result: string): boolean => /doesn't want to|hook|permission/i.test(result);

function shownBy(input: Payload, told: unknown, result: string): Shown | null {
  const path = text(input, "file_path");
  if (path === undefined || /^\s*<tool_use_error>/.test(result)) return null;
  const file = record(told, "file");
  if (text(told, "type") === "file_unchanged") return { path, body: null, whole: null };
  const content = text(file, "content");
  const isWhole = number(file, "startLine") === 1 && Number(file.numLines) >= Number(file.totalLines);
  const reminder = result.indexOf("<system-reminder>");
  const body = reminder < 0 ? result : result.slice(0, reminder);
  const plainText = content === undefined ? null : plain(content);
  return { path, body, whole: isWhole ? plainText : null, part: plainText };
}
