import { relative } from "node:path";
import { describe, expect, test } from "vitest";
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
