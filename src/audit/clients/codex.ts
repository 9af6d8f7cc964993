/** `sessions/**\/rollout-*.jsonl` in the folder of Codex: a line for each item. */
import { join } from "node:path";
import { isRecord, list, type Payload, record, text, textIn } from "../../guard/index.js";
import { shownFile } from "../commands.js";
import { linesOf, parsedLine } from "../sessions/lines.js";
import { callOf, type Progress, type Shown, type Step, type Told } from "../sessions/steps.js";
import { adapterOf, type FoundFile, type SessionReader } from "./reader.js";
import { SentLines } from "./sent-lines.js";

const adapter = adapterOf("codex");

export const codex: SessionReader = {
  client: "codex",
  folders: ({ env, home }) => {
    const own = env.CODEX_HOME || join(home, ".codex");
    return [join(own, "sessions"), join(own, "archived_sessions")];
  },
  isSession: (path, head) =>
    path.endsWith(".jsonl") &&
    (/"type":"session_meta"/.test(head) || /[\\/]rollout-[^\\/]*\.jsonl$/.test(path)),
  files: (file) => [
    { ...file, client: "codex", session: sessionOf(file), steps: (progress) => stepsOf(file, progress) },
  ],
};

/** The name ends in the conversation's own. */
function sessionOf({ path }: FoundFile): string {
  const name = /([^\\/]+)\.jsonl$/.exec(path)?.[1] ?? path;
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name;
}

/** Copies for the client's own view, and what is counted. */
const isOther = (head: string): boolean => /"type":"(?:event_msg|token_usage_record|world_state)"/.test(head);

function* stepsOf(file: FoundFile, progress: Progress): Generator<Step> {
  const agent = sessionOf(file);
  const calls = new Map<string, { readonly tool: string; readonly given: Given }>();
  const sent = new SentLines((lines) => adapter.sentIn?.(lines.map(wrapped)) ?? [], file.path);
  const cursor = { start: 0, end: 0 };
  let cwd = "/";
  for (const line of linesOf(file.path, progress, (head) => !isOther(head), cursor)) {
    const entry = parsedLine(line, progress);
    if (!isRecord(entry)) continue;
    // Older builds write the item itself.
    const item = isRecord(entry.payload) ? entry.payload : entry;
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const type = text(item, "type") ?? "";
    if (entry.type === "session_meta" || entry.type === "turn_context") cwd = text(item, "cwd") ?? cwd;
    cwd =
      /<cwd>([^<]+)<\/cwd>/.exec(
        type === "message" && item.role === "user" ? textIn(item.content) : "",
      )?.[1] ?? cwd;
    if (entry.type === "compacted") {
      yield { kind: "fold", agent, time };
      sent.fold();
    }
    const id = text(item, "call_id") ?? text(item, "id") ?? "";
    if (type.endsWith("_call")) calls.set(id, { tool: text(item, "name") ?? type, given: givenIn(item) });
    const call = type.endsWith("_call_output") ? calls.get(id) : undefined;
    if (call) {
      calls.delete(id);
      const output = outputIn(item.output);
      yield callOf(
        adapter,
        toldOf({ id, agent, time, cwd: call.given.cwd ?? cwd, ...call, ...output, recall: sent.now() }),
      );
    }
    sent.add({ ...cursor });
  }
}

const wrapped = (line: string): string => (line.includes('"payload":') ? line : `{"payload":${line}}`);

interface Given {
  readonly command: string;
  readonly isPatch: boolean;
  readonly cwd: string | undefined;
}

function givenIn(item: Payload): Given {
  const raw = text(item, "input") ?? text(item, "arguments") ?? "";
  const args = raw.startsWith("{") ? parsedOrNull(raw) : record(item, "action");
  const words = [list(args, "command"), list(args, "cmd")].find((one) => one.length > 0) ?? [];
  const cwd = text(args, "workdir") ?? text(args, "working_directory");
  const [program] = words;
  if (program === "apply_patch") return { command: String(words[1] ?? ""), isPatch: true, cwd };
  const script = words.length > 0 ? scriptIn(words.map(String)) : undefined;
  const command = script ?? text(args, "cmd") ?? text(args, "command") ?? text(args, "input") ?? raw;
  return { command, isPatch: text(item, "name") === "apply_patch", cwd };
}

/** The command that a shell is given to run. */
function scriptIn(words: readonly string[]): string {
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-\w*c$/.test(words[1] ?? "")
    ? words.slice(2).join(" ")
    : words.join(" ");
}

function parsedOrNull(raw: string): Payload {
  try {
    const parsed: unknown = JSON.parse(raw);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

interface Output {
  readonly result: string;
  readonly exit: number;
}

/** With a head of its own, or as an object in a text. */
function outputIn(given: unknown): Output {
  const whole = textIn(given);
  const parsed = whole.startsWith("{") ? parsedOrNull(whole) : {};
  const plain = text(parsed, "output");
  if (plain !== undefined) return { result: plain, exit: Number(record(parsed, "metadata").exit_code ?? 0) };
  const exit = Number(/^(?:Process exited with code|Exit code:) (\d+)/m.exec(whole.slice(0, 400))?.[1] ?? 0);
  const head =
    /^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)[^\n]*\n)+Output:\n/.exec(
      whole,
    );
  return { result: head ? whole.slice(head[0].length) : whole, exit };
}

interface Found extends Output, Pick<Told, "agent" | "id" | "time" | "cwd" | "tool"> {
  readonly given: Given;
  readonly recall: Told["recall"] & {};
}

const failedPatch =
  /verification failed|patch rejected|rejected by|failed to (?:find|apply|parse)|Invalid (?:patch|Context)|denied|error:/i;
const shells = new Set([
  "exec_command",
  "shell",
  "shell_command",
  "container.exec",
  "local_shell_call",
  "local_shell",
  "unified_exec",
]);

function toldOf({ given, exit, result, ...call }: Found): Told {
  const { command, isPatch } = given;
  const { tool, cwd, agent, id } = call;
  const isShell = !isPatch && shells.has(tool);
  const isFailed = isPatch
    ? exit !== 0 || (!/^Success/m.test(result) && failedPatch.test(result))
    : exit !== 0 && isPatchCommand(command);
  const named = {
    ...{ session_id: agent, cwd, tool_use_id: id, tool_input: { command } },
    tool_name: isPatch ? "apply_patch" : isShell ? "Bash" : tool,
  };
  return {
    ...call,
    input: { command },
    failure: isFailed ? result || "it failed" : null,
    command: isShell ? command : null,
    before: { ...named, hook_event_name: "PreToolUse" },
    outcome: {
      result,
      shown: isShell && exit === 0 ? shownBy(command, result) : null,
      after: isPatch && isFailed ? [] : [{ ...named, hook_event_name: "PostToolUse", tool_response: result }],
    },
  };
}

const isPatchCommand = (command: string): boolean => /\bapply_?patch\b/.test(command);

/** It has no tool for reading: a command that prints one file is a read. */
function shownBy(command: string, result: string): Shown | null {
  const path = shownFile(command);
  if (path === null) return null;
  const isWhole =
    /^\s*cat\s/.test(command) && !/\s-\w/.test(command) && !/tokens truncated|lines truncated/.test(result);
  return { path, body: result, whole: isWhole ? result : null };
}
