/** A case, side by side, on any terminal. */
import { expect, test } from "vitest";
import { type Draft, makeCase, textOf } from "../../src/replay/cases/case.js";
import { session } from "../../src/replay/mechanisms/kedge.js";
import { lineNumbers } from "../../src/replay/mechanisms/numbers.js";
import { caseText, playAll, sideBySide } from "../../src/replay/show.js";

const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
const put = (at: number, count: number, ...added: string[]): string =>
  textOf([...lines.slice(0, at), ...added, ...lines.slice(at + count)]);

/** Columns that a terminal takes for it: the wide characters of these tests are the Han ones. */
const widthOf = (text: string): number =>
  [...text].reduce((sum, one) => sum + (/\p{sc=Han}/u.test(one) ? 2 : 1), 0);

test("lines that an insertion moved stand beside themselves", () => {
  const shown = sideBySide(
    [
      ["base", put(0, 0)],
      ["current", put(9, 0, "new")],
    ],
    80,
  );
  expect(shown.split("\n").map((row) => row.trimEnd())).toEqual([
    expect.stringMatching(/^ {6}base +│ current$/),
    "      … 6 equal lines",
    expect.stringMatching(/^ {4}7 line 7 +│ line 7$/),
    expect.stringMatching(/^ {4}8 line 8 +│ line 8$/),
    expect.stringMatching(/^ {4}9 line 9 +│ line 9$/),
    expect.stringMatching(/^ {6}~ +│ new$/),
    expect.stringMatching(/^ {3}10 line 10 +│ line 10$/),
    expect.stringMatching(/^ {3}11 line 11 +│ line 11$/),
    expect.stringMatching(/^ {3}12 line 12 +│ line 12$/),
    "      … 28 equal lines",
  ]);
});

test.each([80, 100, 200])("no row is wider than %d columns, whatever stands in it", (screen) => {
  const odd = ["\t\tindented", "漢字".repeat(60), "x".repeat(300), "\u001b[31mred\u0007", "\u0000"];
  const versions = [put(3, 1, ...odd), put(3, 2, ...odd), put(3, 3, ...odd), put(3, 4, "y")];
  const shown = sideBySide(
    versions.map((text, at) => [`version ${at}`, text] as const),
    screen,
  );
  for (const row of shown.split("\n")) expect(widthOf(row), row).toBeLessThanOrEqual(screen);
  expect(shown.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  expect(shown).toContain("→ → indented");
  expect(shown).toContain("␛[31mred␇");
});

test("of lines that begin alike and are too wide, what differs is seen", () => {
  const long = "the same beginning ".repeat(20);
  const shown = sideBySide(
    [
      ["base", put(3, 1, `${long}before`)],
      ["current", put(3, 1, `${long}after`)],
    ],
    80,
  );
  expect(shown).toMatch(/…[^│]*before/);
  expect(shown).toMatch(/│ …[^│]*after/);
});

test("versions that are the same share a column, and line ends are told where there are two kinds", () => {
  const crlf = put(0, 0).replaceAll("\n", "\r\n");
  const [head, rest] = sideBySide(
    [
      ["base", put(0, 0)],
      ["current", crlf],
      ["truth", crlf],
    ],
    80,
  ).split("\n");
  expect(head).toMatch(/base \(LF\) +│ current = truth \(CRLF\)/);
  expect(rest).toBe("      … 40 equal lines");
  const mixed = crlf.replace("line 5\r\n", "line 5\n");
  expect(
    sideBySide(
      [
        ["base", crlf],
        ["result", mixed],
      ],
      80,
    ),
  ).toMatch(/result \(mixed ends\).*line 4␍/s);
});

test("what another mechanism made of it is shown too", async () => {
  const draft: Draft = {
    ...{
      class: "far-shift",
      path: "a\u001b[2Jb.ts",
      origin: "1 2",
      edits: [{ start: 30, count: 1, lines: ["mine"] }],
    },
    ...{ base: put(0, 0), current: put(2, 0, "theirs") },
    truth: textOf(["line 1", "line 2", "theirs", ...lines.slice(2, 30), "mine", ...lines.slice(31)]),
  };
  const one = makeCase(draft);
  const shown = caseText(one, await playAll(one, [session, lineNumbers]), 100);
  expect(shown).not.toContain("\u001b");
  expect(shown).toMatch(/result of session = truth/);
  expect(shown).toMatch(/^kedge, session +right$/m);
  expect(shown).toMatch(/^line numbers only +WRONG PLACE$/m);
  expect(shown).toMatch(/truth +│ result of numbers\n.*line 30 +│ ~.*~ +│ line 31/s);
});
