import type { Case } from "./case.js";
import { sideBySide, visible } from "./columns.js";
import { type Mechanism, type Played, play } from "./mechanism.js";
import { type Outcome, outcomes, rowName } from "./score.js";

/** What a mechanism made of a case. */
export interface Shown {
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

/** One case: what the agent saw, what was there, its edit, what each mechanism made of it and what is right. */
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

/** What went wrong elsewhere, once for all that made the same of it. */
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
