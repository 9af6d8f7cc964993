import type { UndoDetails } from "../../../lost/index.js";
import { type JournalEntry, keptVersion } from "../../../ports/index.js";
import { displayName, visible } from "../../../text/index.js";
import { type Args, UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { ask, isTerminal } from "../../input.js";
import { type Opened, open } from "../../open-workspace.js";
import { logColumns, logRow, undoable } from "../../print/log-rows.js";
import { tableText } from "../../print/output.js";
import { paintDiff, showResult } from "../../print/result.js";

const listed = 100;

export const run: Run = async (context) => {
  const { args, output } = context;
  const [path] = args.positionals;
  check(args);
  const last = args.number("last");
  const id = args.text("id");
  const opened = await open(context, path === undefined ? [] : [path]);
  if (args.has("list")) return list(context, opened, path);
  const isPerson = id === undefined && !args.has("anyone") && isNobodysAgent(context, opened);
  const chosen = isPerson && !args.has("yes") ? await choose(context, opened, path) : {};
  if (chosen === null) return done;
  const result = await opened.session.undo({
    ...(path === undefined ? {} : { path }),
    ...(id === undefined ? {} : { id }),
    ...(last === undefined ? {} : { last }),
    ...{ anyone: isPerson || args.has("anyone"), dryRun: args.has("dry-run") },
    ...chosen,
  });
  if (!result.isError && !args.has("json")) {
    show(result.details as UndoDetails, context, isPerson ? null : opened.identity.id);
    return done;
  }
  const status = showResult(context, result);
  if (result.isError)
    output.err.line(
      "kedge: `kedge undo --list` shows what can be undone, with ids; --anyone takes back edits of others",
    );
  return status;
};

/** `own` is who asked. Edits of others are named with their owner. */
function show(
  { undone, status, again, warnings = [] }: UndoDetails,
  { output }: Context,
  own: string | null,
): void {
  const verb = again ? "made again" : "undone";
  for (const { id, path, diff, agent } of undone) {
    const whose = agent === own ? "" : ` of ${visible(displayName(agent))}`;
    output.out.line(
      `${visible(path)}: edit ${id}${whose} ${status === "dry_run" ? `would be ${verb}` : verb}`,
    );
    if (diff !== "") output.out.line(paintDiff(diff, output.out));
  }
  for (const warning of warnings) output.err.line(`kedge: ${warning}`);
  const ids = undone.map(({ id }) => id).join(" ");
  if (status === "applied" && !again)
    output.err.line(`kedge: \`kedge restore ${ids}\` brings ${undone.length === 1 ? "it" : "them"} back`);
}

/** A person at a terminal made none of the edits, so that the last one of the caller says nothing. */
function isNobodysAgent(context: Context, { identity }: Opened): boolean {
  return isTerminal(context) && (identity.source === "process" || identity.source === "shared");
}

const offered = 9;

/** Shows the last edits and asks which; null if none is chosen. */
async function choose(context: Context, { store, files }: Opened, path: string | undefined) {
  const { args, output } = context;
  if (args.has("json")) throw new UsageError("name the edit to undo: --id ID, or --yes for the newest");
  const key = path === undefined ? undefined : (await files.identify(path)).key;
  const entries = undoable(await store.journal(key === undefined ? {} : { files: [key] }));
  const calls = [...new Set(entries.map(({ id, batch }) => batch ?? id))];
  const last = args.number("last");
  const shown = calls.slice(0, last ?? offered);
  // The session says that there is no edit to undo.
  if (shown.length === 0) return {};
  const now = Date.now();
  const rows = entries.flatMap((entry) => {
    const at = shown.indexOf(entry.batch ?? entry.id);
    return at < 0 ? [] : [[`${at + 1}`, ...logRow(entry, now)]];
  });
  for (const line of tableText([{ title: "" }, ...logColumns], rows, output.out)) output.out.line(line);
  const question =
    last === undefined
      ? `Undo which? [1${shown.length > 1 ? `-${shown.length}` : ""}, Enter: none]`
      : "Undo these? [y/N]";
  const answer = await ask(question, context);
  const isYes = last !== undefined && /^y(es)?$/i.test(answer ?? "");
  const id = last === undefined && /^\d+$/.test(answer ?? "") ? shown[Number(answer) - 1] : undefined;
  if (isYes) return {};
  if (id !== undefined) return { id };
  output.err.line("kedge: nothing was undone");
  return null;
}

function check(args: Args): void {
  if (args.has("stateless"))
    throw new UsageError("undo needs the record, and --stateless keeps none", "leave out --stateless");
  for (const flag of ["id", "last", "dry-run"])
    if (args.has("list") && args.has(flag)) throw new UsageError(`--list and --${flag} exclude each other`);
  if (args.has("id") && args.has("last")) throw new UsageError("--id and --last exclude each other");
}

async function list({ args, output }: Context, opened: Opened, path: string | undefined): Promise<number> {
  const { store, files } = opened;
  const key = path === undefined ? undefined : (await files.identify(path)).key;
  const entries = undoable(await store.journal(key === undefined ? {} : { files: [key] }));
  const isKept = async ({ before }: JournalEntry): Promise<boolean> =>
    before === null || (await keptVersion(store, before)) !== null;
  if (args.has("json")) {
    for (const entry of entries) output.out.line(JSON.stringify({ ...entry, undoable: await isKept(entry) }));
    return done;
  }
  if (entries.length === 0) {
    output.out.line("[nothing to undo]");
    return done;
  }
  const now = Date.now();
  const rows: string[][] = [];
  for (const entry of entries.slice(0, listed)) {
    const [time = "", agent = "", what = "", ...rest] = logRow(entry, now);
    rows.push([time, agent, (await isKept(entry)) ? what : `${what} (cannot be undone)`, ...rest]);
  }
  for (const line of tableText(logColumns, rows, output.out)) output.out.line(line);
  if (entries.length > listed)
    output.out.line(`[the newest ${listed} of ${entries.length}; FILE or --json shows others]`);
  return done;
}
