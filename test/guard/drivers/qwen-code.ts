import {
  type Action,
  type Call,
  captured,
  type Done,
  type Driver,
  only,
  type Payload,
  record,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, commonReply, done, hookReply } from "./driver-base.js";
import { at, type Failure, load, replaced, shell, store } from "./files.js";

const version = "qwen-code-0.24.4";

function payload(name: string, { conversation, subagent, cwd }: Who, values: Payload): Payload {
  const inside = { agent_id: subagent };
  return withValues(captured(`${version}/${name}`), { session_id: conversation, cwd, ...inside, ...values });
}

interface Tool {
  readonly name: string;
  readonly input: Payload;
  readonly who: Who;
}

interface Ran {
  readonly output: string;
  readonly display?: unknown;
}

const before = ({ name, input, who }: Tool): Payload =>
  payload("PreToolUse-edit", who, { tool_name: name, tool_input: input });

/** After all calls of one answer. */
function batch({ name, input, who }: Tool, response: Payload, display: unknown): Payload {
  const parts = [{ functionResponse: { id: "call_1", name, response } }];
  const tool_response = { response_parts: parts, result_display: display ?? "" };
  const call = { tool_name: name, tool_input: input, tool_use_id: "call_1", tool_response };
  return payload("PostToolBatch-edit", who, { tool_calls: [call] });
}

function refused(tool: Tool, { failed }: Failure): Done {
  return done(failed, () => [batch(tool, { error: failed }, failed)], failed);
}

function called(tool: Tool, run: () => Ran | Failure): Call {
  return {
    before: before(tool),
    run() {
      const made = run();
      if ("failed" in made) return refused(tool, made);
      return done(made.output, () => [batch(tool, { output: made.output }, made.display)]);
    },
  };
}

/** The hook gets as much as the model. */
const longest = 30_000;

function read({ path, lines }: Extract<Action, { do: "read" }>, who: Who): Call {
  const window = lines ? { offset: lines.first - 1, limit: lines.last - lines.first + 1 } : {};
  return called({ name: "read_file", input: { file_path: path, ...window }, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: `File not found: ${path}` };
    const all = found.text.split("\n");
    if (!lines && found.text.length <= longest) return { output: found.text };
    const [first, most] = [lines?.first ?? 1, lines?.last ?? 700];
    const shown = all.slice(first - 1, most);
    const last = first + shown.length - 1;
    const head = `Showing lines ${first}-${last} of ${all.length} total lines.`;
    return { output: `${head}\n\n---\n\n${shown.join("\n")}` };
  });
}

function written(path: string, texts: { before: string | null; now: string }): Payload {
  const [call] = captured(`${version}/PostToolBatch-edit`).tool_calls as Payload[];
  const told = record(record(call?.tool_response).result_display);
  return { ...told, filePath: path, originalContent: texts.before, newContent: texts.now };
}

/** Blanks at the ends of lines do not count where the text fits nowhere. */
function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const [one] = edits;
  const given = { file_path: path, old_string: one?.old, new_string: one?.new };
  const input = one?.all ? { ...given, replace_all: true } : given;
  return called({ name: "edit", input, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: `File not found: ${path}` };
    const text = replaced(found.text, edits.slice(0, 1));
    if (typeof text !== "string") return text;
    store(at(who, path), text, found);
    const output = `The file: ${path} has been updated. Showing lines 1-2 of 9 from the edited file:\n\n---\n\n${one?.new}`;
    return { output, display: written(path, { before: found.text, now: text }) };
  });
}

function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  return called({ name: "write_file", input: { file_path: path, content }, who }, () => {
    const found = load(at(who, path));
    store(at(who, path), content, found);
    const done = found ? "overwrote file" : "created and wrote to new file";
    const display = written(path, { before: found?.text ?? "", now: content });
    return { output: `Successfully ${done}: ${path}.`, display };
  });
}

/** Of long output the model gets the beginning and the end, cut in the middle of lines. */
function cut(text: string): string {
  if (text.length <= longest) return text;
  const head = "Tool output was too large and has been truncated.\n\nTruncated part of the output:\n";
  return `${head}${text.slice(0, 3000)}...\n\n---\n... [CONTENT TRUNCATED] ...\n---\n\n...${text.slice(-12_000)}`;
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  const tool: Tool = { name: "run_shell_command", input: { command, is_background: false }, who };
  return {
    before: before(tool),
    run() {
      const { stdout, stderr, status } = shell(command, who.cwd);
      const output = `${stdout}${stderr}`.replace(/\n$/, "");
      const tail = `Error: (none)\nExit Code: ${status}\nSignal: (none)\nProcess Group PGID: (none)`;
      const told = cut(`Command: ${command}\nDirectory: (root)\nOutput: ${output || "(empty)"}\n${tail}`);
      // A command that ends with another status has failed, and shows its output all the same.
      const response = status === 0 ? { output: told } : { error: told };
      return done(told, () => [batch(tool, response, output)]);
    },
  };
}

/** Its search tool takes the blanks before lines away, so it shows few lines as they are. */
export const qwenCode: Driver = {
  client: "qwen-code",
  versions: [version],
  can: new Set(["subagents", "all", "failures", "fold"]),
  reads: () => /\bcall read_file on\b/,
  begin: (who) => payload("SessionStart", who, {}),
  fold: (who) => [payload("SessionStart", who, { hook_event_name: "PostCompact", source: undefined })],
  call: callWith("Qwen Code", { read, edit, write, shell: bash }),
  reply: hookReply((told, specific) => {
    only(told, ["hookSpecificOutput", "systemMessage"]);
    only(specific, ["hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"]);
    return { ...commonReply(specific), input: null };
  }),
};
