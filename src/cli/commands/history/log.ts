import type { JournalEntry, LedgerStore } from "../../../ports/index.js";
import { visible } from "../../../text/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { openRecord } from "../../open-workspace.js";
import { agentNamed, agentNames, logColumns, logRow, parseSince } from "../../print/log-rows.js";
import { isPipeBroken, tableText } from "../../print/output.js";
import { showEntries } from "./show.js";

const defaultMax = 100;

/** Which entries are asked for. */
interface Asked {
  readonly file: string | undefined;
  readonly agent: string | undefined;
}

export const run: Run = async (context) => {
  const { args } = context;
  const since = args.text("since");
  const path = args.positionals[0] ?? args.text("file");
  if (args.positionals[0] !== undefined && args.has("file"))
    throw new UsageError("FILE and --file exclude each other");
  const named = args.text("agent");
  const max = args.number("max");
  const after = since === undefined ? undefined : parseSince(since, Date.now());
  const { store, files } = await openRecord(context, path === undefined ? [] : [path]);
  const asked = {
    file: path === undefined ? undefined : (await files.identify(path)).key,
    agent: named === undefined ? undefined : await agentNamed(named, store),
  };
  const { mark } = args.has("follow") ? await store.journalSince(null) : { mark: null };
  const found = await store.journal({
    ...(asked.file === undefined ? {} : { files: [asked.file] }),
    ...(after === undefined ? {} : { since: after }),
    // One more tells that there are more. An agent may be one of several who made a change, which no index knows.
    ...(named === undefined && (max !== undefined || !args.has("json"))
      ? { last: (max ?? defaultMax) + 1 }
      : {}),
  });
  const all = found.filter((entry) => isAsked(entry, asked));
  const shown = args.has("json") && max === undefined ? all : all.slice(-(max ?? defaultMax));
  if (shown.length > 0 || args.has("json")) await print(shown, store, context);
  else if (mark === null) {
    const of = path === undefined ? "" : ` of ${visible(path)}`;
    const by = named === undefined ? "" : ` by ${visible(named)}`;
    context.output.out.line(`[nothing on record${of}${by}${since === undefined ? "" : " since then"}]`);
  }
  if (mark !== null) return follow(mark, asked, store, context);
  if (shown.length < all.length && !args.has("json") && !args.has("patch"))
    context.output.out.line(`[the newest ${shown.length}; --max N shows more]`);
  return done;
};

/** Text that lay there at the first look is nothing that happened. */
function isAsked({ agent, authors = [agent], file, initial }: JournalEntry, asked: Asked): boolean {
  return (
    !initial &&
    (asked.file === undefined || asked.file === file) &&
    (asked.agent === undefined || agent === asked.agent || authors.includes(asked.agent))
  );
}

async function print(
  entries: readonly JournalEntry[],
  store: LedgerStore,
  { args, output: { out } }: Context,
  isFirst = true,
): Promise<void> {
  if (args.has("json")) for (const entry of entries) out.line(JSON.stringify(entry));
  else if (args.has("patch")) {
    if (!isFirst) out.line("");
    await showEntries(entries, store, out);
  } else {
    // Ids are long, and `undo --list` has them.
    const columns = out.isTerminal && out.columns < 100 ? logColumns.slice(0, -1) : logColumns;
    const nameOf = await agentNames(
      entries.map(({ agent }) => agent),
      store,
      out,
    );
    const rows = entries.map((entry) => logRow(entry, Date.now(), nameOf));
    for (const line of tableText(columns, rows, out).slice(isFirst ? 0 : 1)) out.line(line);
  }
}

/** Milliseconds between two looks at the journal. */
const pause = 300;

/** Prints entries as they come, until the program is told to end. */
async function follow(from: string, asked: Asked, store: LedgerStore, context: Context): Promise<number> {
  for (let mark = from; !context.interrupt.aborted && !isPipeBroken; ) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const news = await store.journalSince(mark);
    const entries = news.entries.filter((entry) => isAsked(entry, asked));
    if (entries.length > 0) await print(entries, store, context, false);
    mark = news.mark;
  }
  return done;
}
