import { describe, expect, test } from "vitest";
import { type Args, nearest, parseCommandLine, parseRanges, UsageError } from "../../src/cli/args.js";
import { flagsOf } from "../../src/cli/flag-types.js";
import { commands } from "../../src/cli/table/command-table.js";

function run(...argv: string[]): Args {
  const parsed = parseCommandLine(argv);
  if (parsed.kind !== "run") throw new Error(parsed.kind);
  return parsed.args;
}

function complaint(...argv: string[]): string {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, error.hint].filter(Boolean).join(" / ");
    throw error;
  }
  throw new Error("no complaint");
}

test("flags and positionals in any order", () => {
  for (const argv of [
    ["read", "a.ts", "--start", "3", "--json"],
    ["--json", "read", "--start=3", "a.ts"],
    ["read", "--start", "3", "--json", "--", "a.ts"],
  ]) {
    const args = run(...argv);
    expect([args.command.name, args.positionals, args.number("start"), args.has("json")]).toEqual([
      "read",
      ["a.ts"],
      3,
      true,
    ]);
  }
});

test("short flags, also joined", () => {
  const args = run("grep", "-iF", "-C", "2", "todo", "src", "lib");
  expect([args.has("ignore-case"), args.has("literal"), args.number("context", 0)]).toEqual([true, true, 2]);
  expect(args.positionals).toEqual(["todo", "src", "lib"]);
});

test("a flag given twice: the last counts, roots add up", () => {
  expect(run("read", "a", "--session", "x", "--session", "y").text("session")).toBe("y");
  expect(run("read", "a", "--root", "x", "--root", "y").texts("root")).toEqual(["x", "y"]);
});

describe("text that begins with a dash", () => {
  test.each(["- item", "-\titem", "--- a/x\n+++ b/x", "-> b", "-"])("%j is no flag", (text) => {
    expect(run("edit", "a.md", "3#44bb18", text).positionals[2]).toBe(text);
  });

  test.each(["--x", "-x", "--delete"])("%j is text after --", (text) => {
    const args = run("edit", "--", "a.md", "3#44bb18", text);
    expect(args.positionals[2]).toBe(text);
    expect(args.has("delete")).toBe(false);
  });

  test("is named in the complaint about a flag", () => {
    expect(complaint("edit", "a.md", "3#44bb18", "--foo")).toContain("text that begins with - goes after --");
  });

  test("is told apart from a name, where one may be meant", () => {
    const hint = "a name that begins with - goes after --";
    expect(complaint("read", "-d.txt")).toBe(`read has no flag -d / see: kedge read --help; ${hint}`);
    expect(complaint("read", "--strat")).not.toContain(hint);
    expect(complaint("stats", "-d")).not.toContain(hint);
  });

  test("is taken as the value of a flag", () => {
    expect(run("write", "a", "--from", "-").text("from")).toBe("-");
    expect(run("grep", "--glob", "- x", "p").text("glob")).toBe("- x");
  });
});

describe("what is wrong is said, with the nearest right thing", () => {
  test.each<[string[], string]>([
    [["raed", "a"], 'there is no command "raed" / did you mean: kedge read'],
    [["xyzzy"], 'there is no command "xyzzy" / see: kedge --help'],
    [["read"], "read needs FILE / see: kedge read --help"],
    [["write", "a", "b"], 'write takes no further argument "b" / see: kedge write --help'],
    [["read", "a", "--strat", "3"], "read has no flag --strat / did you mean: --start"],
    [["read", "a", "--dry-run"], "read has no flag --dry-run / --dry-run belongs to kedge edit"],
    [["read", "a", "--start"], "--start needs a value: --start N"],
    [["read", "a", "--start", "--json"], "--start needs a value"],
    [["read", "a", "--json=1"], "--json takes no value"],
    [["read", "a", "--anchors", "hex8"], 'hex6, hex4, lean, none; got "hex8" / did you mean: hex6'],
    [["session", "fould"], 'got "fould" / did you mean: kedge session fold'],
    [["session"], "session needs ACTION: list, name, fold, end, purge"],
    [["--foo"], "there is no flag --foo"],
    [["write", "-"], "write needs a file, not stdin / a file that is called - is ./-"],
    [["edit", "-", "1#bf5260", "x"], "edit needs a file, not stdin"],
    [["grep", "x", "a", "-"], "grep needs a path, not stdin"],
  ])("%j", (argv, expected) => {
    expect(complaint(...argv)).toContain(expected);
  });

  test("a number is a whole one", () => {
    for (const value of ["0", "x", "1.5", "1e3", ""])
      expect(() => run("read", "a", `--start=${value}`).number("start")).toThrow(UsageError);
    expect(run("grep", "p", "-C", "0").number("context", 0)).toBe(0);
  });
});

test("help and version are asked for in any place", () => {
  expect(parseCommandLine(["--help"])).toMatchObject({ kind: "help", topic: null });
  expect(parseCommandLine([])).toMatchObject({ kind: "help", topic: null });
  expect(parseCommandLine(["edit", "-h"])).toMatchObject({ kind: "help", topic: "edit" });
  expect(parseCommandLine(["help", "edit"])).toMatchObject({ kind: "help", topic: "edit" });
  expect(parseCommandLine(["-V", "--json"])).toEqual({ kind: "version", json: true });
  expect(parseCommandLine(["version"])).toEqual({ kind: "version", json: false });
});

test("the nearest is near", () => {
  expect(nearest("udno", ["undo", "read"])).toBe("undo");
  expect(nearest("comp", ["completion", "read"])).toBe("completion");
  expect(nearest("zzz", ["undo", "read"])).toBeNull();
});

test("a flag is of one kind in all commands", () => {
  const kinds = new Map<string, boolean>();
  for (const { name, value } of commands.flatMap(flagsOf)) {
    expect(kinds.get(name) ?? Boolean(value), name).toBe(Boolean(value));
    kinds.set(name, Boolean(value));
  }
});

test("ranges are lines, spans and open ends, and nothing else", () => {
  expect(parseRanges("10-20, 5,7-")).toEqual([
    { start: 10, end: 20 },
    { start: 5, end: 5 },
    { start: 7, end: Number.MAX_SAFE_INTEGER },
  ]);
  for (const text of ["", "0", "a", "1-2-3", "3-1", "1,,2"]) expect(() => parseRanges(text)).toThrow();
});
