import { describe, expect, test } from "vitest";
import { commandFacts } from "../../src/tree/commands/command.js";

const facts = (command: string) => commandFacts(command, "/w");
const names = (command: string): string[] => facts(command).names.map(({ path }) => path);

describe("a command that only reads", () => {
  test.each([
    "ls -la",
    "cat a.txt | grep x | head -3",
    "git status --short && git diff HEAD~1 -- a.txt",
    "git -C sub log --oneline",
    "cd src && rg -n 'foo > bar' .",
    "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
    "sed -n '1,20p;/start/,/end/p' a.txt",
    'for f in *.ts; do echo "== $f"; cat "$f"; done',
    "bash -lc 'cat a.txt'",
    "test -f a.txt && echo yes || echo no",
    "ls 2>/dev/null >&2",
    "diff <(cat a) <(cat b)",
    "npm ls; node --version",
    "git stash list; git branch -a; git config --get user.name",
    'echo "a > b" # > c.txt',
  ])("%s", (command) => expect(facts(command).isReadOnly).toBe(true));
});

describe("a command that may write", () => {
  test.each([
    "echo x > a.txt",
    "cat a >> b",
    "sed -i s/a/b/ a.txt",
    "sed -n 'w out.txt' a.txt",
    "find . -name '*.o' -delete",
    "find . -exec rm {} +",
    "ls | xargs rm",
    "echo $(rm a.txt)",
    "cat `touch b`",
    "sort -o a.txt a.txt",
    "awk '{print > \"b.txt\"}' a.txt",
    "git -c core.pager=x log",
    "git diff --output=a.txt",
    "git branch -D x",
    "git stash",
    "bash -c 'echo x > y'",
    'eval "rm a"',
    "python3 script.py",
    "npm test",
    "ls; ./run.sh",
    "cat <<EOF > a.txt\nx\nEOF",
    "",
  ])("%s", (command) => expect(facts(command).isReadOnly).toBe(false));
});

describe("the files that a command names", () => {
  test.each([
    ["sed -i 's/a/b/' src/a.ts", ["/w/src/a.ts"]],
    ["cd src && echo x >> b.ts", ["/w/src/b.ts"]],
    ["cp -r a.txt dir/", ["/w/dir", "/w/dir/a.txt"]],
    ["tee -a one two < three", ["/w/one", "/w/two"]],
    ["git checkout HEAD -- a.txt 'b c.txt'", ["/w/a.txt", "/w/b c.txt"]],
    ["bash -c \"cd x; sed -i '' -e s/a/b/ y\"", ["/w/x/y"]],
    ["cat a.txt", []],
    ["npx vitest run a.test.ts", []],
    ["eslint src/a.ts", []],
    ["eslint --fix src/a.ts", ["/w/src/a.ts"]],
    ["python3 -c \"open('out/a.json', 'w')\"", ["/w/out/a.json", "/w/w"]],
    ["dd if=x of=y.bin", ["/w/y.bin"]],
  ])("%s", (command, expected) => expect(names(command)).toEqual(expected));
});

describe("what takes uncommitted work away", () => {
  test.each([
    ["git checkout -- .", [{ of: "all", within: ["/w"] }]],
    ["git reset --hard", [{ of: "all", within: [] }]],
    ["git reset HEAD~1", []],
    ["git restore --staged a", []],
    ["git restore a", [{ of: "all", within: ["/w/a"] }]],
    ["git clean -fdx sub", [{ of: "all", within: ["/w/sub"] }]],
    ["git clean -nd", []],
    ["git stash pop", []],
    ["git stash -u", [{ of: "all", within: [] }]],
    ["git switch main", []],
    ["git switch -f main", [{ of: "all", within: [] }]],
    ["rm -rf a b", [{ of: "others", within: ["/w/a", "/w/b"] }]],
    ["echo 'git reset --hard'", []],
    ["cd sub && (git checkout .)", [{ of: "all", within: ["/w/sub"] }]],
  ])("%s", (command, expected) => expect(facts(command).sweeps).toEqual(expected));
});

test("what it holds itself, what writes, and what goes on", () => {
  expect(facts("cat > a <<'EOF'\none line\n\ntwo\nEOF").lines).toEqual(["one line", "two"]);
  expect(facts("npm install && npx prettier --write .").writers).toEqual(["packages", "formatter"]);
  expect(facts("npm run format").writers).toEqual(["formatter"]);
  expect(facts("prettier --check .").writers).toEqual([]);
  expect(facts("npm run dev").isBackground).toBe(true);
  expect(facts("node server.js & sleep 1").isBackground).toBe(true);
  expect(facts("a && b").isBackground).toBe(false);
  expect(facts("git pull --rebase").movesHead).toBe(true);
});

test("hostile commands end at once", () => {
  for (const text of [
    "$(".repeat(5_000),
    "`".repeat(9_999),
    "'".repeat(9_999),
    "a|".repeat(40_000),
    "<<A ".repeat(9_000),
    "\\".repeat(99_999),
  ])
    expect(facts(text).isReadOnly).toBe(false);
});
