/** `projects/**\/*.jsonl` in the configuration folder of Claude Code: a line for each message. */
import { basename, dirname, join } from "node:path";
import { isRecord, list, number, type Payload, plain, record, text, textIn } from "../../guard/index.js";
import { linesOf, parsedLine } from "../sessions/lines.js";
import { callOf, type Progress, type Shown, type Step, type Told } from "../sessions/steps.js";
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
  readonly tool: string;
  readonly input: Payload;
}

function* stepsOf(path: string, progress: Progress): Generator<Step> {
  const session = sessionOf(path);
  const own = subagentFile.exec(path)?.[2];
  const asked = new Map<string, Asked>();
  const sent = new Map<string, SentLines>();
  const cursor = { start: 0, end: 0 };
  const sentTo = (agent: string): SentLines => {
    const known = sent.get(agent) ?? new SentLines((lines) => adapter.sentIn?.(lines) ?? [], path);
    sent.set(agent, known);
    return known;
  };
  for (const line of linesOf(path, progress, (head) => !isOther(head), cursor)) {
    const isSide = line.startsWith('"isSidechain":true', line.indexOf(",") + 1);
    if (!isTelling(line)) {
      if (line.includes('"message":') || line.includes('"attachment":'))
        sentTo(isSide ? "side" : "").add({ ...cursor });
      continue;
    }
    const entry = parsedLine(line, progress);
    const subagent = own ?? (isSide ? (text(entry, "agentId") ?? "side") : undefined);
    const agent = subagent === undefined ? session : `${session}/${subagent}`;
    const context = sentTo(own === undefined && isSide ? (subagent as string) : "");
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    if (text(entry, "subtype") === "compact_boundary") {
      context.fold();
      yield { kind: "fold", agent, time };
      continue;
    }
    const notice = record(entry, "attachment");
    if (notice.type === "edited_text_file")
      yield { kind: "noticed", agent, time, path: text(notice, "filename") ?? "" };
    const blocks = list(record(entry, "message"), "content");
    for (const block of blocks) {
      const [id, tool] = [text(block, "id"), text(block, "name")];
      if (text(block, "type") === "tool_use" && id !== undefined && tool !== undefined)
        asked.set(id, { tool, input: record(block, "input") });
    }
    const base = { agent, subagent, session, time, cwd: text(entry, "cwd") ?? dirname(path) };
    for (const block of blocks) {
      const id = text(block, "tool_use_id") ?? "";
      const call = text(block, "type") === "tool_result" ? asked.get(id) : undefined;
      if (!call) continue;
      asked.delete(id);
      const told = isRecord(entry) ? entry.toolUseResult : undefined;
      yield callOf(adapter, toldOf({ ...base, id, ...call, block, told, recall: context.now() }));
    }
    context.add({ ...cursor });
  }
}

interface Found extends Asked, Pick<Told, "agent" | "id" | "time" | "cwd"> {
  readonly session: string;
  readonly subagent: string | undefined;
  readonly block: unknown;
  readonly told: unknown;
  readonly recall: Told["recall"] & {};
}

const editors = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

function toldOf({ session, subagent, block, told, ...call }: Found): Told {
  const { tool, input, id, cwd } = call;
  const result = textIn(isRecord(block) ? block.content : undefined);
  const isError = isRecord(block) && block.is_error === true;
  const caller = { session_id: session, cwd, ...(subagent === undefined ? {} : { agent_id: subagent }) };
  const named = { ...caller, tool_name: tool, tool_input: input, tool_use_id: id };
  // A call that a person or a hook did not let through is no error of the tool.
  const isToolError = isError && editors.has(tool) && !/^\s*<tool_use_error>/.test(result);
  const shownResult =
    isToolError && !isDeclined(result) ? `<tool_use_error>${result}</tool_use_error>` : rowsOf(tool, result);
  const batch = {
    ...caller,
    hook_event_name: "PostToolBatch",
    tool_calls: [{ tool_name: tool, tool_input: input, tool_use_id: id, tool_response: shownResult }],
  };
  const done = { ...named, hook_event_name: "PostToolUse", tool_response: told };
  return {
    ...call,
    result,
    failure: isError ? result : null,
    command: tool === "Bash" ? (text(input, "command") ?? "") : null,
    shown: tool === "Read" ? shownBy(input, told, result) : null,
    before: { ...named, hook_event_name: "PreToolUse" },
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
