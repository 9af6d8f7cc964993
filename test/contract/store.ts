import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileId, FileOutcome, JournalEntry, Json, LedgerStore, Outcome } from "../../src/ports/index.js";
import { agentRecord } from "../../src/ports/index.js";

export interface StoreBench {
  readonly store: LedgerStore;
  dispose?(): Promise<void> | void;
}

const plain = (bytes: Uint8Array | null): number[] | null => bytes && [...bytes];

/** Keys that a file name could not hold, and pairs that a careless one would mix up. */
const keys = [
  "/work/a.ts",
  "/work/A.ts",
  "C:\\work\\a.ts",
  "../../etc/passwd",
  ".",
  "",
  "a\nb\u0000c",
  "ü",
  "u\u0308",
  "\u{1f600}/".repeat(200),
  "constructor",
  "__proto__",
];

const records: Json[] = [null, true, 0, "text", [], {}, { a: [1, { b: "ü\n" }] }, "x".repeat(200_000)];

function entry(number: number, more: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id: `e${number}`,
    time: number * 1000,
    agent: "one",
    tool: "edit_file",
    kind: "commit",
    path: "a.ts",
    file: "/work/a.ts",
    before: "1111111111111111",
    after: "2222222222222222",
    lines: [{ start: 1, end: 2 }],
    ...more,
  };
}

const nothing: Outcome = { files: [], versions: [], entries: [], records: [] };
const fileOf = (key: string): FileId => ({ key, path: key, keep: true });
const ids = (entries: readonly JournalEntry[]): string[] => entries.map(({ id }) => id);

/**
 * What every implementation of `LedgerStore` must hold.
 *
 * @example
 * storeContract("my store", async () => ({ store: myStore() }));
 */
export function storeContract(name: string, make: () => Promise<StoreBench> | StoreBench): void {
  describe(`store: ${name}`, () => {
    let bench: StoreBench;
    beforeEach(async () => {
      bench = await make();
    });
    afterEach(() => bench.dispose?.());
    const made: Made = {
      store: () => bench.store,
      finish: (outcome, agent = "one") => {
        const held = [...new Set((outcome.files ?? []).flatMap(({ file, like }) => [file, like ?? file]))];
        return bench.store.unit(held.map(fileOf), agent, (unit) => unit.finish({ ...nothing, ...outcome }));
      },
    };
    ledgers(made);
    states(made);
    moves(made);
    namedRecords(made);
    versions(made);
    journal(made);
    journalNews(made);
  });
}

interface Made {
  readonly store: () => LedgerStore;
  readonly finish: (outcome: Partial<Outcome>, agent?: string) => Promise<void>;
}

const shown = (file: string, record: Json): FileOutcome => ({ file, ledger: { record, since: 0 } });

function ledgers({ store, finish }: Made): void {
  describe("ledgers", () => {
    test("are null where nothing was recorded", async () => {
      expect(await store().look("unknown", "one")).toEqual({ first: 0, states: [], ledger: null });
    });
    test("come back as they were, whatever key and content, by file and agent", async () => {
      for (const file of keys) {
        await finish({ files: [shown(file, { file })] }, "one");
        await finish({ files: [shown(file, { file, who: 2 })] }, file);
      }
      for (const file of keys) {
        expect((await store().look(file, "one")).ledger).toEqual({ file });
        expect((await store().look(file, file)).ledger).toEqual({ file, who: 2 });
        expect((await store().look(file, "three")).ledger).toBeNull();
      }
      for (const record of records) {
        await finish({ files: [shown("/work/a.ts", record)] });
        expect((await store().look("/work/a.ts", "one")).ledger).toEqual(record);
      }
    });
    test("are there for the unit that holds the file, and for the next one", async () => {
      await store().unit([fileOf("k")], "one", async (unit) => {
        expect(await unit.look("k", "one")).toEqual({ first: 0, states: [], ledger: null });
        await unit.finish({
          ...nothing,
          files: [{ ...shown("k", [1]), states: { from: 0, states: ["s"] } }],
        });
      });
      const found = await store().unit([fileOf("k")], "one", (unit) => unit.look("k", "one"));
      expect(found).toEqual({ first: 0, states: ["s"], ledger: [1] });
    });
    test("are named all together", async () => {
      expect(await store().ledgers()).toEqual([]);
      for (const [file, agent] of [
        ["/a", "one"],
        ["/a", "two"],
        ["/b", "one"],
      ] as const)
        await finish({ files: [{ ...shown(file, { agent }), states: { from: 0, states: [1] } }] }, agent);
      await finish({ files: [shown("/a", { agent: "again" })] }, "one");
      const found = (await store().ledgers()).map(({ file, agent, ledger }) =>
        JSON.stringify([file, agent, ledger]),
      );
      expect(found.toSorted()).toEqual([
        '["/a","one",{"agent":"again"}]',
        '["/a","two",{"agent":"two"}]',
        '["/b","one",{"agent":"one"}]',
      ]);
    });
    test("of units that end with an error are those before", async () => {
      await finish({ files: [shown("k", 1)] });
      const failing = store().unit([fileOf("k")], "one", async () => {
        throw new Error("stop");
      });
      await expect(failing).rejects.toThrow("stop");
      expect((await store().look("k", "one")).ledger).toBe(1);
    });
  });
}

