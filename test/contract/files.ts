import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type Fence,
  type FileId,
  type Files,
  type Intent,
  PortError,
  type Write,
} from "../../src/ports/files.js";
import { searching } from "./search.js";

/** The port under test, and a way past it: what somebody does who knows nothing of the port. */
export interface FilesBench {
  readonly files: Files;
  /** Writes without any lock; missing folders are made. */
  put(path: string, content: Uint8Array): Promise<void> | void;
  get(path: string): Promise<Uint8Array | null> | Uint8Array | null;
  dispose?(): Promise<void> | void;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = (bytes: Uint8Array | null): number[] | null => bytes && [...bytes];
const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));
const everyByte = Uint8Array.from({ length: 512 }, (_, at) => at & 255);

/**
 * What every implementation of `Files` must hold.
 *
 * @example
 * filesContract("my files", async () => ({ files: myFiles(), put, get }));
 */
export function filesContract(name: string, make: () => Promise<FilesBench> | FilesBench): void {
  describe(`files: ${name}`, () => {
    let bench: FilesBench;
    beforeEach(async () => {
      bench = await make();
    });
    afterEach(() => bench.dispose?.());

    const id = (path: string): Promise<FileId> => bench.files.identify(path);
    const content = async (path: string): Promise<number[] | null> => plain(await bench.get(path));
    /** Reads under the lock and commits what `change` makes of it. */
    async function commit(changes: Record<string, Uint8Array | null>, fence?: Fence): Promise<boolean> {
      const ids = await Promise.all(Object.keys(changes).map(id));
      return bench.files.hold(ids, async (held) => {
        const writes: Write[] = [];
        for (const file of ids)
          writes.push({ file, before: await held.read(file), after: changes[file.path] ?? null });
        return held.commit(writes, fence);
      });
    }

    identifying(() => bench);

    describe("reading", () => {
      test("gives the bytes, whatever they are", async () => {
        await bench.put("a.bin", everyByte);
        expect(plain(await bench.files.read(await id("a.bin")))).toEqual(plain(everyByte));
      });
      test("an empty file is not a missing one", async () => {
        await bench.put("empty", new Uint8Array(0));
        expect(plain(await bench.files.read(await id("empty")))).toEqual([]);
        expect(await bench.files.read(await id("missing"))).toBeNull();
        expect(await bench.files.read(await id("no/such/folder"))).toBeNull();
      });
    });

    describe("committing", () => {
      test("creates, also in new folders", async () => {
        expect(await commit({ "new/deep/a.txt": utf8("hello\n") })).toBe(true);
        expect(await content("new/deep/a.txt")).toEqual(plain(utf8("hello\n")));
      });
      test("replaces, with anything", async () => {
        await bench.put("a.txt", utf8("old"));
        for (const bytes of [everyByte, new Uint8Array(0), utf8("x".repeat(100_000))]) {
          expect(await commit({ "a.txt": bytes })).toBe(true);
          expect(await content("a.txt")).toEqual(plain(bytes));
        }
      });
      test("deletes", async () => {
        await bench.put("a.txt", utf8("old"));
        expect(await commit({ "a.txt": null })).toBe(true);
        expect(await content("a.txt")).toBeNull();
        expect(await bench.files.read(await id("a.txt"))).toBeNull();
      });
      test("several files at once: create, replace, delete", async () => {
        await bench.put("b.txt", utf8("b"));
        await bench.put("c.txt", utf8("c"));
        expect(await commit({ "a.txt": utf8("A"), "b.txt": utf8("B"), "c.txt": null })).toBe(true);
        expect(await content("a.txt")).toEqual(plain(utf8("A")));
        expect(await content("b.txt")).toEqual(plain(utf8("B")));
        expect(await content("c.txt")).toBeNull();
      });
      test("tells a fence what is about to happen, and writes nothing where it does not hold", async () => {
        for (const isHeld of [true, false])
          for (const changes of [
            { "a.txt": utf8("A") },
            { "a.txt": null },
            { "new/c.txt": utf8("c") },
            { "a.txt": utf8("A"), "b.txt": utf8("B"), "c.txt": utf8("C") },
          ]) {
            await bench.put("a.txt", utf8("a"));
            await bench.put("b.txt", utf8("b"));
            const before = await Promise.all(Object.keys(changes).map(content));
            const intents: Intent[] = [];
            let checks = 0;
            const fence: Fence = {
              intent: async (intent) => {
                expect(checks).toBe(0);
                intents.push(intent);
              },
              check: () => {
                expect(intents).toHaveLength(1);
                checks += 1;
                if (!isHeld) throw new PortError("busy", "the lease is over");
              },
            };
            const done = commit(changes, fence);
            if (isHeld) expect(await done).toBe(true);
            else await expect(done).rejects.toThrow("the lease is over");
            expect(intents[0]?.files).toHaveLength(Object.keys(changes).length);
            expect(checks).toBeGreaterThan(0);
            const wanted = Object.values(changes).map((bytes) => plain(bytes));
            expect(await Promise.all(Object.keys(changes).map(content))).toEqual(isHeld ? wanted : before);
            for (const path of ["a.txt", "b.txt", "c.txt", "new/c.txt"]) await commit({ [path]: null });
          }
      });
      test("nothing at all is done", async () => {
        const file = await id("a.txt");
        expect(await bench.files.hold([file], (held) => held.commit([]))).toBe(true);
        expect(await content("a.txt")).toBeNull();
      });
      test("what is read afterwards is what was committed", async () => {
        const file = await id("a.txt");
        await bench.files.hold([file], async (held) => {
          expect(await held.commit([{ file, before: null, after: utf8("1") }])).toBe(true);
          expect(plain(await held.read(file))).toEqual(plain(utf8("1")));
          expect(await held.commit([{ file, before: utf8("1"), after: utf8("2") }])).toBe(true);
        });
        expect(await content("a.txt")).toEqual(plain(utf8("2")));
      });
    });

    noticing(() => bench);
    holding(() => bench);
    searching(() => bench);
  });
}

