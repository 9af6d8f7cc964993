/** `projects/**\/*.jsonl` in the configuration folder of Claude Code: a line for each message. */
import { basename, dirname, join } from "node:path";
import { isRecord, list, number, type Payload, record, text } from "../../guard/index.js";
import { linesOf, parsedLine } from "../lines.js";
import { callOf, type Progress, type Shown, type Step, type Told } from "../steps.js";
import { adapterOf, type SessionReader, textIn } from "./reader.js";
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

/** A subagent's file lies in a folder of its conversation. */
const subagentFile = /[\\/]([^\\/]+)[\\/]subagents[\\/](?:.*[\\/])?agent-([^\\/]+)\.jsonl$/;

function sessionOf(path: string): string {
  return subagentFile.exec(path)?.[1] ?? basename(path, ".jsonl");
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
  const sentTo = (agent: string): SentLines => {
    const known = sent.get(agent) ?? new SentLines((lines) => adapter.sentIn?.(lines) ?? []);
    sent.set(agent, known);
    return known;
  };
  for (const line of linesOf(path, progress, (head) => !isOther(head))) {
    const isSide = line.startsWith('"isSidechain":true', line.indexOf(",") + 1);
    const isCall = line.includes('"type":"tool_use"');
    const isResult = line.includes('"tool_result"');
    const isCompaction = line.includes('"subtype":"compact_boundary"');
    const isNotice = line.includes('"type":"edited_text_file"');
    if (!isCall && !isResult && !isCompaction && !isNotice) {
      if (line.includes('"message":') || line.includes('"attachment":'))
        sentTo(isSide ? "side" : "").add(line);
      continue;
    }
    const entry = parsedLine(line, progress);
    const subagent = own ?? (isSide ? (text(entry, "agentId") ?? "side") : undefined);
    const agent = subagent === undefined ? session : `${session}/${subagent}`;
    const context = sentTo(own === undefined && isSide ? (subagent as string) : "");
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    if (isCompaction && text(entry, "subtype") === "compact_boundary") {
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
    context.add(line);
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
  // What a person or a hook did not let through is no error of the tool.
  const isToolError = isError && editors.has(tool) && !/^\s*<tool_use_error>/.test(result);
  const shownResult =
    isToolError && !isDeclined(result) ? `<tool_use_error>${result}</tool_use_error>` : result;
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

const isDeclined = (result: string): boolean => /doesn't want to|hook|permission/i.test(result);

function shownBy(input: Payload, told: unknown, result: string): Shown | null {
  const path = text(input, "file_path");
  if (path === undefined || /^\s*<tool_use_error>/.test(result)) return null;
  const file = record(told, "file");
  if (text(told, "type") === "file_unchanged") return { path, body: null, whole: null };
  const content = text(file, "content");
  const isWhole = number(file, "startLine") === 1 && Number(file.numLines) >= Number(file.totalLines);
  const body = result.replace(/\n*<system-reminder>[\s\S]*$/, "");
  return { path, body, whole: isWhole && content !== undefined ? content.replaceAll("\r\n", "\n") : null };
}
