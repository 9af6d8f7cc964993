import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { Session } from "../../src/session/session.js";
import { treeOnRecord } from "../../src/tree/tree-record.js";
import { nodeFiles } from "../../src/workspace/files.js";
import { TreeGround } from "./ground.js";

const ten = Array.from({ length: 10 }, (_, at) => `line number ${at + 1}\n`).join("");

describe("a command that writes", () => {
  test.each([
    ["sed -i 's/number 3/number three/' a.txt", ["one shell a.txt"]],
    ["perl -pi -e 's/number 3/three/' a.txt", ["one shell a.txt"]],
    ["cat > new.txt <<'EOF'\nfresh text\nEOF", ["one shell new.txt"]],
    ["echo more text >> a.txt", ["one shell a.txt"]],
    ["echo over | tee a.txt", ["one shell a.txt"]],
    ["cp a.txt c.txt", ["one shell c.txt"]],
    ["mv a.txt c.txt", ["one shell a.txt to c.txt"]],
    ["rm b.txt", ["one shell b.txt"]],
    ["git mv a.txt c.txt", ["one shell a.txt to c.txt"]],
    ["python3 -c \"open('a.txt','a').write('x y z\\n')\"", ["one shell a.txt"]],
    ["bash -c 'cd sub && sed -i s/one/two/ d.txt'", ["one shell sub/d.txt"]],
    ["cd sub; echo hello there > d.txt", ["one shell sub/d.txt"]],
  ])("%s", async (command, expected) => {
    const ground = new TreeGround({ "a.txt": ten, "b.txt": ten.toUpperCase(), "sub/d.txt": "one\n" });
    await ground.begin();
    const before = ground.text("a.txt");
    const entries = await ground.shell(command);
    expect(ground.told(entries).sort()).toEqual(expected);
    for (const { path, before: was, after, cause } of entries) {
      if (!command.includes("mv "))
        expect(await ground.kept(after)).toBe(ground.text(relative(ground.root, path)));
      if (path.endsWith("/a.txt")) expect(await ground.kept(was)).toBe(before);
      expect(cause).toBe(command.slice(0, 200));
    }
    expect((await ground.prompt()).entries).toEqual([]);
  });
});

describe("what was there before", () => {
  test("a person's dirty and untracked files are on record, and named as theirs once they are taken away", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    ground.put("a.txt", `${ten}the person's line\n`);
    ground.put("new.txt", "untracked\n");
    const first = await ground.begin();
    expect(first).toMatchObject({ isFirst: true, kept: 2, entries: [] });
    const entries = await ground.shell("git checkout -- . && git clean -fdq", "two");
    expect(ground.told(entries).sort()).toEqual(["two shell a.txt swept", "two shell new.txt swept"]);
    const all = await ground.store.journal();
    expect(ground.told(all).sort()).toEqual([
      "outside disk a.txt",
      "outside disk new.txt",
      "two shell a.txt swept",
      "two shell new.txt swept",
    ]);
  });
});

describe("a person's lines beside an agent's, from before the first look", () => {
  test("are found to be the person's without the agent's", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    const files = nodeFiles({
      roots: [ground.root],
      base: ground.root,
      state: join(ground.scratch, "state"),
    });
    const session = new Session({ files, store: ground.store, agent: "two", clock: Date.now });
    await session.read({ path: "a.txt" });
    await session.edit({
      path: "a.txt",
      edits: [{ op: "replace_text", old: "number 5", new: "number five" }],
    });
    ground.put("a.txt", `${ground.text("a.txt")}typed by a person\n`);
    await ground.begin();
    await ground.shell("sed -i 1d a.txt");
    const found = (await ground.store.journal()).map(({ agent, lines }) => [
      agent,
      lines.map(({ start }) => start),
    ]);
    expect(found).toEqual([
      ["two", [5]],
      ["outside", [11]],
      ["one", [1]],
    ]);
  });
});