function identifying(bench: () => FilesBench): void {
  describe("identifying", () => {
    test("one file has one key, however it is spelled", async () => {
      const spellings = ["a.txt", "./a.txt", "x/../a.txt", "x//..//a.txt"];
      const ids = await Promise.all(spellings.map((path) => bench().files.identify(path)));
      expect(new Set(ids.map(({ key }) => key)).size).toBe(1);
      expect(ids.map(({ path }) => path)).toEqual(spellings);
    });
    test("two files have two keys, whether they exist or not", async () => {
      await bench().put("a.txt", utf8("a"));
      const ids = await Promise.all(
        ["a.txt", "b.txt", "a/b.txt"].map((path) => bench().files.identify(path)),
      );
      expect(new Set(ids.map(({ key }) => key)).size).toBe(3);
    });
    test("the key stays when the file is made", async () => {
      const before = await bench().files.identify("x/a.txt");
      await bench().put("x/a.txt", utf8("a"));
      expect((await bench().files.identify("x/a.txt")).key).toBe(before.key);
    });
    test("refuses what leads out", async () => {
      for (const path of ["../a.txt", "x/../../a.txt", "../../../../etc/passwd"])
        await expect(bench().files.identify(path)).rejects.toMatchObject({ code: "outside_roots" });
    });
    test("refuses an empty path, and what is none", async () => {
      for (const path of ["", undefined, null, 5, {}] as string[])
        await expect(bench().files.identify(path)).rejects.toMatchObject({ code: "bad_request" });
    });
  });
}

