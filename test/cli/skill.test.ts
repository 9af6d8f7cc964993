import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { Place, program } from "./support.js";

const skill = resolve("skills/hashed-edit");
const scripts = `${skill}/scripts`;

/** Two functions that look alike; no final newline. */
const source = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return 1;\n}\n// end";

/** As they are started by themselves, and by what else is here. */
const interpreters = [
  "as they are",
  ...["bash", "dash", "busybox sh", "ksh", "zsh --emulate sh"].filter(
    (name) => spawnSync("sh", ["-c", `${name} -c :`]).status === 0,
  ),
];

/** A whole agent's work, with nothing but the two scripts and kedge. */
const work = `
set -eu
read_rows() { $INTERPRETER "$SCRIPTS/read-with-hashes.sh" "$@"; }
edit_row() { $INTERPRETER "$SCRIPTS/edit-by-hash.sh" "$@"; }
anchor() { read_rows code.js | sed -n "$1p" | cut -d'|' -f1; }

# Read; every row is N#hhhh|text, and the hash is that of cksum.
rows=$(read_rows code.js)
[ "$(printf '%s\\n' "$rows" | sed -n 3p)" = '3#8016|}' ]
[ "$(printf '%s\\n' "$rows" | sed -n 4p)" = '4#ffff|' ]

# Two edits after one read; the second by an anchor from before the first.
first=$(anchor 2)
second=$(anchor 6)
edit_row code.js "$first" '  return "one";' > /dev/null
edit_row code.js "$second" "  // it's \\$2, and \\\\n stays
  return 2;" > /dev/null

# The last line moved: its old anchor is refused, and nothing is written.
before=$(cat code.js)
status=0
edit_row code.js "8#$(printf '%s' '// end' | cksum | awk '{ printf "%04x", $1 % 65536 }')" '// fin' 2> refused || status=$?
[ $status -eq 5 ]
[ "$before" = "$(cat code.js)" ]
grep -q '^--- code.js as shown$' refused

# Recovery: the refusal shows the row under its new anchor.
again=$(sed -n 's/^ *\\(9#[0-9a-f]*\\)|.*/\\1/p' refused)
edit_row code.js "$again" '// fin' > /dev/null

# Somebody else changes a line; the edit made for the old text is refused; read, think, apply.
stale=$(anchor 2)
sed 's/"one"/"uno"/' code.js > other && cat other > code.js && rm other
status=0
edit_row code.js "$stale" '  return "ONE";' 2> refused || status=$?
[ $status -eq 5 ]
grep -q '^-  return "one";$' refused
grep -q '^+  return "uno";$' refused
fresh=$(sed -n 's/^>>> \\(2#[0-9a-f]*\\)|.*/\\1/p' refused)
edit_row code.js "$fresh" '  return "ONE";' > /dev/null

# Delete, both ways of asking for it.
edit_row code.js "$(anchor 4)" --delete > /dev/null
edit_row code.js "$(anchor 1)" 'not used' --delete > /dev/null
rm refused

# What was done is on record, and can be undone.
[ "$(kedge log --json --agent tester | grep -c '"kind":"commit"')" -eq 6 ]
kedge undo > /dev/null 2>&1
`;