describe("an edit tool at work", () => {
  test("is not taken for somebody else's change by a look between its two events", async () => {
    const ground = new TreeGround({ "a.txt": ten, "b.txt": ten });
    await ground.begin();
    const editing = {
      kind: "edit",
      agent: "one",
      cwd: ground.root,
      paths: [`${ground.root}/a.txt`],
    } as const;
    await ground.tree.observe(editing);
    ground.put("a.txt", ten.replace("number 3", "number three"));
    ground.put("b.txt", ten.replace("number 3", "number three"));
    const { entries } = await ground.tree.observe({ kind: "prompt", agent: "two", cwd: ground.root });
    expect(ground.told(entries)).toEqual(["outside disk b.txt"]);
    const after = await ground.tree.observe({ ...editing, isDone: true });
    expect(ground.told(after.entries)).toEqual(["outside disk a.txt"]);
  });

  test("that never wrote holds its file back until the agent's next prompt", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    await ground.begin();
    const paths = [`${ground.root}/a.txt`];
    await ground.tree.observe({ kind: "edit", agent: "one", cwd: ground.root, paths });
    ground.put("a.txt", ten.replace("number 3", "number three"));
    expect((await ground.tree.observe({ kind: "prompt", agent: "two", cwd: ground.root })).entries).toEqual(
      [],
    );
    const { entries } = await ground.tree.observe({ kind: "prompt", agent: "one", cwd: ground.root });
    expect(ground.told(entries)).toEqual(["outside disk a.txt"]);
  });
});

describe("a command that runs while an edit of another agent is let through and not yet made", () => {
  const editing = (ground: TreeGround) =>
    ({ kind: "edit", agent: "two", cwd: ground.root, paths: [`${ground.root}/a.txt`] }) as const;

  test("is the author of what it did to the file, though that shows only when the edit is over", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    await ground.begin();
    await ground.tree.observe(editing(ground));
    const command = "sed -i 's/number 3/number three/' a.txt";
    expect(await ground.shell(command)).toEqual([]);
    const { entries } = await ground.tree.observe({ kind: "prompt", agent: "two", cwd: ground.root });
    expect(entries.map(({ agent, cause }) => [agent, cause])).toEqual([["one", command]]);
    ground.put("a.txt", `${ground.text("a.txt")}typed\n`);
    expect(ground.told((await ground.prompt()).entries)).toEqual(["outside disk a.txt"]);
  });

  test("is one of those who may have changed it, if the file was written after it ended", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    // The clock tells an earlier time than the files.
    ground.later = -1_000;
    await ground.begin();
    await ground.tree.observe(editing(ground));
    await ground.shell("sed -i 's/number 3/number three/' a.txt");
    ground.put("a.txt", `${ground.text("a.txt")}typed\n`);
    const { entries } = await ground.tree.observe({ kind: "prompt", agent: "two", cwd: ground.root });
    expect(entries.map(({ authors }) => authors)).toEqual([["one", "outside"]]);
  });
});

describe("what is stored", () => {
  test("nothing ignored, nothing secret, nothing in the repository; with off nothing at all", async () => {
    const ground = new TreeGround({ "a.txt": ten, ".gitignore": "*.log\n" });
    ground.put("run.log", "ignored text\n");
    ground.put(".env", "PASSWORD=secret text\n");
    ground.put("key.txt", `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA".repeat(4)}\n`);
    ground.put("big.txt", "x".repeat(1_100_000));
    ground.put("bytes.bin", new Uint8Array([0, 1, 2, 0]));
    ground.put("fine.txt", "fine\n");
    expect(await ground.begin()).toMatchObject({ isFirst: true, kept: 1 });
    expect(ground.git("status", "--short", "--ignored").match(/kedge/)).toBeNull();
    const entries = await ground.shell("rm .env key.txt fine.txt run.log");
    expect(ground.told(entries).sort()).toEqual([
      "one shell .env swept",
      "one shell fine.txt swept",
      "one shell key.txt swept",
    ]);
    const texts = await Promise.all(entries.map(({ before }) => ground.kept(before)));
    expect(texts.sort()).toEqual(["fine\n", null, null]);
    const off = new TreeGround({ "a.txt": ten }, { mode: "off" });
    off.put("a.txt", "changed\n");
    expect(await off.begin()).toMatchObject({ isFirst: false, kept: 0 });
    expect(await off.shell("rm a.txt")).toEqual([]);
  });

  test("files of a commit of Kedge's own that is under way are nobody's", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    await ground.begin();
    for (const end of ["", ".old"]) ground.put(`lib/.kedge-mwnwk0hb-dgx-3a-aik5r6l8-0.tmp${end}`, "half\n");
    expect((await ground.prompt()).entries).toEqual([]);
    ground.run("rm -r lib");
    expect((await ground.prompt()).entries).toEqual([]);
  });

  test("no program that the repository names is started", async () => {
    const ground = new TreeGround({ "a.x": "one\n", ".gitattributes": "*.x filter=bad\n" });
    const mark = ground.path("../mark");
    ground.git("config", "filter.bad.clean", `touch ${mark}; cat`);
    ground.git("config", "filter.a=b.clean", `touch ${mark}; cat`);
    ground.git("config", "core.fsmonitor", `touch ${mark}`);
    ground.put("a.x", "two\n");
    ground.put(".gitattributes", "*.x filter=bad\n*.y filter=a=b\n");
    ground.put("b.y", "new\n");
    await ground.begin();
    await ground.after("node x.js");
    expect(ground.text("../mark")).toBeNull();
  });
});

