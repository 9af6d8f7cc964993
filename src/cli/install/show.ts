/** Notes and questions for a person who installs. */
import { findProgram } from "../../host/index.js";
import type { Context } from "../context.js";
import { ask, isTerminal } from "../input.js";
import { wrap } from "../print/output.js";
import { paintDiff } from "../print/result.js";
import { diffOf, outcomeOf } from "./carry-out.js";
import type { Planned } from "./plan.js";
import { type Prepared, shortened } from "./prepare.js";
import type { Client, ConfigFile, Part, Setup } from "./types.js";

export function notesOn({ client, setup }: Prepared, wanted: ReadonlySet<Part>, { env }: Context): string[] {
  const notes = [...client.notes(wanted, setup)];
  const note = (isTrue: boolean, text: string): void => void (isTrue && notes.push(text));
  const { title, program } = client;
  const other = guardedElsewhere(client, setup);
  note(
    other !== null && client.startsTwice === true,
    `${other} guards ${title} as well: every call starts the guard twice. Take one of them out with kedge uninstall ${client.name} --scope user or project.`,
  );
  note(
    wanted.has("tools") && /[\\/]_npx[\\/]/.test(setup.program),
    "This kedge is in the cache of npx, which may be cleared: install it (npm install -g kedge), then run this again.",
  );
  note(
    setup.state !== null && process.platform === "win32",
    `Set KEDGE_STATE=${setup.state} where ${title} is started: on Windows its hooks cannot carry it.`,
  );
  note(
    findProgram(program, { searchPath: env.PATH }) === null,
    `${title} was not found: there is no ${program} on the PATH. The configuration waits for it.`,
  );
  return notes;
}

/** The file of the other scope that holds the guard; null if none does. */
function guardedElsewhere(client: Client, setup: Setup): string | null {
  const scope = setup.scope === "user" ? "project" : "user";
  const [config] = client.files({ ...setup, scope }) as [ConfigFile];
  const text = setup.read(config.path);
  try {
    return text !== null && config.has(text).includes("guard") ? shortened(config.path, setup) : null;
  } catch {
    // The client cannot read the file either.
    return null;
  }
}

export function showDiffs(plan: readonly Planned[], setup: Setup, { args, output: { out } }: Context): void {
  if (args.has("json")) return;
  for (const planned of plan) {
    const diff = diffOf(planned, shortened(planned.path, setup));
    if (diff !== "") out.raw(paintDiff(diff, out));
  }
}

/** The files of a plan as programs read them. */
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

export const dryRunSentence = "Dry run: nothing was written.";

/** A sentence for the person, as wide as the terminal. */
export function say(text: string, { output: { err } }: Pick<Context, "output">): void {
  const lines = err.isTerminal ? wrap(text, Math.max(40, err.columns)) : [text];
  for (const line of lines) err.line(line);
}
