import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PortError } from "../../src/ports/files.js";
import { faultyIo } from "../support/faulty.js";
import { commit, newGround, treeOf, utf8 } from "../support/node.js";

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("..", ".", "", "a", "b", "A", "link", "loop", "out", "folder", "file"),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        "a\nb",
        "a\0b",
        "é",
        "e\u0301",
        "\u200b",
        "..\\..",
        "~",
        "$HOME",
        "%2e%2e",
        "-rf",
        "con",
        "x".repeat(255),
      ],
      ...["x".repeat(256), "…", ".. ", "..;", "\ud800", "a\u202eb", ".git", "id_rsa", "*", "?"],
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);
const anyPath = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join("/")),
  fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join("/")}`),
  fc.constantFrom(
    "/etc/passwd",
    "/proc/self/environ",
    "/dev/null",
    "a/".repeat(3000),
    "file:///etc/passwd",
    "//",
  ),
);

test("no path reads or writes anything outside the roots", async () => {
  const at = newGround();
  const outside = join(at.root, "../outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "SECRET");
  writeFileSync(join(at.root, "../secret"), "SECRET");
  mkdirSync(join(at.root, "folder"));
  at.put("file", "content");
  at.put("a/file", "content");
  symlinkSync(outside, join(at.root, "out"));
  symlinkSync("../..", join(at.root, "folder/link"));
  symlinkSync("loop", join(at.root, "loop"));
  symlinkSync("a", join(at.root, "link"));
  symlinkSync("../new-outside", join(at.root, "b"));
  const before = treeOf(outside);
  const opened = new Set<string>();
  const only = (call: string): boolean => {
    const [, path] = /^(?:open|rename|link|unlink|mkdir|rmdir|readdir) (\/.*)$/s.exec(call) ?? [];
    if (path) opened.add(path);
    return false;
  };
  const { io } = faultyIo({ at: 0, error: "", forGood: false, only });
  const files = at.files({ io });
  await fc.assert(
    fc.asyncProperty(anyPath, async (path) => {
      try {
        const file = await files.identify(path);
        expect(file.key === at.root || file.key.startsWith(`${at.root}/`)).toBe(true);
        const bytes = await files.read(file);
        expect(new TextDecoder().decode(bytes ?? undefined)).not.toContain("SECRET");
        await files.hold([file], (held) => held.commit([{ file, before: bytes, after: utf8("written") }]));
      } catch (error) {
        expect(error).toBeInstanceOf(PortError);
        expect(["bad_request", "outside_roots", "denied", "io"]).toContain((error as PortError).code);
        expect((error as PortError).message.length).toBeLessThan(9000);
      }
    }),
    { numRuns: Math.max(500, Number(process.env.KEDGE_RUNS)) },
  );
  expect(treeOf(outside)).toEqual(before);
  expect(readdirSync(join(at.root, "..")).sort()).toEqual(["outside", "secret", "state", "work"]);
  expect(readFileSync(join(at.root, "../secret"), "utf8")).toBe("SECRET");
  const inside = [
    at.root,
    at.state,
    "/proc/self/fd/",
    "/proc/sys/kernel/random/boot_id",
    `/proc/${process.pid}/stat`,
  ];
  expect([...opened].filter((path) => !inside.some((folder) => path.startsWith(folder)))).toEqual([]);
});

test("names with newlines, blanks and any script are names like others", async () => {
  const at = newGround();
  const files = at.files();
  for (const path of [
    "a\nb.txt",
    " lead and trail ",
    "日本語/ü.txt",
    "e\u0301.txt",
    "é.txt",
    "-n",
    "x".repeat(255),
  ]) {
    expect(await commit(files, { [path]: "new" })).toBe(true);
    expect(at.get(path)).toBe("new");
  }
  expect(Object.keys(at.tree())).toHaveLength(7);
});

test.each([
  ["", "not empty"],
  ["a\0b", "NUL"],
  ["x".repeat(256), "255"],
  [`${"x/".repeat(2049)}`, "4096"],
])("%j is refused as a request", async (path, why) => {
  await expect(newGround().files().identify(path)).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining(why),
  });
});
