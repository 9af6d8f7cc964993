import { relative } from "node:path";
import { structuredPatch } from "./display.js";
import {
  type Action,
  type Call,
  captured,
  type Done,
  type Driver,
  only,
  type Payload,
  type Replacement,
  record,
  textOf,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, commonReply, hookReply, windowOf } from "./driver-base.js";
import { at, type Failure, isFolder, load, replaced, searched, shell, store } from "./files.js";

const version = "claude-code-2.1.325";

function payload(name: string, who: Who, values: Payload): Payload {
  const { conversation, subagent, cwd } = who;
  const inside = subagent ? { agent_id: subagent, agent_type: "general-purpose" } : {};
  return withValues(captured(`${version}/${name}`), { session_id: conversation, cwd, ...inside, ...values });
}

/** After all calls of one answer. */
function batch(tool: string, input: Payload, response: string, who: Who): Payload {
  const call = { tool_name: tool, tool_input: input, tool_use_id: "toolu_1", tool_response: response };
  return payload("PostToolBatch", who, { tool_calls: [call] });
}

function refused(tool: string, input: Payload, { failed }: Failure, who: Who): Done {
  const settled = (): Payload[] => [batch(tool, input, `<tool_use_error>${failed}</tool_use_error>`, who)];
  return { failed, printed: failed, after: () => [], settled };
}

const isFailure = (value: unknown): value is Failure => typeof value === "object" && value !== null;

function editsOf(input: Payload): Replacement[] {
  const all = Array.isArray(input.edits) ? input.edits.map(record) : [input];
  return all.map((one) => ({
    old: String(one.old_string),
    new: String(one.new_string),
    all: one.replace_all === true,
  }));
}

const emptyFile = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>";

/** What the model gets of a file; after the end of the last line one more row, an empty one. */
function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n");
}

function read(action: Extract<Action, { do: "read" }>, who: Who): Call {
  const { path, lines } = action;
  const tool_input = { file_path: path, ...windowOf(action) };
  return {
    before: payload("PreToolUse-Read", who, { tool_input }),
    run() {
      const found = load(at(who, path));
      if (!found) {
        const error = `File does not exist. Note: your current working directory is ${who.cwd}.`;
        const event = payload("PostToolUseFailure-Read", who, { tool_input, error });
        return { failed: error, printed: error, after: () => [event], settled: () => [] };
      }
      const all = found.text.split("\n");
      const shown = lines ? all.slice(lines.first - 1, lines.last) : all;
      const content = shown.join("\n");
      const file = {
        ...{ filePath: path, content, numLines: shown.length },
        ...{ startLine: lines?.first ?? 1, totalLines: all.length },
      };
      const tool_response = { type: "text", file };
      const printed = found.text === "" ? emptyFile : numbered(shown, file.startLine);
      return {
        ...{ failed: null, printed },
        after: () => [payload("PostToolUse-Read", who, { tool_input, tool_response })],
        settled: () => [batch("Read", tool_input, printed, who)],
      };
    },
  };
}

function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const tool = edits.length > 1 ? "MultiEdit" : "Edit";
  const single = (one: Replacement | undefined): Payload => ({
    old_string: one?.old,
    new_string: one?.new,
    replace_all: one?.all ?? false,
  });
  const tool_input: Payload = {
    file_path: path,
    ...(edits.length > 1 ? { edits: edits.map(single) } : single(edits[0])),
  };
  const file = at(who, path);
  const made = (input: Payload): string | Failure => {
    const found = load(file);
    return found ? replaced(found.text, editsOf(input)) : { failed: "File does not exist." };
  };
  return {
    before: payload("PreToolUse-Edit", who, { tool_name: tool, tool_input }),
    refusal() {
      const text = made(tool_input);
      return isFailure(text) ? refused(tool, tool_input, text, who) : null;
    },
    run(rewritten) {
      const input = rewritten ?? tool_input;
      const text = made(input);
      if (isFailure(text)) return refused(tool, input, text, who);
      const before = load(file);
      store(file, text, before);
      const tool_response = {
        ...record(captured(`${version}/PostToolUse-Edit`).tool_response),
        ...{ filePath: path, oldString: input.old_string, newString: input.new_string },
        ...{ originalFile: before?.text, structuredPatch: structuredPatch(before?.text ?? "", text) },
      };
      const values = { tool_name: tool, tool_input: input, tool_response };
      const done = `The file ${path} has been updated successfully.`;
      return {
        ...{ failed: null, printed: done },
        after: () => [payload("PostToolUse-Edit", who, values)],
        settled: () => [batch(tool, tool_input, done, who)],
      };
    },
  };
}

function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  const tool_input = { file_path: path, content };
  const file = at(who, path);
  return {
    before: payload("PreToolUse-Write", who, { tool_input }),
    run() {
      const before = load(file);
      store(file, content, before && { ...before, crlf: false });
      const originalFile = before?.text ?? null;
      const told = { type: before ? "update" : "create", filePath: path, content, originalFile };
      const patch = before ? structuredPatch(before.text, content) : [];
      const tool_response = { ...told, structuredPatch: patch, userModified: false };
      const name = before ? "PostToolUse-Write-update" : "PostToolUse-Write-create";
      const done = `The file ${path} has been updated successfully.`;
      return {
        ...{ failed: null, printed: done },
        after: () => [payload(name, who, { tool_input, tool_response })],
        settled: () => [batch("Write", tool_input, done, who)],
      };
    },
  };
}

interface Notebook {
  readonly cells: readonly { readonly id: string; readonly source: unknown }[];
}

