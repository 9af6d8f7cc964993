import { appendFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import {
  type Action,
  type Call,
  captured,
  type Driver,
  only,
  type Payload,
  record,
  textOf,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, done, hookReply } from "./driver-base.js";
import { at, type Failure, isFolder, load, replaced, searched, shell, store } from "./files.js";

const version = "gemini-cli-0.61.0";

const transcript = ({ conversation, cwd }: Who): string =>
  join(cwd, "..", `transcript-${conversation}.jsonl`);

function payload(name: string, who: Who, values: Payload): Payload {
  const own = { session_id: who.conversation, cwd: who.cwd, transcript_path: transcript(who) };
  return withValues(captured(`${version}/${name}`), { ...own, ...values });
}

interface Tool {
  readonly tool_name: string;
  readonly tool_input: Payload;
  readonly who: Who;
}

function tool({ tool_name, tool_input, who }: Tool, run: (input: Payload) => Payload | Failure): Call {
  return {
    before: payload("BeforeTool-read_file", who, { tool_name, tool_input }),
    run(rewritten) {
      const used = rewritten ?? tool_input;
      const result = run(used);
      const failed = typeof result.failed === "string" ? result.failed : null;
      const error = { message: failed, type: "edit_no_occurrence_found" };
      const tool_response: Payload =
        failed === null
          ? (result as Payload)
          : { llmContent: failed, returnDisplay: `Error: ${failed}`, error };
      const values = { tool_name, tool_input: used, tool_response };
      const settled = (): Payload[] => [payload("AfterTool-read_file", who, values)];
      return done(cut(String(tool_response.llmContent), tool_name), settled, failed);
    },
  };
}

/** The hook gets all that a command printed, the model the beginning and the end. */
function cut(text: string, tool: string): string {
  if (tool !== "run_shell_command" || text.length <= 40_000) return text;
  const gap = `... [${text.length - 40_000} characters omitted] ...`;
  return `Output too large. Showing first 8,000 and last 32,000 characters.\n${text.slice(0, 8000)}\n${gap}\n${text.slice(-32_000)}`;
}

function read({ path, lines }: Extract<Action, { do: "read" }>, who: Who): Call {
  const window = lines ? { start_line: lines.first, end_line: lines.last } : {};
  const tool_input = { file_path: path, ...window };
  return tool({ tool_name: "read_file", tool_input, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: `File not found: ${path}` };
    const all = found.text.split("\n");
    const isCut = all.some((line) => line.length > 2000);
    if (!lines && all.length <= 2000 && !isCut) return { llmContent: found.text, returnDisplay: "" };
    const first = lines?.first ?? 1;
    const last = Math.min(lines?.last ?? 2000, all.length);
    const content = all
      .slice(first - 1, last)
      .map((line) => (line.length > 2000 ? `${line.slice(0, 2000)}... [truncated]` : line))
      .join("\n");
    const status = `Status: Showing lines ${first}-${last} of ${all.length} total lines.`;
    const head = `\nIMPORTANT: The file content has been truncated.\n${status}\nAction: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent 'read_file' call. For example, to read the next section of the file, use start_line: ${last + 1}.\n\n--- FILE CONTENT (truncated) ---\n`;
    return { llmContent: `${head}${content}`, returnDisplay: status };
  });
}

function written(path: string, texts: { before: string | null; now: string }, name: string): Payload {
  const told = record(record(captured(`${version}/${name}`).tool_response).returnDisplay);
  const content = { originalContent: texts.before ?? "", newContent: texts.now, filePath: path };
  return { ...told, ...content, isNewFile: texts.before === null };
}

