/** What the guard would have done in single courses, and how that is judged. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { audit } from "../../src/audit/index.js";
import { editOf, madeSession, project, readOf, refusalOf, shellOf, writeOf } from "./made.js";

const folder = mkdtempSync(join(tmpdir(), "kedge-audit-judged-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function reportOf(calls: Parameters<typeof madeSession>[0]) {
  const path = join(folder, "made.jsonl");
  writeFileSync(path, madeSession(calls));
  return (await audit({ paths: [path], env: {}, home: "/nowhere" })).report;
}

const path = `${project}/a.ts`;
const rows = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `const value${from + at} = ${from + at};`);
const text = `${rows(1, 12).join("\n")}\n`;
const kedge = { healed: 0, refusedRightly: 0, toldEarly: 0, inTheWay: 0 };
const notFound = "String to replace not found in file.";

describe("a call", () => {
  test("that is well done is let through", async () => {
    const after = text.replace("value3 = 3", "value3 = 33");
    const report = await reportOf([
      readOf(path, text),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
      editOf(path, after, "const value5 = 5;", "const value5 = 55;"),
      writeOf(`${project}/new.ts`, null, "x\n"),
    ]);
    expect(report).toMatchObject({ edits: 3, undecided: 0, kedge });
  });

  test("that writes over what nobody has read is refused rightly", async () => {
    const report = await reportOf([writeOf(path, text, "nothing\n")]);
    expect(report).toMatchObject({ undecided: 0, kedge: { ...kedge, refusedRightly: 1 } });
    expect(report.cases.find(({ kind }) => kind === "kedge.refusedRightly")?.why).toBe(
      "took away 12 lines that the agent had not been shown",
    );
  });

  test("that writes over a file and takes nothing away is a false alarm", async () => {
    const report = await reportOf([writeOf(path, text, `${text}more\n`)]);
    expect(report).toMatchObject({ kedge: { ...kedge, inTheWay: 1 } });
  });

  test("of a file that a command printed is let through", async () => {
    const report = await reportOf([
      shellOf("cat a.ts", text.trimEnd()),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
    ]);
    expect(report).toMatchObject({ undecided: 0, kedge });
  });

  test("of a file that was never shown is a false alarm if the quote was right", async () => {
    const report = await reportOf([editOf(path, text, "const value3 = 3;", "const value3 = 33;")]);
    expect(report).toMatchObject({ kedge: { ...kedge, inTheWay: 1 } });
  });

  test("of a file whose session begins in the middle is not judged, until the model forgets what it was sent", async () => {
    const calls = [editOf(path, text, "const value3 = 3;", "const value3 = 33;")];
    const [parent, cut] = ['"parentUuid":null', '"parentUuid":"not in this file"'];
    const file = join(folder, "cut.jsonl");
    const judged = async (lines: string) => {
      writeFileSync(file, lines);
      return (await audit({ paths: [file], env: {}, home: "/nowhere" })).report;
    };
    const lines = madeSession(calls);
    expect(await judged(lines)).toMatchObject({ undecided: 0, kedge: { ...kedge, inTheWay: 1 } });
    expect(await judged(lines.replace(parent, cut))).toMatchObject({ undecided: 1, kedge });
    const fold = `{${cut},"isSidechain":false,"type":"system","subtype":"compact_boundary","uuid":"c"}\n`;
    expect(await judged(fold + lines)).toMatchObject({ undecided: 0, kedge: { ...kedge, inTheWay: 1 } });
  });

  test.each([
    ["mv a.ts b.ts", "b.ts"],
    ["mv a.ts src && git mv src lib", "lib/a.ts"],
  ])("of a file that `%s` moved is let through, if it was shown before", async (command, name) => {
    const moved = `${project}/${name}`;
    const course = (read: Parameters<typeof madeSession>[0]) => [
      ...read,
      shellOf(command),
      editOf(moved, text, "const value3 = 3;", "const value3 = 33;"),
      editOf(moved, text.replace("value3 = 3", "value3 = 33"), "const value5 = 5;", "const value5 = 55;"),
    ];
    expect(await reportOf(course([readOf(path, text)]))).toMatchObject({ undecided: 0, kedge });
    expect(await reportOf(course([]))).toMatchObject({ kedge: { ...kedge, inTheWay: 1 } });
  });

  test("that failed for blanks is healed, and what it cost is counted", async () => {
    const report = await reportOf([
      readOf(path, text),
      refusalOf(
        path,
        "  const value3 = 3;\n  const value4 = 4;",
        "  const value3 = 33;\n  const value4 = 4;",
        notFound,
      ),
      readOf(path, text),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
    ]);
    expect(report.failed).toMatchObject({ total: 1, blanks: 1 });
    expect(report).toMatchObject({
      recovery: { calls: 2 },
      repeatedReads: 1,
      kedge: { ...kedge, healed: 1 },
    });
  });

  test("that quotes what a formatter has changed was told of before", async () => {
    const loose = text.replace("const value3 = 3;", "const value3 = 33");
    const formatted = text.replace("const value3 = 3;", "const value3 = 33;");
    const report = await reportOf([
      readOf(path, text),
      editOf(path, text, "const value3 = 3;\n", "const value3 = 33\n"),
      refusalOf(path, "const value3 = 33\nconst value4", "const value3 = 34\nconst value4", notFound),
      editOf(path, formatted, "const value3 = 33;", "const value3 = 34;"),
    ]);
    expect(loose).not.toBe(formatted);
    expect(report).toMatchObject({ failed: { total: 1, notFound: 1 }, kedge: { ...kedge, toldEarly: 1 } });
  });

  test("that quotes what somebody else has changed was told of before, if another call came between", async () => {
    const changed = text.replace("value9 = 9", "value9 = 99").replace("value3 = 3", "value3 = 33");
    const said = "File has been modified since read, either by the user or by a linter.";
    const course = (between: Parameters<typeof reportOf>[0]) => [
      readOf(path, text),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
      ...between,
      refusalOf(path, "const value9 = 9;", "const value9 = 90;", said),
      editOf(path, changed, "const value9 = 99;", "const value9 = 90;"),
    ];
    const told = await reportOf(course([{ notice: path }, shellOf("npm test", "ok")]));
    expect(told).toMatchObject({ failed: { total: 1, stale: 1 }, kedge: { ...kedge, toldEarly: 1 } });
    const untold = await reportOf(course([]));
    expect(untold).toMatchObject({ failed: { total: 1, stale: 1 }, kedge });
    const own = await reportOf(course([shellOf("sed -i s/9/99/ a.ts"), shellOf("npm test", "ok")]));
    expect(own).toMatchObject({ failed: { total: 1, stale: 1 }, shellChanges: 1, kedge });
  });

  test("of a text that changed at an unknown time is not judged", async () => {
    const other = text.replace("value9 = 9", "other9 = 99");
    const report = await reportOf([
      readOf(path, text),
      refusalOf(path, "const value9 = 9; // no", "x", notFound),
      editOf(path, other, "const value3 = 3;", "const value3 = 33;"),
    ]);
    expect(report).toMatchObject({ undecided: 1, kedge });
  });

  test("is not blamed for work that another command took away", async () => {
    const after = text.replace("value3 = 3", "value3 = 33");
    const report = await reportOf([
      readOf(path, text),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
      shellOf("npm test", "ok"),
      shellOf("git stash"),
      readOf(path, text),
      shellOf("git status"),
      writeOf(path, text, after),
    ]);
    expect(report.cases.filter(({ kind }) => kind === "lostByCommands").map(({ call }) => call)).toEqual([
      `toolu_made_${"3".padStart(20, "0")}`,
    ]);
  });

  test("that a commit kept is not lost when the branch is left", async () => {
    const after = text.replace("value3 = 3", "value3 = 33");
    const report = await reportOf([
      readOf(path, text),
      editOf(path, text, "const value3 = 3;", "const value3 = 33;"),
      shellOf("git commit -qam work"),
      shellOf("git checkout main"),
      readOf(path, text),
    ]);
    expect(after).not.toBe(text);
    expect(report.lostByCommands).toBe(0);
  });
});
