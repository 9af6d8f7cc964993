import { visible } from "../../core/index.js";
import type { JournalEntry, UndoDetails } from "../../session/index.js";
import { type Args, UsageError } from "../args.js";
import { tableText } from "../columns.js";
import type { Context, Run } from "../context.js";
import { done } from "../exit.js";
import { logColumns, logRow, undoable } from "../journal.js";
import { type Opened, open } from "../open.js";
import { paintDiff, showResult } from "../show.js";

const listed = 100;

export const run: Run = async (context) => {
  const { args, output } = context;
  const [path] = args.positionals;
  check(args);
  const last = args.number("last");
  const id = args.text("id");
  const opened = await open(context, path === undefined ? [] : [path]);
  if (args.has("list")) return list(context, opened, path);
  const result = await opened.session.undo({
    ...(path === undefined ? {} : { path }),
    ...(id === undefined ? {} : { id }),
    ...(last === undefined ? {} : { last }),
    ...{ anyone: args.has("anyone"), dryRun: args.has("dry-run") },
  });
  if (!result.isError && !args.has("json")) {
    const { undone, status, warnings = [] } = result.details as UndoDetails;
    const verb = status === "dry_run" ? "would be undone" : "undone";
    for (const one of undone) {
      output.out.line(`${visible(one.path)}: edit ${one.id} ${verb}`);
      if (one.diff !== "") output.out.line(paintDiff(one.diff, output.out));
    }
    for (const warning of warnings) output.err.line(`kedge: ${warning}`);
    return done;
  }
  const status = showResult(context, result);
  if (result.isError) output.err.line("kedge: `kedge undo --list` shows what can be undone, with ids");
  return status;
};

function check(args: Args): void {
  if (args.has("stateless"))
    throw new UsageError("undo needs the record that --stateless goes without", "leave out --stateless");
  for (const flag of ["id", "last", "dry-run"])
    if (args.has("list") && args.has(flag)) throw new UsageError(`--list and --${flag} exclude each other`);
  if (args.has("id") && args.has("last")) throw new UsageError("--id and --last exclude each other");
}

async function list({ args, output }: Context, opened: Opened, path: string | undefined): Promise<number> {
  const { store, files } = opened;
  const key = path === undefined ? undefined : (await files.identify(path)).key;
  const entries = undoable(await store.journal(key === undefined ? {} : { file: key }));
  const isKept = async ({ before }: JournalEntry): Promise<boolean> =>
    before === null || (await store.version(before)) !== null;
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