describe.skipIf(process.platform === "win32")("the skill", () => {
  test.each(interpreters)(
    "a whole agent's work with the two scripts, recovery from 5 included: %s",
    (name) => {
      const place = new Place({ "code.js": source });
      const INTERPRETER = name === "as they are" ? "" : name;
      const { status, stdout, stderr } = place.shell(work, { env: { SCRIPTS: scripts, INTERPRETER } });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
      expect(place.text("code.js")).toBe(
        'function one() {\n  return "ONE";\n}\nfunction two() {\n  // it\'s $2, and \\n stays\n  return 2;\n}\n// fin',
      );
    },
  );

  test.each<[string, string]>([
    ["read-with-hashes.sh", ""],
    ["read-with-hashes.sh", "a b"],
    ["read-with-hashes.sh", "a --start"],
    ["read-with-hashes.sh", "--nonsense a"],
    ["edit-by-hash.sh", "a"],
    ["edit-by-hash.sh", "a 1#ffff"],
    ["edit-by-hash.sh", "a 1#ffff x y"],
  ])("%s %s: usage, 2", (script, args) => {
    const { status, stdout, stderr } = new Place().shell(`"$SCRIPTS/${script}" ${args}`, {
      env: { SCRIPTS: scripts },
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^usage: /);
  });

  test.each<[string, string]>([
    ["was never read", "1#0000"],
    ["is past the end", "9#0000"],
  ])("a line that %s: 5, with a diff", (_, anchor) => {
    const place = new Place({ "a.txt": "foo\n" });
    const ran = place.shell(`"$SCRIPTS/edit-by-hash.sh" a.txt ${anchor} x`, { env: { SCRIPTS: scripts } });
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 5, stdout: "" });
    expect(ran.stderr).toMatch(/^--- a\.txt as shown\n\+\+\+ a\.txt now\n@@ .* @@\n-/m);
    expect(place.text("a.txt")).toBe("foo\n");
  });

  test.each(["read-with-hashes.sh a.txt", "edit-by-hash.sh a.txt 1#9e91 x"])(
    "%s: without kedge it says what is missing",
    (line) => {
      const place = new Place({ "a.txt": "foo\n" });
      cpSync(skill, place.path("skill"), { recursive: true });
      mkdirSync(place.path("bin"));
      symlinkSync("/usr/bin/dirname", place.path("bin/dirname"));
      const env = { PATH: place.path("bin"), KEDGE: "" };
      const { status, stderr } = spawnSync("/bin/sh", ["-c", `skill/scripts/${line}`], {
        ...{ cwd: place.folder, env: place.env(env), encoding: "utf8" },
      });
      expect([status, stderr]).toEqual([
        1,
        "kedge is not on the PATH: install it, or set KEDGE to its path\n",
      ]);
    },
  );

  test.each<[string, string, string]>([
    ["one line", "'x y'", "x y\n"],
    ["a dash", "-", "-\n"],
    ["what looks like a flag", "--json", "--json\n"],
    ["nothing", "''", "\n"],
    ["a final newline, which only ends the line", "'x\n'", "x\n"],
    ["several lines", "'x\n\ny'", "x\n\ny\n"],
  ])("new content: %s", (_, content, expected) => {
    const place = new Place({ "a.txt": "foo\n" });
    const script = `"$SCRIPTS/edit-by-hash.sh" a.txt 1#9e91 ${content}`;
    expect(place.shell(script, { env: { SCRIPTS: scripts } })).toMatchObject({ status: 0, stderr: "" });
    expect(place.text("a.txt")).toBe(expected);
  });

  test("all lines of a long file, and names with blanks and dashes", () => {
    const place = new Place({ "-my file.txt": "x\n".repeat(3000) });
    const { stdout } = place.shell(`"$SCRIPTS/read-with-hashes.sh" -- '-my file.txt' | wc -l`, {
      env: { SCRIPTS: scripts },
    });
    expect(stdout.trim()).toBe("3000");
  });

  test("the rows are those of a helper made with cksum", () => {
    const place = new Place({ "a.txt": "foo\r\n}\n\n  é \nlast" });
    const helper = `n=0; while IFS= read -r line || [ -n "$line" ]; do n=$((n+1));
      printf '%s#%04x|%s\\n' $n $(( $(printf '%s' "$line" | cksum | cut -d' ' -f1) % 65536 )) "$line"; done < a.txt`;
    const hashes = (text: string) => text.split("\n").map((row) => row.split("|")[0]);
    const ours = place.shell(`"$SCRIPTS/read-with-hashes.sh" a.txt`, { env: { SCRIPTS: scripts } }).stdout;
    expect(hashes(ours)).toEqual(hashes(place.shell(helper).stdout));
  });

  test("SKILL.md: short, with its frontmatter, and naming only what is there", () => {
    const text = readFileSync(`${skill}/SKILL.md`, "utf8");
    expect(text.split("\n").length).toBeLessThan(120);
    const front = /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? "";
    expect([...front.matchAll(/^([\w-]+): ./gm)].map(([, key]) => key)).toEqual([
      "name",
      "description",
      "allowed-tools",
      "argument-hint",
      "mode",
    ]);
    for (const [, script] of text.matchAll(/scripts\/([\w-]+\.sh)/g))
      expect(spawnSync("sh", ["-n", `${scripts}/${script}`]).status).toBe(0);
    const place = new Place();
    for (const [, command] of text.matchAll(/^ {4}kedge (\w+)/gm))
      expect(place.run([command as string, "--help"]).status).toBe(0);
  });

  test.skipIf(program !== resolve("dist/bin.cjs"))(
    "kedge is found beside the skill, if not on the PATH",
    () => {
      const place = new Place({ "a.txt": "foo\n" });
      const env = {
        ...place.env(),
        PATH: `${process.execPath.replace(/\/node$/, "")}:/usr/bin:/bin`,
        KEDGE: "",
      };
      const { status, stdout } = spawnSync(`${scripts}/read-with-hashes.sh`, ["a.txt"], {
        ...{ cwd: place.folder, env, encoding: "utf8" },
      });
      expect([status, stdout]).toEqual([0, "1#9e91|foo\n"]);
    },
  );
});
