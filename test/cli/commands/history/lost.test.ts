import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { LostEdit } from "../../../../src/lost/lost.js";
import type { RestoreDetails } from "../../../../src/lost/restore-result.js";
import { anchorsIn, jsonLines, Place } from "../../support.js";

const source = `${Array.from({ length: 12 }, (_, at) => `call${at + 1}(${at + 1});`).join("\n")}\n`;

/** A repository with a commit of two files. */
class Repository extends Place {
  constructor() {
    super({ "a.ts": source, "src/b.ts": source });
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit("first");
  }

  git(...args: string[]): string {
    return this.gitIn(this.folder, ...args);
  }

  gitIn(cwd: string, ...args: string[]): string {
    const name = ["-c", "user.name=Tester", "-c", "user.email=tester@example.invalid"];
    const env = { ...this.env(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    return execFileSync("git", [...name, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
  }

  /** Replaces a whole line; the edit's id. */
  async edit(name: string, old: string, by: string, session = "tester"): Promise<string> {
    const anchors = anchorsIn(await this.before(["read", name], session));
    const anchor = anchors.get(this.text(name).split(/\r?\n/).indexOf(old) + 1) as string;
    const printed = await this.before(["edit", name, anchor, by, "--json"], session);
    return (JSON.parse(printed) as { id: string }).id;
  }

  async lost(): Promise<LostEdit[]> {
    const printed = await this.before(["lost", "--json"]);
    return printed === "" ? [] : jsonLines<LostEdit>(printed);
  }

  async lostIds(): Promise<string[]> {
    return (await this.lost()).map(({ id }) => id);
  }

  async restore(...args: string[]): Promise<RestoreDetails> {
    const printed = await this.before(["restore", "--json", ...args]);
    return JSON.parse(printed.split("\n")[0] as string) as RestoreDetails;
  }
}

let place: Repository;
beforeEach(() => {
  place = new Repository();
});

describe("kedge lost, with git", () => {
  test.each<[string, () => void]>([
    ["checkout -- .", () => void place.git("checkout", "--quiet", "--", ".")],
    ["restore .", () => void place.git("restore", ".")],
    ["reset --hard", () => void place.git("reset", "--quiet", "--hard")],
    ["stash", () => void place.git("stash", "--quiet")],
    ["checkout --force", () => void place.git("checkout", "--quiet", "--force", "main")],
  ])("%s takes uncommitted work away, and restore --all brings it back", async (_, command) => {
    const ids = [
      await place.edit("a.ts", "call3(3);", "call3(33);"),
      await place.edit("src/b.ts", "call5(5);", "call5(55);", "other"),
    ];
    const texts = [place.text("a.ts"), place.text("src/b.ts")];
    expect(await place.lostIds()).toEqual([]);
    command();
    expect(await place.lostIds()).toEqual(ids);
    expect((await place.restore("--all")).status).toBe("applied");
    expect([place.text("a.ts"), place.text("src/b.ts")]).toEqual(texts);
    expect(await place.lostIds()).toEqual([]);
  });

  test("stash pop brings it back", async () => {
    await place.edit("a.ts", "call3(3);", "call3(33);");
    place.git("stash", "--quiet");
    expect(await place.lostIds()).toHaveLength(1);
    place.git("stash", "pop", "--quiet");
    expect(await place.lostIds()).toEqual([]);
  });

  test("a branch is switched: what is committed there is not lost, what is not is", async () => {
    place.git("switch", "--quiet", "-c", "work");
    await place.edit("a.ts", "call3(3);", "call3(33);");
    place.commit("work");
    place.git("switch", "--quiet", "main");
    expect(await place.lostIds()).toEqual([]);
    place.git("switch", "--quiet", "work");
    const late = await place.edit("a.ts", "call9(9);", "call9(99);");
    place.git("switch", "--quiet", "--discard-changes", "main");
    expect(await place.lostIds()).toEqual([late]);
    await place.restore("--all");
    expect(place.text("a.ts")).toBe(source.replace("call9(9)", "call9(99)"));
  });

  test("a commit counts as long as a branch, a tag or a work tree's HEAD leads to it", async () => {
    const id = await place.edit("a.ts", "call3(3);", "call3(33);");
    place.commit("work");
    place.git("tag", "kept");
    place.git("reset", "--quiet", "--hard", "HEAD~1");
    expect(await place.lostIds()).toEqual([]);
    place.git("worktree", "add", "--quiet", "--detach", join(place.folder, "..", "other"), "kept");
    place.git("tag", "--delete", "kept");
    expect(await place.lostIds()).toEqual([]);
    place.git("worktree", "remove", join(place.folder, "..", "other"));
    expect(await place.lostIds()).toEqual([id]);
    await place.restore(id);
    expect(place.text("a.ts")).toBe(source.replace("call3(3)", "call3(33)"));
  });

  test("what is put away says where, and is lost once it is dropped", async () => {
    const id = await place.edit("a.ts", "call5(5);", "call5(55);");
    place.git("stash", "--quiet");
    expect(await place.lost()).toMatchObject([{ id, stash: "stash@{0}" }]);
    place.put("b.txt", "new\n");
    place.git("stash", "--quiet", "--include-untracked");
    expect(await place.lost()).toMatchObject([{ id, stash: "stash@{1}" }]);
    place.git("stash", "clear");
    const [lost] = await place.lost();
    expect([lost?.id, lost?.stash]).toEqual([id, undefined]);
  });

  test("what is dismissed is listed no more, and comes back if it is named", async () => {
    const id = await place.edit("a.ts", "call5(5);", "call5(55);");
    place.git("checkout", "--quiet", "--", ".");
    expect(await place.before(["restore", "--forget", id])).toContain(`edit ${id} is listed no more`);
    expect(await place.lostIds()).toEqual([]);
    expect((await place.restore("--all")).status).toBe("noop");
    await place.restore(id);
    expect(place.text("a.ts")).toBe(source.replace("call5(5)", "call5(55)"));
  });

  test("a file that was committed under another name is not lost", async () => {
    place.git("switch", "--quiet", "-c", "work");
    await place.edit("a.ts", "call3(3);", "call3(33);");
    place.git("mv", "a.ts", "renamed.ts");
    expect(await place.lostIds()).toEqual([]);
    place.commit("rename");
    expect(await place.lostIds()).toEqual([]);
    place.git("switch", "--quiet", "main");
    expect(await place.lostIds()).toEqual([]);
  });

  test("a part of the work is taken back, another part stands", async () => {
    await place.edit("a.ts", "call3(3);", "call3(33);");
    const second = await place.edit("a.ts", "call9(9);", "call9(99);");
    place.put("a.ts", place.text("a.ts").replace("call9(99)", "call9(9)"));
    expect(await place.lostIds()).toEqual([second]);
  });

  test("clean takes a new file", async () => {
    place.put("draft.txt", "hello();\n");
    await place.before(["write", "new.ts", "--from", "draft.txt"]);
    place.git("clean", "-fdq");
    expect(await place.lost()).toMatchObject([{ path: "new.ts", kept: true }]);
    await place.restore("--all");
    expect(place.text("new.ts")).toBe("hello();\n");
  });

  test("an edit in a work tree that is gone comes back in the present one, and not in a folder for itself", async () => {
    for (const [at, tree] of [join(place.scratch, "tree"), place.path(".trees/side")].entries()) {
      const number = 4 * at + 5;
      const [old, by] = [`call${number}(${number});`, `changed(${at});`];
      place.git("worktree", "add", "--quiet", "--detach", tree);
      const name = relative(place.folder, join(tree, "src", "b.ts"));
      const id = await place.edit(name, old, by);
      place.put("src/b.ts", `head();\n${source}`);
      place.git("worktree", "remove", "--force", tree);
      expect(await place.lostIds()).toEqual([id]);
      const all = place.run(["restore", "--all"]);
      expect(all.status).toBe(1);
      expect(all.stderr).toContain(
        `was made in the work tree ${tree}, which is gone: \`kedge restore ${id}\` makes it in ${place.path("src/b.ts")}`,
      );
      expect([existsSync(tree), place.text("src/b.ts")]).toEqual([false, `head();\n${source}`]);
      const { status, stdout } = place.run(["restore", id]);
      expect([status, stdout]).toEqual([0, expect.stringContaining(`-${old}\n+${by}`)]);
      expect(place.text("src/b.ts")).toBe(`head();\n${source.replace(old, by)}`);
      expect([existsSync(tree), await place.lostIds()]).toEqual([false, []]);
      expect(place.ok("restore", id)).toContain(`edit ${id} already there`);
      place.ok("undo");
      expect([place.text("src/b.ts"), await place.lostIds()]).toEqual([`head();\n${source}`, [id]]);
      place.ok("restore", id);
      place.commit("kept");
    }
  });

  test("a linked work tree has a HEAD of its own", async () => {
    const tree = join(place.scratch, "tree");
    place.git("worktree", "add", "--quiet", "-b", "side", tree);
    const inTree = (...args: string[]) => place.gitIn(tree, ...args);
    const file = join(tree, "a.ts");
    await place.before(["read", file]);
    const id = await place.edit("../tree/a.ts", "call3(3);", "call3(33);");
    inTree("checkout", "--quiet", "--", ".");
    expect(await place.lostIds()).toEqual([id]);
    await place.restore(id);
    inTree("add", "--all");
    inTree("commit", "--quiet", "--message", "work");
    inTree("checkout", "--quiet", "--detach", "main");
    expect(await place.lostIds()).toEqual([]);
    place.git("worktree", "remove", "--force", tree);
    expect(await place.lostIds()).toEqual([]);
  });
});

describe("kedge lost", () => {
  test("is a table with the next step; nothing lost is said, and no error", async () => {
    expect(place.run(["lost"])).toEqual({ status: 0, stdout: "[nothing is lost]\n", stderr: "" });
    expect(place.ok("lost", "--json")).toBe("");
    const id = await place.edit("a.ts", "call3(3);", "call3(33);", "other");
    place.git("checkout", "--quiet", "--", ".");
    const { status, stdout, stderr } = place.run(["lost"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^id +edited +agent +where +lost +by +command$/m);
    expect(stdout).toMatch(new RegExp(`^${id} +\\S+ +other +a\\.ts:3 +noticed now +unknown +unknown$`, "m"));
    expect(stderr).toContain(`\`kedge restore ${id}\``);
  });

  test("a program writes the whole file anew; a formatter does not count", async () => {
    const id = await place.edit("a.ts", "call3(3);", "if (ready) call3(33, 'x');");
    place.put("a.ts", place.text("a.ts").replace(/^/gm, "  ").replaceAll("'", '"'));
    expect(await place.lostIds()).toEqual([]);
    place.put("a.ts", "export default { name: 'generated', files: [] };\n");
    expect(await place.lostIds()).toEqual([id]);
    expect(place.run(["restore", id]).status).toBe(5);
  });

  test("files that are removed, or given another name", async () => {
    const [one] = [await place.edit("a.ts", "call3(3);", "call3(33);")];
    const text = place.text("a.ts");
    renameSync(place.path("a.ts"), place.path("z.ts"));
    expect(await place.lostIds()).toEqual([]);
    rmSync(place.path("z.ts"));
    expect(await place.lostIds()).toEqual([one]);
    expect(place.ok("restore", "--all")).toContain("[z.ts brought back: 12 lines]");
    expect(place.text("z.ts")).toBe(text);
  });

  test("line ends and legacy encodings stay as they are", async () => {
    const bytes = Buffer.from(source.replace("call4(4)", "caf\xe9(4)").replaceAll("\n", "\r\n"), "latin1");
    place.put("legacy.ts", bytes);
    const id = await place.edit("legacy.ts", "call3(3);", "caf\xe9(33);");
    const text = place.text("legacy.ts");
    const edited = Buffer.from(bytes.toString("latin1").replace("call3(3)", "caf\xe9(33)"), "latin1");
    place.put("legacy.ts", bytes);
    expect(await place.lostIds()).toEqual([id]);
    await place.restore("--all");
    expect(place.text("legacy.ts")).toBe(text);
    place.put("legacy.ts", Buffer.concat([bytes, Buffer.from("end();\r\n")]));
    await place.restore("--all");
    const found = readFileSync(place.path("legacy.ts"));
    expect(found.equals(Buffer.concat([edited, Buffer.from("end();\r\n")]))).toBe(true);
  });

  test("what is secret is not kept: it is listed, and cannot be restored", async () => {
    place.put(".env", "TOKEN=1\nNAME=two\n");
    const id = await place.edit(".env", "TOKEN=1", "TOKEN=hidden");
    place.put(".env", "TOKEN=1\nNAME=two\n");
    expect(await place.lost()).toMatchObject([{ id, kept: false }]);
    expect(place.ok("lost")).toContain(".env:1 (text not kept)");
    const { status, stderr } = place.run(["restore", "--all"]);
    expect([status, stderr]).toEqual([5, expect.stringContaining("the text is not kept")]);
  });

  test("ten edits of two agents over three files", async () => {
    place.put("c.ts", source);
    place.commit("third file");
    const names = ["a.ts", "src/b.ts", "c.ts"];
    for (let at = 0; at < 10; at++) {
      const line = `call${at + 1}(${at + 1});`;
      await place.edit(names[at % 3] as string, line, `changed(${line.slice(0, -1)});`, `agent${at % 2}`);
    }
    const texts = names.map((name) => place.text(name));
    place.git("checkout", "--quiet", "--", ".");
    const lost = await place.lost();
    expect(lost).toHaveLength(10);
    expect(new Set(lost.map(({ agent }) => agent)).size).toBe(2);
    const details = await place.restore("--all");
    expect(details.restored.map(({ path, ids }) => [path, ids.length])).toEqual([
      ["a.ts", 4],
      ["src/b.ts", 3],
      ["c.ts", 3],
    ]);
    expect(names.map((name) => place.text(name))).toEqual(texts);
  });

  test("finds lost edits where there is no git", async () => {
    rmSync(place.path(".git"), { recursive: true });
    await place.edit("a.ts", "call3(3);", "call3(33);");
    place.put("a.ts", source);
    expect(await place.lostIds()).toHaveLength(1);
  });

  test("works from another folder", async () => {
    const id = await place.edit("src/b.ts", "call3(3);", "call3(33);");
    place.git("checkout", "--quiet", "--", ".");
    mkdirSync(place.path("deep"));
    const { stdout } = place.run(["lost", "--json"], { cwd: "deep" });
    expect(jsonLines(stdout)).toMatchObject([{ id, path: join("..", "src", "b.ts") }]);
    expect(place.run(["restore", id], { cwd: "deep" }).status).toBe(0);
    expect(place.text("src/b.ts")).toContain("call3(33)");
  });
});

describe("kedge restore", () => {
  test("prints the diff of what came back, and undo takes it back", async () => {
    const id = await place.edit("a.ts", "call3(3);", "call3(33);");
    place.git("checkout", "--quiet", "--", ".");
    const { status, stdout } = place.run(["restore", id]);
    expect(status).toBe(0);
    expect(stdout).toContain(`a.ts: edit ${id} restored\n--- a/a.ts\n`);
    expect(stdout).toContain("-call3(3);\n+call3(33);");
    expect(place.ok("restore", id)).toBe(`a.ts: edit ${id} already there\n`);
    expect(place.ok("log")).toMatch(/tester +restored +a\.ts:3 /);
    place.ok("undo");
    expect(place.text("a.ts")).toBe(source);
    expect(await place.lostIds()).toEqual([id]);
    place.ok("restore", "--all");
    expect(place.text("a.ts")).toContain("call3(33);");
  });

  test("of several files is one batch: one undo takes it back", async () => {
    await place.edit("a.ts", "call3(3);", "call3(33);");
    await place.edit("src/b.ts", "call3(3);", "call3(33);");
    place.git("checkout", "--quiet", "--", ".");
    place.ok("restore", "--all");
    expect(place.text("a.ts") + place.text("src/b.ts")).not.toContain("call3(3);");
    place.ok("undo");
    expect([place.text("a.ts"), place.text("src/b.ts")]).toEqual([source, source]);
  });

  test("what stands in the way is shown, with whose it is; other files come back: 5", async () => {
    await place.edit("a.ts", "call3(3);", "const mine = await compute(3);");
    const kept = await place.edit("src/b.ts", "call3(3);", "call3(33);");
    place.git("checkout", "--quiet", "--", ".");
    await place.edit("a.ts", "call3(3);", "theirs();", "other");
    const { status, stdout, stderr } = place.run(["restore", "--all"]);
    expect(status).toBe(5);
    expect(stdout).toContain(`src/b.ts: edit ${kept} restored`);
    expect(stderr).toContain("-call3(3);\n+theirs();");
    expect(stderr).toContain("line 3 was written by other");
    expect(place.text("a.ts")).toBe(source.replace("call3(3);", "theirs();"));
  });

  test("names what an edit builds upon", async () => {
    const one = await place.edit("a.ts", "call3(3);", "added(first);");
    await place.edit("a.ts", "call9(9);", "call9(99);");
    const three = await place.edit("a.ts", "added(first);", "added(first);\nadded(third);");
    place.git("checkout", "--quiet", "--", ".");
    const { status, stderr } = place.run(["restore", three]);
    expect(status).toBe(5);
    expect(stderr).toContain(`run \`kedge restore ${one} ${three}\``);
    place.ok("restore", one, three);
    expect(place.text("a.ts")).toContain("added(first);\nadded(third);\ncall4(4);");
  });

  test("refuses flags that exclude each other", () => {
    expect(place.run(["restore"])).toMatchObject({ status: 2, stderr: expect.stringContaining("--all") });
    expect(place.run(["restore", "x", "--all"]).status).toBe(2);
    expect(place.run(["lost", "--stateless"]).status).toBe(2);
    expect(place.run(["restore", "nonsense"])).toMatchObject({
      ...{ status: 1, stdout: "", stderr: expect.stringContaining("there is no edit nonsense") },
    });
  });

  test("a file outside of the roots is refused as ever", async () => {
    const id = await place.edit("src/b.ts", "call3(3);", "call3(33);");
    place.git("checkout", "--quiet", "--", ".");
    mkdirSync(place.path("other"));
    const { status, stderr } = place.run(["restore", id, "--root", place.path("other")]);
    expect([status, stderr]).toEqual([4, expect.stringContaining("outside the roots")]);
    expect(place.text("src/b.ts")).toBe(source);
  });

  test.skipIf(process.platform === "win32")("a folder that cannot be written is refused as ever", () => {
    const options = { unprivileged: true };
    chmodSync(place.path("src"), 0o777);
    chmodSync(place.path("src/b.ts"), 0o666);
    const anchor = anchorsIn(place.run(["read", "src/b.ts"], options).stdout).get(3) as string;
    place.run(["edit", "src/b.ts", anchor, "call3(33);"], options);
    place.put("src/b.ts", source);
    chmodSync(place.path("src"), 0o555);
    const { status, stderr } = place.run(["restore", "--all"], options);
    chmodSync(place.path("src"), 0o755);
    expect([status, stderr]).toEqual([1, expect.stringContaining("permission")]);
    expect(place.text("src/b.ts")).toBe(source);
  });
});
