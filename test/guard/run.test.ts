/** A guard that has no folder for what it knows. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adapters, hook } from "../../src/guard/index.js";

const asked = async (event: object, env: Record<string, string>) => {
  const input = JSON.stringify({ session_id: "s", cwd: tmpdir(), ...event });
  const adapter = adapters["claude-code"];
  if (!adapter) throw new Error("there is no claude-code");
  const answer = await hook({ adapter, input, env: { KEDGE_STATE: "state", ...env }, clock: Date.now });
  return JSON.stringify(JSON.parse(answer ?? "null"));
};

const begin = { hook_event_name: "SessionStart", source: "startup" };
const edit = {
  ...{ hook_event_name: "PreToolUse", tool_name: "Edit" },
  tool_input: { file_path: "a.txt", old_string: "a", new_string: "b" },
};

test("says so when a conversation begins, and lets edits through", async () => {
  expect(await asked(begin, {})).toMatch(/not guarding: .*KEDGE_STATE/);
  expect(await asked(edit, {})).toBe("null");
});

test("refuses edits if that is wished, with the cause", async () => {
  expect(await asked(edit, { KEDGE_FAIL_CLOSED: "1" })).toMatch(/deny.*KEDGE_STATE/);
});

/** A disk of one mebibyte; null where this user may not mount one. */
function smallDisk(): string | null {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-full-")));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", folder], { stdio: "ignore" });
    onTestFinished(() => {
      execFileSync("umount", [folder]);
      rmSync(folder, { recursive: true });
    });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

test("a disk that fills up in mid-conversation is told to the person, once", async (context) => {
  const state = process.platform === "linux" ? smallDisk() : null;
  if (state === null) return context.skip("this user may not mount a disk");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-full-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".git"));
  const file = join(folder, "a.txt");
  writeFileSync(file, "a\n");
  const ask = (event: object) => asked({ cwd: folder, ...event }, { KEDGE_STATE: state, HOME: folder });
  const read = (text: string) => {
    writeFileSync(file, text);
    const tool_response = {
      type: "text",
      file: { filePath: file, content: text, numLines: 1, startLine: 1 },
    };
    return ask({
      ...{ hook_event_name: "PostToolUse", tool_name: "Read", tool_use_id: "t" },
      ...{ tool_input: { file_path: file }, tool_response },
    });
  };
  const batch = (text: string) => {
    writeFileSync(file, text);
    const call = {
      tool_name: "Read",
      tool_input: { file_path: file },
      tool_use_id: "t",
      tool_response: `1\t${text}`,
    };
    return ask({ hook_event_name: "PostToolBatch", tool_calls: [call] });
  };
  expect(await ask(begin)).toContain("guarding");
  expect(`${await read("a\n")} ${await batch("a\n")}`).not.toContain("not guarding");
  try {
    for (;;) appendFileSync(join(state, "filler"), Buffer.alloc(4096));
  } catch {
    // Full.
  }
  const texts = ["b\n", "c\n", "d\n"];
  const answers: string[] = [];
  for (const text of texts) answers.push(await read(text), await batch(text));
  expect(answers.filter((answer) => /not guarding: .*no space left/.test(answer))).toHaveLength(1);
});
