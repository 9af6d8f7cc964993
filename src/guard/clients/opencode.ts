import type { ForeignChange } from "../../placement/index.js";
import type { Adapter, Answer, Event, Payload, Recalled, Row, Sent, Write } from "../event.js";
import {
  list,
  number,
  offsetDoor,
  plain,
  pluginReply,
  quotesOf,
  record,
  rowsFrom,
  sentText,
  text,
} from "../payload.js";
import { patchWrites } from "./patch-writes.js";

const names = { old: "oldString", new: "newString", all: "replaceAll" };
const ownTool = /^(?:.*_)?kedge_(?:read_file|grep|edit_file|multi_edit|write_file)$/;
const patchers = new Set(["patch", "apply_patch"]);

function changeOf(tool: string, args: Payload): ForeignChange | null {
  const content = text(args, "content");
  if (tool === "write") return content === undefined ? null : { kind: "whole", content: plain(content) };
  const edits = tool === "multiedit" ? list(args, "edits") : tool === "edit" ? [args] : [];
  const quotes = edits.length > 0 ? quotesOf(edits, names) : null;
  const [first] = quotes ?? [];
  if (!quotes || !first) return null;
  // With an empty quote all of the file is written.
  return first.old === "" ? { kind: "whole", content: first.new } : { kind: "quotes", quotes };
}

function writesOf(tool: string, args: Payload): Write[] {
  if (patchers.has(tool))
    return patchWrites(tool, text(args, "patchText") ?? text(args, "patch") ?? "", true);
  const path = text(args, "filePath");
  const change = changeOf(tool, args);
  return path === undefined || !change ? [] : [{ path, tool, change, single: tool === "edit" }];
}

const numbered = /^(\d+): (.*)$/s;

function rowsIn(output: string, display: Payload): Row[] {
  const [shown, first] = [text(display, "text"), number(display, "lineStart")];
  // Its lines are joined: a newline at the end stands before a blank line.
  if (shown !== undefined && first !== undefined)
    return (number(display, "lineEnd") ?? first) < first ? [] : rowsFrom(`${shown}\n`, first);
  const content = /<content>\n([\s\S]*?)\n?<\/content>/.exec(output)?.[1] ?? "";
  return content.split("\n").flatMap((line) => {
    const found = numbered.exec(line);
    return found ? [{ line: Number(found[1]), text: (found[2] ?? "").replace(/\r$/, "") }] : [];
  });
}

/** Hits as other programs print them: path, number, text. */
function hitsIn(output: string): string {
  let path = "";
  return output
    .split("\n")
    .map((line) => {
      if (/^\S.*:$/.test(line)) path = line.slice(0, -1);
      const hit = /^ {2}Line (\d+): (.*)$/.exec(line);
      return hit ? `${path}:${hit[1]}:${hit[2]}` : line;
    })
    .join("\n");
}

function after(tool: string, call: Payload, result: Payload): Event[] {
  const args = record(call, "args");
  const output = text(result, "output") ?? "";
  const path = text(args, "filePath");
  const display = record(record(result, "metadata"), "display");
  if (display.type === "directory") return [];
  if (tool === "read")
    return path === undefined ? [] : [{ kind: "read", path, rows: rowsIn(output, display) }];
  if (tool === "bash")
    return [
      { kind: "output", tool, command: text(args, "command") ?? "", output, where: text(args, "workdir") },
    ];
  if (tool === "grep") return [{ kind: "output", tool, command: null, output: hitsIn(output) }];
  const writes = writesOf(tool, args);
  // Its own formatter has run by now.
  return writes.length > 0 ? [{ kind: "changed", writes, settled: true }] : [];
}

function eventsOf(payload: Payload): Event[] {
  const call = record(payload, "i");
  const result = record(payload, "o");
  const tool = text(call, "tool") ?? "";
  switch (payload.k) {
    case "before": {
      // The server is not told which conversation calls it.
      if (ownTool.test(tool)) return [{ kind: "own", input: record(result, "args") }];
      const args = record(result, "args");
      const command = tool === "bash" ? text(args, "command") : undefined;
      if (command !== undefined) return [{ kind: "command", command, where: text(args, "workdir") }];
      const writes = writesOf(tool, args);
      return writes.length > 0 ? [{ kind: "change", writes }] : [];
    }
    case "after":
      return after(tool, call, result);
    case "event":
      return happened(call);
    default:
      return [];
  }
}

/** A conversation begins, was compacted, or was taken back. */
function happened(event: Payload): Event[] {
  const info = record(record(event, "properties"), "info");
  switch (event.type) {
    case "session.created":
      return info.parentID === undefined ? [{ kind: "begin" }] : [];
    case "session.compacted":
      return [{ kind: "fold" }];
    case "session.updated":
      return info.revert === undefined || info.revert === null ? [] : [{ kind: "fold" }];
    default:
      return [];
  }
}

function reply(answer: Answer, payload: Payload): unknown {
  const args = record(record(payload, "o"), "args");
  const edits = answer.quotes?.map((one) => ({
    oldString: one.old,
    newString: one.new,
    replaceAll: one.all,
  }));
  const fresh = edits && (Array.isArray(args.edits) ? { ...args, edits } : { ...args, ...edits[0] });
  return pluginReply(answer, fresh ?? null);
}

/** The plugin keeps what was sent with the last request, and hands it over when it is asked to. */
function recalled({ sent, keeps }: Payload): Recalled | "later" {
  if (sent === undefined && keeps === true) return "later";
  const prompt = list(sent, "system").filter((one) => typeof one === "string");
  const messages = list(sent, "messages").flatMap((message) =>
    list(message, "parts").flatMap((part) => sentBy(part, text(record(message, "info"), "role"))),
  );
  return { sent: [...prompt.map(sentText), ...messages], isComplete: sent !== null };
}

function sentBy(part: unknown, role: string | undefined): Sent[] {
  const [said, tool] = [text(part, "text"), text(part, "tool")];
  if (said !== undefined) return role === "user" ? [sentText(said)] : [];
  const state = record(part, "state");
  const output = text(state, "output");
  const times = record(state, "time");
  // A call that failed may repeat what the model said; and what was cleared from old results is not sent.
  if (output === undefined || state.status !== "completed" || times.compacted !== undefined) return [];
  const args = record(state, "input");
  const sent = {
    text: tool === "grep" ? hitsIn(output) : output,
    call: text(args, "command") ?? JSON.stringify(args),
    time: number(times, "start") ?? 0,
  };
  const of = tool === "read" ? text(args, "filePath") : undefined;
  return [of === undefined ? sent : { ...sent, of }];
}

export const opencode: Adapter = {
  client: "opencode",
  door: offsetDoor("read"),
  names,
  cuts: { longest: 2000, printed: 50_000, quoting: "edit" },
  room: 20_000,
  parallel: true,
  tellsBefore: true,
  rewrites: true,
  recall: recalled,
  understand(payload) {
    const call = record(payload, "i");
    const about = record(call, "properties");
    const conversation =
      text(call, "sessionID") ?? text(about, "sessionID") ?? text(record(about, "info"), "id") ?? "";
    const cwd = text(payload, "directory");
    if (cwd === undefined) return null;
    const id = text(call, "callID");
    return { caller: { conversation, cwd, ...(id ? { call: id } : {}) }, events: eventsOf(payload) };
  },
  reply,
};
