import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { keptStates } from "../../src/store/file-states.js";
import { newGround } from "../support/node.js";
import { bench, numbered, outcome, path, tag } from "../support/session.js";
import { finish } from "../support/store.js";

const words = numbered(600);
const set = (line: number, text = "new") => ({
  path,
  edits: [{ op: "set_line" as const, anchor: tag(words, line), text }],
});
const row = (line: number) => ({ path, ranges: [{ start: line, end: line }] });

describe("of an agent with very many showings", () => {
  it("the oldest are forgotten first, no other agent's with them, and the agent is told to read again", async () => {
    const { session } = bench(words);
    const other = session.as("two");
    await other.read(row(500));
    for (let line = 1; line <= 401; line++) await session.read(row(line));
    const refused = await session.edit(set(1));
    expect(outcome(refused)).toBe("!stale");
    expect(refused.text).toMatch(
      /the version in which 1#\w+ was shown is no longer kept\nNext: call read on/,
    );
    expect(outcome(await session.edit(set(2)))).toBe("applied");
    expect(outcome(await other.edit(set(500)))).toBe("applied");
    await session.read(row(1));
    expect(outcome(await session.edit(set(1)))).toBe("applied");
  });
});

describe("of a file with very many states", () => {
  it("the oldest are forgotten first: who was shown those is told to read again, who was shown later ones is not", async () => {
    const at = newGround();
    at.put(path, `${words.replaceAll(" ", "\n")}\n`);
    const store = nodeStore({ state: at.state, workspace: { key: at.root } });
    const files = at.files();
    const session = new Session({ files, store, agent: "one", clock: Date.now });
    const other = session.as("two");
    const { key } = await files.identify(path);
    await session.read({ path });
    const { first, states } = await store.look(key, "one");
    // As 20,000 calls leave them, of which nobody knows what they did.
    const [last] = states.slice(-1) as [readonly unknown[]];
    const more = Array.from({ length: 2 * keptStates }, (_, turn) => [
      `${turn}`.padStart(16, "0"),
      ...last.slice(1),
    ]);
    await finish(store, {
      files: [{ file: key, states: { from: first + states.length, states: more as never } }],
    });
    await other.read({ path });
    expect((await store.look(key, "two")).states.length).toBeLessThanOrEqual(keptStates + 1);
    const refused = await session.edit(set(3));
    expect(outcome(refused)).toBe("!not_read");
    expect(refused.text).toContain("call read on it first");
    expect(outcome(await other.edit(set(3)))).toBe("applied");
    await session.read({ path });
    expect(outcome(await session.edit(set(4)))).toBe("applied");
  });
});

describe("of a workspace with a bound of age", () => {
  it("what was recorded longest ago is forgotten first, for each agent by itself, and is to be read again", async () => {
    const at = newGround();
    at.put(path, `${words.replaceAll(" ", "\n")}\n`);
    const bounds = { age: 86_400_000 };
    const store = nodeStore({ state: at.state, workspace: { key: at.root }, bounds });
    const session = new Session({ files: at.files(), store, agent: "one", clock: Date.now });
    const other = session.as("two");
    for (const one of [session, other]) await one.read({ path });
    const older = Date.now() / 1000 - 90_000;
    for (const name of readdirSync(at.state, { recursive: true }).map((one) => join(at.state, String(one))))
      if (name.endsWith(".json") && readFileSync(name, "utf8").includes('"agent":"one"'))
        utimesSync(name, older, older);
    await store.prune();
    const refused = await session.edit(set(5));
    expect(outcome(refused)).toBe("!not_read");
    expect(refused.text).toContain("call read on it first");
    expect(outcome(await other.edit(set(5)))).toBe("applied");
    await session.read({ path });
    expect(outcome(await session.edit(set(6)))).toBe("applied");
  });
});
