/**
 * The MCP inspector as a client that is not ours. It takes 300 MB and a Node of its own, so it is fetched on demand
 * (KEDGE_CLIENTS=1) into a cache outside the tree; otherwise these tests are skipped, and say so.
 */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program, type Workspace, workspace } from "./program.js";

const packages = [
  "@modelcontextprotocol/inspector@2.12.0",
  `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@24`,
];
const cache = join(
  process.env.KEDGE_CLIENTS_CACHE ?? join(homedir(), ".cache", "kedge-clients"),
  "inspector",
);
const installed = (spec: string): string => join(cache, "node_modules", spec.replace(/(.)@.*/, "$1"));
const isThere = (): boolean => packages.every((spec) => existsSync(installed(spec)));

const wanted = Boolean(process.env.KEDGE_CLIENTS);
if (wanted && !isThere()) {
  mkdirSync(cache, { recursive: true });
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", cache];
  spawnSync("npm", ["install", ...flags, ...packages], {
    cwd: cache,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 300_000,
  });
}
const canRun = wanted && isThere();
if (!canRun) console.log("skipped: the MCP inspector; KEDGE_CLIENTS=1 fetches and runs it");

const source = "one\ntwo\nthree\n";

const doors = ["stdio", "HTTP"].flatMap((door) => ["legacy", "modern"].map((era) => ({ door, era })));

/** Starts a server for callers with a token, and returns the options by which it is asked. */
async function overHttp({ root, env }: Workspace): Promise<{ options: string[]; stop: () => void }> {
  const kedge = [program, "token", "add", "inspector"];
  const token = execFileSync(process.execPath, kedge, { cwd: root, env, encoding: "utf8" }).trim();
  const child = spawn(process.execPath, [program, "serve", "--http", "0", "--root", root], { env });
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line).split("\n")[0] as string);
  const header = ["--header", `Authorization: Bearer ${token}`];
  return { options: ["--transport", "http", "--server-url", url, ...header], stop: () => child.kill() };
}

describe.skipIf(!canRun).each(doors)("the MCP inspector over $door, $era protocol", ({ door, era }) => {
  let place: Workspace;
  let served: Awaited<ReturnType<typeof overHttp>> | null = null;
  beforeAll(async () => {
    place = workspace({ "a.ts": source });
    if (door === "HTTP") served = await overHttp(place);
  });
  afterAll(() => {
    served?.stop();
    place.remove();
  });

  const inspect = async (...args: string[]) => {
    const entry = join(installed(packages[0] as string), "clients", "launcher", "build", "index.js");
    const node = join(
      installed(packages[1] as string),
      "bin",
      process.platform === "win32" ? "node.exe" : "node",
    );
    const env = Object.entries({ KEDGE_STATE: place.env.KEDGE_STATE, KEDGE_SESSION: era });
    const variables = env.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const server = served ? [] : [process.execPath, program, "mcp"];
    const how = served ? served.options : ["--cwd", place.root, ...variables];
    const options = ["--format", "json", "--quiet", "--protocol-era", era, ...how];
    return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
      const command = [entry, "--cli", ...options, ...args, ...server];
      execFile(node, command, { env: place.env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  };

  const call = async (name: string, args: object) => {
    const given = ["--tool-name", name, "--tool-args-json", JSON.stringify(args)];
    const { stdout, stderr } = await inspect("--method", "tools/call", ...given);
    const message = JSON.parse(stdout.trim() === "" ? stderr : stdout);
    const result = message.result ?? message;
    return { text: result.content?.[0]?.text as string, isError: result.isError === true };
  };

  test("lists every tool, and finds nothing to complain of", async () => {
    const { status, stdout, stderr } = await inspect("--method", "tools/list", "--strict");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const { tools } = JSON.parse(stdout).result ?? JSON.parse(stdout);
    const names = tools.map((tool: { name: string }) => tool.name);
    expect(names).toEqual(["read_file", "edit_file", "multi_edit", "write_file", "grep"]);
  });

  test("calls every tool, refusals included", async () => {
    const edits = [{ op: "append", text: "four" }];
    const unread = await call("edit_file", { path: "a.ts", edits });
    expect(unread).toMatchObject({ isError: true });
    expect(unread.text).toContain("a.ts was not read in this session: call read_file on it first");
    const read = await call("read_file", { path: "a.ts" });
    expect(read.text).toMatch(/^1#\w{6}\|one\n/);
    expect(await call("edit_file", { path: "a.ts", edits })).toMatchObject({ isError: false });
    const files = [{ path: "b.ts", edits: [{ op: "create_file", text: "b\n" }] }];
    expect(await call("multi_edit", { files })).toMatchObject({ isError: false });
    expect(await call("write_file", { path: "c.ts", content: "c\n" })).toMatchObject({ isError: false });
    expect((await call("grep", { pattern: "four" })).text).toContain("|four");
    const bad = await call("edit_file", {
      path: "a.ts",
      edits: [{ op: "set_line", anchor: "2", text: "x" }],
    });
    expect(bad).toMatchObject({ isError: true });
    expect(place.text("a.ts")).toBe(`${source}four\n`);
  });
});