function states({ store, finish }: Made): void {
  describe("states", () => {
    const at = async (agent = "one") => {
      const { first, states } = await store().look("/work/a.ts", agent);
      return Object.fromEntries(states.map((state, index) => [first + index, state]));
    };
    const set = (from: number, given: readonly Json[], since = 0) =>
      finish({
        files: [{ file: "/work/a.ts", states: { from, states: given }, ledger: { record: {}, since } }],
      });

    test("are added, and replaced from a number on", async () => {
      await set(0, [["a", 1], { b: "ü\n" }]);
      await set(2, ["c", "d"]);
      expect(await at()).toEqual({ 0: ["a", 1], 1: { b: "ü\n" }, 2: "c", 3: "d" });
      await set(3, ["D"]);
      await set(1, ["B", null]);
      expect(await at()).toEqual({ 0: ["a", 1], 1: "B", 2: null });
    });
    test("keep their numbers, however many there are, and the last are always there", async () => {
      for (let from = 0; from < 1200; from += 100)
        await set(
          from,
          Array.from({ length: 100 }, (_, index) => from + index),
          Math.max(0, from - 10),
        );
      const found = await at();
      for (let number = 1090; number < 1200; number++) expect(found[number]).toBe(number);
      for (const [number, state] of Object.entries(found)) expect(state).toBe(Number(number));
    });
    test("go back as far as the ledger of the agent refers to", async () => {
      for (let number = 0; number < 200; number++)
        await finish(
          { files: [{ file: "/work/a.ts", states: { from: number, states: [number] } }] },
          "other",
        );
      await finish({ files: [{ file: "/work/a.ts", ledger: { record: {}, since: 20 } }] }, "one");
      expect((await at())[20]).toBe(20);
      expect((await at("new"))[199]).toBe(199);
    });
    test("of files do not mix", async () => {
      await set(0, ["a"]);
      await finish({ files: [{ file: "/work/b.ts", states: { from: 0, states: ["b"] } }] });
      expect((await store().look("/work/a.ts", "one")).states).toEqual(["a"]);
      expect((await store().look("/work/b.ts", "one")).states).toEqual(["b"]);
    });
  });
}

function moves({ store, finish }: Made): void {
  describe("a file that moves", () => {
    const begin = async (): Promise<void> => {
      await finish({ files: [{ ...shown("/a", "one"), states: { from: 0, states: [0, 1] } }] }, "one");
      await finish({ files: [shown("/a", "two")] }, "two");
      await finish({ files: [{ ...shown("/b", "old"), states: { from: 0, states: ["old"] } }] }, "two");
    };
    test("takes the records of everybody along", async () => {
      await begin();
      await finish({
        files: [
          { file: "/a", isGone: true },
          { file: "/b", like: "/a", states: { from: 2, states: [2] }, ledger: { record: "new", since: 0 } },
        ],
      });
      expect(await store().look("/b", "one")).toMatchObject({ states: [0, 1, 2], ledger: "new" });
      expect(await store().look("/b", "two")).toMatchObject({ states: [0, 1, 2], ledger: "two" });
      expect(await store().look("/a", "two")).toEqual({ first: 0, states: [], ledger: null });
    });
    test("and is copied leaves them", async () => {
      await begin();
      await finish({ files: [{ file: "/c", like: "/a" }] });
      for (const file of ["/a", "/c"])
        expect(await store().look(file, "two")).toMatchObject({ states: [0, 1], ledger: "two" });
    });
    test("is forgotten whole where it is gone", async () => {
      await begin();
      await finish({ files: [{ file: "/a", isGone: true }] });
      expect((await store().look("/a", "two")).ledger).toBeNull();
      expect((await store().ledgers()).map(({ file }) => file)).toEqual(["/b"]);
      await finish({ files: [{ ...shown("/a", 1), states: { from: 0, states: ["anew"] } }] });
      expect(await store().look("/a", "one")).toEqual({ first: 0, states: ["anew"], ledger: 1 });
    });
  });
}

