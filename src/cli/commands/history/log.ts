import { visible } from "../../../text/index.js";
import { UsageError } from "../../args.js";
import type { Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { open } from "../../open-workspace.js";
import { agentName, logColumns, logRow, parseSince } from "../../print/log-rows.js";
import { tableText } from "../../print/output.js";
import { showEntries } from "./show.js";

const defaultMax = 100;

export const run: Run = async (context) => {
  const { args, output } = context;
  const now = Date.now();
  const since = args.text("since");
  const path = args.positionals[0] ?? args.text("file");
  if (args.positionals[0] !== undefined && args.has("file"))
    throw new UsageError("FILE and --file exclude each other");
  const agent = args.text("agent");
  const max = args.number("max");
  const after = since === undefined ? undefined : parseSince(since, now);
  const { store, files } = await open(context, path === undefined ? [] : [path]);
  const file = path === undefined ? undefined : (await files.identify(path)).key;
  const found = await store.journal({
    ...(file === undefined ? {} : { files: [file] }),
    ...(after === undefined ? {} : { since: after }),
    // One more tells that there are more. A name of an agent may be one that people gave it, which no index knows.
    ...(agent === undefined && (max !== undefined || !args.has("json"))
      ? { last: (max ?? defaultMax) + 1 }
      : {}),
  });
  const all = found.filter(
    (entry) => agent === undefined || [entry.agent, agentName(entry.agent)].includes(agent),
  );
  const shown = all.slice(-(max ?? defaultMax));
  if (args.has("json")) {
    for (const entry of max === undefined ? all : shown) output.out.line(JSON.stringify(entry));
    return done;
  }
  if (shown.length === 0) {
    const of = path === undefined ? "" : ` of ${visible(path)}`;
    const by = agent === undefined ? "" : ` by ${visible(agent)}`;
    output.out.line(`[nothing on record${of}${by}${since === undefined ? "" : " since then"}]`);
    return done;
  }
  if (args.has("patch")) {
    await showEntries(shown, store, output.out);
    return done;
  }
  // Ids are long, and `undo --list` has them.
  const isNarrow = output.out.isTerminal && output.out.columns < 100;
  const columns = isNarrow ? logColumns.slice(0, -1) : logColumns;
  const rows = shown.map((entry) => logRow(entry, now));
  for (const line of tableText(columns, rows, output.out)) output.out.line(line);
  if (shown.length < all.length) output.out.line(`[the newest ${shown.length}; --max N shows more]`);
  return done;
};
