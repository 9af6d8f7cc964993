/** Repositories of every kind: each gives cases, or one line that says why not. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { textOf } from "../../src/replay/cases/case.js";
import { type CaseSet, generate } from "../../src/replay/cases/generate.js";
import { gitSource } from "../../src/replay/cases/git-source.js";
import { programs } from "../../src/replay/mechanisms/programs.js";
import { Place } from "../cli/support.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kedge-repositories-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

function git(cwd: string, ...args: string[]): void {
  const set = [
    "user.name=a",
    "user.email=a@example.com",
    "commit.gpgsign=false",
    "protocol.file.allow=always",
  ];
  execFileSync("git", [...set.flatMap((one) => ["-c", one]), ...args], { cwd, stdio: "ignore" });
}

const version = (count: number): string =>
  textOf(
    Array.from({ length: 60 }, (_, line) =>
      line % 7 === 0 && line / 7 < count ? `changed ${line}` : `line ${line}`,
    ),
  );

/** Eight versions of each file, a line more changed in each. */
function repository(name: string, paths: readonly (string | Buffer)[] = ["file"], format = "sha1"): string {
  mkdirSync(at(name));
  git(at(name), "init", "-q", "-b", "main", `--object-format=${format}`);
  for (let count = 0; count < 8; count++) {
    for (const path of paths) {
      const whole = Buffer.concat([Buffer.from(`${at(name)}/`), Buffer.from(path as string)]);
      writeFileSync(whole, version(count));
    }
    git(at(name), "add", "-A");
    git(at(name), "commit", "-q", "-m", `${count}`);
  }
  return at(name);
}

const replayed = (path: string): Promise<CaseSet> =>
  generate({ source: gitSource(path), seed: "1", cases: 40 });

describe("a history gives the same cases", () => {
  test("bare, in a worktree, in a submodule, behind a link, from a folder in it", async () => {
    const plain = repository("plain");
    mkdirSync(join(plain, "inner"));
    git(folder, "clone", "-q", "--bare", plain, "bare.git");
    git(plain, "worktree", "add", "-q", "--detach", at("worktree"));
    mkdirSync(at("outer"));
    git(at("outer"), "init", "-q");
    git(at("outer"), "submodule", "--quiet", "add", plain, "module");
    symlinkSync(plain, at("link"));
    const { hash, cases } = await replayed(plain);
    expect(cases.length).toBeGreaterThan(5);
    for (const path of ["bare.git", "worktree", "outer/module", "link", "plain/inner", "plain/.git"])
      expect([path, (await replayed(at(path))).hash]).toEqual([path, hash]);
  });

  test("with sha256 as the names of objects", async () => {
    const [one, two] = [
      await replayed(repository("one")),
      await replayed(repository("two", ["file"], "sha256")),
    ];
    expect(two.cases.length).toBe(one.cases.length);
  });

  test("whatever repository the environment names, as in a hook", async () => {
    const [wanted, other] = [repository("wanted"), repository("other", ["another file"])];
    const { hash } = await replayed(wanted);
    process.env.GIT_DIR = join(other, ".git");
    try {
      expect((await replayed(wanted)).hash).toBe(hash);
      const [, apply] = programs;
      const attempt = await apply?.start(version(0));
      expect(await attempt?.edit(version(0), [{ start: 3, count: 1, lines: ["x"] }])).toContain("\nx\n");
    } finally {
      delete process.env.GIT_DIR;
      for (const one of programs) await one.close?.();
    }
  });
});

test("any name of a file", async () => {
  const names = [
    "with space",
    "new\nline",
    "tab\t",
    'quote"',
    "ünï",
    "漢字",
    ":colon",
    "-dash",
    Buffer.from([0x62, 0xff]),
  ];
  for (const [number, name] of names.entries()) {
    const path = repository(`${number}`, [name]);
    const { cases } = await replayed(path);
    expect([name, cases.length > 5]).toEqual([name, true]);
    git(path, "checkout", "-q", "-b", "side");
    const whole = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name as string)]);
    writeFileSync(whole, version(7).replace("line 59", "side"));
    git(path, "commit", "-q", "-a", "-m", "side");
    git(path, "checkout", "-q", "main");
    writeFileSync(whole, version(7).replace("line 1\n", "main\n"));
    git(path, "commit", "-q", "-a", "-m", "main");
    git(path, "merge", "-q", "--no-edit", "side");
    // A name that is no UTF-8 cannot be asked for again, so its merges are left out.
    const merged = (await replayed(path)).cases.filter((one) => one.class === "merge-clean");
    expect([name, merged.length]).toEqual([name, typeof name === "string" ? 1 : 0]);
  }
});

test("what is too large, too long, binary or renamed is passed over", async () => {
  const path = repository("some");
  for (let count = 0; count < 4; count++) {
    writeFileSync(join(path, "huge"), `${count}\n${"x".repeat(30_000_000)}\n`);
    writeFileSync(join(path, "long"), `${count}\n`.repeat(3001));
    writeFileSync(join(path, "binary"), Buffer.concat([Buffer.from(version(count)), Buffer.from([0, 10])]));
    git(path, "add", "-A");
    git(path, "commit", "-q", "-m", "more");
  }
  git(path, "mv", "file", "renamed");
  git(path, "commit", "-q", "-m", "renamed");
  const { cases } = await replayed(path);
  expect([...new Set(cases.map((one) => one.path))]).toEqual(["file"]);
});

describe("is said in one line:", () => {
  const said = (...args: string[]): string => {
    const place = new Place();
    const { status, stdout, stderr } = place.run(["replay", ...args], {
      env: { GIT_CEILING_DIRECTORIES: folder },
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^kedge: [^\n]+\n$/);
    return stderr;
  };

  test("no repository", () => {
    mkdirSync(at("none"));
    expect(said(at("none"))).toBe(
      `kedge: ${at("none")} is not a git repository, nor in one: give the path of one\n`,
    );
  });

  test("no commits", () => {
    git(folder, "init", "-q", "empty");
    expect(said(at("empty"))).toBe(`kedge: ${at("empty")} has no commits yet\n`);
  });

  test("one commit, and that the clone has no more", () => {
    const plain = repository("plain");
    git(folder, "clone", "-q", "--depth", "1", `file://${plain}`, "shallow");
    expect(said(at("shallow"))).toMatch(/nothing to replay; it is a shallow clone: git fetch --unshallow/);
  });

  test("no git", () => {
    const plain = repository("plain");
    const place = new Place();
    const { stderr } = place.run(["replay", plain], { env: { PATH: at("nowhere") } });
    expect(stderr).toBe("kedge: git was not found: a history can only be read with it (PATH)\n");
  });
});