function noticing(bench: () => FilesBench): void {
  describe("a file that is not what the decision was made on is not written", () => {
    const cases: [name: string, there: string | null, before: string | null, after: string | null][] = [
      ["changed, then replaced", "theirs", "seen", "mine"],
      ["changed, then deleted", "theirs", "seen", null],
      ["gone, then replaced", null, "seen", "mine"],
      ["gone, then deleted", null, "seen", null],
      ["made, then created", "theirs", null, "mine"],
      ["longer", "seen and more", "seen", "mine"],
      ["shorter", "see", "seen", "mine"],
      ["emptied", "", "seen", "mine"],
    ];
    const bytes = (text: string | null): Uint8Array | null => (text === null ? null : utf8(text));

    test.each(cases)("%s", async (_, there, before, after) => {
      if (there !== null) await bench().put("a.txt", utf8(there));
      const file = await bench().files.identify("a.txt");
      const write = { file, before: bytes(before), after: bytes(after) };
      expect(await bench().files.hold([file], (held) => held.commit([write]))).toBe(false);
      expect(plain(await bench().get("a.txt"))).toEqual(plain(bytes(there)));
    });

    test.each(cases)("%s, as a part of a batch: none of it", async (_, there, before, after) => {
      if (there !== null) await bench().put("b.txt", utf8(there));
      await bench().put("c.txt", utf8("c"));
      const [a, b, c] = await Promise.all(
        ["a.txt", "b.txt", "c.txt"].map((path) => bench().files.identify(path)),
      );
      const writes = [
        { file: a as FileId, before: null, after: utf8("a") },
        { file: b as FileId, before: bytes(before), after: bytes(after) },
        { file: c as FileId, before: utf8("c"), after: null },
      ];
      const ids = writes.map(({ file }) => file);
      expect(await bench().files.hold(ids, (held) => held.commit(writes))).toBe(false);
      expect(await bench().get("a.txt")).toBeNull();
      expect(plain(await bench().get("b.txt"))).toEqual(plain(bytes(there)));
      expect(plain(await bench().get("c.txt"))).toEqual(plain(utf8("c")));
    });
  });
}

function holding(bench: () => FilesBench): void {
  describe("holding", () => {
    test("passes the result and the failure of the body on, and lets go in both cases", async () => {
      const file = await bench().files.identify("a.txt");
      expect(await bench().files.hold([file], async () => 42)).toBe(42);
      const failing = bench().files.hold([file], async () => {
        throw new Error("mine");
      });
      await expect(failing).rejects.toThrow("mine");
      expect(await bench().files.hold([file], async () => "again")).toBe("again");
    });
    test("one at a time for each file, also in overlapping sets", async () => {
      const [a, b, c] = await Promise.all(["a", "b", "c"].map((path) => bench().files.identify(path)));
      const sets = [[a, b], [b, c], [c, a], [a], [b, a], [c, b, a]] as FileId[][];
      const inside = new Map<string, number>();
      const body = (set: FileId[]) => async (): Promise<void> => {
        for (const { key } of set) {
          inside.set(key, (inside.get(key) ?? 0) + 1);
          expect(inside.get(key)).toBe(1);
        }
        await pause(2);
        for (const { key } of set) inside.set(key, (inside.get(key) ?? 0) - 1);
      };
      await Promise.all(sets.map((set) => bench().files.hold(set, body(set))));
    });
    test("different files at the same time", async () => {
      const [a, b] = (await Promise.all(["a", "b"].map((path) => bench().files.identify(path)))) as [
        FileId,
        FileId,
      ];
      const order: string[] = [];
      await bench().files.hold([a], async () => {
        await bench().files.hold([b], async () => void order.push("inner"));
        order.push("outer");
      });
      expect(order).toEqual(["inner", "outer"]);
    });
    test("a file named twice is held once", async () => {
      const file = await bench().files.identify("a");
      const same = await bench().files.identify("./a");
      expect(await bench().files.hold([file, same, file], async () => "in")).toBe("in");
    });
    test("no update is lost", async () => {
      const file = await bench().files.identify("count");
      const add = (): Promise<boolean> =>
        bench().files.hold([file], async (held) => {
          const before = await held.read(file);
          const count = before === null ? 0 : Number(new TextDecoder().decode(before));
          await pause(0);
          return held.commit([{ file, before, after: utf8(String(count + 1)) }]);
        });
      expect(await Promise.all(Array.from({ length: 20 }, add))).toEqual(Array(20).fill(true));
      expect(plain(await bench().get("count"))).toEqual(plain(utf8("20")));
    });
  });
}
