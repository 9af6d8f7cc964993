import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outside } from "../../src/text/agent-name.js";
import { attribute, type Circumstances, type Trace } from "../../src/tree/authors.js";
import { commandFacts } from "../../src/tree/commands/command.js";
import { hashesOfLines } from "../../src/tree/commands/command-lines.js";
import type { RunningCommand } from "../../src/tree/tree-record.js";

const now = 1_000_000;

function running(agent: string, command: string, start = now - 500): RunningCommand {
  const { names, lines, writers, sweeps, movesHead, isBackground } = commandFacts(command, "/w");
  return {
    ...{ agent, tool: "shell", call: "", command, start, names, writers, sweeps, movesHead, isBackground },
    hashes: hashesOfLines(lines),
  };
}

const trace = (more: Partial<Trace> = {}): Trace => ({
  ...{ path: "/w/a.txt", added: ["a new line of text"], isNew: false, isReformat: false, isClean: false },
  ...{ changed: now - 100, ...more },
});

const around = (more: Partial<Circumstances> = {}): Circumstances => ({
  ...{ running: [], background: [], isLoose: false, outside: 0, now, ...more },
});

const authors = (one: Trace, at: Circumstances): readonly string[] => attribute(one, at).authors;

describe("an agent alone", () => {
  test.each([
    ["names the file", "sed -i s/x/y/ a.txt", now - 60_000, {}],
    ["holds its text", "python3 - <<'EOF'\nopen(p).write('a new line of text')\nEOF", now - 60_000, {}],
    ["git, and git's text", "git stash", now - 60_000, { isClean: true }],
    ["a formatter, and a new layout", "npm run format", now - 60_000, { isReformat: true }],
    ["a package manager, and its file", "npm install", now - 60_000, { path: "/w/package-lock.json" }],
    ["a generator, and a new file", "npm run generate", now - 60_000, { isNew: true }],
    ["anything that took half a second", "./run.sh", now - 500, {}],
  ])("%s", (_, command, start, more) =>
    expect(authors(trace(more), around({ running: [running("one", command, start)] }))).toEqual(["one"]),
  );
});

describe("a set, with whoever is outside", () => {
  test.each([
    ["a long command that names nothing", [running("one", "npm test", now - 60_000)], {}],
    ["a package manager, and a source file", [running("one", "npm install", now - 60_000)], {}],
    ["a formatter, and other words", [running("one", "npm run format", now - 60_000)], {}],
    ["somebody outside was just at it", [running("one", "./run.sh")], { outside: now - 5_000 }],
    ["a file that changes by itself", [running("one", "./run.sh")], { isLoose: true }],
    ["something in the background", [running("one", "./run.sh")], { background: ["one"] }],
  ])("%s", (_, commands, more) =>
    expect(authors(trace(), around({ running: commands, ...more }))).toEqual(["one", outside]),
  );

  test("two agents at once: evidence decides, else both", () => {
    const both = [running("one", "./a.sh"), running("two", "./b.sh")];
    expect(authors(trace(), around({ running: both }))).toEqual(["one", "two", outside]);
    const named = [running("one", "./a.sh"), running("two", "sed -i s/x/y/ a.txt")];
    expect(authors(trace(), around({ running: named }))).toEqual(["two"]);
  });
});

test("what was written while no command ran is the person's, or that of what runs in the background", () => {
  expect(authors(trace(), around())).toEqual([outside]);
  expect(authors(trace(), around({ background: ["one"] }))).toEqual([outside, "one"]);
  const late = [running("one", "sed -i s/x/y/ a.txt", now - 50)];
  expect(authors(trace({ changed: now - 5_000 }), around({ running: late }))).toEqual([outside]);
});

test("a person who saves a file that no command names or holds is never left out beside a long command", () => {
  const commands = [
    "npm test",
    "npm install",
    "make",
    "sleep 5",
    "cargo build",
    "npm run format",
    "git status",
    "./x.sh b.txt",
  ];
  fc.assert(
    fc.property(
      fc.subarray(commands, { minLength: 1 }),
      fc.integer({ min: 2_500, max: 100_000 }),
      (chosen, ago) => {
        const all = chosen.map((command, at) => running(`agent${at}`, command, now - ago));
        expect(authors(trace(), around({ running: all }))).toContain(outside);
      },
    ),
  );
});