function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const [one] = edits;
  const given = { file_path: path, instruction: "change it", old_string: one?.old, new_string: one?.new };
  const tool_input = one?.all ? { ...given, allow_multiple: true } : given;
  return tool({ tool_name: "replace", tool_input, who }, (used) => {
    const found = load(at(who, path));
    if (!found) return { failed: `File not found: ${path}` };
    const all = used.allow_multiple === true;
    const quote = { old: String(used.old_string), new: String(used.new_string), all };
    const text = replaced(found.text, [quote], true);
    if (typeof text !== "string") return text;
    store(at(who, path), text, found);
    const llmContent = `Successfully modified file: ${path} (1 replacements). Here is the updated code:\n${quote.new}`;
    return {
      llmContent,
      returnDisplay: written(path, { before: found.text, now: text }, "AfterTool-replace"),
    };
  });
}

function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  return tool({ tool_name: "write_file", tool_input: { file_path: path, content }, who }, () => {
    const found = load(at(who, path));
    store(at(who, path), content, found);
    const verb = found ? "overwrote" : "created and wrote to new";
    const texts = { before: found?.text ?? null, now: content };
    return {
      llmContent: `Successfully ${verb} file: ${path}. Here is the updated code:\n${content}`,
      returnDisplay: written(path, texts, "AfterTool-write_file"),
    };
  });
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  return tool({ tool_name: "run_shell_command", tool_input: { command }, who }, () => {
    const { stdout, stderr, status } = shell(command, who.cwd);
    const output = `${stdout}${stderr}`.replace(/\n$/, "");
    const exit = status === 0 ? "" : `Exit Code: ${status}\n`;
    const told = `Output: ${output || "(empty)"}\n${exit}Process Group PGID: 4711`;
    return { llmContent: `<untrusted_context>\n${told}\n</untrusted_context>`, returnDisplay: output };
  });
}

/** It searches folders only, and names files as they lie in the one that is searched. */
function grep({ pattern, path }: Extract<Action, { do: "grep" }>, who: Who): Call {
  const folder = isFolder(at(who, path)) ? path : dirname(path);
  const tool_input = { pattern, dir_path: folder };
  return tool({ tool_name: "grep_search", tool_input, who }, () => {
    const rows = searched(pattern, at(who, folder));
    const files = [...new Set(rows.map(({ file }) => file))].map((file) => {
      const hits = rows
        .filter((row) => row.file === file)
        .map(({ line, text }) => `L${line}: ${text.trimEnd()}`);
      return `File: ${relative(at(who, folder), file)}\n${hits.join("\n")}\n---`;
    });
    const head = `Found ${rows.length} matches for pattern "${pattern}" in path "${folder}":\n---`;
    return { llmContent: `${head}\n${files.join("\n")}`, returnDisplay: `Found ${rows.length} matches` };
  });
}

export const geminiCli: Driver = {
  client: "gemini-cli",
  versions: [version],
  can: new Set(["loose", "all", "grep", "rewriting", "failures", "fold"]),
  reads: () => /\bcall read_file on\b/,
  begin: (who) => payload("SessionStart", who, {}),
  fold(who) {
    const parts = [{ text: "<state_snapshot>what was done so far</state_snapshot>" }];
    const messages = [{ id: "m1", type: "user", content: parts }];
    const line = (set: Payload): string => `${JSON.stringify({ $set: set })}\n`;
    appendFileSync(transcript(who), `${line({ sessionId: who.conversation })}${line({ messages })}`);
    // It comes before every request of the model, also when nothing was compressed.
    return [payload("PreCompress-auto-nothing-compressed", who, {})];
  },
  call: callWith("Gemini CLI", { read, edit, write, shell: bash, grep }),
  reply: hookReply((told, specific) => {
    only(told, ["decision", "reason", "hookSpecificOutput", "systemMessage"]);
    // What is to be told before a tool runs does not reach the model.
    const isHeard = specific.hookEventName !== "BeforeTool";
    return {
      deny: told.decision === "deny" ? textOf(told.reason) : null,
      input: specific.tool_input === undefined ? null : record(specific.tool_input),
      tell: isHeard ? textOf(specific.additionalContext) : null,
    };
  }),
};
