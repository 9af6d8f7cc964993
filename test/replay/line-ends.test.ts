/** Texts with CRLF: what an anchor of them is, and histories that have them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Case, editText, textOf } from "../../src/replay/cases/case.js";
import { generate } from "../../src/replay/cases/generate.js";
import { gitSource } from "../../src/replay/cases/git-source.js";
import { allMechanisms } from "../../src/replay/mechanisms/all.js";
import { stateless } from "../../src/replay/mechanisms/kedge.js";
import { outcomes, play, score } from "../../src/replay/score.js";

const lines = Array.from({ length: 60 }, (_, at) => `line ${at}`);
const toCrlf = (text: string): string => text.replaceAll("\n", "\r\n");
const edit = { start: 10, count: 2, lines: ["new", "lines"] };

describe("an anchor is the one that a listing prints", () => {
  const lf = textOf(lines);
  const crlf = toCrlf(lf);
  // The published hex4 is the checksum of the line with its carriage return; the others leave it out.
  test.each([
    ["hex6", crlf, lf, editText(lf, [edit])],
    ["hex4", crlf, lf, null],
    ["lean", crlf, lf, editText(lf, [edit])],
    ["hex6", lf, crlf, editText(crlf, [edit])],
    ["hex4", lf, crlf, null],
    ["hex4", crlf, crlf, editText(crlf, [edit])],
  ] as const)("%s", async (scheme, base, current, expected) => {
    const attempt = await stateless(scheme).start(base);
    expect(await attempt.edit(current, [edit])).toBe(expected);
  });
});

test("an edit keeps the line ends of the text", () => {
  expect(editText("a\r\nb\r\n", [{ start: 1, count: 1, lines: ["c", "d"] }])).toBe("a\r\nc\r\nd\r\n");
});

describe("a history with CRLF inside git", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kedge-ends-"));
    git("init", "-q", "-b", "main");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function git(...args: string[]): void {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...who, "-c", "core.autocrlf=false", ...args], { cwd: folder, stdio: "ignore" });
  }

  function commit(text: string, path = "file"): void {
    writeFileSync(join(folder, path), text);
    git("add", "-A");
    git("commit", "-q", "-m", "change");
  }

  const version = (changed: Readonly<Record<number, string>>): string =>
    textOf(lines.map((line, at) => changed[at] ?? line));

  /** Eight versions, each with one more line changed, far from the others. */
  function versions(): string[] {
    const changed: Record<number, string> = {};
    return Array.from({ length: 8 }, (_, at) => {
      changed[49 - at * 7] = `changed ${at}`;
      return version(changed);
    });
  }

  const cases = (): Promise<readonly Case[]> =>
    generate({ source: gitSource(folder), seed: "1", cases: 200 }).then((set) => set.cases);

  const isCrlf = (text: string): boolean => !/[^\r]\n/.test(text);

  test("gives cases with CRLF, whose edits have none", async () => {
    for (const text of versions()) commit(toCrlf(text));
    const made = await cases();
    expect(made.length).toBeGreaterThan(5);
    for (const one of made.filter(({ class: name }) => name !== "crlf")) {
      expect([one.base, one.current, one.truth, ...one.alternatives].every(isCrlf), one.class).toBe(true);
      expect(JSON.stringify(one.edits)).not.toContain("\\r");
    }
    expect(made.map((one) => one.class)).toContain("far-noshift");
  });

  test("is no handicap for anybody: all that do it right with LF do it right with CRLF", async () => {
    for (const text of versions()) commit(toCrlf(text));
    const plain = (await cases()).filter((one) => one.class === "plain");
    expect(plain.length).toBeGreaterThan(0);
    for (const mechanism of await allMechanisms()) {
      for (const one of plain)
        expect([mechanism.name, ...outcomes(one, await play(mechanism, one))]).toEqual([
          mechanism.name,
          "right",
        ]);
      await mechanism.close?.();
    }
  });

  test("own edits of which some are refused are judged with these ends", async () => {
    for (const text of versions()) commit(toCrlf(text));
    const one = (await cases()).find(({ class: name }) => name === "far-noshift") as Case;
    const sequence = {
      ...one,
      base: one.current,
      current: one.current,
      sequence: [0],
      edits: [...one.edits, edit],
    };
    const calls = [
      { edits: one.edits, refused: false },
      { edits: [edit], refused: true },
    ];
    const text = editText(one.current, one.edits);
    expect(outcomes(sequence, { text, calls, secondTime: false, silent: false })).toEqual([
      "right",
      "refused",
    ]);
  });

  test("a commit that converted a file gives what the agent's edit is then", async () => {
    const [first, second, third] = versions() as [string, string, string];
    commit(first);
    commit(toCrlf(first));
    commit(toCrlf(second));
    // The agent's own commit converts back: no edit of lines says that, so the ends stay as they are.
    commit(third);
    const made = await cases();
    // Two commits: not the class of that name with a made second writer.
    const converted = made.find(({ class: name, origin }) => name === "crlf" && origin.includes(" "));
    const back = made.find(({ class: name }) => name === "far-noshift");
    expect(converted).toMatchObject({ base: first, current: toCrlf(first), truth: toCrlf(second) });
    expect(back).toMatchObject({ base: toCrlf(first), current: toCrlf(second), truth: toCrlf(third) });
  });

  test("a text with both kinds of ends gives none", async () => {
    for (const text of versions()) commit(text.replace("\n", "\r\n"));
    expect(await cases()).toEqual([]);
  });

  test("the session does them all", async () => {
    for (const text of versions()) commit(toCrlf(text));
    const [session] = await allMechanisms();
    const { classes } = await score(session as never, await cases());
    for (const [name, { refused, wrong }] of Object.entries(classes))
      if (!name.includes("debatable")) expect([name, refused, wrong]).toEqual([name, 0, 0]);
  });
});
