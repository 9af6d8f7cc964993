import {
  type Action,
  type Call,
  capturedLine,
  type Driver,
  type Payload,
  type Replacement,
  record,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, done, failedSilently, pluginReply, windowOf } from "./driver-base.js";
import { at, type Failure, linesOf, load, replaced, searched, shell, store, tailOf } from "./files.js";
import { applyPatch, patchText } from "./patch.js";

const version = "opencode-1.18.33";

/** A subagent is a conversation of its own. */
const session = ({ conversation, subagent }: Who): string => subagent ?? conversation;

function line(k: string, tool: string): Payload {
  return capturedLine(`${version}/tools`, (one) => one.k === k && record(one.i).tool === tool);
}

function before(tool: string, args: Payload, who: Who): Payload {
  const found = line("before", tool);
  const i = withValues(record(found.i), { sessionID: session(who) });
  return { ...found, i, o: { args }, directory: who.cwd };
}

function after(tool: string, args: Payload, who: Who, values: Payload): Payload {
  const found = line("after", tool);
  const i = withValues(record(found.i), { sessionID: session(who), args });
  return { ...found, i, o: withValues(record(found.o), values), directory: who.cwd };
}

interface Tool {
  readonly name: string;
  readonly args: Payload;
  readonly who: Who;
}

/** What the tool does; the plugin hears of it when all is done, formatters too, and only if nothing failed. */
function tool({ name, args, who }: Tool, run: (args: Payload) => Payload | Failure): Call {
  return {
    before: before(name, args, who),
    run(rewritten) {
      const used = rewritten ?? args;
      const result = run(used);
      if (typeof result.failed === "string") return failedSilently(result.failed);
      const values = result as Payload;
      return done(String(values.output), () => [after(name, used, who, values)]);
    },
  };
}

function cutLine(line: string): string {
  return line.length > 2000 ? `${line.slice(0, 2000)}... (line truncated to 2000 chars)` : line;
}

function read(action: Extract<Action, { do: "read" }>, who: Who): Call {
  const { path, lines } = action;
  const args = { filePath: path, ...windowOf(action) };
  return tool({ name: "read", args, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: `File not found: ${path}` };
    const all = linesOf(found.text);
    const first = lines?.first ?? 1;
    const shown = all.slice(first - 1, Math.min(lines?.last ?? all.length, first + 1999)).map(cutLine);
    const last = first + shown.length - 1;
    const end =
      last < all.length
        ? `(Showing lines ${first}-${last} of ${all.length}. Use offset=${last + 1} to continue.)`
        : `(End of file - total ${all.length} lines)`;
    const rows = shown.map((text, index) => `${first + index}: ${text}`);
    const output = ["<path>", at(who, path), "</path>\n<type>file</type>\n<content>\n"].join("");
    const display = { type: "file", path: at(who, path), text: shown.join("\n"), lineStart: first };
    const counts = { lineEnd: last, totalLines: all.length, truncated: last < all.length };
    return {
      output: `${output}${rows.join("\n")}\n\n${end}\n</content>`,
      metadata: { preview: "", truncated: false, loaded: [], display: { ...display, ...counts } },
    };
  });
}

function editsOf(args: Payload): Replacement[] {
  const { oldString, newString, replaceAll } = args;
  return [{ old: String(oldString), new: String(newString), all: replaceAll === true }];
}

function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const [one] = edits;
  const given = { filePath: path, oldString: one?.old, newString: one?.new };
  const args = one?.all ? { ...given, replaceAll: true } : given;
  return tool({ name: "edit", args, who }, (used) => {
    const found = load(at(who, path));
    if (!found) return { failed: `File ${path} not found` };
    const text = replaced(found.text, editsOf(used), true);
    if (typeof text !== "string") return text;
    store(at(who, path), text, found);
    return { output: "Edit applied successfully.", metadata: { diagnostics: {}, truncated: false } };
  });
}

function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  return tool({ name: "write", args: { filePath: path, content }, who }, () => {
    const found = load(at(who, path));
    store(at(who, path), content, found && { ...found, crlf: false });
    const metadata = { diagnostics: {}, filepath: at(who, path), exists: found !== null, truncated: false };
    return { output: "Wrote file successfully.", metadata };
  });
}

function patch({ sections }: Extract<Action, { do: "patch" }>, who: Who): Call {
  return tool({ name: "apply_patch", args: { patchText: patchText(sections) }, who }, () => {
    const made = applyPatch(sections, who);
    return typeof made === "string" ? { output: made, title: made } : made;
  });
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  return tool({ name: "bash", args: { command, description: "run it" }, who }, () => {
    const { stdout, stderr, status } = shell(command, who.cwd);
    const { shown, first } = tailOf(`${stdout}${stderr}` || "(no output)");
    const cut = "...output truncated...\n\nFull output saved to: /home/user/output.txt\n\n";
    const output = first === 1 ? shown : `${cut}${shown}`;
    return { title: command, output, metadata: { output, exit: status, truncated: first > 1 } };
  });
}

function grep({ pattern, path }: Extract<Action, { do: "grep" }>, who: Who): Call {
  return tool({ name: "grep", args: { pattern, path }, who }, () => {
    const rows = searched(pattern, at(who, path));
    const files = [...new Set(rows.map(({ file }) => file))].map((file) => {
      const hits = rows
        .filter((row) => row.file === file)
        .map(({ line, text }) => `  Line ${line}: ${text}\n`);
      return `${file}:\n${hits.join("\n")}`;
    });
    const output =
      rows.length === 0 ? "No files found" : `Found ${rows.length} matches\n${files.join("\n\n")}`;
    return { title: pattern, output, metadata: { matches: rows.length, truncated: false } };
  });
}

/** As the plugin hands it on. */
function happened(type: string, who: Who): Payload {
  const { e } = capturedLine(`${version}/tools`, (one) => record(one.e).type === type);
  const properties = record(record(e).properties);
  const info =
    properties.info === undefined ? {} : { info: { ...record(properties.info), id: session(who) } };
  return {
    k: "event",
    i: { ...record(e), properties: { ...properties, sessionID: session(who), ...info } },
    directory: who.cwd,
  };
}

export const opencode: Driver = {
  client: "opencode",
  versions: [version],
  can: new Set(["subagents", "loose", "all", "patch", "grep", "rewriting", "fold"]),
  reads: () => /\bcall read on\b/,
  begin: (who) => happened("session.created", who),
  fold: (who) => [happened("session.compacted", who)],
  call: callWith("opencode", { read, edit, write, patch, shell: bash, grep }),
  reply: pluginReply,
};
