import { basename, relative } from "node:path";
import {
  type Action,
  type Call,
  capturedLine,
  type Driver,
  type Payload,
  type Replacement,
  type Who,
  withValues,
} from "./driver.js";
import { callWith, done, pluginReply, windowOf } from "./driver-base.js";
import { at, type Failure, isFolder, load, replaced, searched, shell, store, tailOf } from "./files.js";

const version = "pi-0.73.1";

/** As the extension hands it on: without what only pi's own processes are told. */
function event(k: string, who: Who, values: Payload): Payload {
  const { toolName } = values;
  const found = capturedLine(
    `${version}/events`,
    (one) => one.k === k && (toolName === undefined || one.toolName === toolName),
  );
  const own = { e: undefined, ctx: undefined, sessionId: undefined };
  return withValues(found, { ...own, session: who.conversation, cwd: who.cwd, ...values });
}

interface Tool {
  readonly toolName: string;
  readonly input: Payload;
  readonly who: Who;
}

function tool({ toolName, input, who }: Tool, run: (input: Payload) => string | Failure): Call {
  return {
    before: event("tool_call", who, { toolName, input }),
    run(rewritten) {
      const used = rewritten ?? input;
      const result = run(used);
      const isError = typeof result !== "string";
      const text = isError ? result.failed : result;
      const content = [{ type: "text", text }];
      const values = { toolName, input: used, content, isError, details: {} };
      const failed = isError && toolName !== "bash" ? text : null;
      return done(text, () => [event("tool_result", who, values)], failed);
    },
  };
}

function read(action: Extract<Action, { do: "read" }>, who: Who): Call {
  const { path, lines } = action;
  return tool({ toolName: "read", input: { path, ...windowOf(action) }, who }, () => {
    const found = load(at(who, path));
    if (!found) return { failed: `ENOENT: no such file or directory, access '${at(who, path)}'` };
    const mark = found.bom ? "\ufeff" : "";
    const all = `${mark}${found.crlf ? found.text.replaceAll("\n", "\r\n") : found.text}`.split("\n");
    if (!lines && all.length <= 2000) return all.join("\n");
    if (!lines)
      return `${all.slice(0, 2000).join("\n")}\n\n[Showing lines 1-2000 of ${all.length}. Use offset=2001 to continue.]`;
    const shown = all.slice(lines.first - 1, lines.last).join("\n");
    const more = all.length - lines.last;
    return more > 0
      ? `${shown}\n\n[${more} more lines in file. Use offset=${lines.last + 1} to continue.]`
      : shown;
  });
}

function edit({ path, edits }: Extract<Action, { do: "edit" }>, who: Who): Call {
  const input = { path, edits: edits.map((one) => ({ oldText: one.old, newText: one.new })) };
  return tool({ toolName: "edit", input, who }, (used) => {
    const found = load(at(who, path));
    if (!found) return { failed: `Could not edit file: ${path}. Error code: ENOENT.` };
    const wanted = (used.edits as Payload[]).map(
      (one): Replacement => ({ old: String(one.oldText), new: String(one.newText) }),
    );
    // Each is searched in the text as it was; none may touch another.
    const text = wanted.every(({ old }) => found.text.split(old).length === 2)
      ? replaced(found.text, wanted)
      : { failed: `Could not find the exact text in ${path}.` };
    if (typeof text !== "string") return text;
    store(at(who, path), text, found);
    return `Successfully replaced ${wanted.length} block(s) in ${path}.`;
  });
}

function write({ path, content }: Extract<Action, { do: "write" }>, who: Who): Call {
  return tool({ toolName: "write", input: { path, content }, who }, () => {
    store(at(who, path), content, null);
    return `Successfully wrote ${content.length} bytes to ${path}`;
  });
}

function bash({ command }: Extract<Action, { do: "shell" }>, who: Who): Call {
  return tool({ toolName: "bash", input: { command }, who }, () => {
    const { stdout, stderr, status } = shell(command, who.cwd);
    const { shown, first, all } = tailOf(`${stdout}${stderr}` || "(no output)");
    const cut = `\n\n[Showing lines ${first}-${all} of ${all}. Full output: /tmp/pi-bash-1.log]`;
    const printed = first === 1 ? shown : `${shown}${cut}`;
    return status === 0 ? printed : { failed: `${printed}\n\nCommand exited with code ${status}` };
  });
}

function grep({ pattern, path }: Extract<Action, { do: "grep" }>, who: Who): Call {
  return tool({ toolName: "grep", input: { pattern, path }, who }, () => {
    const where = at(who, path);
    const name = (file: string): string => (isFolder(where) ? relative(where, file) : basename(file));
    const hits = searched(pattern, where);
    const rows = hits.map(({ file, line, text }) => `${name(file)}:${line}: ${text}`);
    return rows.join("\n") || "No matches found";
  });
}

export const pi: Driver = {
  client: "pi",
  versions: [version, "pi-0.74.2"],
  can: new Set(["grep", "rewriting", "failures", "fold"]),
  reads: () => /\bcall read on\b/,
  begin: (who) => event("session_start", who, { reason: "startup" }),
  fold: (who) => [event("session_compact", who, {})],
  call: callWith("pi", { read, edit, write, shell: bash, grep }),
  reply: pluginReply,
};