function namedRecords({ store, finish }: Made): void {
  describe("named records", () => {
    const value = async (key: string) => (await store().record(key))?.value;

    test("are null where there is none, and come back as they were", async () => {
      expect(await store().record("none")).toBeNull();
      for (const key of keys) expect(await store().putRecord(key, { key })).toBe(true);
      for (const key of keys) expect(await value(key)).toEqual({ key });
      for (const record of records) {
        await store().putRecord("k", record);
        expect(await value("k")).toEqual(record);
      }
    });
    test("are values: changing what was given or got changes nothing", async () => {
      const record = { list: [1] };
      await store().putRecord("k", record);
      record.list.push(2);
      ((await value("k")) as { list: number[] }).list.push(3);
      expect(await value("k")).toEqual({ list: [1] });
    });
    test("are put only in the place of the one that was looked at", async () => {
      expect(await store().putRecord("k", 1, null)).toBe(true);
      expect(await store().putRecord("k", 2, null)).toBe(false);
      const before = await store().record("k");
      expect(await store().putRecord("k", 3, before?.mark ?? null)).toBe(true);
      expect(await store().putRecord("k", 4, before?.mark ?? null)).toBe(false);
      await store().putRecord("k", 3);
      expect(await store().putRecord("k", 5, (await store().record("k"))?.mark ?? null)).toBe(true);
      expect(await value("k")).toBe(5);
    });
    test("are put once, of many at a time", async () => {
      await store().putRecord("k", "first");
      const mark = (await store().record("k"))?.mark ?? null;
      const done = await Promise.all(Array.from({ length: 20 }, (_, at) => store().putRecord("k", at, mark)));
      expect(done.filter((one) => one)).toHaveLength(1);
      expect(await value("k")).toBe(done.indexOf(true));
    });
    test("are written with a unit, which sees those that were there", async () => {
      await store().putRecord(agentRecord("one"), { epoch: 3 });
      await store().unit([fileOf("k")], "one", async (unit) => {
        expect((await unit.record(agentRecord("one")))?.value).toEqual({ epoch: 3 });
        await unit.finish({ ...nothing, records: [{ name: "n", value: [1] }] });
      });
      expect(await value("n")).toEqual([1]);
      await finish({ records: [{ name: "n", value: null }] });
      expect(await value("n")).toBeNull();
    });
  });
}

