/** Servers on several hosts, with one tree and one database. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addToken } from "../../src/serve/index.js";
import { four, Place } from "../cli/support.js";
import { anchor, Served } from "../serve/support.js";
import { databaseUrl } from "./database.js";
import { newTree, openHost } from "./fleet.js";
import { postgresHome, startPostgres } from "./postgres.js";
import { soak } from "./soak.js";

const url = databaseUrl() as string;

/** A tree of files that hosts share, each with a state folder of its own. */
async function fleet(files: Readonly<Record<string, string>>, agents: number, database = url) {
  const place = new Place(files);
  const tree = newTree();
  const host = openHost(database, { tree, root: place.folder });
  onTestFinished(() => host.dispose());
  const tokens: string[] = [];
  for (let at = 0; at < agents; at++) {
    const made = { name: `agent-${at}`, rights: null, days: null, now: Date.now() };
    tokens.push((await addToken(host.store, made)).secret);
  }
  let hosts = 0;
  const start = (http = "0", args: readonly string[] = []) => {
    hosts += 1;
    const state = join(place.scratch, `state-${hosts}`);
    mkdirSync(state, { mode: 0o700 });
    return Served.start(
      place,
      ["--store", database, "--tree", tree, "--calls", "1000000", ...args],
      http,
      state,
    );
  };
  return { place, tree, store: host.store, tokens, start };
}

