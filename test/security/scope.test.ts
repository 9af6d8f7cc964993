/** An agent with a scope neither touches nor hears of a path outside it; one without a scope does. */
import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Result } from "../../src/calls/index.js";
import { Scope } from "../../src/disk/index.js";
import { type LedgerStore, memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/index.js";
import { tools } from "../../src/tools/index.js";
import { type Ground, newGround } from "../support/node.js";

const secret = "the needle nobody may read\n";

let place: Ground;
let store: LedgerStore;
const agent = (scope?: readonly string[], name = "scoped"): Session =>
  new Session({
    ...{ files: place.files(scope ? { scope } : {}), store, agent: name, principal: name, clock: Date.now },
  });

async function call(session: Session, name: string, args: object): Promise<Result> {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(session, args);
}

/** Everything of an answer that reaches a client. */
const told = (result: Result): string => JSON.stringify([result.text, result.details]);

beforeEach(() => {
  place = newGround();
  store = memoryStore();
  place.put("src/a.ts", "const a = 1;\n");
  place.put("src/deep/b.ts", "a needle in b\n");
  place.put("private/keys.txt", secret);
  place.put("srcs/near.ts", secret);
  place.put("top.txt", secret);
  symlinkSync(join(place.root, "private/keys.txt"), join(place.root, "src/link.txt"));
  symlinkSync(join(place.root, "private"), join(place.root, "src/folder"));
  symlinkSync(join(place.root, "src"), join(place.root, "into"));
  symlinkSync("/etc", join(place.root, "src/etc"));
});

const outside: readonly (readonly [string, string])[] = [
  ["a path", "private/keys.txt"],
  ["a name that begins alike", "srcs/near.ts"],
  ["a file beside the folder", "top.txt"],
  ["a way back", "src/../private/keys.txt"],
  ["a way through what is not there", "src/none/../../private/keys.txt"],
  ["a link", "src/link.txt"],
  ["a link to a folder", "src/folder/keys.txt"],
  ["a new file behind a link", "src/folder/new.txt"],
  ["a link out of the tree", "src/etc/hostname"],
  ["a name outside that leads inside", "into/a.ts"],
  ["an absolute path", "/etc/hostname"],
  ["a path that is not there", "private/none.txt"],
  ["a file as a folder", "private/keys.txt/x"],
  ["the state folder", "../state/locks/x"],
];

describe("with the scope src/**", () => {
  test.each(outside)("%s is neither read nor written nor named", async (_, path) => {
    const session = agent(["src/**"]);
    const before = JSON.stringify(place.tree());
    const answers = [
      await call(session, "read_file", { path }),
      await call(session, "edit_file", { path, edits: [{ op: "append", text: "x" }] }),
      await call(session, "write_file", { path, content: "x" }),
      await call(session, "multi_edit", { files: [{ path, edits: [{ op: "delete_file" }] }] }),
      await call(session, "multi_edit", {
        files: [
          { path: "src/new.ts", edits: [{ op: "create_file", text: "x" }] },
          { path, edits: [{ op: "create_file", text: "x" }] },
        ],
      }),
    ];
    for (const answer of answers) {
      expect(answer.details).toMatchObject({ status: "refused", code: "outside_roots" });
      const rest = told(answer).replaceAll("src/**", "");
      for (const name of [
        "private",
        "keys",
        "near",
        "top.txt",
        "/etc",
        "needle",
        "into",
        place.root,
        "new.ts",
      ])
        expect(rest, name).not.toContain(name);
    }
    // Whatever is there: the answers are the same.
    const plain = await call(agent(["src/**"], "other"), "read_file", { path: "nowhere/x" });
    expect(answers[0]?.text).toBe(plain.text);
    expect(JSON.stringify(place.tree())).toBe(before);
    const rows = JSON.stringify(await store.journal());
    for (const name of ["private", "keys", "near", "top.txt", "needle", "/etc"])
      expect(rows).not.toContain(name);
    expect((await store.journal()).map(({ code }) => code)).toEqual(Array(4).fill("outside_roots"));
  });

  test("without it the same agent reads them: the scope is what refuses", async () => {
    const session = agent();
    for (const path of ["private/keys.txt", "srcs/near.ts", "src/link.txt", "src/folder/keys.txt"])
      expect((await call(session, "read_file", { path })).text).toContain("needle");
  });

  test("a file is not moved out, nor one in", async () => {
    const session = agent(["src/**"]);
    await call(session, "read_file", { path: "src/a.ts" });
    const move = (path: string, to: string) =>
      call(session, "multi_edit", { files: [{ path, edits: [{ op: "move_file", to }] }] });
    for (const [path, to] of [
      ["src/a.ts", "private/a.ts"],
      ["src/a.ts", "src/folder/a.ts"],
      ["src/a.ts", "../a.ts"],
      ["private/keys.txt", "src/keys.txt"],
    ] as const) {
      const answer = await move(path, to);
      expect(answer.details).toMatchObject({ status: "refused", code: "outside_roots" });
      expect(told(answer)).not.toMatch(/private|keys|folder/);
    }
    expect((await move("src/a.ts", "src/moved.ts")).isError).toBe(false);
  });

  test("a search finds what is inside, from wherever it begins, and says nothing of the rest", async () => {
    const session = agent(["src/**"]);
    for (const path of [undefined, ".", "src", place.root, "src/deep", "src/deep/b.ts"]) {
      const answer = await call(session, "grep", { pattern: "needle", ...(path ? { path } : {}) });
      expect(answer.details, String(path)).toMatchObject({ status: "found", matches: 1, limited: false });
      expect(told(answer)).toContain("a needle in b");
      expect(told(answer)).not.toMatch(/nobody|keys|near|top\.txt/);
    }
    for (const path of ["private", "srcs", "top.txt", "src/link.txt", "src/folder", "into", "/etc", ".."]) {
      const answer = await call(session, "grep", { pattern: "needle", path });
      expect(answer.details, path).toMatchObject({ status: "refused", code: "outside_roots" });
      expect(told(answer)).not.toMatch(/nobody|keys|near/);
    }
    const globbed = await call(session, "grep", { pattern: "needle", glob: "../private/*" });
    expect(globbed.details).toMatchObject({ matches: 0 });
  });

  test("matches outside do not fill the number that is asked for", async () => {
    for (let at = 0; at < 20; at++) place.put(`aaa/${at}.txt`, secret);
    const answer = await call(agent(["src/**"]), "grep", { pattern: "needle", max_results: 1 });
    expect(answer.details).toMatchObject({ matches: 1, limited: false });
  });

  test("a handle of a wider scope is not good under a narrower one", async () => {
    const wide = agent(undefined, "one");
    await call(wide, "read_file", { path: "private/keys.txt" });
    const [row = ""] = (await call(wide, "read_file", { path: "private/keys.txt" })).text.split("|");
    place.put("private/keys.txt", "changed\n");
    const edits = [{ op: "set_line", anchor: row, text: "mine" }];
    const refused = await call(wide, "edit_file", { path: "private/keys.txt", edits });
    const { retry } = refused.details as { retry?: string };
    expect(retry).toBeDefined();
    for (const args of [{ retry }, { path: "src/a.ts", retry }]) {
      const narrow = agent(["src/**"], "one");
      const tool = "path" in args ? "edit_file" : "multi_edit";
      const answer = await call(narrow, tool, { ...args, dry_run: true });
      expect(answer.isError).toBe(true);
      expect(told(answer)).not.toMatch(/private|changed/);
    }
    expect(place.get("private/keys.txt")).toBe("changed\n");
  });
});

describe("with the scope **/*.ts", () => {
  test("a folder that may hold such files is searched, and one that is not there answers alike", async () => {
    const session = agent(["**/*.ts"]);
    const found = await call(session, "grep", { pattern: "needle", path: "src" });
    expect(found.details).toMatchObject({ matches: 1 });
    const texts = new Set<string>();
    for (const path of ["private", "none", "top.txt", "private/keys.txt", "src/etc"])
      texts.add((await call(session, "grep", { pattern: "needle", path })).text);
    expect([...texts]).toHaveLength(1);
  });
});

describe("the agent that a call names", () => {
  test("is a part of the caller: it takes nobody's place", async () => {
    const alice = agent(undefined, "alice");
    const bob = agent(undefined, "bob");
    await call(bob, "read_file", { path: "src/a.ts" });
    const [anchor = ""] = (await call(bob, "read_file", { path: "src/a.ts" })).text.split("|");
    const edits = [{ op: "set_line", anchor, text: "forged" }];
    const answer = await call(alice, "edit_file", { path: "src/a.ts", edits, session: "bob" });
    expect(answer.details).toMatchObject({ code: "not_read" });
    expect((await store.journal()).map((one) => one.agent)).toEqual(["alice/bob"]);
    expect((await call(bob, "edit_file", { path: "src/a.ts", edits })).isError).toBe(false);
  });

  test("is divided once, and never twice", () => {
    const session = agent(undefined, "alice").as("x");
    expect(session.agent).toBe("alice/x");
    expect(session.as("y").agent).toBe("alice/y");
    for (const name of ["__proto__", "constructor", "../bob", "bob"])
      expect(session.as(name).agent).toBe(`alice/${name}`);
  });
});

describe("a scope", () => {
  test.each([
    "",
    "/",
    "/etc",
    "!src",
    "../x",
    "src/../..",
    "C:\\x",
    "\\x",
    "a\0b",
    "a/!(b)",
    "x".repeat(2000),
  ])("is refused: %j", (pattern) => {
    expect(() => new Scope([pattern])).toThrow(expect.objectContaining({ code: "bad_request" }));
  });

  test.each([
    ["src", ["src", "src/a", "src/a/b"], ["srcs", "x/src", ""]],
    ["./src/", ["src", "src/a"], ["a/src"]],
    ["src/*.ts", ["src/a.ts"], ["src/a/b.ts", "src/a.tsx"]],
    ["**/*.md", ["a.md", "x/y.md"], ["a.mdx"]],
    ["**", ["", "a", "a/b", ".hidden/x"], []],
    [".", ["", "a"], []],
    ["{a,b}/**", ["a", "a/x", "b/x"], ["c/x"]],
    ["Src/**", ["Src/a"], ["src/a"]],
  ] as const)("%s holds what it names", (pattern, inside, without) => {
    const scope = new Scope([pattern]);
    expect(inside.filter((path) => !scope.has(path))).toEqual([]);
    expect(without.filter((path) => scope.has(path))).toEqual([]);
  });

  test("of many stars is matched in time that grows with the path", () => {
    const scope = new Scope([`${"*a".repeat(300)}b`, `${"**/".repeat(200)}x`]);
    expect(scope.has("a".repeat(5000))).toBe(false);
    expect(scope.has("a/".repeat(2000))).toBe(false);
  });

  test("knows every folder above a path that it holds", () => {
    const name = fc.constantFrom("a", "b", "ab", "x.ts");
    const piece = fc.constantFrom("a", "b", "*", "**", "*.ts", "?", "{a,b}");
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("/"));
    const path = fc.array(name, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pattern, path, (glob, names) => {
        const scope = new Scope([glob]);
        if (!scope.has(names.join("/"))) return;
        for (let length = 0; length < names.length; length++)
          expect(scope.isAbove(names.slice(0, length).join("/"))).toBe(true);
        // A folder in the scope is there whole.
        expect(scope.has([...names, "more"].join("/"))).toBe(true);
      }),
    );
  });

  test("holds a file by its path: another name of the same file is another path", async () => {
    mkdirSync(join(place.root, "src/hard"));
    linkSync(join(place.root, "private/keys.txt"), join(place.root, "src/hard/name.txt"));
    const answer = await call(agent(["src/**"]), "read_file", { path: "src/hard/name.txt" });
    expect(answer.text).toContain("needle");
  });
});
