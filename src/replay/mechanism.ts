import type { Case, Hunk } from "./case.js";

/** A way to apply an edit that was made on an older text. */
export interface Mechanism {
  readonly name: string;
  /** For the heads of columns. */
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

/** Thrown by an edit: the mechanism has not answered in time. It can be asked about the next case. */
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
