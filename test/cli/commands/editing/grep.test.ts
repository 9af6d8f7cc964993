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
    const lines = place.ok("grep", "match").trimEnd().split("\n");
    expect(lines).toHaveLength(102);
    expect(lines.at(-1)).toBe(
      "[more lines match than the 100 shown: narrow PATTERN, PATH or --glob, or raise --max]",
    );
    expect(place.ok("grep", "match", "a.txt", "b.txt", "--max", "7").trimEnd().split("\n")).toHaveLength(9);
    expect(place.ok("grep", "match", "--max", "9999").trimEnd().split("\n")).toHaveLength(5003);
  });

  test("nothing found is no failure", () => {
    const place = new Place(tree);
    expect(place.run(["grep", "nowhere"])).toEqual({ status: 0, stdout: "[no match]\n", stderr: "" });
  });

  test("--json: a line for each file, then the count", () => {
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