function versions({ store, finish }: Made): void {
  describe("versions", () => {
    const contents: [string, Uint8Array][] = [
      ["0000000000000000", new Uint8Array(0)],
      ["00000000000000ff", Uint8Array.from({ length: 1024 }, (_, at) => at & 255)],
      ["ffffffffffffffff", new Uint8Array(300_000).fill(97)],
      ["an id/of another\nkind", Uint8Array.of(1)],
    ];
    const keep = (id: string, bytes: Uint8Array) => finish({ versions: [{ id, bytes, file: "/work/a.ts" }] });
    const get = async (id: string) => plain((await store().versions([id])).get(id) ?? null);

    test("come back byte for byte, one by one and together", async () => {
      for (const [id, bytes] of contents) await keep(id, bytes);
      for (const [id, bytes] of contents) expect(await get(id)).toEqual(plain(bytes));
      const all = await store().versions(["missing", ...contents.map(([id]) => id)]);
      expect(all.size).toBe(contents.length);
      expect(
        await store().unit([], "one", async (unit) => (await unit.versions(["0000000000000000"])).size),
      ).toBe(1);
    });
    test("are missing if they were never kept", async () => {
      expect(await get("1234567812345678")).toBeNull();
    });
    test("may be kept again", async () => {
      await keep("0123456789abcdef", Uint8Array.of(7));
      await keep("0123456789abcdef", Uint8Array.of(7));
      expect(await get("0123456789abcdef")).toEqual([7]);
    });
    test("are values: changing what was given changes nothing", async () => {
      const bytes = Uint8Array.of(1, 2, 3);
      await keep("0123456789abcdef", bytes);
      bytes[0] = 9;
      expect(await get("0123456789abcdef")).toEqual([1, 2, 3]);
    });
    test("come back whatever they are based on: a chain, bytes that are nothing like it, a base that is not there", async () => {
      const text = (number: number) =>
        new TextEncoder().encode(
          Array.from({ length: 300 }, (_, line) =>
            line % 100 === number % 100 ? `edited ${number}` : `line ${line}`,
          ).join("\n"),
        );
      const made: [string, Uint8Array][] = Array.from({ length: 150 }, (_, at) => [
        at.toString(16).padStart(16, "0"),
        at % 40 === 39
          ? Uint8Array.from({ length: 5000 }, (_, byte) => (byte * byte * (at + 1)) & 255)
          : text(at),
      ]);
      for (const [at, [id, bytes]] of made.entries()) {
        const base = made[at - 1];
        await finish({
          versions: [
            { id, bytes, file: "/work/a.ts", ...(base ? { base: { id: base[0], bytes: base[1] } } : {}) },
          ],
        });
      }
      const lonely = { id: "never kept", bytes: text(1) };
      await finish({ versions: [{ id: "f".repeat(16), bytes: text(2), file: "/work/b.ts", base: lonely }] });
      expect(await get("f".repeat(16))).toEqual(plain(text(2)));
      for (const [id, bytes] of made) expect(await get(id)).toEqual(plain(bytes));
      expect((await store().versions(made.map(([id]) => id))).size).toBe(made.length);
    });
  });
}