function readNotebook(path: string, who: Who): Call {
  const tool_input = { file_path: path };
  return {
    before: payload("PreToolUse-Read", who, { tool_input }),
    run() {
      const { cells } = JSON.parse(load(at(who, path))?.text ?? "") as Notebook;
      const shown = cells.map(({ id, source }) => ({ cellType: "code", source, cell_id: id }));
      const tool_response = { type: "notebook", file: { filePath: path, cells: shown } };
      return {
        ...{ failed: null, printed: JSON.stringify(shown) },
        after: () => [payload("PostToolUse-Read-notebook", who, { tool_input, tool_response })],
        settled: () => [batch("Read", tool_input, "", who)],
      };
    },
  };
}

function notebook({ path, cell, source }: Extract<Action, { do: "notebook" }>, who: Who): Call {
  const tool_input = { notebook_path: path, cell_id: cell, new_source: source };
  const file = at(who, path);
  return {
    before: payload("PreToolUse-NotebookEdit", who, { tool_input }),
    run() {
      const before = load(file);
      const book = JSON.parse(before?.text ?? "") as Notebook;
      const cells = book.cells.map((one) => (one.id === cell ? { ...one, source } : one));
      const updated_file = JSON.stringify({ ...book, cells }, null, 1);
      store(file, updated_file, before);
      const told = record(captured(`${version}/PostToolUse-NotebookEdit`).tool_response);
      const texts = { notebook_path: path, new_source: source, original_file: before?.text, updated_file };
      return {
        ...{ failed: null, printed: `Updated cell ${cell}` },
        after: () => [
          payload("PostToolUse-NotebookEdit", who, { tool_input, tool_response: { ...told, ...texts } }),
        ],
        settled: () => [batch("NotebookEdit", tool_input, `Updated cell ${cell}`, who)],
      };
    },
  };
}

const longest = 30_000;

/** Of long output the model gets the beginning, and where the rest was put. */
function resultOf(output: string): string {
  if (output.length <= longest) return output;
  const size = `Output too large (${(output.length / 1024).toFixed(1)}KB)`;
  const saved = "Full output saved to: /home/user/.claude/tool-results/b1.txt";
  return `<persisted-output>\n${size}. ${saved}\n\nPreview (first 2KB):\n${output.slice(0, 2000)}\n...\n</persisted-output>`;
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  const tool_input = { command, description: "run it" };
  return {
    before: payload("PreToolUse-Bash", who, { tool_input }),
    run() {
      const { stdout, stderr, status } = shell(command, who.cwd);
      const output = `${stdout}${stderr}`.replace(/^\n+/, "").replace(/\n$/, "");
      const told = record(captured(`${version}/PostToolUse-Bash`).tool_response);
      const tool_response = { ...told, stdout: output.slice(0, longest) };
      const error = `Exit code ${status}\n${output}`;
      const event = (): Payload =>
        status === 0
          ? payload("PostToolUse-Bash", who, { tool_input, tool_response })
          : payload("PostToolUseFailure-Read", who, { tool_name: "Bash", tool_input, error });
      const printed = status === 0 ? resultOf(output) : error;
      return {
        ...{ failed: null, printed },
        after: () => [event()],
        settled: () => [batch("Bash", tool_input, printed, who)],
      };
    },
  };
}

function grep({ pattern, path }: Extract<Action, { do: "grep" }>, who: Who): Call {
  const tool_input = { pattern, path, output_mode: "content", "-n": true };
  return {
    before: payload("PreToolUse-Read", who, { tool_name: "Grep", tool_input }),
    run() {
      const rows = searched(pattern, at(who, path));
      // Of a single file without its name.
      const named = isFolder(at(who, path));
      const name = (file: string): string => (named ? `${relative(who.cwd, file)}:` : "");
      const content = rows.map(({ file, line, text }) => `${name(file)}${line}:${text}`).join("\n");
      const counts = { numFiles: 0, filenames: [], numLines: rows.length };
      const tool_response = { mode: "content", ...counts, content };
      return {
        ...{ failed: null, printed: content },
        after: () => [payload("PostToolUse-Read", who, { tool_name: "Grep", tool_input, tool_response })],
        settled: () => [batch("Grep", tool_input, content, who)],
      };
    },
  };
}

export const claudeCode: Driver = {
  client: "claude-code",
  versions: ["claude-code-2.1.325", "claude-code-2.1.197"],
  can: new Set(["subagents", "several edits", "all", "notebook", "grep", "rewriting", "failures", "fold"]),
  reads: () => /\bcall Read on\b/,
  begin: (who) => payload("SessionStart", who, {}),
  fold: (who) => ["PreCompact", "SessionStart-compact", "PostCompact"].map((name) => payload(name, who, {})),
  call: callWith("Claude Code", {
    read: (action, who) =>
      action.path.endsWith(".ipynb") ? readNotebook(action.path, who) : read(action, who),
    ...{ edit, write, notebook, shell: bash, grep },
  }),
  reply: hookReply((told, specific) => {
    // Longer than that it is put into a file, and anything but a text ends the conversation there.
    if ((textOf(specific.additionalContext) ?? "").length > 10_000)
      throw new Error("too long for Claude Code");
    if (specific.hookEventName === "PostToolBatch") only(specific, ["hookEventName", "additionalContext"]);
    only(told, ["hookSpecificOutput", "systemMessage"]);
    const input = specific.updatedInput === undefined ? null : record(specific.updatedInput);
    return { ...commonReply(specific), input };
  }),
};
