import { describe, expect, test } from "vitest";
import { jsonLines, Place } from "../../support.js";

const tree = {
  "src/a.ts": "const a = 1;\n// TODO: more\nconst b = 2;\n",
  "src/b.ts": "// todo\n",
  "src/notes.md": "TODO\n",
  "build/out.ts": "TODO\n",
  "binary.bin": Buffer.from("TODO\0TODO\n"),
  ".gitignore": "build/\n",
  ".git/HEAD": "ref: refs/heads/main\n",
};

describe("kedge grep", () => {
  test("groups rows by file, each with its anchor", () => {
    const place = new Place(tree);
    const { status, stdout, stderr } = place.run(["grep", "TODO"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(
      /^src\/a\.ts\n2#[0-9a-f]{6}\|\/\/ TODO: more\nsrc\/notes\.md\n1#[0-9a-f]{6}\|TODO\n$/,
    );
  });

  test.each<[string, string[], string[]]>([
    ["without regard to case", ["-i", "todo"], ["src/a.ts", "src/b.ts", "src/notes.md"]],
    ["by glob", ["-i", "todo", "--glob", "*.ts"], ["src/a.ts", "src/b.ts"]],
    ["in some places", ["-i", "todo", "src/b.ts", "src/notes.md"], ["src/b.ts", "src/notes.md"]],
    ["a regular expression", ["const \\w = \\d;"], ["src/a.ts"]],
    ["a literal text", ["-F", "= 1;"], ["src/a.ts"]],
    ["what git ignores, when it is named", ["TODO", "build/out.ts"], ["build/out.ts"]],
  ])("%s", (_, args, files) => {
    const place = new Place(tree);
    const lines = place
      .ok("grep", ...args)
      .trimEnd()
      .split("\n");
    expect(lines.filter((line) => !/^\d+#/.test(line))).toEqual(files);
  });

  test("a text that looks like a pattern, or like a flag", () => {
    const place = new Place({ "a.txt": "a.c\nabc\n--max\n" });
    expect(place.ok("grep", "-F", "a.c")).not.toContain("abc");
    expect(place.ok("grep", "--", "--max")).toContain("|--max");
  });

  test("rows around a match", () => {
    const place = new Place(tree);
    const rows = place.ok("grep", "-C", "1", "TODO", "src/a.ts").trimEnd().split("\n").slice(1);
    expect(rows.map((row) => row.split("|")[1])).toEqual(["const a = 1;", "// TODO: more", "const b = 2;"]);
  });

  test("what it shows can be edited without a read", () => {
    const place = new Place(tree);
    const anchor = /^(2#\w+)\|/m.exec(place.ok("grep", "TODO"))?.[1] as string;
    place.ok("edit", "src/a.ts", anchor, "// done");
    expect(place.text("src/a.ts")).toBe("const a = 1;\n// done\nconst b = 2;\n");
  });

  test("thousands of matches do not flood", () => {
    const place = new Place({ "a.txt": "match\n".repeat(5000), "b.txt": "match\n" });
    const { stdout, stderr } = place.run(["grep", "match"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(101);
    expect(stderr).toBe(
      "kedge: more lines match than the 100 shown: narrow PATTERN, PATH or --glob, or raise --max\n",
    );
    expect(place.ok("grep", "match", "a.txt", "b.txt", "--max", "7").trimEnd().split("\n")).toHaveLength(8);
    expect(place.ok("grep", "match", "--max", "9999").trimEnd().split("\n")).toHaveLength(5003);
  });

  test("exits 1 without a match, with nothing on stdout", () => {
    const place = new Place(tree);
    const nothing = { status: 1, stdout: "", stderr: "kedge: no match\n" };
    expect(place.run(["grep", "nowhere"])).toEqual(nothing);
    expect(place.run(["grep", "-l", "nowhere"])).toEqual(nothing);
    expect(place.run(["grep", "nowhere", "--json"])).toMatchObject({
      status: 1,
      stdout: '{"files":0,"matches":0,"limited":false}\n',
    });
  });

  test("finds whole words with -w, also of other scripts and of texts", () => {
    const place = new Place({ "a.txt": "word\nwords\nsword\na word, \nwörd\nw\nf(x)y f(x)\nf(x)y\n" });
    const lines = (...args: string[]): string =>
      place
        .ok("grep", ...args)
        .split("\n")
        .flatMap((row) => /^\d+(?=#)/.exec(row)?.[0] ?? [])
        .join(" ");
    expect(lines("-w", "word")).toBe("1 4");
    expect(lines("-nw", "word|words")).toBe("1 2 4");
    expect(lines("-w", "w")).toBe("6");
    expect(lines("-wF", "f(x)")).toBe("7");
    expect(lines("-w", '\\"?word')).toBe("1 4");
    expect(place.run(["grep", "-w", "a)(b"]).status).toBe(2);
  });

  test("names only the files with -l, which shows none of their lines", () => {
    const place = new Place(tree);
    expect(place.ok("grep", "-rli", "todo", ".")).toBe(
      "./src/a.ts\n./src/b.ts\n./src/notes.md\n".replaceAll("./", ""),
    );
    expect(jsonLines(place.ok("grep", "-l", "TODO", "src", "--json"))).toEqual([
      { path: "src/a.ts", lines: [2] },
      { path: "src/notes.md", lines: [1] },
    ]);
    const few = place.run(["grep", "-li", "todo", "--max", "1"]);
    expect(few).toMatchObject({ status: 0, stdout: "src/a.ts\n" });
    const gone = place.run(["grep", "-l", "TODO", "nowhere", "src/a.ts"]);
    expect(gone).toMatchObject({ status: 1, stdout: "src/a.ts\n" });
    expect(place.run(["edit", "src/a.ts", "1#000000", "x"]).status).toBe(4);
  });

  test("prints with --json a line for each file, then the count", () => {
    const place = new Place(tree);
    const [file, ...rest] = jsonLines(place.ok("grep", "TODO", "--json", "--anchors", "hex4"));
    expect(file).toMatchObject({ path: "src/a.ts", scheme: "hex4", totalLines: 3, rows: [{ line: 2 }] });
    expect(rest.at(-1)).toEqual({ files: 2, matches: 2, limited: false });
  });

  test.each<[string, string[], number]>([
    ["is not there", ["nowhere"], 1],
    ["is outside the root", ["..", "--root", "."], 4],
    ["is neither", ["nowhere", "..", "--root", "."], 4],
  ])("a place that %s does not hide what was found in others", (_, args, status) => {
    const place = new Place(tree);
    const ran = place.run(["grep", "todo", "-i", "src/b.ts", ...args, "src/notes.md"]);
    expect(ran.status).toBe(status);
    expect(ran.stdout).toMatch(/^src\/b\.ts\n1#\w+\|\/\/ todo\nsrc\/notes\.md\n1#\w+\|TODO\n$/);
    expect(ran.stderr).toMatch(/nowhere does not exist|outside/);
    const lines = jsonLines(
      place.run(["grep", "todo", "-i", "src/b.ts", "--json", ...args, "src/notes.md"]).stdout,
    );
    expect(lines.at(-1)).toEqual({ files: 2, matches: 2, limited: false });
  });

  test("what no expression is may be meant as a text", () => {
    const place = new Place({ "a.txt": "f(x\n" });
    expect(place.run(["grep", "f(x"]).stderr).toMatch(/\nkedge: -F takes PATTERN as a text\n$/);
    expect(place.ok("grep", "-F", "f(x")).toContain("|f(x");
    expect(place.run(["grep", ""]).stderr).not.toContain("-F");
  });

  test.each<[string, string[], number, string]>([
    ["a broken pattern", ["("], 2, "regular expression"],
    ["an empty one", [""], 2, "empty"],
    ["a place that is not there", ["x", "nowhere"], 1, "nowhere does not exist"],
    ["a place outside the root", ["x", "..", "--root", "."], 4, "outside"],
  ])("refuses %s", (_, args, status, message) => {
    const ran = new Place(tree).run(["grep", ...args]);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});
