import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { conversation, TestRepository } from "../repository.js";

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/** Lines that a diff of the index removes and adds. */
function staged(tree: TestRepository): string[] {
  return tree.git("diff", "--cached", "-U0").match(/^[-+](?![-+]{2}).*$/gm) ?? [];
}

async function commits(tree: TestRepository, ...agents: string[]): Promise<void> {
  for (const agent of agents) {
    const whose = agent === "person" ? ["--person"] : ["--agent", agent];
    await tree.ok("me", "commit", ...whose, "-m", `of ${agent}`);
  }
}

describe("kedge commit in a real work tree", () => {
  test("keeps line breaks of Windows out of git where git converts them", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    tree.git("config", "core.autocrlf", "true");
    tree.put("a.txt", ten.replaceAll("\n", "\r\n"));
    tree.git("add", "a.txt");
    await tree.replace("ada", "a.txt", "2\r\n", "two\r\n");
    await tree.replace("bob", "a.txt", "8\r\n", "eight\r\n");
    await commits(tree, "ada");
    expect(tree.head("a.txt")).toBe(ten.replace("2\n", "two\n"));
    expect(staged(tree)).toEqual([]);
    await commits(tree, "bob");
    expect(tree.head("a.txt")).toBe(ten.replace("2\n", "two\n").replace("8\n", "eight\n"));
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("keeps line breaks of Windows where git keeps them", async () => {
    const tree = new TestRepository({ "a.txt": ten.replaceAll("\n", "\r\n") });
    await tree.replace("ada", "a.txt", "2\r\n", "two\r\n");
    await tree.replace("bob", "a.txt", "8\r\n", "eight\r\n");
    await commits(tree, "ada");
    expect(tree.head("a.txt")).toBe(ten.replace("2\n", "two\n").replaceAll("\n", "\r\n"));
    await commits(tree, "bob");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("commits lines at the end of a file with no last line break", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\nlast" });
    await tree.write("ada", "a.txt", "1\n2\nlast\nada");
    await tree.write("bob", "a.txt", "1\n2\nlast\nada\nbob");
    const patch = await tree.ok("me", "diff", "--agent", "ada");
    expect(tree.tryGit(["apply", "--cached", "--check"], patch).status).toBe(0);
    await commits(tree, "bob");
    expect(tree.head("a.txt")).toMatch(/last\n(ada\n)?bob$/);
    await commits(tree, "ada");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("commits new, deleted, empty and moved files, and hostile names", async () => {
    const names = ["-dash.txt", "with blank.txt", "ümlaut.txt", 'quo"te\n.txt'];
    const tree = new TestRepository({ "gone.txt": "x\n", "moved.txt": ten, "kept.txt": "k\n" });
    for (const name of names) await tree.write("ada", `./${name}`, "new\n");
    await tree.write("ada", "empty.txt", "");
    await tree.replace("bob", "moved.txt", "2\n", "two\n");
    const edits = [
      { path: "gone.txt", edits: [{ op: "delete_file" }] },
      { path: "moved.txt", edits: [{ op: "move_file", to: "new/place.txt" }] },
    ];
    tree.put("../request.json", JSON.stringify({ files: edits }));
    await tree.ok("eve", "apply", "../request.json", "--gate", "off");
    await tree.replace("eve", "new/place.txt", "9\n", "nine\n");
    const { err } = await tree.kedge("bob", "commit", "--mine", "-m", "x");
    expect(err).toBe("kedge: new/place.txt:2 is in a file that eve moved; --with eve takes the move along\n");
    await commits(tree, "eve");
    expect(tree.git("show", "--format=", "--name-status", "-M50%", "HEAD")).toMatch(
      /^D\tgone.txt\nR\d+\tmoved.txt\tnew\/place.txt\n$/,
    );
    expect(tree.head("new/place.txt")).toBe(ten.replace("9\n", "nine\n"));
    await commits(tree, "bob", "ada");
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.git("ls-files", "-z").split("\0").length).toBe(names.length + 3 + 1);
  });

  test("follows a file through all its names, also one that is named alone and one that HEAD never had", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n3\n" });
    await tree.kedge("me", "diff", "--person");
    await tree.replace("ada", "a.txt", "2\n", "two\n");
    await tree.move("bob", "a.txt", "b.txt");
    await tree.move("eve", "b.txt", "c.txt");
    await tree.write("ada", "new.txt", "new\n");
    await tree.move("eve", "new.txt", "newer.txt");
    const authors = async (path: string): Promise<unknown[]> =>
      JSON.parse(await tree.ok("me", "blame", path, "--json")).map((row: { author: unknown }) => row.author);
    expect(await authors("c.txt")).toEqual([null, "ada", null]);
    expect(await authors("newer.txt")).toEqual(["ada"]);
    expect(await tree.ok("me", "lost")).toBe("[nothing is lost]\n");
    const commit = ["commit", "--agent", "eve", "-m", "x", "--with", "ada", "--", "c.txt"];
    expect(await tree.ok("me", ...commit)).toMatch(/: 1 file of eve/);
    expect(tree.git("show", "--format=", "--name-status", "-M50%", "HEAD")).toBe("R100\ta.txt\tc.txt\n");
    await tree.move("bob", "c.txt", "d.txt");
    expect(await authors("d.txt")).toEqual([null, "ada", null]);
    await commits(tree, "bob", "ada");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("leaves the mode of a file, links and binary files to who changed them", async () => {
    const tree = new TestRepository({ "run.sh": "echo\n", "a.txt": ten });
    await tree.replace("ada", "a.txt", "2\n", "two\n");
    chmodSync(tree.path("run.sh"), 0o755);
    symlinkSync("a.txt", tree.path("link"));
    tree.put("data.bin", Uint8Array.of(0, 1, 2, 255));
    await commits(tree, "ada");
    expect(tree.git("show", "--format=", "--name-only", "HEAD")).toBe("a.txt\n");
    await commits(tree, "person");
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.git("ls-tree", "HEAD", "run.sh", "link")).toMatch(/^120000.*link\n100755.*run.sh\n$/);
  });

  test("takes the lines of one author out of a long new file with another's among them", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    const lines = Array.from({ length: 20_000 }, (_, at) => `ada ${at}\n`);
    await tree.write("ada", "long.txt", lines.join(""));
    await tree.write("bob", "long.txt", lines.toSpliced(9_000, 0, "bob\n").join(""));
    const { err } = await tree.kedge("me", "commit", "--agent", "bob", "-m", "x");
    expect(err).toBe(
      "kedge: long.txt:9001 is in a new file of ada (1-9000,9002-20001); --with ada takes them along\n",
    );
    await commits(tree, "ada");
    expect(tree.head("long.txt")).toBe(lines.join(""));
    expect(staged(tree)).toEqual([]);
  });

  test("goes on where a file stands in the place of a folder, and a folder in the place of a file", async () => {
    const tree = new TestRepository({ "folder/a.txt": ten, "file.txt": ten, "other.txt": ten });
    for (const name of ["folder/a.txt", "file.txt", "other.txt"])
      await tree.replace("ada", name, "2\n", "two\n");
    for (const name of ["folder", "file.txt"]) rmSync(tree.path(name), { recursive: true });
    tree.put("folder", "now a file\n");
    tree.put("file.txt/a.txt", "now in a folder\n");
    expect(await tree.ok("me", "diff", "--agent", "ada")).toContain("+two");
    expect(await tree.ok("me", "watch", "--once", "--json")).toContain('"path":"other.txt"');
    expect(await tree.kedge("me", "blame", "folder/a.txt", "--json")).toEqual({
      ...{ status: 0, out: "[]\n" },
      err: "kedge: folder/a.txt has no lines that can be told apart; it was changed by you or another program\n",
    });
    await commits(tree, "ada", "person");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("makes the first commit of a repository", async () => {
    const tree = new TestRepository();
    await tree.write("ada", "a.txt", "1\n");
    await tree.write("bob", "b.txt", "1\n");
    await commits(tree, "ada", "bob");
    expect(tree.git("log", "--format=%s")).toBe("of bob\nof ada\n");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("knows its lines after commits by hand, amends, switches, stashes and rebases", async () => {
    const tree = new TestRepository({ "a.txt": ten, "b.txt": "b\n" });
    await tree.replace("ada", "a.txt", "2\n", "two\n");
    await tree.replace("bob", "a.txt", "5\n", "five\n");
    await tree.replace("ada", "a.txt", "8\n", "eight\n");
    // By hand: only the first of ada's lines.
    const patch = tree.git("diff", "-U0").replace(/@@ -5[\s\S]*/, "");
    expect(tree.tryGit(["apply", "--cached", "--unidiff-zero"], patch).status).toBe(0);
    tree.git("commit", "-q", "-m", "by hand");
    tree.git("checkout", "-q", "-b", "side");
    tree.git("stash", "-q");
    tree.put("b.txt", "bb\n");
    tree.git("commit", "-q", "-a", "--amend", "-m", "amended");
    tree.git("stash", "pop", "-q");
    await commits(tree, "ada");
    expect(tree.head("a.txt")).toBe(ten.replace("2", "two").replace("8", "eight"));
    await commits(tree, "bob");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("leaves staged changes of others to other files and to the same one", async () => {
    const tree = new TestRepository({ "a.txt": ten, "b.txt": "b\n" });
    await tree.replace("bob", "a.txt", "5\n", "five\n");
    await tree.replace("bob", "b.txt", "b\n", "bob\n");
    tree.git("add", "-A");
    await tree.replace("bob", "a.txt", "five\n", "FIVE\n");
    await tree.replace("ada", "a.txt", "7\n", "seven\n");
    await tree.write("ada", "c.txt", "c\n");
    await commits(tree, "ada");
    expect(staged(tree)).toEqual(["-5", "+five", "-b", "+bob"]);
    expect(tree.git("status", "--porcelain")).toBe("MM a.txt\nM  b.txt\n");
  });

  test("takes staged lines along that the committed ones replaced, and the mode of a new file", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.replace("ada", "a.txt", "5\n", "five\n");
    await tree.replace("bob", "a.txt", "8\n", "eight\n");
    await tree.write("ada", "run.sh", "echo\n");
    tree.git("add", "-A");
    await tree.replace("ada", "a.txt", "five\n", "FIVE\n");
    await tree.write("ada", "run.sh", "echo hello\n");
    chmodSync(tree.path("run.sh"), 0o755);
    await commits(tree, "ada");
    expect(staged(tree)).toEqual(["-8", "+eight"]);
    expect(tree.git("diff", "--cached", "--summary")).toBe("");
    tree.git("commit", "-q", "-m", "staged");
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.head("a.txt")).toBe(tree.text("a.txt"));
  });

  test("gives a committed line in another layout to whoever laid it out", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n" });
    await tree.write("bob", "a.txt", "1\n2\nbob");
    await commits(tree, "bob");
    await tree.write("ada", "a.txt", "1\n2\n  bob\nada\n");
    await tree.write("eve", "a.txt", "1\n2\n  bob\nada\neve\n");
    await commits(tree, "ada");
    expect(tree.head("a.txt")).toBe("1\n2\n  bob\nada\n");
    await commits(tree, "eve");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("leaves a line staged to which somebody else gave only a line break", async () => {
    const tree = new TestRepository({ "a.txt": "1\n2\n3\n" });
    await tree.write("bob", "a.txt", "1\n2\n3\nbob");
    tree.git("add", "-A");
    await tree.write("ada", "a.txt", "1\n2\n3\nbob\nada\n");
    await commits(tree, "ada");
    expect(staged(tree)).toEqual(["+bob"]);
    await commits(tree, "bob");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("leaves no line staged that a commit removed and that no edit on record ever saw", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    tree.put("a.txt", ten.replace("2\n3\n", "person\n"));
    await tree.replace("bob", "a.txt", "10\n", "10\nbob\n");
    const patch = tree.git("diff", "-U1").replace(/@@ -1,4[\s\S]*?(?=@@ -10)/, "");
    expect(tree.tryGit(["apply", "--cached", "--recount"], patch)).toEqual({ status: 0, out: "" });
    await commits(tree, "person");
    expect(staged(tree)).toEqual(["+bob"]);
    tree.git("commit", "-q", "-m", "staged");
    expect(tree.head("a.txt")).toBe(tree.text("a.txt"));
  });

  test("takes a file that is gone for the person's to delete, whoever wrote in it before", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.replace("bob", "a.txt", "2\n", "two\n");
    rmSync(tree.path("a.txt"));
    expect((await tree.kedge("me", "commit", "--agent", "bob", "-m", "x")).status).toBe(1);
    await commits(tree, "person");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("keeps authors where git wrote the file between two edits, and again after them", async () => {
    const tree = new TestRepository({ "a.txt": ten, "b.txt": "b\n" });
    await tree.replace("eve", "a.txt", "9\n", "nine\n");
    await tree.kedge("me", "diff", "--person");
    tree.put("a.txt", ten.replace("1\n", "one\n"));
    tree.git("commit", "-q", "-a", "-m", "by hand");
    await tree.replace("bob", "a.txt", "5\n", "five\n");
    tree.git("stash", "-q");
    tree.put("a.txt", tree.text("a.txt").replace("7\n", "seven\n"));
    tree.git("commit", "-q", "-a", "-m", "meanwhile");
    tree.git("stash", "pop", "-q");
    await commits(tree, "bob");
    expect(tree.git("status", "--porcelain")).toBe("");
  });

  test("commits in a linked work tree, and leaves a submodule alone", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    const inner = new TestRepository({ "s.txt": "s\n" });
    tree.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.folder, "sub");
    tree.git("commit", "-q", "-m", "sub");
    tree.put("sub/s.txt", "changed\n");
    await tree.replace("ada", "a.txt", "7\n", "seven\n");
    await commits(tree, "ada");
    expect(tree.git("status", "--porcelain")).toBe(" M sub\n");
  });

  test("finds the repository of a file that is named from outside of it, through links", async () => {
    const tree = new TestRepository({ "in/a.txt": ten });
    await tree.replace("ada", "in/a.txt", "7\n", "seven\n");
    symlinkSync(tree.path("in"), join(tree.scratch, "link"));
    const answers = [join(tree.scratch, "link", "a.txt"), tree.path("in/a.txt")].map(async (path) =>
      tree.kedge("ada", "diff", path),
    );
    for (const { out } of await Promise.all(answers)) expect(out).toContain("+seven\n");
    const outside = await tree.kedge("ada", "diff", "in", "../link2");
    expect([outside.status, outside.err]).toEqual([2, expect.stringContaining("is outside of")]);
  });

  test("refuses a file with conflicts", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    tree.git("checkout", "-q", "-b", "side");
    tree.put("a.txt", ten.replace("2", "side"));
    tree.git("commit", "-q", "-a", "-m", "side");
    tree.git("checkout", "-q", "main");
    tree.put("a.txt", ten.replace("2", "main"));
    tree.git("stash", "-q");
    tree.git("merge", "-q", "side");
    tree.tryGit(["stash", "pop"]);
    const index = tree.git("ls-files", "-s");
    const { status, err } = await tree.kedge("ada", "commit", "--person", "-m", "x");
    expect({ status, err }).toEqual({ status: 1, err: "kedge: a.txt has conflicts: resolve them first\n" });
    expect(tree.git("ls-files", "-s")).toBe(index);
  });

  test("waits for an index that git holds no longer than it must, and commits nothing then", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.replace("ada", "a.txt", "2\n", "two\n");
    tree.put(".git/index.lock", "");
    const { status } = await tree.kedge("ada", "commit", "--mine", "-m", "x");
    expect(status).toBe(6);
    rmSync(tree.path(".git/index.lock"));
    await commits(tree, "ada");
    expect(existsSync(tree.path(".git/index.lock"))).toBe(false);
    expect(readFileSync(tree.path("a.txt"), "utf8")).toBe(ten.replace("2", "two"));
  });

  test("gives lines that come back to who wrote them", async () => {
    const tree = new TestRepository({ "a.txt": ten });
    await tree.replace("ada", "a.txt", "2\n", "two\n");
    await tree.replace("bob", "a.txt", "5\n", "five\n");
    tree.git("stash", "-q");
    tree.put("a.txt", ten.replace("9", "nine"));
    tree.git("commit", "-q", "-a", "-m", "nine");
    tree.git("stash", "pop", "-q");
    await commits(tree, "bob");
    expect(tree.head("a.txt")).toBe(ten.replace("5", "five").replace("9", "nine"));
  });
});

describe("fifteen agents, one with a shell, and a person in one tree", () => {
  test("make commits whose sum is the tree", async () => {
    const lines = Array.from({ length: 80 }, (_, at) => `line ${at}\n`);
    const files = { "a.txt": lines.join(""), "b.txt": lines.join("") };
    const tree = new TestRepository(files);
    const agents = Array.from({ length: 15 }, (_, at) => `agent${at}`);
    for (const [at, agent] of agents.entries()) {
      await tree.replace(agent, "a.txt", `line ${at * 5}\n`, `${agent} wrote\nthis\n`);
      await tree.write(agent, `${agent}.txt`, "new\n");
    }
    tree.shell("sed -i 's/line 77/seventy-seven/' a.txt");
    tree.shell("printf 'shell\\n' >> b.txt");
    for (const file of ["a.txt", "b.txt"]) tree.put(file, tree.text(file).replace("line 79\n", "person\n"));
    const now = ["a.txt", "b.txt"].map((file) => tree.text(file));
    // Some at once: each waits for its turn.
    const made = await Promise.all(agents.map((agent) => tree.kedge(agent, "commit", "--mine", "-m", agent)));
    expect(made.filter(({ status }) => status !== 0)).toEqual([]);
    await commits(tree, `claude-code:${conversation}`);
    expect(tree.git("show", "--format=", "-U0", "HEAD").match(/^[-+](?![-+]{2}).*$/gm)).toEqual([
      ...["-line 77", "+seventy-seven", "+shell"],
    ]);
    await commits(tree, "person");
    expect(["a.txt", "b.txt"].map((file) => tree.head(file))).toEqual(now);
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(tree.git("fsck", "--strict")).toBe("");
    expect(tree.git("rev-list", "--count", "HEAD")).toBe("18\n");
    for (const agent of agents) {
      const [commit = ""] = tree.git("log", "--format=%H", `--grep=^${agent}$`).split("\n");
      const added = tree.git("show", "--format=", "-U0", commit).match(/^\+(?!\+\+).*$/gm);
      expect(added?.sort()).toEqual([`+${agent} wrote`, "+new", "+this"].sort());
    }
  });
});
