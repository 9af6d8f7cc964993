import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyHunks, type Case, linesOf, textOf } from "../../src/replay/cases/case.js";
import {
  difference,
  differenceFromEnd,
  patienceDifference,
  slide,
} from "../../src/replay/cases/difference.js";
import { generate } from "../../src/replay/cases/generate.js";
import { GitError, gitSource } from "../../src/replay/cases/git-source.js";
import { allMechanisms } from "../../src/replay/mechanisms/all.js";
import { peer } from "../../src/replay/mechanisms/peer.js";
import { unified } from "../../src/replay/mechanisms/programs.js";
import { quotes } from "../../src/replay/mechanisms/quotes.js";
import { type Mechanism, outcomes, play } from "../../src/replay/score.js";
import { caseText, playAll } from "../../src/replay/show.js";
import { madeHistory } from "./history.js";

let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kedge-history-"));
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
  };
  git("init", "-q", "-b", "main");
  const history = madeHistory("git", 3, 6);
  const changes = await history.changes();
  for (const { path, before, after } of changes)
    for (const blob of [before, after]) {
      writeFileSync(join(folder, path), (await history.texts([blob]))[0] as string);
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", path);
    }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a git history", () => {
  test("gives the same cases for the same seed, others for another", async () => {
    const make = (seed: string) => generate({ source: gitSource(folder), seed, cases: 40 });
    const [one, two, three] = [await make("a"), await make("a"), await make("b")];
    expect(one.cases.length).toBeGreaterThan(10);
    expect(two).toEqual(one);
    expect(three.hash).not.toBe(one.hash);
  });

  test("that is none is an error with git's own words", async () => {
    await expect(gitSource(tmpdir()).changes()).rejects.toThrow(GitError);
  });
});

describe("the parts", () => {
  const random = madeHistory("parts", 6, 8);

  test("every comparison leads from one text to the other", async () => {
    for (const { before, after } of await random.changes()) {
      const [one, two] = (await random.texts([before, after])).map((text) => linesOf(text as string)) as [
        string[],
        string[],
      ];
      for (const compare of [difference, differenceFromEnd, patienceDifference]) {
        const hunks = compare(one, two) ?? [];
        expect(applyHunks(one, hunks)).toEqual(two);
        expect(hunks.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(60);
      }
    }
  });

  test("a hunk that slides leaves the same text", () => {
    const lines = ["a", "b", "a", "b", "a", "c"];
    const hunk = { start: 2, count: 0, lines: ["a", "b"] };
    const [up, down] = slide(lines, hunk);
    expect([up, down]).toEqual([2, 3]);
    const whole = applyHunks(lines, [hunk]);
    expect(applyHunks(lines, [{ start: 0, count: 0, lines: ["a", "b"] }])).toEqual(whole);
    expect(applyHunks(lines, [{ start: 5, count: 0, lines: ["b", "a"] }])).toEqual(whole);
  });

  test("quotes are unique in what was read, and make the edit", () => {
    const base = textOf(["a", "x", "b", "x", "c"]);
    const edits = [{ start: 3, count: 1, lines: ["y"] }];
    expect(quotes(base, edits)).toEqual([{ old: "b\nx\nc", fresh: "b\ny\nc" }]);
  });

  test("unified diffs have the numbers that git wants", () => {
    const base = textOf(Array.from({ length: 20 }, (_, at) => `l${at}`));
    const diff = unified(base, [
      { start: 0, count: 0, lines: ["new"] },
      { start: 15, count: 2, lines: [] },
    ]);
    expect(diff.match(/^@@.*@@$/gm)).toEqual(["@@ -1,3 +1,4 @@", "@@ -13,8 +14,6 @@"]);
  });
});

describe("every mechanism", async () => {
  const set = await generate({ source: madeHistory("all", 12, 8), seed: "1", cases: 60 });
  const plain = set.cases.filter((one) => one.class === "plain");

  test.each(await allMechanisms())("$name does a plain edit right", async (mechanism) => {
    expect(plain.length).toBeGreaterThan(0);
    for (const one of plain) expect(outcomes(one, await play(mechanism, one))).toEqual(["right"]);
    await mechanism.close?.();
  });

  test("a peer answers by the protocol", async () => {
    const program = `const r = require("readline").createInterface({ input: process.stdin });
      r.on("line", (line) => {
        const { id, current, edits } = JSON.parse(line);
        const lines = current.split("\\n");
        for (const { start, count, lines: added } of edits.reverse()) lines.splice(start - 1, count, ...added);
        console.log(JSON.stringify(edits.length > 9 ? { id, refused: "too many" } : { id, text: lines.join("\\n") }));
      });`;
    writeFileSync(join(folder, "peer.cjs"), program);
    const mechanism = peer(`numbers=${process.execPath} ${join(folder, "peer.cjs")}`);
    for (const one of plain) expect(outcomes(one, await play(mechanism, one))).toEqual(["right"]);
    await mechanism.close?.();
  });

  test("a peer that dies is an error, not a refusal", async () => {
    const mechanism = peer(`dead=${process.execPath} -e 0`);
    await expect(play(mechanism, plain[0] as never)).rejects.toThrow(
      "dead ended (status 0) before it had answered",
    );
    await mechanism.close?.();
  });

  test("a case is shown with all that is needed to judge it", async () => {
    const [mechanism] = await allMechanisms();
    const one = plain[0] as Case;
    const shown = caseText(one, await playAll(one, [mechanism as Mechanism]), 120);
    for (const word of ["base", "current", "result of session", "truth", "The agent's edit", "right"])
      expect(shown).toContain(word);
  });
});
