/** `tmp/<project>/chats/session-*` in the folder of Gemini CLI: lines, or in older builds one object. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord, list, number, type Payload, record, text } from "../../guard/index.js";
import { linesOf, parsedLine } from "../sessions/lines.js";
import {
  callOf,
  type Progress,
  type Shown,
  type Step,
  type Surroundings,
  type Told,
} from "../sessions/steps.js";
import { adapterOf, type FoundFile, type SessionReader } from "./reader.js";
import { SentLines } from "./sent-lines.js";

const adapter = adapterOf("gemini-cli");
/** An older session is one object, which has to be read whole. */
const largest = 256 * 1024 * 1024;

export const geminiCli: SessionReader = {
  client: "gemini-cli",
  folders: ({ env, home }) => [join(env.GEMINI_CLI_HOME || home, ".gemini", "tmp")],
  isSession: (path, head) => /\.jsonl?$/.test(path) && /"sessionId"/.test(head) && /"projectHash"/.test(head),
  files: (file) => [
    {
      ...file,
      client: "gemini-cli",
      session: sessionOf(file),
      steps: (progress) => stepsOf(file, progress),
    },
  ],
};

function sessionOf({ path }: FoundFile): string {
  return /([^\\/]+)\.jsonl?$/.exec(path)?.[1] ?? path;
}

/** The folder that the session is about stands in a file beside its own. */
function projectOf(path: string): string {
  try {
    return readFileSync(join(dirname(dirname(path)), ".project_root"), "utf8").trim() || "/";
  } catch {
    return "/";
  }
}

/** How a history goes on after it was compressed. */
const compressed = /<state_snapshot>|Got it\. Thanks for the additional context!/;
const isDone = (status: unknown): boolean =>
  status === "success" || status === "error" || status === "cancelled";

function* stepsOf(file: FoundFile, progress: Progress): Generator<Step> {
  const agent = sessionOf(file);
  const cwd = projectOf(file.path);
  const told = new Set<string>();
  const sent = new SentLines((lines) => adapter.sentIn?.(lines) ?? []);
  for (const line of entriesOf(file, progress)) {
    const entry = parsedLine(line, progress);
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const isSet = Array.isArray(record(entry, "$set").messages);
    if (text(entry, "$rewindTo") !== undefined || (isSet && compressed.test(line))) {
      yield { kind: "fold", agent, time };
      sent.fold();
    }
    // A message is written again with every call that is done.
    for (const call of list(entry, "toolCalls")) {
      const id = text(call, "id") ?? "";
      if (!isRecord(call) || told.has(id) || !isDone(call.status)) continue;
      told.add(id);
      yield callOf(adapter, toldOf(call, { agent, cwd, time, recall: sent.now() }));
    }
    sent.add(line);
  }
}

/** Makes a line of every message of an older session. */
function* entriesOf({ path, size }: FoundFile, progress: Progress): Generator<string> {
  if (path.endsWith(".jsonl") && !isOneObject(path)) return yield* linesOf(path, progress);
  if (size > largest) return progress.damaged();
  const whole = parsedLine(readFileSync(path, "utf8"), progress);
  progress.read(size);
  for (const message of list(whole, "messages")) yield JSON.stringify(message);
}

/** A copy of an older session may have the name of a newer one. */
function isOneObject(path: string): boolean {
  const [first = ""] = linesOf(path, { read() {}, damaged() {} });
  return first.trim() === "{";
}

function toldOf(call: Payload, around: Surroundings): Told {
  const tool = text(call, "name") ?? "";
  const input = record(call, "args");
  const [first] = list(call, "result");
  const response = record(record(first, "functionResponse"), "response");
  const error = text(response, "error");
  const result = text(response, "output") ?? error ?? "";
  const isFailed = error !== undefined || call.status !== "success";
  const named = { session_id: around.agent, cwd: around.cwd, tool_name: tool, tool_input: input };
  const after = {
    ...{ ...named, hook_event_name: "AfterTool" },
    tool_response: {
      ...{ llmContent: result, returnDisplay: call.resultDisplay },
      ...(isFailed ? { error: { message: result } } : {}),
    },
  };
  return {
    ...around,
    ...{ id: text(call, "id") ?? "", tool, input },
    time: Date.parse(text(call, "timestamp") ?? "") || around.time,
    failure: isFailed ? (call.status === "cancelled" ? "the user cancelled it" : result) : null,
    command: tool === "run_shell_command" ? (text(input, "command") ?? "") : null,
    before: { ...named, hook_event_name: "BeforeTool" },
    outcome: {
      result,
      shown: tool === "read_file" && !isFailed ? shownBy(input, result) : null,
      after: [after],
    },
  };
}

const banner = /Showing lines \d+-\d+ of \d+[\s\S]*?--- FILE CONTENT[^\n]*---\n/;

function shownBy(input: Payload, result: string): Shown | null {
  const path = text(input, "file_path");
  if (path === undefined) return null;
  const found = banner.exec(result);
  const isPart = found !== null || (number(input, "start_line") ?? 1) > 1 || input.end_line !== undefined;
  const body = found ? result.slice(found.index + found[0].length) : result;
  return { path, body, whole: isPart || input.offset !== undefined ? null : body };
}
