import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, describe, expect, test } from "vitest";
import { runAgent } from "../../examples/agent-loop/loop.js";
import { findWorkspace, nodeFiles, nodeStore } from "../../src/node.js";
import { Session, type SessionOptions } from "../../src/session/index.js";
import { anchorOf, type Body, type ScriptedModel, scriptedModel, type Turn } from "./model.js";

const lines = Array.from({ length: 1000 }, (_, at) => `  const value${at + 1} = compute(${at + 1});`);
const source = `${lines.join("\n")}\n`;
const target = lines[499] as string;

let folder = "";
let model: ScriptedModel;
afterEach(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A conversation on real files. The script gets the folder, to let other processes work in it. */
async function converse(script: (file: string) => readonly Turn[], more: Partial<SessionOptions> = {}) {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-loop-")));
  const root = join(folder, "work");
  mkdirSync(root);
  const file = join(root, "a.ts");
  writeFileSync(file, source);
  const state = join(folder, "state");
  model = await scriptedModel(script(file));
  const files = nodeFiles({ roots: [root], state });
  const store = nodeStore({ state, workspace: findWorkspace(root) });
  const client = new Anthropic({ baseURL: model.url, apiKey: "none", maxRetries: 0 });
  const session = new Session({ files, store, agent: "agent", clock: Date.now, ...more });
  const words = await runAgent({ client, model: "claude-x", prompt: "change it", session });
  return { words, requests: model.requests, text: readFileSync(file, "utf8") };
}

/** Somebody else, in a process of their own. */
function elsewhere(file: string, from: string, to: string): void {
  const script = `const fs = require("fs"); const [, file, from, to] = process.argv;
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(from, to));`;
  expect(spawnSync(process.execPath, ["-e", script, file, from, to]).status).toBe(0);
}

const read: Turn = () => [{ tool: "read_file", input: { path: "a.ts" } }];
const edit =
  (line: string, text: string): Turn =>
  (results) => {
    const edits = [{ op: "set_line", anchor: anchorOf(results, line), text }];
    return [{ tool: "edit_file", input: { path: "a.ts", edits } }];
  };
const after =
  (happening: () => void, turn: Turn): Turn =>
  (results) => {
    happening();
    return turn(results);
  };

/** Earlier messages are never rewritten: each request begins with the one before. */
function expectCached(requests: readonly Body[]): void {
  for (const [at, { messages }] of requests.entries()) {
    const before = requests[at - 1]?.messages ?? [];
    expect(messages.slice(0, before.length)).toEqual(before);
  }
}

const last = (body: Body): Body[] => body.messages.at(-1).content;

describe("another process changes the line that the model is about to edit", () => {
  const changed = target.replace("compute", "COMPUTE");
  const wanted = target.replace("compute", "calculate");
  const script = (file: string): Turn[] => [
    read,
    after(() => elsewhere(file, target, changed), edit(target, wanted)),
    edit(changed, wanted),
  ];

  test("refused, only the affected rows are sent, and the second try lands", async () => {
    const { requests, text, words } = await converse(script);
    expect(requests).toHaveLength(4);
    const [refusal, rows] = last(requests[2]);
    expect(refusal).toMatchObject({ type: "tool_result", is_error: true });
    expect(refusal.content).toMatch(/^REJECTED, nothing written\./);
    expect(rows.text).toMatch(/^a\.ts reads now:\n500#\w{6}\|.*COMPUTE\(500\);\n\[1 of 1000 lines\]$/);
    expect(last(requests[2])).toHaveLength(2);
    expect(last(requests[3])).toMatchObject([{ type: "tool_result", content: /^a\.ts edited/ }]);
    expect(text).toBe(source.replace(target, wanted));
    expect(words).toBe("done");
    expectCached(requests);
  });

  test("for a fiftieth of what reading the file again would cost", async () => {
    const { requests } = await converse(script);
    const [refusal, rows] = last(requests[2]);
    const [retry] = requests[3].messages.at(-2).content;
    const [done] = last(requests[3]);
    const [said, shown, sent, closed] = [
      refusal.content,
      rows.text,
      JSON.stringify(retry.input),
      done.content,
    ].map((part: string) => countTokens(part)) as [number, number, number, number];
    const reread = countTokens(last(requests[1])[0].content);
    expect(said + sent).toBeLessThanOrEqual(220);
    expect(said + shown + sent + closed).toBeLessThanOrEqual(300);
    expect(reread).toBeGreaterThan(50 * (said + shown + sent + closed));
  });
});

describe("another process moves the line", () => {
  const script = (file: string): Turn[] => [
    read,
    after(
      () => elsewhere(file, lines[9] as string, `// new\n// lines\n${lines[9]}`),
      edit(target, "  done();"),
    ),
  ];
  const expected = source
    .replace(lines[9] as string, `// new\n// lines\n${lines[9]}`)
    .replace(target, "  done();");

  test("the edit lands where the line is now: no refusal, no extra turn", async () => {
    const { requests, text } = await converse(script);
    expect(requests).toHaveLength(3);
    const [done, ...more] = last(requests[2]);
    expect(done.is_error ?? false).toBe(false);
    expect(done.content).toContain("relocated");
    expect(more).toEqual([]);
    expect(countTokens(done.content)).toBeLessThanOrEqual(60);
    expect(text).toBe(expected);
    expectCached(requests);
  });

  test("and the loop sends the call again by itself where the session refuses every stale edit", async () => {
    const { requests, text } = await converse(script, { onStale: "refuse" });
    expect(requests).toHaveLength(3);
    expect(last(requests[2])[0].is_error ?? false).toBe(false);
    expect(text).toBe(expected);
  });
});
