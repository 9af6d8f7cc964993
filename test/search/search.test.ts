import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { nodeIo, thisPlatform } from "../../src/host/index.js";
import type { SearchQuery } from "../../src/ports/files.js";
import { requiredText } from "../../src/search/pattern.js";
import { findRipgrep } from "../../src/search/ripgrep.js";
import { type Ground, newGround } from "../support/node.js";
import { putRipgrepOnPath } from "../support/ripgrep.js";

const query: SearchQuery = { pattern: "needle", literal: true, ignoreCase: false, maxResults: 1000 };
const hasRipgrep = await putRipgrepOnPath();
const ways = hasRipgrep ? [true, false] : [false];

/** A tree in which every rule about what is skipped has a case. */
function tree(): Ground {
  const at = newGround();
  const files = [
    ...["a.txt", "sub/b.ts", "sub/deep/c.ts", ".hidden/d.ts", "sub.x/e.ts", "sub-x/f.ts"],
    ...["build/out.js", "sub/build/out.js", "x.log", "keep.log", "sub/y.log", "node_modules/m/i.js"],
    ...[".git/config", "sub/inner/.git/HEAD", "sub/inner/z.log", "sub/inner/kept.ts", ".env", "id_rsa"],
    ...[
      "ig/ignored.txt",
      "ig/whitelisted.txt",
      "rg/only-rg.txt",
      "only-ignore.txt",
      "ü/é.ts",
      "sp ace/n\newline.ts",
    ],
    ...["anchored/top.tmp", "anchored/deep/top.tmp"],
  ];
  for (const path of files) at.put(path, `first\na needle in ${path}\nlast\n`);
  at.put(".gitignore", "/build/\n*.log\n!keep.log\nnode_modules/\n");
  at.put("ig/.gitignore", "*.txt\n");
  at.put("ig/.ignore", "!whitelisted.txt\n");
  at.put("rg/.rgignore", "only-rg.txt\n");
  at.put(".ignore", "only-ignore.txt\n");
  at.put("anchored/.gitignore", "/top.tmp\n");
  at.put("binary.bin", "needle\0needle");
  at.put("utf16.txt", Buffer.from("\ufeffa needle\n", "utf16le"));
  at.put("sjis.txt", iconv.encode("日本語のneedleコメントです\n", "shift_jis"));
  symlinkSync("a.txt", join(at.root, "link.txt"));
  symlinkSync("sub", join(at.root, "linked"));
  mkdirSync(join(at.root, "empty"));
  return at;
}

const visible = [
  ...[".env", ".hidden/d.ts", "a.txt", "anchored/deep/top.tmp", "ig/whitelisted.txt", "keep.log", "sjis.txt"],
  ...["sp ace/n\newline.ts", "sub-x/f.ts", "sub.x/e.ts", "sub/b.ts", "sub/build/out.js", "sub/deep/c.ts"],
  ...["sub/inner/kept.ts", "sub/inner/z.log", "utf16.txt", "ü/é.ts"],
];

