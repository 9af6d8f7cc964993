/** Every door of a fleet, by the built program: each host has a state folder and a configuration of its own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { databaseUrl } from "./database.js";
import { newTree } from "./fleet.js";

const url = databaseUrl() as string;
const program = join(import.meta.dirname, "../../dist/bin.cjs");
const hook = join(import.meta.dirname, "../../dist/hook.cjs");

function newHosts() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "kedge-doors-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, empty] = [join(base, "tree"), join(base, "empty")];
  mkdirSync(root);
  mkdirSync(empty);
  writeFileSync(join(root, "a.txt"), "alpha\nbeta\ngamma\ndelta\n");
  const tree = newTree();
  const host = (name: string) => {
    const home = join(base, name);
    mkdirSync(join(home, "config/kedge"), { recursive: true });
    writeFileSync(join(home, "config/kedge/config.json"), JSON.stringify({ store: { url, tree } }));
    const env = {
      ...{ PATH: process.env.PATH ?? "", HOME: home, XDG_CONFIG_HOME: join(home, "config") },
      ...{ KEDGE_STATE: join(home, "state"), NO_COLOR: "1" },
    };
    const options = { cwd: root, env, encoding: "utf8" as const, timeout: 60_000 };
    return {
      env,
      run: (args: readonly string[], cwd = root) =>
        spawnSync(process.execPath, [program, ...args], { ...options, cwd }),
      hook: (event: object) =>
        spawnSync(process.execPath, [hook, "claude-code", "--state", join(home, "state")], {
          ...options,
          input: JSON.stringify(event),
        }),
    };
  };
  return { root, empty, tree, one: host("one"), two: host("two") };
}

const anchorIn = (rows: string, text: string): string =>
  rows
    .split("\n")
    .find((row) => row.endsWith(`|${text}`))
    ?.split("|")[0] ?? "";

/** What the page of a view answers to a restore. */
async function restoredAt(env: Record<string, string>, cwd: string): Promise<[number, unknown]> {
  const view = spawn(process.execPath, [program, "ui", "--no-open"], { cwd, env });
  onTestFinished(() => void view.kill());
  const [printed] = (await once(view.stdout, "data")) as [Buffer];
  const [base, code] = String(printed).trim().split("/#");
  const post = (path: string, body: object, more = {}) =>
    fetch(`${base}${path}`, {
      ...{ method: "POST", headers: { "content-type": "application/json", ...more } },
      body: JSON.stringify(body),
    });
  const { key } = (await (await post("/api/key", { code })).json()) as { readonly key: string };
  const answer = await post("/api/restore", { ids: ["x"] }, { authorization: `Bearer ${key}` });
  return [answer.status, await answer.json()];
}

describe.skipIf(databaseUrl() === null)("the doors of a fleet", () => {
  test("the command line: shown on one host, edited, undone and told of on the other", async () => {
    const { one, two, empty, tree } = newHosts();
    const rows = one.run(["read", "a.txt", "--session", "A"]).stdout;
    const edited = two.run(["edit", "a.txt", anchorIn(rows, "beta"), "BETA", "--session", "A"]);
    expect(edited.stderr + edited.stdout).toContain("a.txt edited");
    const stale = one.run(["edit", "a.txt", anchorIn(rows, "beta"), "other", "--session", "B"]);
    expect(stale.status).toBe(4);
    for (const command of [["log"], ["session", "list"], ["stats"], ["lost"]])
      expect(one.run(command).status, command.join(" ")).toBe(0);
    expect(one.run(["log"]).stdout).toMatch(/A\s+edited\s+a\.txt:2/);
    expect(one.run(["doctor"]).stdout).toMatch(
      new RegExp(`ok {2}store .*tree ${tree}: PostgreSQL .* 3 entries by 2 agents`),
    );
    // A person who has not the tree sees what goes on, and can change nothing.
    const state = one.run(["watch", "--once", "--json"], empty).stdout.split("\n")[0] ?? "";
    expect(JSON.parse(state)).toMatchObject({
      type: "state",
      state: { repository: tree, actions: false },
    });
    expect(one.run(["watch", "--once"], empty).stdout).toMatch(/a\.txt +not here/);
    expect(await restoredAt(one.env, empty)).toEqual([
      403,
      { error: "the files of this tree are not on this machine" },
    ]);
    expect(one.run(["log"], empty).stdout).toContain("a.txt");
    expect(one.run(["read", join(empty, "a.txt")], empty).status).not.toBe(0);
    expect(one.run(["undo", "--session", "A"]).status).toBe(0);
    expect(two.run(["log", "--max", "1"]).stdout).toContain("undone");
  });

  test("the guard on one host stops an edit of what another host changed since it was read", () => {
    const { one, two, root } = newHosts();
    const path = join(root, "a.txt");
    const event = (name: string, more: object) => ({
      ...{ session_id: "s1", transcript_path: join(root, "../none.jsonl"), cwd: root, hook_event_name: name },
      ...more,
    });
    // What the conversation was shown on one host counts on the other.
    expect(two.run(["read", "a.txt", "--session", "claude-code:s1"]).status).toBe(0);
    const edit = (old: string) =>
      event("PreToolUse", {
        ...{ tool_name: "Edit", tool_use_id: "t2" },
        tool_input: { file_path: path, old_string: old, new_string: "mine", replace_all: false },
      });
    expect(one.hook(edit("delta")).stdout).not.toContain("deny");
    const rows = two.run(["read", "a.txt", "--session", "B"]).stdout;
    expect(two.run(["edit", "a.txt", anchorIn(rows, "beta"), "theirs", "--session", "B"]).status).toBe(0);
    const refused = one.hook(edit("beta")).stdout;
    expect(refused).toContain("deny");
    expect(refused).toContain("theirs");
    expect(two.hook(edit("gamma")).stdout).not.toContain("deny");
  });

  test("MCP on stdio: read through one server, edited through another", async () => {
    const { one, two, root } = newHosts();
    const open = async (env: Record<string, string>) => {
      const client = new Client({ name: "test", version: "1" });
      const transport = new StdioClientTransport({
        ...{ command: process.execPath, args: [program, "mcp", "--root", root], cwd: root, env },
        stderr: "pipe",
      });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return async (name: string, given: Record<string, unknown>): Promise<string> => {
        const result = await client.callTool({ name, arguments: { ...given, session: "A" } });
        return (result.content as { text: string }[]).map(({ text }) => text).join("\n");
      };
    };
    const [first, second] = [await open(one.env), await open(two.env)];
    const rows = await first("read_file", { path: "a.txt" });
    const edits = [{ op: "set_line", anchor: anchorIn(rows, "gamma"), text: "GAMMA" }];
    expect(await second("edit_file", { path: "a.txt", edits })).toContain("edited");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("alpha\nbeta\nGAMMA\ndelta\n");
  });
});
