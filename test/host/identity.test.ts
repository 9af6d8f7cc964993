import { describe, expect, test } from "vitest";
import { nodeIo, type Processes, systemProcesses } from "../../src/host/index.js";
import { type Ancestor, parseRow } from "../../src/host/processes.js";
import { agentIdentity } from "../../src/node.js";

const above = (...names: string[]): Ancestor[] =>
  names.map((name, index) => ({ name, pid: 100 - index, start: String(1000 - index) }));
const processes = (...names: string[]): Processes => ({
  ...systemProcesses(nodeIo),
  ancestors: async () => above(...names),
});

describe("who is calling: the first that is there", () => {
  const everything = {
    explicit: "mine",
    env: { KEDGE_SESSION: "env", CLAUDE_CODE_SESSION_ID: "cc", CODEX_THREAD_ID: "cx" },
    connection: "c1",
    processes: processes("bash", "claude"),
  };
  test("an explicit one", async () => {
    expect(await agentIdentity(everything)).toEqual({ id: "mine", source: "explicit" });
  });
  test("KEDGE_SESSION", async () => {
    const { explicit, ...rest } = everything;
    expect(await agentIdentity(rest)).toEqual({ id: "env", source: "environment" });
  });
  test.each([
    [{ CLAUDE_CODE_SESSION_ID: "cc", CODEX_THREAD_ID: "cx" }, "claude-code:cc"],
    [{ CODEX_THREAD_ID: "cx" }, "codex:cx"],
    [{ CLAUDE_CODE_SESSION_ID: "", CODEX_THREAD_ID: "cx" }, "codex:cx"],
  ])("the client's own: %j", async (env, id) => {
    expect(await agentIdentity({ env, connection: "c1" })).toEqual({ id, source: "client" });
    expect(await agentIdentity({ env, subagent: "a7" })).toEqual({ id: `${id}/a7`, source: "client" });
  });
  test("the connection", async () => {
    expect(await agentIdentity({ env: {}, connection: "c1" })).toEqual({
      id: "connection:c1",
      source: "connection",
    });
  });
});

describe("the calling process", () => {
  test.each([
    [["bash", "claude"], "process:claude-99-999"],
    [["zsh", "-bash", "sh", "codex"], "process:codex-97-997"],
    [["npm exec kedge", "sh", "node"], "process:node-98-998"],
    [["timeout", "env", "fish", "python3"], "process:python3-97-997"],
    [["node"], "process:node-100-1000"],
    [["bash", "bash", "tmux: server"], "process:bash-99-999"],
    [["sh", "claude", "bash", "tmux: server"], "process:claude-99-999"],
    [["zsh", "login", "iTerm2"], "process:zsh-100-1000"],
    [["git", "flock", "find", "codex"], "process:codex-97-997"],
  ])("%j", async (names, id) => {
    const found = await agentIdentity({ env: {}, processes: processes(...names) });
    expect(found.source).toBe("process");
    expect(found.id.startsWith(id)).toBe(true);
  });
  test("a shell script by its name, a script that node runs by its own, an odd name", async () => {
    const chain = [
      { name: "wrap.sh", pid: 9, start: "9", runs: ["bash", "wrap.sh"] },
      { name: "node", pid: 8, start: "8", runs: ["node", "pnpm.cjs"] },
      { name: "my agent: 1", pid: 7, start: "7", runs: ["agent"] },
    ];
    const real = { ...systemProcesses(nodeIo), ancestors: async () => chain };
    const { id } = await agentIdentity({ env: {}, processes: real });
    expect(id).toMatch(/^process:my-agent-1-7-7-/);
  });
  test("by ssh: the shell of a terminal, but nobody for a command alone", async () => {
    const chain = processes("bash", "sshd-session", "sshd");
    const env = { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" };
    expect(await agentIdentity({ env, processes: chain })).toMatchObject({ source: "shared" });
    const { id } = await agentIdentity({ env: { ...env, SSH_TTY: "/dev/pts/1" }, processes: chain });
    expect(id).toMatch(/^process:bash-100-1000-/);
  });
  test.each([[[]], [["bash"]], [["bash", "systemd"]], [["sh", "tini"]], [["tmux: server", "systemd"]]])(
    "%j tells nobody: shared, and another one an hour later",
    async (names) => {
      const at = (time: number) =>
        agentIdentity({ env: {}, processes: processes(...names), clock: () => time });
      expect(await at(7_200_000)).toEqual({ id: "shared-2", source: "shared" });
      expect(await at(7_200_001)).toEqual({ id: "shared-2", source: "shared" });
      expect((await at(10_800_000)).id).toBe("shared-3");
    },
  );
  test("is the same for two calls, and has a start", async () => {
    const [one, other] = [await agentIdentity({ env: {} }), await agentIdentity({ env: {} })];
    expect(one).toEqual(other);
  });
  test.runIf(process.platform === "linux")("the real ancestors, nearest first", async () => {
    const found = await systemProcesses(nodeIo).ancestors();
    expect(found[0]?.pid).toBe(process.ppid);
    expect(found.every(({ start }) => /^\d+$/.test(start))).toBe(true);
  });
  test("what ps prints on macOS", () => {
    expect(
      parseRow("  501     1 Mon Nov  2 10:00:00 2026     /Applications/iTerm.app/Contents/MacOS/iTerm2"),
    ).toEqual([[501, { pid: 501, parent: 1, name: "iTerm2", start: "Mon Nov 2 10:00:00 2026" }]]);
    expect(parseRow("garbage")).toEqual([]);
  });
});
