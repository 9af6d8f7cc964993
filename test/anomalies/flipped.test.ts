import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { nodeStore } from "../../src/node.js";
import type { EditRequest } from "../../src/session/index.js";
import { Session } from "../../src/session/session.js";
import { faultyIo } from "../support/faulty.js";
import { commit, type Ground, ground, newGround } from "../support/node.js";
import { storing } from "../support/store.js";

const fast = existsSync("/dev/shm") ? "/dev/shm" : undefined;

const inState = (at: Ground, part: string): string =>
  readdirSync(at.state, { recursive: true, encoding: "utf8" })
    .map((name) => join(at.state, name))
    .find((path) => path.includes(part) && !path.endsWith("workspace.json")) as string;

const ledgerIn = (at: Ground): string => {
  const folder = inState(at, `${sep}files${sep}`);
  const [name] = readdirSync(folder).filter((one) => one.endsWith(".json"));
  return join(folder, name as string);
};

/** Each byte in turn has one bit flipped, another one for each. */
function* flips(path: string): Generator<string> {
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const flipped = Uint8Array.from(whole);
    flipped[at] = (flipped[at] as number) ^ (1 << (at % 7));
    writeFileSync(path, flipped);
    yield `byte ${at}, ${JSON.stringify(String.fromCharCode(flipped[at] as number))}`;
  }
  writeFileSync(path, whole);
}

const store = (at: Ground) => nodeStore({ state: at.state, workspace: { key: "w" } });

/** Part of a file shown, part of it edited. */
async function used(at: Ground): Promise<string> {
  at.put("a.txt", Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join(""));
  const files = at.files();
  const session = new Session({ files, store: store(at), agent: "one", clock: () => 1_000_000 });
  await session.read({ path: "a.txt", ranges: [{ start: 1, end: 10 }] });
  const edits: Edit[] = [{ op: "replace_text", old: "line 5\n", new: "five\n" }];
  expect((await session.edit({ path: "a.txt", edits })).isError).toBe(false);
  return (await files.identify("a.txt")).key;
}

test("one bit of a record: it is what was recorded, then or before, or none", async () => {
  const at = newGround(fast);
  const key = await used(at);
  const path = ledgerIn(at);
  const now = await storing(store(at)).file(key);
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.lastIndexOf(10)));
  const before = await storing(store(at)).file(key);
  writeFileSync(path, whole);
  expect(before).not.toEqual(now);
  for (const where of flips(path)) {
    const found = await storing(store(at)).file(key);
    if (found !== null && JSON.stringify(found) !== JSON.stringify(before)) expect(found, where).toEqual(now);
  }
});

test("one bit of the journal: no entry says anything else than it did", async () => {
  const at = newGround(fast);
  await used(at);
  await storing(store(at)).append({
    ...((await store(at).journal())[0] as object),
    id: "e2",
    cause: "é\n",
  } as never);
  const fields = [
    "id",
    "time",
    "agent",
    "kind",
    "path",
    "file",
    "before",
    "after",
    "lines",
    "change",
    "cause",
  ];
  const told = async (): Promise<string[]> =>
    (await store(at).journal()).map((entry) => JSON.stringify(entry, fields));
  const entries = await told();
  expect(entries).toHaveLength(2);
  for (const where of flips(inState(at, `${sep}journal${sep}`)))
    for (const entry of await told()) expect(entries, where).toContain(entry);
});

test("one bit of the plan of a batch: all or nothing is undone, and nothing else is touched", async () => {
  const made = (): Ground & { dispose(): void } => {
    const at = ground(fast);
    at.put("a.txt", "old a");
    at.put("b.txt", "old b");
    return at;
  };
  const half = async (at: Ground): Promise<string> => {
    // The second file cannot be written, nor the first be brought back.
    const only = (call: string, args: readonly unknown[]): boolean =>
      /^rename /.test(call) && /b\.txt$|a\.txt$/.test(String(args[1]));
    let seen = 0;
    const { io } = faultyIo({
      at: 1,
      error: "EIO",
      forGood: true,
      only: (...call) => only(...call) && ++seen > 1,
    });
    await expect(commit(at.files({ io }), { "a.txt": "new a", "b.txt": "new b" })).rejects.toThrow(
      "next start",
    );
    return inState(at, ".apply");
  };
  const first = made();
  const size = readFileSync(await half(first)).length;
  first.dispose();
  for (let byte = 0; byte < size; byte += 3) {
    const at = made();
    at.put("keep.txt", "kept");
    const path = await half(at);
    const plan = readFileSync(path);
    plan[byte % plan.length] = (plan[byte % plan.length] as number) ^ (1 << (byte % 7));
    writeFileSync(path, plan);
    const reports: string[] = [];
    const files = at.files({ report: (line) => void reports.push(line) });
    await files.recover();
    const text = at.get("a.txt");
    const where = `byte ${byte}: ${reports.join()}`;
    if (!reports.join().includes("cannot be read")) expect(text, where).toBe("old a");
    else expect(text, where).toBe("new a");
    expect([at.get("b.txt"), at.get("keep.txt")], where).toEqual(["old b", "kept"]);
    expect(await commit(at.files(), { "a.txt": "later", "b.txt": "later" }), where).toBe(true);
    at.dispose();
  }
});

test("a ledger of an earlier shape is none: the file is read again", async () => {
  const at = newGround(fast);
  const key = await used(at);
  const path = ledgerIn(at);
  // biome-ignore lint/suspicious/noExplicitAny: what is in a ledger is its own affair
  const record = structuredClone(await storing(store(at)).file(key)) as any;
  delete record.whole;
  delete record.takenBack;
  record.showings = (record.showings as unknown[][]).map((showing) => showing.slice(0, 8));
  writeFileSync(path, `\n${JSON.stringify({ key, agent: "one", record: { ...record, format: 1 } })}`);
  const session = new Session({ files: at.files(), store: store(at), agent: "one", clock: () => 2_000_000 });
  const rows = (await session.read({ path: "a.txt" })).text.split("\n");
  const again: EditRequest = {
    path: "a.txt",
    edits: [{ op: "set_line", anchor: rows[3] ?? "", text: "four" }],
  };
  expect((await session.edit(again)).text).not.toContain("REJECTED");
  const other = new Session({ files: at.files(), store: store(at), agent: "two", clock: () => 2_000_000 });
  await other.read({ path: "a.txt" });
  expect((await session.undo({ path: "a.txt" })).isError).toBe(false);
});

test.each([
  ["not an object", "[1]"],
  ["nothing but a name", '{"id":"x","time":1}'],
  ["lines that are none", "LINES"],
  ["a kind that is none", "KIND"],
])("a line of the journal that is not an entry is passed over: %s", async (_, given) => {
  const at = newGround(fast);
  await used(at);
  const path = inState(at, `${sep}journal${sep}`);
  const entries = await store(at).journal();
  const wrong = { LINES: { lines: null }, KIND: { kind: 5 } }[given];
  const [whole = ""] = readFileSync(path, "utf8").split("\n");
  const { sum, ...fields } = JSON.parse(whole);
  expect(sum).toBeDefined();
  const line = wrong ? JSON.stringify({ ...fields, ...wrong }) : given;
  writeFileSync(path, `${line}\n${whole}\n`);
  expect(await store(at).journal()).toEqual(entries);
  expect(await store(at).damage()).toMatchObject({ lines: 1 });
});
