import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { TestRepository } from "./repository.js";

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/** Two agents have changed one file in several places. */
async function shared(): Promise<TestRepository> {
  const tree = new TestRepository({ "a.txt": ten });
  await tree.replace("ada", "a.txt", "2\n", "two\n");
  await tree.replace("bob", "a.txt", "5\n", "5\nfive and a half\n");
  await tree.replace("ada", "a.txt", "9\n", "");
  return tree;
}

describe("kedge commit", () => {
  test("commits exactly the lines of one author, then of the other", async () => {
    const tree = await shared();
    const now = tree.text("a.txt");
    await tree.ok("ada", "commit", "--mine", "-m", "ada's");
    expect(tree.head("a.txt")).toBe("1\ntwo\n3\n4\n5\n6\n7\n8\n10\n");
    expect(tree.text("a.txt")).toBe(now);
    expect(tree.git("status", "--porcelain")).toBe(" M a.txt\n");
    expect(await tree.ok("eve", "commit", "--agent", "bob", "-m", "bob's")).toMatch(/bob's: 1 file of bob/);
    expect(tree.head("a.txt")).toBe(now);
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.git("log", "--format=%s")).toBe("bob's\nada's\nfirst\n");
    expect(tree.git("fsck", "--strict")).toBe("");
  });

  test("shows as a patch for HEAD what it would commit, and writes nothing", async () => {
    const tree = await shared();
    const objects = tree.git("count-objects");
    for (const args of [
      ["diff", "--mine"],
      ["commit", "--mine", "--dry-run"],
    ]) {
      const patch = await tree.ok("bob", ...args);
      expect(patch).toContain("+five and a half\n");
      expect(patch).not.toContain("two");
      expect(tree.tryGit(["apply", "--cached", "--check"], patch)).toEqual({ status: 0, out: "" });
    }
    expect(tree.git("count-objects")).toBe(objects);
  });

  test("takes for the person's what no tool wrote", async () => {
    const tree = await shared();
    tree.put("a.txt", tree.text("a.txt").replace("7\n", "seven\n"));
    await tree.ok("ada", "commit", "--person", "-m", "mine");
    expect(tree.head("a.txt")).toBe(ten.replace("7\n", "seven\n"));
  });

  test("names whose lines a line stands on, and takes those along alone", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.replace("ada", "a.txt", "2\n", "{\na\n}\n");
    await tree.replace("bob", "a.txt", "a\n", "a\nb\n");
    await tree.replace("ada", "a.txt", "9\n", "nine\n");
    const refused = await tree.kedge("bob", "commit", "--mine", "-m", "x");
    expect(refused).toEqual({
      status: 1,
      out: "",
      err: "kedge: a.txt:4 stands on lines of ada (2-3,5); --with ada takes them along\n",
    });
    expect(tree.git("log", "--format=%s")).toBe("first\n");
    await tree.ok("bob", "commit", "--mine", "--with", "ada", "-m", "x");
    expect(tree.head("a.txt")).toBe(ten.replace("2\n", "{\na\nb\n}\n"));
  });

  test("names the person's lines as the person's, which no claim of uncertain lines takes along", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    tree.put("a.txt", ten.replace("4\n", "{\nmine\n}\n").replace("9\n", "nine\n"));
    await tree.replace("ada", "a.txt", "mine\n", "ada\n");
    for (const more of [[], ["--with-unknown"]])
      expect(await tree.kedge("ada", "commit", "--mine", "-m", "x", ...more)).toEqual({
        status: 1,
        out: "",
        err: "kedge: a.txt:5 stands on lines of you or another program (4,6); --with person takes them along\n",
      });
    await tree.ok("ada", "commit", "--mine", "--with", "person", "-m", "x");
    expect(tree.head("a.txt")).toBe(ten.replace("4\n", "{\nada\n}\n"));
  });

  test("needs the author of a new file along", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.write("ada", "new/b.txt", "one\ntwo\n");
    await tree.write("bob", "new/b.txt", "one\ntwo\nthree\n");
    const { err } = await tree.kedge("bob", "commit", "--mine", "-m", "x");
    expect(err).toBe("kedge: new/b.txt:3 is in a new file of ada (1-2); --with ada takes them along\n");
    await tree.ok("ada", "commit", "--mine", "-m", "new");
    expect(tree.head("new/b.txt")).toBe("one\ntwo\n");
    await tree.ok("bob", "commit", "--mine", "-m", "more");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("keeps what others staged as changes: the next commit takes nothing back", async () => {
    const tree = await shared();
    tree.git("add", "a.txt");
    await tree.replace("bob", "a.txt", "7\n", "seven\n");
    await tree.ok("ada", "commit", "--mine", "-m", "ada's");
    expect(tree.git("diff", "--cached", "-U0").match(/^[-+][^-+].*$/gm)).toEqual(["+five and a half"]);
    tree.git("commit", "-q", "-m", "staged");
    expect(tree.head("a.txt")).toBe("1\ntwo\n3\n4\n5\nfive and a half\n6\n7\n8\n10\n");
  });

  test("only stages with --stage", async () => {
    const tree = await shared();
    await tree.ok("ada", "commit", "--mine", "--stage");
    expect(tree.git("diff", "--cached", "-U0").match(/^[-+][^-+].*$/gm)).toEqual(["-2", "+two", "-9"]);
    expect(tree.git("log", "--format=%s")).toBe("first\n");
  });

  test("takes a commit back into which a hook puts other lines, and names hook and lines", async () => {
    const tree = await shared();
    const [head, index] = [tree.git("rev-parse", "HEAD"), tree.git("ls-files", "-s")];
    tree.gitHook("pre-commit", "git add -u");
    const { status, err } = await tree.kedge("ada", "commit", "--mine", "-m", "x");
    expect(status).toBe(1);
    expect(err).toBe(
      "kedge: pre-commit put other lines into the commit, and the branch is set back: a.txt:6\n",
    );
    expect([tree.git("rev-parse", "HEAD"), tree.git("ls-files", "-s")]).toEqual([head, index]);
  });

  test("waits for the commits of others, however long their hooks take", async () => {
    const tree = await shared();
    tree.variables = { KEDGE_LIMITS: "wait=20" };
    tree.gitHook("pre-commit", "sleep 0.5");
    const made = ["ada", "bob"].map((agent) => tree.kedge(agent, "commit", "--mine", "-m", agent));
    expect((await Promise.all(made)).map(({ status, err }) => [status, err])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("commits nothing where a hook refuses", async () => {
    const tree = await shared();
    tree.gitHook("commit-msg", "echo no such message; exit 1");
    const { status, err } = await tree.kedge("ada", "commit", "--mine", "-m", "x");
    expect({ status, err }).toEqual({
      status: 1,
      err: "kedge: git commit failed (hooks: commit-msg):\n  no such message\n",
    });
    expect(tree.git("status", "--porcelain")).toBe(" M a.txt\n");
  });

  test.each([
    ["MERGE_HEAD", "a merge"],
    ["CHERRY_PICK_HEAD", "a cherry-pick"],
    ["REVERT_HEAD", "a revert"],
    ["rebase-merge/head-name", "a rebase"],
    ["rebase-apply/applying", "git am"],
  ])("refuses while .git/%s is there", async (name, what) => {
    const tree = await shared();
    tree.put(`.git/${name}`, tree.git("rev-parse", "HEAD"));
    const { status, err } = await tree.kedge("ada", "commit", "--mine", "-m", "x");
    expect({ status, err }).toEqual({ status: 1, err: `kedge: ${what} is in progress: end it first\n` });
  });
});

describe("lines of which several may be the author", () => {
  test("go with --with-unknown alone, and are listed", async () => {
    const tree = new TestRepository({ "a.txt": ten, "b.txt": ten });
    const call = (session: string, name: string, line: string): object => ({
      ...{ session_id: session, hook_event_name: name, tool_name: "Bash", tool_use_id: session },
      ...{ tool_input: { command: line }, tool_calls: [] },
    });
    const [one, two] = ["11111111-e226-421b-a9e0-fcca7d493fb1", "22222222-e226-421b-a9e0-fcca7d493fb1"];
    tree.hook(call(one, "SessionStart", ""));
    await tree.replace(`claude-code:${one}`, "a.txt", "2\n", "two\n");
    for (const session of [one, two]) tree.hook(call(session, "PreToolUse", "make all"));
    tree.put("a.txt", tree.text("a.txt").replace("7\n", "seven\n"));
    for (const session of [one, two]) {
      const { tool_calls: _, ...event } = call(session, "PostToolBatch", "make all") as Record<
        string,
        unknown
      >;
      tree.hook({ ...event, tool_calls: [{ ...event, tool_response: { stdout: "", stderr: "" } }] });
    }
    const rows = JSON.parse(await tree.ok("me", "blame", "a.txt", "--json"));
    expect(rows[6].author).toEqual([`claude-code:${one}`, `claude-code:${two}`, "outside"]);
    const { err } = await tree.kedge("me", "commit", "--agent", "claude-code:1111", "-m", "one");
    const whose = "claude-code:1111 or claude-code:2222 or you or another program";
    expect(err).toBe(`kedge: a.txt:7 is of ${whose}; --with-unknown claims it\n`);
    expect(tree.head("a.txt")).toBe(ten.replace("2", "two"));
    expect((await tree.kedge("me", "commit", "--person", "-m", "x")).status).toBe(1);
    await tree.ok("me", "commit", "--agent", "claude-code:2222", "--with-unknown", "-m", "two");
    expect(tree.git("status", "--porcelain")).toBe("");
  });
});

describe("a commit that is interrupted", () => {
  test("leaves branch and index as they were", async () => {
    const tree = await shared();
    const [head, index] = [tree.git("rev-parse", "HEAD"), tree.git("ls-files", "-s")];
    tree.gitHook("pre-commit", `touch '${tree.scratch}/begun'; exec sleep 3`);
    const child = tree.start("ada", "commit", "--mine", "-m", "x");
    while (!existsSync(`${tree.scratch}/begun`)) await delay(20);
    child.kill("SIGINT");
    const [status] = await once(child, "exit");
    expect(status).toBe(130);
    expect([tree.git("rev-parse", "HEAD"), tree.git("ls-files", "-s")]).toEqual([head, index]);
    expect(existsSync(tree.path(".git/index.lock"))).toBe(false);
  });
});

describe("a commit whose process is killed while git goes on", () => {
  test("is finished by the next one, so that no line is taken back", async () => {
    const tree = await shared();
    const head = tree.git("rev-parse", "HEAD");
    tree.gitHook("pre-commit", `touch '${tree.scratch}/begun'; exec sleep 1`);
    const child = tree.start("ada", "commit", "--mine", "-m", "x");
    while (!existsSync(`${tree.scratch}/begun`)) await delay(20);
    child.kill("SIGKILL");
    while (tree.git("rev-parse", "HEAD") === head) await delay(50);
    tree.gitHook("pre-commit", "exit 0");
    await tree.ok("bob", "commit", "--mine", "-m", "y");
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.head("a.txt")).toBe(tree.text("a.txt"));
  });
});

describe("kedge blame", () => {
  test("names the author of each line that HEAD does not have", async () => {
    const tree = await shared();
    const rows = JSON.parse(await tree.ok("eve", "blame", "a.txt", "--json"));
    expect(rows.filter(({ author }: { author: unknown }) => author !== null)).toEqual([
      { line: 2, author: "ada", time: expect.any(Number), tool: "write", edit: expect.any(String) },
      { line: 6, author: "bob", time: expect.any(Number), tool: "write", edit: expect.any(String) },
    ]);
    expect(await tree.ok("eve", "blame", "a.txt")).toMatch(
      /^ +1\|1\nada {2,}\d\d:\d\d:\d\d {2}write +2\|two\n/,
    );
  });

  test("shows lines as a read does: in the encoding of the file, and without its mark", async () => {
    const tree = new TestRepository({ "a.txt": "1\n" });
    for (const text of [Buffer.from("caf\xe9\n", "latin1"), Buffer.from("\ufeffcaf\xe9\r\n")]) {
      tree.put("a.txt", text);
      const shown = Buffer.from(await tree.ok("eve", "blame", "a.txt"), "latin1").toString("utf8");
      expect(shown).toMatch(/1\|caf\xe9\n$/);
    }
  });
});

describe("the worked example of docs/authors.md", () => {
  test("prints what it says, and ends in a clean tree", async () => {
    const page = readFileSync("docs/authors.md", "utf8").replace(/^ {4}/gm, "");
    const [, head = ""] = /^(export function greet[\s\S]*?\n\}\n)/m.exec(page) ?? [];
    const [, shown = ""] = /^(\$ kedge blame greet\.ts\n[\s\S]*?)\n\n/m.exec(page) ?? [];
    const tree = new TestRepository({ "greet.ts": head });
    const edit = async (agent: string, ...args: string[]): Promise<void> => {
      const row = await tree.ok(agent, "read", "greet.ts", "--start", "1", "--end", "1");
      await tree.ok(agent, "edit", "greet.ts", row.trimEnd(), ...args);
    };
    await edit("ada", '  if (name === "") return "Hello";', "--after");
    await edit("bob", "/** Greets somebody. */", "--before");
    await tree.write("eve", "greet.test.ts", "test();\n");
    const same = (text: string): string =>
      text.replace(/\d\d:\d\d:\d\d/g, "TIME").replace(/^[0-9a-f]{10}/gm, "COMMIT");
    const said: string[] = [];
    for (const [line, command = ""] of shown.matchAll(/^\$ kedge (.*)$/gm)) {
      const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      said.push(`${line}\n`, await tree.ok("me", ...words));
    }
    expect(same(said.join(""))).toBe(same(`${shown}\n`));
    expect(said).toHaveLength(8);
    expect(tree.git("status", "--porcelain")).toBe("");
  });
});
