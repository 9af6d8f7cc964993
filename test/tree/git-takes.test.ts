import { describe, expect, test } from "vitest";
import { takenByGit } from "../../src/tree/commands/git-takes.js";

const all = { paths: [], isTracked: false };
const tracked = { paths: [], isTracked: true };
const files = (...paths: string[]) => ({ paths, isTracked: false });

describe("the files that a git command takes to a commit", () => {
  test.each([
    ["git status", []],
    ["git commit -m 'git add . -a'", []],
    ["git commit --amend --no-edit -m x", []],
    ["git add -p src", []],
    ["git add --dry-run .", []],
    ["git add -N new.ts", []],
    ["git commit -p", []],
    ["git commit -S -m add", []],
    ["echo git add .", []],
    ["git add ':!a.ts'", []],
    ['git add "$(git ls-files -m)"', []],
    ["git commit -a -m x", [tracked]],
    ["git commit -qam 'all of it'", [tracked]],
    ["git commit -m -a", []],
    ["git commit -ma", []],
    ["git -c user.name=a commit --all --message x", [tracked]],
    ["git commit -m x src/a.ts", [{ paths: ["/w/src/a.ts"], isTracked: true }]],
    ["git commit -F message -- a.ts", [{ paths: ["/w/a.ts"], isTracked: true }]],
    ["git add -A", [all]],
    ["git add --all && git commit -m x", [all]],
    ["git add -u", [tracked]],
    ["git add -u src", [{ paths: ["/w/src"], isTracked: true }]],
    ["git add .", [files("/w")]],
    ["git add -A .", [files("/w")]],
    ["cd docs && git add .", [files("/w/docs")]],
    ["git -C docs add a.md", [files("/w/docs/a.md")]],
    ["git add :/", [all]],
    ["git stage a.ts 'b c.ts'", [files("/w/a.ts", "/w/b c.ts")]],
    ["git add src/*.ts", [files("/w/src/*.ts")]],
    ["npm test && git add a.ts; git commit -am x", [files("/w/a.ts"), tracked]],
    ["bash -c 'git add a.ts'", [files("/w/a.ts")]],
  ])("of %j", (command, found) => expect(takenByGit(command, "/w")).toEqual(found));
});
