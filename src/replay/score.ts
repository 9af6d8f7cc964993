import { type Case, editText, type Hunk, linesOf, toLf } from "./cases/case.js";
import { difference } from "./cases/difference.js";

/** A way to apply an edit that was made on an older text. */
export interface Mechanism {
  readonly name: string;
  /** The name in the heads of columns. */
  readonly short: string;
  readonly about: string;
  /** Begins a case: the agent has read all of `base`. */
  start(base: string): Attempt | Promise<Attempt>;
  /** Ends whatever it keeps running. */
  close?(): void | Promise<void>;
}

export interface Attempt {
  /** One call: edits named from `base`, on the text as it is now. The new text, or null if it refuses. */
  edit(current: string, edits: readonly Hunk[]): string | null | Promise<string | null>;
  end?(): void | Promise<void>;
}

/** Thrown by an edit: the mechanism has not answered in time, but can be asked about the next case. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export interface Played {
  readonly text: string;
  readonly calls: readonly { readonly edits: readonly Hunk[]; readonly refused: boolean }[];
  /** A refused call was sent once more, as it was, and written then. */
  readonly secondTime: boolean;
  /** A call was not answered; those after it were not made. */
  readonly silent: boolean;
}

export async function play(mechanism: Mechanism, one: Case): Promise<Played> {
  const attempt = await mechanism.start(one.base);
  const groups = one.sequence ? one.sequence.map((at) => [one.edits[at] as Hunk]) : [one.edits];
  let text = one.current;
  let [secondTime, silent] = [false, false];
  const calls: { edits: readonly Hunk[]; refused: boolean }[] = [];
  try {
    for (const edits of groups) {
      const result = await attempt.edit(text, edits);
      calls.push({ edits, refused: result === null });
      if (result === null && one.expect === "refuse")
        secondTime ||= (await attempt.edit(text, edits)) !== null;
      text = result ?? text;
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    silent = true;
  }
  await attempt.end?.();
  return { text, calls, secondTime, silent };
}

/**
 * Right includes refusing where that is right; refused means: without need; swapped: the right text, but for the order in
 * which it has what the agent and somebody else put into one gap; silent: no answer in time.
 */
export type Outcome = "right" | "refused" | "swapped" | "wrong" | "silent";

export interface Tally extends Record<Outcome, number> {
  readonly wrongIds: string[];
  readonly silentIds: string[];
  /** Cases whose conflict was written when it was sent a second time, unchanged. */
  readonly secondTime: string[];
}

export interface Score {
  readonly mechanism: { readonly name: string; readonly short: string; readonly about: string };
  readonly sample: Tally;
  /** By class; cases that are debatable stand in rows of their own. */
  readonly classes: Readonly<Record<string, Tally>>;
}

export function outcomes(one: Case, { text, calls, silent }: Played): Outcome[] {
  if (silent) return (one.sequence ?? [0]).map(() => "silent");
  const refused = calls.some((call) => call.refused);
  if (one.sequence) {
    const done = calls.filter((call) => !call.refused).flatMap(({ edits }) => edits);
    const isRight = text === (refused ? editText(one.current, done) : one.truth);
    return calls.map((call) => (!isRight ? "wrong" : call.refused ? "refused" : "right"));
  }
  if (one.expect === "unchanged") return [text === one.current ? "right" : "wrong"];
  if (one.expect === "refuse") return [refused || one.alternatives.includes(text) ? "right" : "wrong"];
  if (refused) return ["refused"];
  if (text === one.truth || one.alternatives.includes(text)) return ["right"];
  return [isSwapped(one, text) ? "swapped" : "wrong"];
}

/** The two texts differ in two neighbouring blocks that changed places: one is the agent's, the other somebody else's. */
function isSwapped({ base, current, truth, edits }: Case, text: string): boolean {
  const [ours, right] = [linesOf(toLf(text)), linesOf(toLf(truth))];
  let [head, tail] = [0, 0];
  while (head < right.length && ours[head] === right[head]) head++;
  while (tail < right.length - head && ours.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const part = right.slice(head, right.length - tail);
  const wanted = ours.slice(head, ours.length - tail).join("\n");
  const others = difference(linesOf(toLf(base)), linesOf(toLf(current))) ?? [];
  const isIn = (lines: readonly string[], hunks: readonly Hunk[]): boolean =>
    hunks.some((hunk) => `\n${hunk.lines.join("\n")}\n`.includes(`\n${lines.join("\n")}\n`));
  for (let cut = 1; cut < part.length; cut++) {
    const [first, second] = [part.slice(0, cut), part.slice(cut)];
    if ([...second, ...first].join("\n") !== wanted) continue;
    if ((isIn(first, edits) && isIn(second, others)) || (isIn(first, others) && isIn(second, edits)))
      return true;
  }
  return false;
}

const empty = (): Tally => ({
  ...{ right: 0, refused: 0, swapped: 0, wrong: 0, silent: 0 },
  ...{ wrongIds: [], silentIds: [], secondTime: [] },
});

function addOutcome(tally: Tally, one: Case, { played, found }: { played: Played; found: Outcome[] }): void {
  for (const outcome of found) tally[outcome]++;
  if (found.includes("wrong")) tally.wrongIds.push(one.id);
  if (found.includes("silent")) tally.silentIds.push(one.id);
  if (played.secondTime) tally.secondTime.push(one.id);
}

export const rowName = ({ class: name, debatable }: Case): string =>
  debatable === null ? name : `${name} (debatable)`;

export async function score(
  mechanism: Mechanism,
  cases: readonly Case[],
  onPlayed?: (done: number, found: readonly Outcome[]) => void,
): Promise<Score> {
  const sample = empty();
  const classes: Record<string, Tally> = {};
  try {
    for (const [at, one] of cases.entries()) {
      const played = await play(mechanism, one);
      const name = rowName(one);
      const found = outcomes(one, played);
      classes[name] ??= empty();
      addOutcome(classes[name], one, { played, found });
      if (one.sampled) addOutcome(sample, one, { played, found });
      onPlayed?.(at + 1, found);
    }
  } finally {
    // A peer that failed may still run, and would keep this process.
    await mechanism.close?.();
  }
  const { name, short, about } = mechanism;
  return { mechanism: { name, short, about }, sample, classes };
}
