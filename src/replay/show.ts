/** Versions of a text side by side, in the columns of a terminal. */
import { type Case, type Hunk, isCrlf, linesOf, toLf } from "./cases/case.js";
import { difference } from "./cases/difference.js";
import { type Mechanism, type Outcome, outcomes, type Played, play, rowName } from "./score.js";

/** A version and what it is called; versions that read the same share a column. */
type Version = readonly [name: string, text: string];

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const widthOf = (character: string): number =>
  /[\p{Mn}\p{Me}\p{Cf}]/u.test(character) ? 0 : wide.test(character) ? 2 : 1;

/** Shows control characters as signs, and a tab as an arrow, to tell it from blanks. */
function visible(text: string): string {
  return text.replaceAll("\t", "→ ").replace(/\p{Cc}/gu, (control) => {
    const code = control.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "␡" : "�";
  });
}

/** Exactly so many columns of the text. */
function fitted(text: string, width: number): string {
  const characters = [...text];
  const total = characters.reduce((sum, one) => sum + widthOf(one), 0);
  if (total <= width) return text + " ".repeat(width - total);
  let [kept, used] = ["", 0];
  for (const one of characters) {
    if (used + widthOf(one) > width - 1) break;
    kept += one;
    used += widthOf(one);
  }
  return `${kept}…${" ".repeat(width - 1 - used)}`;
}

/** Cells of one row; where they begin alike and are too wide, what they have in common is left out. */
function cells(row: readonly (string | undefined)[], width: number): string[] {
  const shown = row.map((line) => [...(line === undefined ? "~" : visible(line))]);
  const longest = Math.max(...shown.map((one) => one.length));
  const [first = [], ...others] = shown.filter((_, at) => row[at] !== undefined);
  let common = 0;
  while (common < first.length && others.every((one) => one[common] === first[common])) common++;
  const from = longest > width && common > width / 2 ? common - Math.floor(width / 4) : 0;
  const isLeft = from > 0 && common < longest;
  return shown.map((one, at) =>
    fitted(isLeft && row[at] !== undefined ? `…${one.slice(from).join("")}` : one.join(""), width),
  );
}

/** Lines of a version beside those of the first: at each of its lines, and what stands before it. */
interface Beside {
  readonly at: readonly (string | undefined)[];
  readonly before: readonly (readonly string[])[];
}

function beside(base: readonly string[], lines: readonly string[]): Beside {
  const whole: Hunk[] = [{ start: 0, count: base.length, lines }];
  const at: (string | undefined)[] = [...base];
  const before: string[][] = Array.from({ length: base.length + 1 }, () => []);
  for (const { start, count, lines: added } of difference(base, lines) ?? whole) {
    for (let offset = 0; offset < count; offset++) at[start + offset] = added[offset];
    before[start + count] = added.slice(count);
  }
  return { at, before };
}

interface Row {
  readonly number: string;
  readonly lines: readonly (string | undefined)[];
}

function rows(texts: readonly (readonly string[])[]): Row[] {
  const [base = []] = texts;
  const sides = texts.map((lines) => beside(base, lines));
  const made: Row[] = [];
  for (let line = 0; line <= base.length; line++) {
    const extra = Math.max(...sides.map(({ before }) => before[line]?.length ?? 0));
    for (let offset = 0; offset < extra; offset++)
      made.push({ number: "", lines: sides.map(({ before }) => before[line]?.[offset]) });
    if (line < base.length) made.push({ number: `${line + 1}`, lines: sides.map(({ at }) => at[line]) });
  }
  return made;
}

const around = 3;
const margin = 6;
const between = " │ ";
const narrowest = 8;

/** Numbers are those of the first version; runs in which all are equal are cut short. */
export function sideBySide(versions: readonly Version[], screen: number): string {
  const columns = shared(versions);
  const space = screen - margin - between.length * (columns.length - 1);
  const width = Math.max(narrowest, Math.floor(space / columns.length));
  const made = rows(columns.map(([, text]) => linesOf(isMixed(text) ? text : toLf(text))));
  const differs = made.map(({ lines }) => new Set(lines).size > 1);
  const line = (head: string, row: readonly string[]): string =>
    `${head.padStart(margin - 1)} ${row.join(between)}`.trimEnd();
  const out = [
    line(
      "",
      columns.map(([name]) => fitted(name, width)),
    ),
  ];
  let hidden = 0;
  const close = (): void => {
    if (hidden > 0) out.push(`${" ".repeat(margin)}… ${hidden} equal line${hidden === 1 ? "" : "s"}`);
    hidden = 0;
  };
  for (const [at, { number, lines }] of made.entries()) {
    if (!differs.slice(Math.max(0, at - around), at + around + 1).includes(true)) {
      hidden++;
      continue;
    }
    close();
    out.push(line(number, cells(lines, width)));
  }
  close();
  return out.join("\n");
}

