import { beforeEach, describe, expect, test } from "vitest";
import type { SearchQuery } from "../../src/ports/files.js";
import type { FilesBench } from "./files.js";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What every implementation of `Files` must find. */
export function searching(bench: () => FilesBench): void {
  describe("searching", () => {
    const query = { pattern: "foo", literal: true, ignoreCase: false, maxResults: 100 };
    beforeEach(async () => {
      await bench().put("a.txt", utf8("foo\nbar\nFOO foo\n"));
      await bench().put("sub/b.txt", utf8("a.c\r\nabc\r\n"));
      await bench().put("sub/c.txt", utf8("nothing"));
    });
    test("finds lines, in files in the order of their paths", async () => {
      const { hits, limited } = await bench().files.search(query);
      expect(hits).toEqual([{ path: "a.txt", lines: [1, 3] }]);
      expect(limited).toBe(false);
    });
    test("the hits can be read", async () => {
      const { hits } = await bench().files.search({ ...query, pattern: "a" });
      for (const { path } of hits)
        expect(await bench().files.read(await bench().files.identify(path))).not.toBeNull();
      expect(hits.map(({ path }) => path)).toEqual(["a.txt", "sub/b.txt"]);
    });
    test("literally, or by a regular expression, with or without case", async () => {
      const dot = { ...query, pattern: "a.c" };
      expect((await bench().files.search(dot)).hits).toEqual([{ path: "sub/b.txt", lines: [1] }]);
      expect((await bench().files.search({ ...dot, literal: false })).hits).toEqual([
        { path: "sub/b.txt", lines: [1, 2] },
      ]);
      const end = { ...query, literal: false, pattern: "^FOO$", ignoreCase: true };
      expect((await bench().files.search(end)).hits).toEqual([{ path: "a.txt", lines: [1] }]);
      expect((await bench().files.search({ ...query, literal: false, pattern: "c$" })).hits).toEqual([
        { path: "sub/b.txt", lines: [1, 2] },
      ]);
    });
    test("in a folder, in a file", async () => {
      const any = { ...query, literal: false, pattern: "." };
      const inFolder = await bench().files.search({ ...any, path: "sub" });
      expect(inFolder.hits.map(({ path }) => path)).toEqual(["sub/b.txt", "sub/c.txt"]);
      const inFile = await bench().files.search({ ...any, path: "sub/c.txt" });
      expect(inFile.hits).toEqual([{ path: "sub/c.txt", lines: [1] }]);
    });
    /** `path:lines` of each hit, or `!code`. */
    async function found(more: Partial<SearchQuery>): Promise<string> {
      try {
        const { hits } = await bench().files.search({ ...query, ...more });
        return hits.map(({ path, lines }) => `${path}:${lines}`).join(" ");
      } catch (error) {
        return `!${(error as { code?: string }).code}`;
      }
    }
    const tree: Readonly<Record<string, Uint8Array>> = {
      ...{ "a.txt": utf8("foo\n"), "sub.ts": utf8("foo\n"), "x[1].txt": utf8("foo\n") },
      ...{ "sub/b.txt": utf8("foo\r\n"), "sub/deep/d.ts": utf8("FOO-1\nfoo\n"), ".hid/e.txt": utf8("foo\n") },
      ...{ "sub/c.txt": utf8("nothing"), "sub/bom.md": utf8("\ufefffoo\n"), "sub/binary": utf8("foo\0\n") },
    };
    const plant = async (): Promise<void> => {
      for (const [path, bytes] of Object.entries(tree)) await bench().put(path, bytes);
    };
    const inSub = (name: string): string =>
      ["b.txt:1", "bom.md:1", "deep/d.ts:2"].map((one) => `${name}${one}`).join(" ");
    const rest = "sub.ts:1";
    const all = `.hid/e.txt:1 a.txt:1 ${rest} ${inSub("sub/")} x[1].txt:1`;

    test.each<[path: string, expected: string]>([
      ["", "!bad_request"],
      [".", all],
      ["sub", inSub("sub/")],
      ["sub/", inSub("sub/")],
      ["./sub", inSub("./sub/")],
      ["sub/.", inSub("sub/./")],
      ["sub/../sub", inSub("sub/../sub/")],
      ["sub//deep", "sub//deep/d.ts:2"],
      ["./sub/b.txt", "./sub/b.txt:1"],
      ["su", "!not_found"],
      ["gone", "!not_found"],
      ["..", "!outside_roots"],
      ["sub/../../x", "!outside_roots"],
    ])("in %j, and names what it finds as it was asked", async (path, expected) => {
      await plant();
      expect(await found({ path })).toBe(expected);
    });

    test.each<[glob: string, expected: string]>([
      ["", all],
      ["**", all],
      ["*", all],
      ["*.txt", ".hid/e.txt:1 a.txt:1 sub/b.txt:1 x[1].txt:1"],
      ["*.TXT", ""],
      ["?.txt", ".hid/e.txt:1 a.txt:1 sub/b.txt:1"],
      ["*.{ts,md}", "sub.ts:1 sub/bom.md:1 sub/deep/d.ts:2"],
      ["{a,{b,e}}.txt", ".hid/e.txt:1 a.txt:1 sub/b.txt:1"],
      ["{a.txt", ""],
      ["[ab].txt", "a.txt:1 sub/b.txt:1"],
      ["[a-b].txt", "a.txt:1 sub/b.txt:1"],
      ["[!a].txt", ".hid/e.txt:1 sub/b.txt:1"],
      ["[^a].txt", ".hid/e.txt:1 sub/b.txt:1"],
      ["x[[]1].txt", "x[1].txt:1"],
      ["x[1].txt", "x[1].txt:1"],
      ["x\\[1\\].txt", "x[1].txt:1"],
      ["sub", inSub("sub/")],
      ["sub/", inSub("sub/")],
      ["/sub", inSub("sub/")],
      ["sub/*", inSub("sub/")],
      ["sub/**", inSub("sub/")],
      ["{sub,other}/**", inSub("sub/")],
      ["sub/*.txt", "sub/b.txt:1"],
      ["su*", `${rest} ${inSub("sub/")}`],
      ["deep/", "sub/deep/d.ts:2"],
      ["**/deep/**", "sub/deep/d.ts:2"],
      ["sub/**/d.ts", "sub/deep/d.ts:2"],
      ["sub/**/b.txt", "sub/b.txt:1"],
      ["**/b.txt", "sub/b.txt:1"],
      ["b.txt/x", ""],
      ["deep/*", ""],
      ["/a.txt", "a.txt:1"],
      ["./a.txt", "a.txt:1"],
      ["/b.txt", ""],
      [".hid/**", ".hid/e.txt:1"],
      ["!*.txt", "sub.ts:1 sub/bom.md:1 sub/deep/d.ts:2"],
      ["!sub/", ".hid/e.txt:1 a.txt:1 sub.ts:1 x[1].txt:1"],
    ])("in files that %j names", async (glob, expected) => {
      await plant();
      expect(await found({ glob })).toBe(expected);
    });

    test("a glob speaks of the paths below the folder, and does not keep a file back that is named", async () => {
      await plant();
      expect(await found({ path: "sub", glob: "deep/*" })).toBe("sub/deep/d.ts:2");
      expect(await found({ path: "sub", glob: "sub/deep/*" })).toBe("");
      expect(await found({ path: "a.txt", glob: "*.ts" })).toBe("a.txt:1");
    });

    test.each<[pattern: string, expected: string]>([
      ["", "!bad_request"],
      ["(?i)^foo\\-1", "sub/deep/d.ts:1"],
      ["^fo{1,2}$", all],
      ["^fo{1", ""],
    ])("for the regular expression %j", async (pattern, expected) => {
      await plant();
      expect(await found({ pattern, literal: false })).toBe(expected);
    });

    test("says when there is more", async () => {
      const any = { ...query, literal: false, pattern: "." };
      for (const [maxResults, limited] of [
        [1, true],
        [3, true],
        [5, true],
        [6, false],
        [7, false],
      ] as const) {
        const result = await bench().files.search({ ...any, maxResults });
        const count = result.hits.reduce((sum, { lines }) => sum + lines.length, 0);
        expect({ maxResults, limited: result.limited, count }).toEqual({
          maxResults,
          limited,
          count: Math.min(6, maxResults),
        });
      }
    });
    test("refuses what is no regular expression", async () => {
      const wrong = bench().files.search({ ...query, literal: false, pattern: "(" });
      await expect(wrong).rejects.toMatchObject({ code: "bad_request" });
    });
  });
}
