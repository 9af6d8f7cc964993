import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/table/command-table.js";
import { Place } from "./support.js";

/** Line 12 is foo and line 15 is }: what the examples name them by. */
const source = `${"// line\n".repeat(11)}foo\n// TODO\nfunction one() {\n}\n`;
const request = {
  files: [{ path: "a.ts", edits: [{ op: "set_line", anchor: "12#0f0dd9", text: "const a = 1;" }] }],
};

/** Ids, handles and folders of the examples are made up; install asks a person, and there is none. */
const unknown = new Map([
  ["kedge install", 1],
  ["kedge audit ~/.claude/projects/-home-me-app --since 7d", 1],
  ["kedge retry r7c41f09a", 2],
  ["kedge show mq3k2a1b-x7", 1],
  ["kedge token revoke builder", 1],
  ["kedge restore mq3k2a1b-x7", 1],
  ["kedge audit --show 3fa1c0", 1],
]);
/** They have tests of their own; serve, ui and watch last until Ctrl-C. */
const elsewhere = ["demo", "replay", "serve", "ui", "watch"];
const cases = commands
  .filter(({ name }) => !elsewhere.includes(name))
  .flatMap(({ examples }) => examples.map(([line]) => line));

async function prepared(line: string): Promise<Place> {
  const place = new Place({
    "a.ts": source,
    "src/a.ts": source,
    "src/b.ts": "}\n",
    "a.md": "a\n\n}\n",
    "new.txt": "x\ny\n",
  });
  place.put("draft.md", "# Draft\n");
  place.put("request.json", JSON.stringify(request));
  const commit = "git -c user.name=a -c user.email=a@example.org commit -qm first";
  if (line.includes("git show")) place.shell(`git init -q . && git add . && ${commit}`);
  for (const folder of [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"])
    mkdirSync(`${place.scratch}/home/${folder}`, { recursive: true });
  const isOfAuthors = /kedge (blame|diff|commit)/.test(line);
  if (isOfAuthors)
    place.shell(`git init -q . && git add . && ${commit}; git config user.name a; git config user.email a@b`);
  for (const path of ["a.ts", "a.md", "src/a.ts"]) await place.before(["read", path]);
  if (line.startsWith("kedge undo"))
    for (const text of ["one", "two", "three"])
      await place.before(["edit", "src/a.ts", "12#0f0dd9", "--after", text]);
  if (isOfAuthors) await place.before(["edit", "src/a.ts", "12#0f0dd9", "bar"]);
  if (isOfAuthors) place.put("draft.md", "# A draft\n");
  return place;
}

describe.skipIf(process.platform === "win32")("the examples of help and docs/cli.md do what they say", () => {
  test.each(cases)("%s", async (line) => {
    const place = await prepared(line);
    const { status, stderr } = place.shell(line, { env: { HOME: `${place.scratch}/home` } });
    expect([status, stderr]).toEqual([unknown.get(line) ?? 0, expect.any(String)]);
  });

  test("those in the notes of edit", async () => {
    const place = await prepared("");
    expect(place.shell("kedge edit a.md 3#44bb18 -- '- item'").status).toBe(0);
    expect(place.text("a.md")).toBe("a\n\n- item\n");
    expect(place.shell("kedge edit a.ts 12#0f0dd9 $'one\\ntwo'", { shell: "/bin/bash" }).status).toBe(0);
    expect(place.text("a.ts")).toContain("one\ntwo\n// TODO");
  });
});