const isMixed = (text: string): boolean => isCrlf(text) && /[^\r]\n|^\n/.test(text);

/** Joins equal versions in one column, and names line ends if a version has CRLF. */
function shared(versions: readonly Version[]): Version[] {
  const names = new Map<string, string[]>();
  for (const [name, text] of versions) names.set(text, [...(names.get(text) ?? []), name]);
  const tell = versions.some(([, text]) => isCrlf(text));
  const ends = (text: string): string =>
    isMixed(text) ? " (mixed ends)" : isCrlf(text) ? " (CRLF)" : " (LF)";
  return [...names].map(([text, all]) => [`${all.join(" = ")}${tell ? ends(text) : ""}`, text]);
}

/** The result of a mechanism on a case. */
interface Shown {
  readonly mechanism: Mechanism;
  readonly played: Played;
  readonly outcome: Outcome;
}

export async function playAll(one: Case, mechanisms: readonly Mechanism[]): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const mechanism of mechanisms) {
    const played = await play(mechanism, one).finally(() => mechanism.close?.());
    const outcome = outcomes(one, played).find((found) => found !== "right") ?? "right";
    shown.push({ mechanism, played, outcome });
  }
  return shown;
}

const words: Readonly<Record<Outcome, string>> = {
  ...{ right: "right", refused: "refused", wrong: "WRONG PLACE", silent: "no answer", swapped: "swapped" },
};

export const hasRefused = ({ played }: Shown): boolean => played.calls.some(({ refused }) => refused);

/** Prints one case: the text that the agent saw, the text then, its edit, every result, and the right one. */
export function caseText(one: Case, shown: readonly Shown[], screen: number): string {
  const wanted = { text: "the text below", refuse: "refuse", unchanged: "leave it as it is" }[one.expect];
  const order = one.sequence?.map((at) => at + 1).join(", ");
  const [ours] = shown;
  return [
    `case ${one.id}: ${rowName(one)}, ${visible(one.path)}${one.origin ? `, ${one.origin}` : ""}`,
    `right: ${wanted}${one.debatable ? `; ${one.debatable}` : ""}`,
    `\nThe agent's edit${order ? `s, a call each, in the order ${order}` : ""}`,
    editsText(one),
    "",
    sideBySide(
      [
        ["base", one.base],
        ["current", one.current],
        ...(ours ? [[`result of ${ours.mechanism.short}`, ours.played.text] as const] : []),
        ["truth", one.truth],
      ],
      screen,
    ),
    "",
    ...shown.map((each) => {
      const { mechanism, outcome } = each;
      const also = hasRefused(each) && outcome !== "refused" ? " (refused)" : "";
      return `${mechanism.name.padEnd(28)} ${words[outcome]}${also}`;
    }),
    ...wrongTexts(one, shown.slice(1), screen),
  ].join("\n");
}

function editsText({ edits, base }: Case): string {
  const lines = base.split(/\r?\n/);
  return edits
    .map(({ start, count, lines: added }) =>
      [
        `at line ${start + 1}:`,
        ...lines.slice(start, start + count).map((line) => `  - ${visible(line)}`),
        ...added.map((line) => `  + ${visible(line)}`),
      ].join("\n"),
    )
    .join("\n");
}

/** Prints the wrong results of other mechanisms, equal ones once. */
function wrongTexts({ truth }: Case, others: readonly Shown[], screen: number): string[] {
  const names = new Map<string, string[]>();
  for (const { mechanism, played, outcome } of others)
    if (outcome === "wrong") names.set(played.text, [...(names.get(played.text) ?? []), mechanism.short]);
  return [...names].map(
    ([text, all]) =>
      `\n${sideBySide(
        [
          ["truth", truth],
          [`result of ${all.join(", ")}`, text],
        ],
        screen,
      )}`,
  );
}