describe("places", () => {
  test("no repository", async () => {
    const ground = new TreeGround({ "a.txt": ten }, { git: false });
    await ground.begin();
    expect(ground.told(await ground.shell("sed -i s/3/three/ a.txt; echo new > b.txt")).sort()).toEqual([
      "one shell a.txt",
      "one shell b.txt",
    ]);
  });

  test("a repository without a commit, staged files, names with blanks and letters of all kinds", async () => {
    const ground = new TreeGround();
    ground.put("a b.txt", ten);
    ground.put("\u00e4\n\u65e5.txt", ten);
    ground.git("add", "a b.txt");
    expect(await ground.begin()).toMatchObject({ kept: 2 });
    expect((await ground.shell("rm -f *.txt")).length).toBe(2);
  });

  test("a submodule, a repository inside, a link: not this tree's files", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    ground.put("inner/x.txt", "inner\n");
    ground.run("(cd inner && git init -q . && git add -A && git commit -qm in); ln -s a.txt link.txt");
    await ground.begin();
    expect(ground.told(await ground.shell("echo more >> inner/x.txt; echo more >> link.txt"))).toEqual([
      "one shell a.txt",
    ]);
  });

  test("a linked work tree is looked at by itself", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    ground.git("worktree", "add", "-q", "../linked");
    await ground.begin();
    ground.run("echo there >> ../linked/a.txt");
    expect((await ground.prompt()).entries).toEqual([]);
  });
});

describe("who", () => {
  test("a person between commands, and a person while a long command runs", async () => {
    const ground = new TreeGround({ "a.txt": ten, "b.txt": ten });
    await ground.begin();
    ground.put("a.txt", `${ten}mine\n`);
    const first = await ground.before("npm test");
    expect(ground.told(first.entries)).toEqual(["outside disk a.txt"]);
    ground.later += 5_000;
    ground.put("b.txt", `${ten}mine too\n`);
    const { entries } = await ground.after("npm test");
    expect(entries.map(({ authors }) => authors)).toEqual([["one", "outside"]]);
  });

  test("two agents at once; a formatter; what an edit tool has journaled already", async () => {
    const ground = new TreeGround({ "a.txt": "one = 'x';\ntwo = 2;\n", "b.txt": ten });
    await ground.begin();
    await ground.before("sed -i s/3/three/ b.txt", "one");
    await ground.before("npx prettier --write a.txt", "two");
    ground.put("a.txt", 'one = "x"\ntwo   = 2\n');
    ground.run("sed -i s/3/three/ b.txt");
    const { entries } = await ground.after("npx prettier --write a.txt", "two");
    expect(ground.told(entries).sort()).toEqual(["one shell b.txt", "two shell a.txt"]);
    expect(entries.find(({ path }) => path.endsWith("a.txt"))?.reformat).toBe(true);
    expect((await ground.after("sed -i s/3/three/ b.txt", "one")).entries).toEqual([]);
  });

  test("a move of HEAD is one entry, and files that were clean and are clean have none", async () => {
    const ground = new TreeGround(
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}.txt`, `${at}\n`])),
    );
    ground.run(
      "git checkout -qb other; for f in *.txt; do echo more >> $f; done; git commit -qam more; git checkout -q main",
    );
    ground.put("mine.txt", "untracked\n");
    await ground.begin();
    expect(await ground.shell("git checkout -q other")).toEqual([]);
    const [entry, ...others] = await ground.store.journal();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      kind: "head",
      agent: "one",
      cause: "git checkout -q other",
      head: { files: 40 },
    });
  });

  test("in the middle of a merge the look says so", async () => {
    const ground = new TreeGround({ "a.txt": ten });
    ground.run(
      "git checkout -qb other; sed -i 1s/.*/theirs/ a.txt; git commit -qam t; git checkout -q main; sed -i 1s/.*/ours/ a.txt; git commit -qam o",
    );
    await ground.begin();
    await ground.before("git merge other");
    ground.run("git merge other || true");
    expect((await ground.after("git merge other")).isUnderWay).toBe(true);
  });
});

test("what is on record can be asked for", async () => {
  const ground = new TreeGround({ "a.txt": ten });
  expect(await treeOnRecord(ground.store, ground.root)).toBeNull();
  ground.put("a.txt", "changed\n");
  await ground.begin();
  expect(await treeOnRecord(ground.store, ground.root)).toEqual({ kept: 1, left: 0, isNarrow: false });
});
