import type { Quote } from "../../edits/index.js";
import type { DisplayedHunk } from "../../foreign/index.js";
import type { ForeignChange } from "../../placement/index.js";
import type { Adapter, Answer, Event, Payload, Row, Write } from "../event.js";
import { isRecord, list, number, offsetDoor, partsText, plain, quotesOf, record, text } from "../payload.js";
import { leftBehind, loaded, recalled, sentIn } from "./claude-transcript.js";

/** The fields of its tool for edits, which others have taken over. */
export const names = { old: "old_string", new: "new_string", all: "replace_all" };
/** Longer notes reach the model as a short preview. */
const longestNote = 9_500;
const ownTool = /^mcp__(?:.*_)?kedge(?:_.*)?__(\w+)$/;
const ownReaders = new Set(["read_file", "grep"]);

function changeOf(tool: string, input: Payload): ForeignChange | null {
  const content = text(input, "content");
  if (tool === "Write") return content === undefined ? null : { kind: "whole", content: plain(content) };
  const quotes = quotesOf(tool === "MultiEdit" ? list(input, "edits") : [input], names);
  if (!quotes) return null;
  // An empty quote makes a new file.
  const [first] = quotes;
  if (first?.old === "") return { kind: "whole", content: first.new };
  return { kind: "quotes", quotes: quotes.map((quote) => ({ ...quote, takesNewline: true })) };
}

function writeOf(tool: string, input: Payload): Write[] {
  if (tool === "NotebookEdit") {
    const path = text(input, "notebook_path");
    // Cells are not lines: all of the notebook has to be as it was shown.
    return path === undefined ? [] : [{ path, tool, change: { kind: "whole", content: null } }];
  }
  const path = text(input, "file_path");
  const change = isEditor(tool) ? changeOf(tool, input) : null;
  return path === undefined || !change ? [] : [{ path, tool, change, single: tool === "Edit" }];
}

function isEditor(tool: string): boolean {
  return tool === "Edit" || tool === "MultiEdit" || tool === "Write";
}

/** Its patch is made to be looked at: leading tabs are blanks in it. */
function displayed(response: Payload): DisplayedHunk[] {
  return list(response, "structuredPatch").map((hunk) => {
    const rows = list(hunk, "lines").map(String);
    return {
      oldStart: number(hunk, "oldStart") ?? 0,
      oldLines: number(hunk, "oldLines") ?? 0,
      rows: rows.filter((row) => /^[ +]/.test(row)).map((row) => row.slice(1)),
    };
  });
}

/** A write with what the client tells after it. */
function doneBy(tool: string, input: Payload, response: Payload): Write[] {
  // It is held back until somebody has looked at it: nothing is written.
  if (response.staged === true) return [];
  if (tool === "NotebookEdit") {
    const [path, content] = [text(input, "notebook_path"), text(response, "updated_file")];
    // Texts that are too large are left empty.
    if (path === undefined || content === undefined) return [];
    const before = text(response, "original_file");
    const told = before ? { before: plain(before), after: plain(content) } : {};
    return [{ path, tool, change: { kind: "whole", content: plain(content) || null }, ...told }];
  }
  return writeOf(tool, input).map((write) => ({
    ...write,
    ...beforeIn(response, write),
    display: displayed(response),
    modified: response.userModified === true,
  }));
}

/** A file that is too large is left out as well: only a new one had no text. */
function beforeIn({ originalFile, type }: Payload, { change }: Write): Pick<Write, "before"> {
  if (typeof originalFile === "string") return { before: plain(originalFile) };
  const isNew = type === undefined ? change.kind === "whole" : type === "create";
  return originalFile === null && isNew ? { before: null } : {};
}

function before(tool: string, input: Payload): Event[] {
  if (ownTool.test(tool)) return [{ kind: "own", input }];
  if (tool === "Bash")
    return [
      {
        kind: "command",
        command: text(input, "command") ?? "",
        isBackground: input.run_in_background === true,
      },
    ];
  const writes = writeOf(tool, input);
  return writes.length > 0 ? [{ kind: "change", writes }] : [];
}

const clientError = /^\s*<tool_use_error>/;
const rowNumber = /^ *\d+$/;

function shownBy(input: Payload, result: string): Event[] {
  const path = text(input, "file_path");
  if (path === undefined || clientError.test(result)) return [];
  if (path.endsWith(".ipynb")) return [{ kind: "read", path, rows: [], whole: true }];
  const rows: Row[] = [];
  let shift = 0;
  for (const line of result.split("\n")) {
    const tab = line.indexOf("\t");
    const number = tab < 0 ? "" : line.slice(0, tab);
    if (!rowNumber.test(number)) continue;
    // Asked for line 0, it counts from there.
    if (rows.length === 0 && Number(number) === 0) shift = 1;
    rows.push({ line: Number(number) + shift, text: line.slice(tab + 1) });
  }
  const isEmpty = rows.length === 0 && /the contents are empty/.test(result);
  return rows.length > 0 || isEmpty ? [{ kind: "read", path, rows }] : [];
}

/** Longer output the client may cut; only the results of the batch say what was left of it. */
const uncut = 10_000;

