import type { Context } from "../context.js";
import { ask, isTerminal } from "../input.js";
import { paintDiff } from "../show.js";
import { wrap } from "../wrap.js";
import { diffOf, outcomeOf } from "./carry-out.js";
import type { Planned } from "./plan.js";
import { shortened } from "./prepare.js";
import type { Setup } from "./types.js";

export function showDiffs(plan: readonly Planned[], setup: Setup, { args, output: { out } }: Context): void {
  if (args.has("json")) return;
  for (const planned of plan) {
    const diff = diffOf(planned, shortened(planned.path, setup));
    if (diff !== "") out.raw(paintDiff(diff, out));
  }
}

/** For programs. */
export function fileReports(plan: readonly Planned[], backups: ReadonlyMap<string, string> = new Map()) {
  return plan.map((planned) => {
    const backup = backups.get(planned.path);
    return {
      path: planned.path,
      outcome: outcomeOf(planned),
      ...(backup ? { backup } : {}),
      diff: diffOf(planned, planned.path),
    };
  });
}

/** Nobody to ask: it was meant. Only somebody at a terminal, who sees the diff for the first time, may think again. */
export async function agrees(context: Context, question: string): Promise<boolean> {
  const { args } = context;
  if (args.has("yes") || args.has("json") || !isTerminal(context)) return true;
  const answer = await ask(`${question} [Y/n]`, context);
  return answer !== null && /^(y(es)?)?$/i.test(answer);
}

/** A sentence for the person, as wide as the terminal. */
export function say(text: string, { output: { err } }: Pick<Context, "output">): void {
  const lines = err.isTerminal ? wrap(text, Math.max(40, err.columns)) : [text];
  for (const line of lines) err.line(line);
}
