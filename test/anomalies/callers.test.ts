import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workers } from "./spawn.js";

/** This process is the agent. */
let pool: Awaited<ReturnType<typeof workers>>;
let folder: string;
let who: string;
beforeAll(async () => {
  pool = await workers();
  folder = mkdtempSync(join(tmpdir(), "kedge-callers-"));
  who = `"${process.execPath}" "${pool.program}" '{"kind":"who"}'`;
  writeFileSync(join(folder, "script.sh"), `#!/bin/sh\n${who}\ntrue\n`);
  chmodSync(join(folder, "script.sh"), 0o755);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { who: "./script.sh" } }));
});
afterAll(() => {
  pool.dispose();
  rmSync(folder, { recursive: true });
});

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(KEDGE|CLAUDE|CODEX)_/.test(name)),
);
const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const run = (command: string): string => {
  const { stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: folder, env, encoding: "utf8" });
  expect(stdout, stderr).toMatch(/^[^\n]+\n$/);
  return stdout.trim();
};

const ways: [name: string, command: () => string, needs?: string][] = [
  ["a script with a shebang", () => "./script.sh"],
  ["a function, in a pipe", () => `f() { ${who}; }; f | cat`],
  ["a subshell in the background", () => `(${who}) & wait`],
  ["nothing in the environment", () => `env -i ${who}`],
  ["nohup", () => `nohup ${who} 2>/dev/null | cat`, "nohup"],
  ["a session of its own", () => `setsid -w ${who}`, "setsid"],
  ["xargs and timeout", () => `echo 5 | xargs -I @ timeout @ ./script.sh`, "timeout"],
  ["npm", () => "npm run --silent who"],
  ["git", () => `git -c alias.who='!${folder}/script.sh' who`, "git"],
];

describe.runIf(process.platform === "linux")("the same agent", () => {
  test.each(ways)("%s", (_name, command, needs) => {
    if (needs && !has(needs)) return;
    const direct = run(who);
    expect(direct).toMatch(/^process:/);
    expect([run(command()), run(command())]).toEqual([direct, direct]);
  });
});

describe.runIf(process.platform === "linux" && has("tmux"))("two terminals", () => {
  test("of one tmux are two callers, each the same every time", async () => {
    const socket = join(folder, "tmux");
    const tmux = (...args: string[]): void => {
      expect(spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env }).status).toBe(0);
    };
    const panes = ["one", "two"];
    try {
      for (const pane of panes) {
        tmux("new-session", "-d", "-s", pane, "sh");
        for (let count = 0; count < 2; count++)
          tmux("send-keys", "-t", pane, `${who} >> '${join(folder, pane)}'`, "Enter");
      }
      const lines = (pane: string): string[] => {
        try {
          return readFileSync(join(folder, pane), "utf8").trim().split("\n");
        } catch {
          return [];
        }
      };
      await expect.poll(() => panes.map((pane) => lines(pane).length), { timeout: 60_000 }).toEqual([2, 2]);
      const found = panes.map(lines);
      expect(found.map((ids) => new Set(ids).size)).toEqual([1, 1]);
      expect(new Set(found.flat()).size).toBe(2);
      expect(found.flat().every((id) => id.startsWith("process:sh-"))).toBe(true);
    } finally {
      tmux("kill-server");
    }
  });
});
