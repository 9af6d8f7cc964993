/** `sessions/**\/*.jsonl` in pi's agent folder: a line for each entry. */
import { join } from "node:path";
import { isRecord, list, number, type Payload, record, text, textIn } from "../../guard/index.js";
import { linesOf, parsedLine } from "../sessions/lines.js";
import { callOf, type Progress, type Shown, type Step, type Told } from "../sessions/steps.js";
import { adapterOf, type FoundFile, type SessionReader } from "./reader.js";
import { SentLines } from "./sent-lines.js";

const adapter = adapterOf("pi");

export const pi: SessionReader = {
  client: "pi",
  folders: ({ env, home }) => [join(env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"), "sessions")],
  isSession: (path, head) =>
    path.endsWith(".jsonl") && /^\{[^\n]*"type":"session"[,}]/.test(head) && !/"sessionId"/.test(head),
  files: (file) => [
    { ...file, client: "pi", session: sessionOf(file), steps: (progress) => stepsOf(file, progress) },
  ],
};

/** The file's name is the time, and the name of the session. */
function sessionOf({ path }: FoundFile): string {
  return /([^\\/_]+)\.jsonl$/.exec(path)?.[1] ?? path;
}

function sentIn(lines: readonly string[]) {
  const entries = lines.map((line) => JSON.parse(line) as unknown);
  const recalled = adapter.recall?.({ sent: { entries }, keeps: true }, () => false);
  return typeof recalled === "object" ? recalled.sent : [];
}

/** Counts the entries before a compaction that the model still has: the compaction names the first of them. */
function keptOf(entry: Payload, names: readonly string[]): number {
  const first = names.indexOf(text(entry, "firstKeptEntryId") ?? "none");
  return first < 0 ? 0 : names.length - first;
}

function* stepsOf(file: FoundFile, progress: Progress): Generator<Step> {
  const session = sessionOf(file);
  const calls = new Map<string, { readonly tool: string; readonly input: Payload }>();
  const sent = new SentLines(sentIn, file.path);
  const cursor = { start: 0, end: 0 };
  const names: string[] = [];
  let cwd = "/";
  for (const line of linesOf(file.path, progress, undefined, cursor)) {
    const entry = parsedLine(line, progress);
    if (!isRecord(entry)) continue;
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    if (entry.type === "session") cwd = text(entry, "cwd") ?? cwd;
    if (entry.type === "compaction") {
      yield { kind: "fold", agent: session, time };
      sent.fold(keptOf(entry, names));
    }
    names.push(text(entry, "id") ?? "");
    const message = record(entry, "message");
    for (const block of list(message, "content")) {
      const [id, tool] = [text(block, "id"), text(block, "name")];
      if (text(block, "type") === "toolCall" && id !== undefined && tool !== undefined)
        calls.set(id, { tool, input: record(block, "arguments") });
    }
    const id = text(message, "toolCallId") ?? "";
    const call = message.role === "toolResult" ? calls.get(id) : undefined;
    if (call) {
      calls.delete(id);
      yield callOf(adapter, toldOf({ ...call, id, agent: session, time, cwd, message, recall: sent.now() }));
    }
    sent.add({ ...cursor });
  }
}

interface Found extends Pick<Told, "agent" | "id" | "time" | "cwd" | "tool" | "input"> {
  readonly message: Payload;
  readonly recall: Told["recall"] & {};
}

function toldOf({ message, ...call }: Found): Told {
  const { tool, input, id, cwd, agent } = call;
  const result = textIn(message.content);
  const isError = message.isError === true;
  const named = { cwd, session: agent, toolCallId: id, toolName: tool, input };
  return {
    ...call,
    failure: isError ? result : null,
    command: tool === "bash" ? (text(input, "command") ?? "") : null,
    before: { ...named, k: "tool_call" },
    outcome: {
      result,
      shown: tool === "read" && !isError ? shownBy(input, message, result) : null,
      after: [{ ...named, k: "tool_result", content: message.content, details: message.details, isError }],
    },
  };
}

function shownBy(input: Payload, message: Payload, result: string): Shown | null {
  const path = text(input, "path");
  if (path === undefined) return null;
  const more = /\n\n\[(?:\d+ more lines in file|Showing lines )[^\]]*\]$/;
  const isPart = more.test(result) || isRecord(record(message, "details").truncation);
  const isWhole = !isPart && (number(input, "offset") ?? 1) <= 1;
  return { path, body: result.replace(more, ""), whole: isWhole ? result : null };
}
