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

export interface Played {
  readonly text: string;
  readonly calls: readonly { readonly edits: readonly Hunk[]; readonly refused: boolean }[];
  /** A refused call was sent once more, as it was, and written then. */
  readonly secondTime: boolean;
}

export async function play(mechanism: Mechanism, one: Case): Promise<Played> {
  const attempt = await mechanism.start(one.base);
  const groups = one.sequence ? one.sequence.map((at) => [one.edits[at] as Hunk]) : [one.edits];
  let text = one.current;
  let secondTime = false;
  const calls: { edits: readonly Hunk[]; refused: boolean }[] = [];
  for (const edits of groups) {
    const result = await attempt.edit(text, edits);
    calls.push({ edits, refused: result === null });
    if (result === null && one.expect === "refuse") secondTime ||= (await attempt.edit(text, edits)) !== null;
    text = result ?? text;
  }
  await attempt.end?.();
  return { text, calls, secondTime };
}