describe.skipIf(url === null)("two servers on PostgreSQL", () => {
  test("read through one, edit through the other; a handle of one is used at the other, once", async () => {
    const { place, tokens, start } = await fleet({ "a.ts": four }, 1);
    const [token = ""] = tokens;
    const [one, other] = await Promise.all([start(), start()]);
    const shown = await one.call(token, "read_file", { path: "a.ts" });
    place.put("a.ts", `zero\n${four.replace("four", "changed")}`);
    const edit = (line: number, text: string) => ({
      path: "a.ts",
      edits: [{ op: "set_line", anchor: anchor(shown, line), text }],
    });
    expect((await other.call(token, "edit_file", edit(2, "zwei"))).isError).toBe(false);
    const { retry } = (await other.call(token, "edit_file", edit(4, "vier"))).details;
    expect(retry).toMatch(/^r/);
    const again = await Promise.all(
      [one, other].map((at) => at.call(token, "edit_file", { path: "a.ts", retry })),
    );
    expect(again.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(place.text("a.ts")).toBe("zero\none\nzwei\nthree\nvier\n");
  });

  test("64 agents: every accepted edit is in the files exactly once", async () => {
    const names = Array.from({ length: 16 }, (_, at) => `f${at}.txt`);
    const { place, tokens, start } = await fleet(Object.fromEntries(names.map((name) => [name, four])), 64);
    const servers = await Promise.all([start(), start()]);
    const accepted: string[] = [];
    await Promise.all(
      tokens.map(async (token, at) => {
        const path = names[at % names.length] as string;
        for (let round = 0; round < 3; round++) {
          const shown = await (servers[(at + round) % 2] as Served).call(token, "read_file", { path });
          const text = `${at}.${round}.`;
          const edits = [{ op: "insert_after", anchor: anchor(shown, 1), text }];
          const server = servers[(at + round + 1) % 2] as Served;
          if (!(await server.call(token, "edit_file", { path, edits })).isError) accepted.push(text);
        }
      }),
    );
    const lines = names.flatMap((name) => place.text(name).split("\n"));
    expect(lines.filter((line) => line.endsWith(".")).sort()).toEqual(accepted.sort());
    expect(accepted.length).toBeGreaterThan(150);
  });

  test("a token is known to all, and a revoked one to nobody", async () => {
    const { place, tokens, tree, start } = await fleet({ "a.ts": four }, 1);
    const [token = ""] = tokens;
    const servers = await Promise.all([start(), start()]);
    const statuses = () =>
      Promise.all(servers.map(async (one) => (await one.ask({ path: "/metrics", token })).status));
    expect(await statuses()).toEqual([200, 200]);
    place.ok("token", "revoke", "agent-0", "--store", url, "--tree", tree);
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([401, 401]);
    expect((await servers[0]?.ask({ path: "/readyz" }))?.status).toBe(200);
  });

  test("while the database is gone calls are refused as busy with the cause, and then it goes on by itself", async ({
    skip,
  }) => {
    const home = process.env.KEDGE_TEST_POSTGRES ? null : await postgresHome();
    if (home === null) return skip("this PostgreSQL is not ours to stop");
    const postgres = await startPostgres(home);
    onTestFinished(() => postgres.dispose());
    const { place, tokens, start } = await fleet({ "a.ts": four }, 1, postgres.url);
    const [token = ""] = tokens;
    const server = await start();
    const shown = await server.call(token, "read_file", { path: "a.ts" });
    const edit = { path: "a.ts", edits: [{ op: "set_line", anchor: anchor(shown, 1), text: "eins" }] };
    await postgres.stop("immediate");
    const refused = await server.call(token, "edit_file", edit);
    expect(refused).toMatchObject({ status: 200, isError: true, details: { code: "busy" } });
    expect(refused.text).toContain("the store cannot be reached");
    expect(refused.text).not.toMatch(/127\.0\.0\.1|postgres:/);
    expect((await server.ask({ path: "/readyz" })).status).toBe(503);
    expect((await server.ask({ path: "/healthz" })).status).toBe(200);
    expect((await server.ask({ body: "{}", token: "kedge_wrong" })).status).toBe(401);
    expect(place.text("a.ts")).toBe(four);
    await postgres.start();
    const isDone = async () => !(await server.call(token, "edit_file", edit)).isError;
    await expect.poll(isDone, { timeout: 60_000 }).toBe(true);
    expect(place.text("a.ts")).toBe(four.replace("one", "eins"));
    await expect.poll(async () => (await server.ask({ path: "/readyz" })).status).toBe(200);
  });

  // KEDGE_SOAK=600 for ten minutes.
  test("killed in turn every few seconds: every accepted edit exactly once, memory and connections flat", async () => {
    const seconds = Number(process.env.KEDGE_SOAK ?? 20);
    const names = Array.from({ length: 24 }, (_, at) => `f${at}.txt`);
    const { place, tokens, start } = await fleet(Object.fromEntries(names.map((name) => [name, four])), 64);
    const steady = await start();
    const killed = await Promise.all([start(), start()]);
    const result = await soak({
      seconds,
      names,
      tokens,
      steady,
      killed,
      restart: (port) => start(port),
      url,
    });
    console.log(`soak: ${JSON.stringify(result.figures)}`);
    const texts = new Map(names.map((name) => [name, readFileSync(place.path(name), "utf8").split("\n")]));
    const all = [...texts.values()].flat().filter((line) => line.endsWith("."));
    expect(new Set(all).size, "no edit is there twice").toBe(all.length);
    const there = new Set(all.map((line) => line));
    expect(
      result.accepted.filter((text) => !there.has(text)),
      "no accepted edit is gone",
    ).toEqual([]);
    const known = new Set([...result.accepted, ...result.unknown]);
    expect(
      all.filter((line) => !known.has(line)),
      "no refused edit is there",
    ).toEqual([]);
    for (const [one, other] of result.batches)
      expect(there.has(one), "a batch is whole").toBe(there.has(other));
    expect(readdirSync(place.folder).sort()).toEqual([...names].sort());
    expect(result.accepted.length).toBeGreaterThan(tokens.length);
    expect(result.kills).toBeGreaterThan(1);
    const [before, after] = [result.samples[0], result.samples.at(-1)];
    expect(after?.connections).toBeLessThanOrEqual(Math.max(60, 1.5 * (before?.connections ?? 0)));
    expect(after?.memory).toBeLessThan(1.5 * (before?.memory ?? 0) + 100e6);
  }, 1_800_000);
});
