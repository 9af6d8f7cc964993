/** The journal and the versions on disk: cut off anywhere, found through an index that may be missing or old. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeIo } from "../../src/host/io.js";
import { thisPlatform } from "../../src/host/platform.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { Journal } from "../../src/store/journal.js";
import { difference, merged } from "../../src/store/lines/difference.js";
import { headIn, headOf } from "../../src/store/lines/segment-index.js";
import { Versions } from "../../src/store/versions.js";
import { type Ground, newGround, text, utf8 } from "../support/node.js";

const entry = (number: number, more: Partial<JournalEntry> = {}): JournalEntry => ({
  ...{
    id: `e${number}`,
    time: number,
    agent: `a${number % 3}`,
    tool: "edit_file",
    kind: "commit",
    path: "a.ts",
  },
  ...{ file: `/work/${number % 5}.ts`, before: null, after: "2".repeat(16), lines: [], ...more },
});

function contextOf(at: Ground) {
  mkdirSync(at.state, { recursive: true });
  const common = { io: nodeIo, platform: thisPlatform, clock: () => 1, report: () => {} };
  return { ...common, state: at.state, folder: at.state };
}

const ids = (entries: readonly JournalEntry[]): string[] => entries.map(({ id }) => id);
const wanted = (count: number, is: (number: number) => boolean = () => true): string[] =>
  Array.from({ length: count }, (_, number) => number)
    .filter(is)
    .map((number) => `e${number}`);

describe("a log in segments", () => {
  const filled = (at: Ground, count = 60, size = 3000): Journal => {
    const journal = new Journal(contextOf(at), size);
    for (let number = 0; number < count; number++) journal.append([entry(number)]);
    return journal;
  };
  const folder = (at: Ground): string => join(at.state, "journal");
  const files = (at: Ground, ending: string): string[] =>
    readdirSync(folder(at))
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => join(folder(at), name));

  it("has an index for each segment that is full, and answers the same without", () => {
    const at = newGround();
    filled(at);
    expect(files(at, ".log").length).toBeGreaterThan(3);
    expect(files(at, ".index")).toHaveLength(files(at, ".log").length - 1);
    for (const spoil of [
      () => {},
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, "none"),
      (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 90)),
    ]) {
      for (const path of files(at, ".index")) spoil(path);
      const journal = new Journal(contextOf(at), 3000);
      expect(ids(journal.read({ files: ["/work/2.ts"] }))).toEqual(wanted(60, (number) => number % 5 === 2));
      expect(ids(journal.read({ agent: "a1", last: 2 }))).toEqual(
        wanted(60, (number) => number % 3 === 1).slice(-2),
      );
      expect(ids(journal.read({ since: 55 }))).toEqual(wanted(60, (number) => number >= 55));
      expect(ids(journal.read())).toEqual(wanted(60));
      expect(files(at, ".index")).toHaveLength(files(at, ".log").length - 1);
    }
  });

  it("finds a line that came into a segment after the next one was begun", () => {
    const at = newGround();
    const journal = filled(at);
    const { mark } = journal.since(null);
    const [last] = files(at, ".log").slice(-2);
    const other = newGround();
    new Journal(contextOf(other), 3000).append([entry(99, { file: "/late" })]);
    appendFileSync(last as string, readFileSync(files(other, ".log")[0] as string));
    for (const reader of [journal, new Journal(contextOf(at), 3000)]) {
      expect(ids(reader.read({ files: ["/late"] }))).toEqual(["e99"]);
      expect(ids(reader.since(mark).entries)).toEqual(["e99"]);
    }
  });

  it("cut off at any byte loses the last line at most, and the next one is whole", () => {
    const at = newGround();
    filled(at, 3, 100_000);
    const [path = ""] = files(at, ".log");
    const whole = readFileSync(path);
    const ends = [...whole.keys()].filter((byte) => whole[byte] === 10);
    for (let size = 0; size < whole.length; size += 7) {
      writeFileSync(path, whole.subarray(0, size));
      const left = ends.filter((end) => end < size).length;
      const journal = new Journal(contextOf(at), 100_000);
      expect(ids(journal.read())).toEqual(wanted(left));
      const { mark } = journal.since(null);
      journal.append([entry(9)]);
      expect(ids(journal.read())).toEqual([...wanted(left), "e9"]);
      expect(ids(journal.since(mark).entries)).toEqual(["e9"]);
    }
  });

  it("tells heads from what is none", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(fc.nat(0xffffffff), { maxLength: 9 }), (time, hashes) => {
        expect(headIn(`{"at":"${headOf({ time, hashes })}","id":1}`)).toEqual({ time, hashes });
      }),
    );
    for (const none of ["", "{}", '{"at":"', '{"at":"12","id":1}', '{"id":"x"}', "x".repeat(100)])
      expect(headIn(none)).toBeNull();
  });
});

describe("versions told by others", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .array(fc.constantFrom("}", "", "same line of some length", "other line of some length", "x"), {
        maxLength: 60,
      })
      .map((lines) => new Uint8Array(utf8(lines.join("\n")))),
  );
  it("come back, whatever the two texts are", () => {
    fc.assert(
      fc.property(bytes, bytes, (before, after) => {
        const made = merged(before, difference(before, after));
        expect(Buffer.compare(made, after)).toBe(0);
      }),
    );
  });

  it("take 4 KiB each or less, of 2,000 lines, and the first of 1,000 is there", () => {
    const at = newGround();
    const versions = new Versions(contextOf(at), false);
    const lines = Array.from(
      { length: 2000 },
      (_, line) => `  const value${line} = compute(${(line * 7919) % 1000});`,
    );
    const id = (number: number): string => number.toString(16).padStart(16, "0");
    let before = utf8(lines.join("\n"));
    versions.keep([{ id: id(0), bytes: before, file: "/a" }]);
    const first = before;
    for (let number = 1; number <= 1000; number++) {
      lines[(number * 613) % 2000] = `  edited(${number});`;
      const after = utf8(lines.join("\n"));
      versions.keep([
        { id: id(number), bytes: after, file: "/a", base: { id: id(number - 1), bytes: before } },
      ]);
      before = after;
    }
    const folder = join(at.state, "versions");
    const size = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(size / 1000).toBeLessThan(4096);
    const anew = new Versions(contextOf(at), true);
    const found = anew.get([id(0), id(1), id(500), id(1000), "missing"]);
    expect(text(found.get(id(0)) ?? null)).toBe(text(first));
    expect(text(found.get(id(1000)) ?? null)).toBe(text(before));
    expect(found.size).toBe(4);
  });
});
