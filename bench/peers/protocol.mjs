// The replay protocol, peer side: a JSON object a line in, one out. See docs/replay-protocol.md.
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Answers every request with `{ text }` or `{ refused }`, one after the other. */
export async function serve(answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let result;
    try {
      result = await answer(request);
    } catch (error) {
      result = { refused: String(error?.message ?? error).slice(0, 500) };
    }
    process.stdout.write(`${JSON.stringify({ id: request.id, ...result })}\n`);
  }
}

/** A folder of its own, gone when the adapter ends. */
export function scratch() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-peer-")));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit(143));
  return folder;
}

/** An MCP server on stdio: `call(tool, arguments)` gives `{ text, isError }`. */
export async function mcp(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let next = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++next;
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "replay", version: "1" },
  });
  send({ method: "notifications/initialized" });
  return {
    async call(name, args) {
      const { result, error } = await request("tools/call", { name, arguments: args });
      if (error) return { text: error.message, isError: true };
      return {
        text: result.content.map((block) => block.text ?? "").join(""),
        isError: result.isError === true,
      };
    },
    stop: () => child.stdin.end(),
  };
}

/**
 * The edits as string replacements, as a careful agent writes them: one line of context where nothing is left to find,
 * and as many more as it takes to be unique in what was read.
 */
export function quotes(base, edits) {
  const lines = base.split(/\r?\n/).slice(0, -1);
  const whole = lines.join("\n");
  const isUnique = (part) => whole.indexOf(part) === whole.lastIndexOf(part);
  let spans = edits.map((edit) => {
    const bare = edit.count === 0 || edit.lines.length === 0 ? 1 : 0;
    const from = edit.start - 1;
    return {
      from: Math.max(0, from - bare),
      to: Math.min(lines.length, from + edit.count + bare),
      edits: [edit],
    };
  });
  for (;;) {
    const joined = [];
    for (const span of spans.toSorted((one, two) => one.from - two.from)) {
      const last = joined.at(-1);
      if (last && span.from <= last.to) {
        last.to = Math.max(last.to, span.to);
        last.edits.push(...span.edits);
      } else joined.push(span);
    }
    spans = joined;
    const vague = spans.filter(
      ({ from, to }) => !isUnique(lines.slice(from, to).join("\n")) && (from > 0 || to < lines.length),
    );
    if (vague.length === 0) break;
    for (const span of vague) {
      span.from = Math.max(0, span.from - 1);
      span.to = Math.min(lines.length, span.to + 1);
    }
  }
  return spans.map(({ from, to, edits: inside }) => {
    const fresh = [];
    let at = from;
    for (const { start, count, lines: added } of inside.toSorted((one, two) => one.start - two.start)) {
      fresh.push(...lines.slice(at, start - 1), ...added);
      at = start - 1 + count;
    }
    fresh.push(...lines.slice(at, to));
    return { old: lines.slice(from, to).join("\n"), fresh: fresh.join("\n") };
  });
}
