import { describe, expect, test } from "vitest";
import {
  changeRemark,
  isCommit,
  isShellChange,
  movesIn,
  shownFile,
  suspicion,
} from "../../src/audit/commands.js";

describe("a command that writes files", () => {
  test.each([
    "sed -i s/a/b/ src/a.ts",
    "sed -E -i.bak 's/a/b/' a",
    "cd src && perl -pi -e 's/a/b/' a.ts",
    "echo x > a.txt",
    "cat <<'EOF' > a.ts\nlet a = 1;\nEOF",
    "printf 'x' >> log.md",
    "sort a | tee b",
    "git apply fix.patch",
    "patch -p1 < fix.diff",
    `python3 - <<'E'\nopen("a.ts", "w").write("x")\nE`,
    `node -e 'require("fs").writeFileSync("a", "b")'`,
  ])("%s", (command) => expect(isShellChange(command)).toBe(true));

  test.each([
    "npm test 2>&1 | tail -5",
    "grep -rn 'a > b' src",
    "ls -la > /dev/null",
    "make 2>/dev/null",
    "cat a.ts",
    "git diff HEAD~1 -- a.ts",
    "test 3 -gt 2 && echo yes >&2",
    `git commit -m "say -> to what"`,
    "cat <<'EOF'\na > b\nEOF",
    "awk '$1 > 3' data",
    "(a && b) || c",
  ])("is not: %s", (command) => expect(isShellChange(command)).toBe(false));
});

test("the command that names a file is most suspect, then those that may write any", () => {
  const of = (command: string, result = "") => suspicion(command, changeRemark(result))?.("/p/src/a.ts") ?? 0;
  expect([of("sed -i s/a/b/ src/a.ts"), of("git checkout src/a.ts"), of("mv /tmp/x src/a.ts")]).toEqual([
    2, 2, 2,
  ]);
  expect([of("git stash"), of("npx prettier --write ."), of("npm run lint -- --fix")]).toEqual([1, 1, 1]);
  expect([of("cat src/a.ts"), of("npm test"), of("sed -i s/a/b/ src/b.ts"), of("grep a src/a.ts")]).toEqual([
    0, 0, 0, 0,
  ]);
  expect(of("make", "[This command modified 1 file you've previously read: src/a.ts. Call Read]")).toBe(2);
});

test("a command that prints one file and nothing else shows it", () => {
  expect(shownFile("cat 'src/a b.ts'")).toBe("src/a b.ts");
  expect(shownFile("sed -n 1,20p src/a.ts")).toBe("src/a.ts");
  expect(shownFile("head -n 5 a.ts")).toBe("a.ts");
  for (const other of ["cat a.ts | wc -l", "cat a.ts && rm a.ts", "sed -i s/a/b/ a.ts", "ls", "cat a > b"])
    expect([other, shownFile(other)]).toEqual([other, null]);
});

test("a command that moves one thing tells what and to where", () => {
  expect(movesIn("mv a.ts b.ts")).toEqual([["a.ts", "b.ts"]]);
  expect(movesIn("cd x && git mv -f 'a b.ts' dir/; mv -n dir dir2 | cat")).toEqual([
    ["a b.ts", "dir"],
    ["dir", "dir2"],
  ]);
  expect(movesIn("mv a b dir")).toEqual([]);
  expect(movesIn("echo mv a b")).toEqual([]);
});

test("a commit is told from other commands of git", () => {
  expect(["git commit -m x", "git -C a commit", "cd a && git commit"].map(isCommit)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["git log", "git checkout commit.ts"].map(isCommit)).toEqual([false, false]);
});
