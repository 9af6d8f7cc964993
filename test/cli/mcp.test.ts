import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { Place, program } from "./support.js";

/** A terminal of its own for a command: util-linux has it, others may not. */
const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

test("kedge mcp serves the tools until the client leaves", async () => {
  const place = new Place({ "a.txt": "foo\n" });
  const child = place.start(["mcp", "--root", ".", "--read-only", "--anchors", "hex4"]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    return "id" in message ? JSON.parse((await lines.next()).value as string) : null;
  };
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const hello = await ask({ id: 1, method: "initialize", params });
  expect(hello.result.serverInfo.name).toBe("kedge");
  await ask({ method: "notifications/initialized" });
  const { result } = await ask({ id: 2, method: "tools/list" });
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(["read_file", "grep"]);
  const call = { name: "read_file", arguments: { path: "a.txt" } };
  const read = await ask({ id: 3, method: "tools/call", params: call });
  expect(read.result.content).toEqual([{ type: "text", text: "1#9e91|foo" }]);
  const outside = { name: "read_file", arguments: { path: "../state" } };
  expect((await ask({ id: 4, method: "tools/call", params: outside })).result.isError).toBe(true);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  child.stdin.end();
  expect(await ended).toBe(0);
});

test.skipIf(!hasTerminal)("somebody who starts it at a terminal is told what it waits for", () => {
  const place = new Place();
  const { stdout } = spawnSync("script", ["-qec", `"${process.execPath}" "${program}" mcp`, "/dev/null"], {
    ...{ cwd: place.folder, env: place.env(), input: "\x04", encoding: "utf8" },
  });
  expect(stdout).toContain("waiting for an MCP client on stdin");
});
