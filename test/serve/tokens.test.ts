import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findWorkspace, nodeStore } from "../../src/node.js";
import { type LedgerStore, memoryStore, tokensRecord } from "../../src/ports/index.js";
import { addToken, revokeToken, tokensIn } from "../../src/serve/index.js";
import { KnownTokens } from "../../src/serve/known-tokens.js";
import { newGround, treeOf } from "../support/node.js";

const all = { readOnly: false, paths: null };
const add = (
  store: LedgerStore,
  name: string,
  rights: Parameters<typeof addToken>[1]["rights"] = null,
  now = 0,
) => addToken(store, { name, rights, days: null, now });

test("the record has the hash of a token, and nothing that gives it away", async () => {
  const place = newGround();
  const store = nodeStore({ state: place.state, workspace: findWorkspace(place.root) });
  const { secret } = await add(store, "builder");
  expect(secret).toMatch(/^kedge_[\w-]{43}$/);
  expect(JSON.stringify(treeOf(place.state))).not.toContain(secret.slice(6, 20));
  expect(JSON.stringify(await tokensIn(store))).not.toContain(secret.slice(6, 20));
});

test("many that are made at once are all there", async () => {
  const store = memoryStore();
  const made = await Promise.all(Array.from({ length: 20 }, (_, at) => add(store, `agent-${at}`)));
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(20);
  expect(await tokensIn(store)).toHaveLength(20);
});

test("a name keeps its rights: a second token has them, and others are refused until it is revoked", async () => {
  const store = memoryStore();
  const docs = { readOnly: true, paths: ["docs/**", "README.md"] };
  await add(store, "reviewer", docs);
  expect((await add(store, "reviewer")).token).toMatchObject(docs);
  expect(
    (await add(store, "reviewer", { ...docs, paths: ["README.md", "docs/**"] })).token.secrets,
  ).toHaveLength(3);
  for (const wider of [all, { ...docs, readOnly: false }, { ...docs, paths: ["**"] }])
    await expect(add(store, "reviewer", wider)).rejects.toThrow(
      /reviewer may only read docs\/\*\* README\.md/,
    );
  expect(await revokeToken(store, "reviewer")).toBe(3);
  expect((await add(store, "reviewer", all)).token).toMatchObject(all);
});

test.each(["", "a/b", "../x", "a b", "x".repeat(65), "-x", "é", "a\n"])("%j is no name", async (name) => {
  await expect(add(memoryStore(), name)).rejects.toMatchObject({ code: "bad_request" });
});

test("a running server sees new tokens and revoked ones within a second, and the end of one at once", async () => {
  const store = memoryStore();
  let [now, ticks] = [0, 0];
  const known = new KnownTokens(store, { now: () => now, ticks: () => ticks });
  await known.refresh();
  expect(known.isClosed).toBe(false);
  const { secret } = await addToken(store, { name: "brief", rights: null, days: 1, now });
  ticks += 1001;
  await known.refresh();
  expect(known.holderOf(secret)).toMatchObject({ isEnded: false, token: { name: "brief" } });
  now = 86_400_000;
  expect(known.holderOf(secret)).toMatchObject({ isEnded: true });
  // A clock that was put back makes no other token good.
  expect(known.holderOf(`${secret}x`)).toBeNull();
  await revokeToken(store, "brief");
  ticks += 1001;
  await known.refresh();
  expect(known.holderOf(secret)).toBeNull();
  expect(known.isClosed).toBe(true);
});

test("while the store is out of reach the last look counts for five minutes, then nobody gets in", async () => {
  const inner = memoryStore();
  const { secret } = await add(inner, "builder");
  let isThere = true;
  let ticks = 0;
  const record: LedgerStore["record"] = async (name) => {
    if (!isThere) throw new Error("connection refused");
    return inner.record(name);
  };
  const known = new KnownTokens({ record }, { now: () => 1, ticks: () => ticks });
  await known.refresh();
  isThere = false;
  ticks += 299_000;
  await known.refresh();
  expect(known.holderOf(secret)).not.toBeNull();
  ticks += 2000;
  await expect(known.refresh()).rejects.toThrow("connection refused");
  isThere = true;
  await known.refresh();
  expect(known.holderOf(secret)).not.toBeNull();
});

test("a record that cannot be understood lets nobody in", async () => {
  const store = memoryStore();
  await store.putRecord(tokensRecord, null);
  expect(await tokensIn(store)).toEqual([]);
  const known = new KnownTokens(store);
  await known.refresh();
  expect(known.isClosed).toBe(true);
});

test("no bound of age removes tokens from a state folder", async () => {
  const place = newGround();
  const store = nodeStore({ state: place.state, workspace: findWorkspace(place.root) });
  await add(store, "builder");
  await store.putRecord("something else", 1);
  for (const path of Object.keys(treeOf(place.state))) utimesSync(join(place.state, path), 1, 1);
  expect((await store.prune()).removed).toBeGreaterThan(0);
  expect(await store.record("something else")).toBeNull();
  expect(await tokensIn(store)).toHaveLength(1);
});