function journal({ store, finish }: Made): void {
  describe("the journal", () => {
    const add = (...entries: JournalEntry[]) => store().append(entries);

    test("is empty at first", async () => {
      expect(await store().journal()).toEqual([]);
    });
    test("keeps every field, in the order of writing", async () => {
      const full = entry(2, {
        kind: "refusal",
        path: "sp ace\n\u2028ü.ts",
        change: [0, 1, 0, 2],
        batch: "b1",
        relocated: 1,
        code: "stale",
        cause: "two\nlines",
        to: "b.ts",
        before: null,
        after: null,
      });
      const entries = [entry(1), full, entry(3, { kind: "undo" })];
      await add(entry(1));
      await finish({ entries: [full, entry(3, { kind: "undo" })] });
      expect(await store().journal()).toEqual(entries);
    });
    test("can be asked for files, an agent, a time, the last, and all of that at once", async () => {
      for (let number = 1; number <= 8; number++)
        await add(
          entry(number, {
            file: number % 2 ? "/work/odd" : "/work/even",
            agent: number % 4 < 2 ? "one" : "two",
          }),
        );
      const asked = async (query: Parameters<LedgerStore["journal"]>[0]) => ids(await store().journal(query));
      expect(await asked({ files: ["/work/odd"] })).toEqual(["e1", "e3", "e5", "e7"]);
      expect(await asked({ files: ["/work/odd", "/work/even"], last: 3 })).toEqual(["e6", "e7", "e8"]);
      expect(await asked({ agent: "two" })).toEqual(["e2", "e3", "e6", "e7"]);
      expect(await asked({ since: 4000 })).toEqual(["e4", "e5", "e6", "e7", "e8"]);
      expect(await asked({ files: ["/work/even"], since: 4000 })).toEqual(["e4", "e6", "e8"]);
      expect(await asked({ files: ["/work/odd"], agent: "two", last: 1 })).toEqual(["e7"]);
      expect(await asked({ last: 0 })).toEqual([]);
      expect(await asked({ last: 100 })).toHaveLength(8);
      expect(await asked({ files: ["/work/o"] })).toEqual([]);
      expect(await asked({ files: [] })).toEqual([]);
      expect(await asked({ agent: "nobody" })).toEqual([]);
    });
    test("is asked for the moves that led to a file", async () => {
      const move = (number: number, file: string, to: string) =>
        entry(number, { file: `/work/${file}`, to, toFile: `/work/${to}` });
      await add(entry(1, { file: "/work/b" }), move(2, "a", "b"), move(3, "b", "c"), move(4, "d", "b"));
      expect(ids(await store().journal({ movedTo: ["/work/b"] }))).toEqual(["e2", "e4"]);
      expect(ids(await store().journal({ movedTo: ["/work/c", "/work/b"], last: 2 }))).toEqual(["e3", "e4"]);
      expect(ids(await store().journal({ movedTo: ["/work/b"], files: ["/work/d"] }))).toEqual(["e4"]);
      expect(await store().journal({ movedTo: [] })).toEqual([]);
    });
    test("is asked by ids: of entries and batches, and of what names them", async () => {
      await add(
        entry(1),
        entry(2, { batch: "b" }),
        entry(3, { batch: "b" }),
        entry(4, { kind: "undo", cause: "e1 e3" }),
        entry(5, { kind: "lost", edits: ["e2"], cause: "git checkout e1" }),
        entry(6, { instead: ["e1"] }),
      );
      expect(ids(await store().journal({ ids: ["e1"] }))).toEqual(["e1", "e4", "e6"]);
      expect(ids(await store().journal({ ids: ["b"] }))).toEqual(["e2", "e3"]);
      expect(ids(await store().journal({ ids: ["e2", "e3"] }))).toEqual(["e2", "e3", "e4", "e5"]);
      expect(await store().journal({ ids: ["unknown"] })).toEqual([]);
    });
    test("takes entries at once without losing one", async () => {
      await Promise.all(Array.from({ length: 50 }, (_, number) => add(entry(number))));
      expect(ids(await store().journal()).sort()).toEqual(
        ids(Array.from({ length: 50 }, (_, n) => entry(n))).sort(),
      );
    });
    test("answers the same whether it is long or short", async () => {
      const number = 3000;
      const long = "x".repeat(900);
      for (let from = 0; from < number; from += 100)
        await add(
          ...Array.from({ length: 100 }, (_, at) =>
            entry(from + at, {
              file: `/work/${(from + at) % 7}`,
              agent: `a${(from + at) % 11}`,
              cause: long,
            }),
          ),
        );
      const wanted = (is: (at: number) => boolean): string[] =>
        Array.from({ length: number }, (_, at) => at)
          .filter(is)
          .map((at) => `e${at}`);
      expect(ids(await store().journal({ files: ["/work/3"] }))).toEqual(wanted((at) => at % 7 === 3));
      expect(ids(await store().journal({ agent: "a5", last: 4 }))).toEqual(
        wanted((at) => at % 11 === 5).slice(-4),
      );
      expect(ids(await store().journal({ since: 2_990_000 }))).toEqual(wanted((at) => at >= 2990));
      expect(ids(await store().journal({ ids: ["e17", "e2900"] }))).toEqual(["e17", "e2900"]);
      expect(ids(await store().journal({ last: 3 }))).toEqual(["e2997", "e2998", "e2999"]);
      expect(ids(await store().journal())).toHaveLength(number);
    });
  });
}

function journalNews({ store }: Made): void {
  describe("what is new in the journal", () => {
    test("is nothing at first, then all that was written since the mark", async () => {
      await store().append([entry(1)]);
      const first = await store().journalSince(null);
      expect(first.entries).toEqual([]);
      expect((await store().journalSince(first.mark)).entries).toEqual([]);
      await store().append([entry(2), entry(3)]);
      const second = await store().journalSince(first.mark);
      expect(ids(second.entries)).toEqual(["e2", "e3"]);
      expect((await store().journalSince(second.mark)).entries).toEqual([]);
      expect(ids((await store().journalSince(first.mark)).entries)).toEqual(["e2", "e3"]);
    });
    test("goes on through a long journal, and loses and repeats nothing", async () => {
      const long = "x".repeat(2000);
      let { mark } = await store().journalSince(null);
      const found: string[] = [];
      for (let number = 0; number < 1500; number++) {
        await store().append([entry(number, { cause: long })]);
        if (number % 97 > 0) continue;
        const news = await store().journalSince(mark);
        found.push(...ids(news.entries));
        mark = news.mark;
      }
      found.push(...ids((await store().journalSince(mark)).entries));
      expect(found).toEqual(Array.from({ length: 1500 }, (_, number) => `e${number}`));
    });
    test("is everything for a mark that says nothing to the store", async () => {
      await store().append([entry(1)]);
      expect(ids((await store().journalSince("of another store")).entries)).toEqual(["e1"]);
    });
  });
}