/** Reads and commands too: settings by hand may name this event alone. */
function after(tool: string, input: Payload, response: Payload): Event[] {
  if (tool === "Read") {
    const file = record(response, "file");
    const [path, content] = [text(input, "file_path"), text(file, "content")];
    if (path === undefined || content === undefined || path.endsWith(".ipynb")) return [];
    const first = number(file, "startLine") ?? 1;
    // After the end of the last line there is one more row, an empty one, so none may be dropped.
    const lines = content === "" ? [] : content.replace(/^\uFEFF/, "").split(/\r?\n/);
    return [{ kind: "read", path, rows: lines.map((line, index) => ({ line: first + index, text: line })) }];
  }
  if (tool === "Bash") {
    const output = `${text(response, "stdout") ?? ""}\n${text(response, "stderr") ?? ""}`;
    const command = text(input, "command") ?? "";
    return [{ kind: "output", tool, command, output: output.length > uncut ? "" : output }];
  }
  const writes = doneBy(tool, input, response);
  return writes.length > 0 ? [{ kind: "changed", writes, settled: false }] : [];
}

/**
 * After all calls of one answer and every hook of theirs. Here alone the results stand as the model gets them: what is
 * cut from long output was not shown.
 */
function batch(payload: Payload): Event[] {
  const events: Event[] = [];
  const paths: string[] = [];
  const refused: Write[] = [];
  for (const call of list(payload, "tool_calls")) {
    const tool = text(call, "tool_name") ?? "";
    const input = record(call, "tool_input");
    const result = partsText(isRecord(call) ? call.tool_response : "");
    if (tool === "Read") events.push(...shownBy(input, result));
    else if (tool === "Bash")
      events.push({ kind: "output", tool, command: text(input, "command") ?? "", output: result });
    else if (tool === "Grep")
      events.push({ kind: "output", tool, command: null, output: result, where: text(input, "path") });
    else {
      const writes = writeOf(tool, input);
      if (clientError.test(result)) refused.push(...writes);
      else paths.push(...writes.map(({ path }) => path));
    }
  }
  return [...events, { kind: "settled", paths, refused }];
}

function eventsOf(payload: Payload): Event[] {
  const tool = text(payload, "tool_name") ?? "";
  switch (payload.hook_event_name) {
    case "SessionStart":
      if (payload.source === "compact") return [{ kind: "fold" }];
      return payload.source === "clear" ? [{ kind: "fold" }, { kind: "begin" }] : [{ kind: "begin" }];
    case "PostCompact":
      return [{ kind: "fold" }];
    case "InstructionsLoaded":
      return loaded(payload);
    case "UserPromptSubmit":
      return [{ kind: "prompt", text: text(payload, "prompt") ?? "" }];
    case "PreToolUse":
      return before(tool, record(payload, "tool_input"));
    case "PostToolUse":
      return after(tool, record(payload, "tool_input"), record(payload, "tool_response"));
    case "PostToolBatch":
      return batch(payload);
    default:
      return [];
  }
}

function rewritten(input: Payload, quotes: readonly Quote[]): Payload {
  const edits = quotes.map((one) => ({ old_string: one.old, new_string: one.new, replace_all: one.all }));
  return Array.isArray(input.edits) ? { ...input, edits } : { ...input, ...edits[0] };
}

/** For our own tools, what the client would do by itself if they were its own. */
function permission(payload: Payload): Payload {
  const tool = ownTool.exec(text(payload, "tool_name") ?? "")?.[1] ?? "";
  const mode = payload.permission_mode;
  if (ownReaders.has(tool)) return { permissionDecision: "allow" };
  if (mode === "acceptEdits" || mode === "bypassPermissions") return { permissionDecision: "allow" };
  return {};
}

function shortened(note: string): string {
  return note.length <= longestNote
    ? note
    : `${note.slice(0, longestNote)}\n[cut; run \`kedge log\` and \`kedge lost\`]`;
}

/** The form of its answers, which others have taken over. */
export function claudeReply({ deny, quotes, input, tell, say }: Answer, payload: Payload): unknown {
  const hookEventName = payload.hook_event_name;
  const given = record(payload, "tool_input");
  const specific: Record<string, unknown> = {
    ...(deny === undefined ? {} : { permissionDecision: "deny", permissionDecisionReason: deny }),
    ...(quotes ? { updatedInput: rewritten(given, quotes) } : {}),
    ...(input ? { updatedInput: input, ...permission(payload) } : {}),
    ...(tell === undefined ? {} : { additionalContext: shortened(tell) }),
  };
  const output = {
    ...(Object.keys(specific).length > 0 ? { hookSpecificOutput: { hookEventName, ...specific } } : {}),
    ...(say === undefined ? {} : { systemMessage: say }),
  };
  return Object.keys(output).length > 0 ? output : null;
}

export const claudeCode: Adapter = {
  client: "claude-code",
  door: offsetDoor("Read"),
  names,
  room: 9_000,
  parallel: false,
  tellsBefore: true,
  rewrites: true,
  understand(payload, { CLAUDE_PROJECT_DIR: project }) {
    const conversation = text(payload, "session_id");
    const cwd = text(payload, "cwd");
    if (conversation === undefined || cwd === undefined) return null;
    const subagent = text(payload, "agent_id");
    const call = text(payload, "tool_use_id");
    const more = { ...(project ? { project } : {}), ...(call ? { call } : {}) };
    const caller = { conversation, cwd, ...(subagent ? { subagent } : {}), ...more };
    return { caller, events: eventsOf(payload) };
  },
  recall: recalled,
  sentIn,
  takenBack: leftBehind,
  reply: claudeReply,
};
