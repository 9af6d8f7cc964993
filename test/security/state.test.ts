/** The state folder of somebody who uses nothing but the guard. */
import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adapters, hook } from "../../src/guard/index.js";

const hour = 3_600_000;

function scene() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-state-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, "state");
  mkdirSync(join(folder, ".config/kedge"), { recursive: true });
  writeFileSync(join(folder, ".config/kedge/config.json"), JSON.stringify({ limits: { space: 500_000 } }));
  const project = (name: string): string => {
    mkdirSync(join(folder, name, ".git"), { recursive: true });
    writeFileSync(join(folder, name, ".git/HEAD"), "ref: refs/heads/main\n");
    return join(folder, name);
  };
  const send = async (cwd: string, event: object, later = 0): Promise<void> => {
    const input = JSON.stringify({ session_id: "s", cwd, permission_mode: "default", ...event });
    const adapter = adapters["claude-code"];
    if (!adapter) throw new Error("there is no claude-code");
    const env = { HOME: folder, KEDGE_STATE: state };
    await hook({ adapter, input, env, state, clock: () => Date.now() + later } as Parameters<typeof hook>[0]);
  };
  /** One file after the other is read, each with a text that cannot be compressed. */
  const work = async (cwd: string, files: number): Promise<void> => {
    for (let at = 0; at < files; at++) {
      const file_path = join(cwd, `f${at}.txt`);
      const content = randomBytes(20_000).toString("hex");
      writeFileSync(file_path, content);
      const file = { filePath: file_path, content, numLines: 1, startLine: 1, totalLines: 1 };
      const tool_response = { type: "text", file };
      const call = { tool_name: "Read", tool_input: { file_path }, tool_response };
      await send(cwd, { hook_event_name: "PostToolBatch", tool_calls: [{ ...call, tool_use_id: `t${at}` }] });
      const edit = { file_path, old_string: content.slice(0, 20), new_string: `${at}` };
      await send(cwd, { hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: edit });
    }
  };
  const files = (): string[] =>
    readdirSync(join(state, "v2"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const size = (): number => files().reduce((sum, path) => sum + statSync(path).size, 0);
  return { state, project, send, work, files, size };
}

const prompt = { hook_event_name: "UserPromptSubmit", prompt: "go on" };
const begin = { hook_event_name: "SessionStart", source: "startup" };

test("stays within its bound: it is pruned at a prompt, once an hour", async () => {
  const { project, send, work, size } = scene();
  const cwd = project("a");
  await send(cwd, begin);
  await work(cwd, 40);
  expect(size()).toBeGreaterThan(500_000);
  await send(cwd, prompt);
  expect(size()).toBeGreaterThan(500_000);
  await send(cwd, prompt, 2 * hour);
  expect(size()).toBeLessThanOrEqual(500_000);
});

test("forgets projects in which nobody works any more", async () => {
  const { project, send, work, files } = scene();
  const [old, now] = [project("old"), project("now")];
  await send(old, begin);
  await work(old, 3);
  const written = files();
  for (const path of written) utimesSync(path, 1, 1);
  for (let hours = 2; hours < 10; hours += 2) await send(now, prompt, hours * hour);
  expect(files().filter((path) => written.includes(path))).toEqual([]);
});
