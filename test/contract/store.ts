import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JournalEntry, Json, LedgerStore } from "../../src/ports/store.js";

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

    describe.each(["file", "agent"] as const)("records of a %s", (kind) => {
      const get = (key: string): Promise<Json | null> => bench.store[kind](key);
      const set = (key: string, record: Json): Promise<void> =>
        kind === "file" ? bench.store.saveFile(key, record) : bench.store.saveAgent(key, record);

      test("null where nothing was recorded", async () => {
        expect(await get("unknown")).toBeNull();
      });
      test("come back as they were, whatever key and content", async () => {
        for (const key of keys) await set(key, { key });
        for (const key of keys) expect(await get(key)).toEqual({ key });
        for (const record of records) {
          await set("/work/a.ts", record);
          expect(await get("/work/a.ts")).toEqual(record);
        }
      });
      test("are values: changing what was given or got changes nothing", async () => {
        const record = { list: [1] };
        await set("k", record);
        record.list.push(2);
        const got = (await get("k")) as { list: number[] };
        got.list.push(3);
        expect(await get("k")).toEqual({ list: [1] });
      });
    });

    test("files and agents do not mix", async () => {
      await bench.store.saveFile("same", 1);
      await bench.store.saveAgent("same", 2);
      expect(await bench.store.file("same")).toBe(1);
      expect(await bench.store.agent("same")).toBe(2);
    });
    test("names its files", async () => {
      expect(await bench.store.files()).toEqual([]);
      for (const key of keys) await bench.store.saveFile(key, {});
      await bench.store.saveFile("/work/a.ts", { again: true });
      expect([...(await bench.store.files())].sort()).toEqual([...keys].sort());
    });

    versions(() => bench.store);
    journal(() => bench.store);
  });
}

function versions(store: () => LedgerStore): void {
  describe("versions", () => {
    const contents: [string, Uint8Array][] = [
      ["0000000000000000", new Uint8Array(0)],
      ["00000000000000ff", Uint8Array.from({ length: 1024 }, (_, at) => at & 255)],
      ["ffffffffffffffff", new Uint8Array(300_000).fill(97)],
      ["an id/of another\nkind", Uint8Array.of(1)],
    ];
    test("come back byte for byte", async () => {
      for (const [id, bytes] of contents) await store().keepVersion(id, bytes);
      for (const [id, bytes] of contents) expect(plain(await store().version(id))).toEqual(plain(bytes));
    });
    test("are null if they were never kept", async () => {
      expect(await store().version("1234567812345678")).toBeNull();
    });
    test("may be kept again", async () => {
      await store().keepVersion("0123456789abcdef", Uint8Array.of(7));
      await store().keepVersion("0123456789abcdef", Uint8Array.of(7));
      expect(plain(await store().version("0123456789abcdef"))).toEqual([7]);
    });
    test("are values: changing what was given changes nothing", async () => {
      const bytes = Uint8Array.of(1, 2, 3);
      await store().keepVersion("0123456789abcdef", bytes);
      bytes[0] = 9;
      expect(plain(await store().version("0123456789abcdef"))).toEqual([1, 2, 3]);
    });
  });
}

function journal(store: () => LedgerStore): void {
  describe("the journal", () => {
    const ids = (entries: readonly JournalEntry[]): string[] => entries.map(({ id }) => id);

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
      for (const one of entries) await store().append(one);
      expect(await store().journal()).toEqual(entries);
    });
    test("can be asked for one file, for a time, for both", async () => {
      for (let number = 1; number <= 6; number++)
        await store().append(entry(number, { file: number % 2 ? "/work/odd" : "/work/even" }));
      expect(ids(await store().journal({ file: "/work/odd" }))).toEqual(["e1", "e3", "e5"]);
      expect(ids(await store().journal({ since: 4000 }))).toEqual(["e4", "e5", "e6"]);
      expect(ids(await store().journal({ file: "/work/even", since: 4000 }))).toEqual(["e4", "e6"]);
      expect(await store().journal({ file: "/work/o" })).toEqual([]);
    });
    test("takes entries at once without losing one", async () => {
      await Promise.all(Array.from({ length: 50 }, (_, number) => store().append(entry(number))));
      expect(ids(await store().journal()).sort()).toEqual(
        ids(Array.from({ length: 50 }, (_, n) => entry(n))).sort(),
      );
    });
  });
}