describe.each(ways)("search, with ripgrep: %s", (ripgrep) => {
  const search = (at: Ground, more: Partial<SearchQuery>) =>
    at.files({ ripgrep }).search({ ...query, ...more });
  const paths = async (at: Ground, more: Partial<SearchQuery>): Promise<string[]> =>
    (await search(at, more)).hits.map(({ path }) => path);

  test("skips what is ignored, denied, binary or a link; hidden files are files", async () => {
    expect(await paths(tree(), {})).toEqual(visible);
  });
  test("the same by a regular expression that tells ripgrep nothing", async () => {
    expect(await paths(tree(), { literal: false, pattern: "(n|N)ee(d)le" })).toEqual(visible);
  });
  test("where there is no repository, .gitignore says nothing, but .ignore does", async () => {
    const at = newGround();
    for (const path of ["a.log", "b.log", "repo/c.log", "repo/d.log"]) at.put(path, "needle");
    at.put(".gitignore", "*\n");
    at.put(".ignore", "b.log\n");
    at.put("repo/.git/HEAD", "ref");
    at.put("repo/.gitignore", "d.log\n");
    expect(await paths(at, {})).toEqual(["a.log", "repo/c.log"]);
    expect(await paths(at, { path: "repo" })).toEqual(["repo/c.log"]);
  });
  test("rules from above a folder count in it", async () => {
    expect(await paths(tree(), { path: "sub" })).toEqual(visible.filter((path) => path.startsWith("sub/")));
    expect(await paths(tree(), { path: "sub/" })).toEqual(visible.filter((path) => path.startsWith("sub/")));
    expect(await paths(tree(), { path: "./ig" })).toEqual(["./ig/whitelisted.txt"]);
  });
  test("a folder or file that is asked for by name is searched even if it is ignored", async () => {
    const at = tree();
    expect(await paths(at, { path: "node_modules" })).toEqual(["node_modules/m/i.js"]);
    expect(await paths(at, { path: "node_modules/m" })).toEqual(["node_modules/m/i.js"]);
    at.put("node_modules/m/.gitignore", "i.js\n");
    expect(await paths(at, { path: "node_modules/m" })).toEqual([]);
    expect(await paths(at, { path: "x.log" })).toEqual(["x.log"]);
    expect(await paths(at, { path: join(at.root, "sub/deep") })).toEqual([join(at.root, "sub/deep/c.ts")]);
  });
  test.each([
    [
      "*.ts",
      [
        ".hidden/d.ts",
        "sp ace/n\newline.ts",
        "sub-x/f.ts",
        "sub.x/e.ts",
        "sub/b.ts",
        "sub/deep/c.ts",
        "sub/inner/kept.ts",
        "ü/é.ts",
      ],
    ],
    ["sub/*.ts", ["sub/b.ts"]],
    ["sub/**", ["sub/b.ts", "sub/build/out.js", "sub/deep/c.ts", "sub/inner/kept.ts", "sub/inner/z.log"]],
    ["*.{js,log}", ["keep.log", "sub/build/out.js", "sub/inner/z.log"]],
    ["!*.ts", visible.filter((path) => !path.endsWith(".ts"))],
    ["**/deep/*", ["anchored/deep/top.tmp", "sub/deep/c.ts"]],
  ])("glob %s", async (glob, expected) => {
    expect(await paths(tree(), { glob })).toEqual(expected);
  });
  test("without regard to case, also beyond ASCII", async () => {
    const at = newGround();
    at.put("a.txt", "STRAßE Äpfel\nneedle\nNEEDLE\n\u212Aelvin\n");
    expect((await search(at, { ignoreCase: true })).hits).toEqual([{ path: "a.txt", lines: [2, 3] }]);
    expect((await search(at, { pattern: "äPFEL", ignoreCase: true })).hits).toEqual([
      { path: "a.txt", lines: [1] },
    ]);
    expect((await search(at, { pattern: "(?i)kelvin", literal: false })).hits).toEqual([
      { path: "a.txt", lines: [4] },
    ]);
  });
  test.each([
    ["\\bneedle\\b", [1, 3]],
    ["^\\s*needle", [1, 4]],
    ["needle$", [1]],
    ['\\"x\\-y\\"', [5]],
    ["a.b", [6]],
    ["(?<!x)needle(?= )", [3]],
    ["^$", [7]],
  ])("regular expression %s", async (pattern, lines) => {
    const at = newGround();
    at.put("a.txt", 'needle\r\nxneedles\r\nthe needle is\r\n\tneedles\r\n"x-y"\r\naéb\r\n\r\n');
    expect((await search(at, { pattern, literal: false })).hits).toEqual([{ path: "a.txt", lines }]);
  });
  test("can be cancelled, and tells how far it is", async () => {
    const at = newGround();
    for (let number = 0; number < 300; number++) at.put(`${number}.txt`, "needle");
    const seen: number[] = [];
    const result = await search(at, { onProgress: (count) => void seen.push(count) });
    expect(result.hits).toHaveLength(300);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toBe(300);
    const stop = new AbortController();
    const stopped = search(at, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  });
});

test("a pattern that would take for ever is stopped", async () => {
  const at = newGround();
  at.put("a.txt", `${"a".repeat(60)}b\n`);
  const files = at.files({ limits: { time: 300 } });
  const endless = files.search({ ...query, literal: false, pattern: "(a+)+$" });
  await expect(endless).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("limits.time"),
  });
});

test("one file does not use up the time that a search in a large tree may take", async () => {
  const at = newGround();
  at.put("a.txt", "aab\n");
  at.put("b.txt", `${"a".repeat(60)}b\n`);
  const files = at.files({ limits: { time: 3_600_000 } });
  const endless = files.search({ ...query, literal: false, pattern: "(a+)+$" });
  await expect(endless).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("the pattern takes too long on b.txt"),
  });
});

test("what there is not, and what is outside", async () => {
  const files = newGround().files();
  await expect(files.search({ ...query, path: "gone" })).rejects.toMatchObject({ code: "not_found" });
  await expect(files.search({ ...query, path: ".." })).rejects.toMatchObject({ code: "outside_roots" });
  await expect(files.search({ ...query, pattern: "" })).rejects.toMatchObject({ code: "bad_request" });
});

test("a program called rg in the workspace is not started", () => {
  const at = newGround();
  at.put("rg", "#!/bin/sh\n");
  const disk = { io: nodeIo, platform: thisPlatform };
  expect(findRipgrep(disk, [".", "", "bin"].join(delimiter))).toBeNull();
  expect(findRipgrep(disk, undefined)).toBeNull();
});

test.each([
  ["needle", "needle"],
  ["foo.*needle", "needle"],
  ["needles?", "needle"],
  ["need+les", "need"],
  ["\\bneedle\\(", null],
  ["\\bneedle\\s+x", "needle"],
  ["a|needle", null],
  ["(needle)?", null],
  ["[n]eedle", null],
  ["x{2}needle", null],
  ["\\u0041needle", null],
  [".", null],
  ["é+needle", "needle"],
])("what %s cannot do without: %s", (source, expected) => {
  expect(requiredText(source)).toBe(expected);
});

test("a repository of another kind has its .gitignore", async () => {
  const at = newGround();
  at.put(".jj/repo", "");
  at.put(".gitignore", "*.log\n");
  for (const path of ["a.log", "b.txt"]) at.put(path, "needle");
  const { hits } = await at.files({ ripgrep: false }).search(query);
  expect(hits).toEqual([{ path: "b.txt", lines: [1] }]);
});

test.runIf(!hasRipgrep)("ripgrep is not there: only the walk through the folders was tried", () => {});
