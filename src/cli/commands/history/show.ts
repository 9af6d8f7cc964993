import { compare, LineChange, unifiedDiff } from "../../../changes/index.js";
import { type JournalEntry, keptVersion, type LedgerStore, PortError } from "../../../ports/index.js";
import { Document, displayName, visible } from "../../../text/index.js";
import type { Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { openRecord } from "../../open-workspace.js";
import { formatTime, happened, placeOf } from "../../print/log-rows.js";
import type { Stream } from "../../print/output.js";
import { paintDiff } from "../../print/result.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  const [id] = args.positionals as [string];
  const { store } = await openRecord(context);
  const journal = await store.journal({ ids: [id] });
  const entries = journal.filter((entry) => entry.id === id || entry.batch === id);
  if (entries.length === 0)
    throw new PortError("not_found", `nothing on record has the id ${id}; \`kedge log\` lists what is`);
  if (args.has("json"))
    for (const entry of entries)
      output.out.line(JSON.stringify({ ...entry, diff: await diffOf(entry, store) }));
  else await showEntries(entries, store, output.out);
  return done;
};

/** Prints entries with their diffs, an empty line between two of them. */
export async function showEntries(
  entries: readonly JournalEntry[],
  store: LedgerStore,
  out: Stream,
): Promise<void> {
  for (const [at, entry] of entries.entries()) {
    if (at > 0) out.line("");
    show(entry, await diffOf(entry, store), out);
  }
}

/** Returns what an entry did to its file: "" where nothing was written, null where a text is not kept. */
async function diffOf(entry: JournalEntry, store: LedgerStore): Promise<string | null> {
  const { before, after, change, path, kind } = entry;
  if (kind === "refusal" || kind === "lost") return "";
  const texts = [await textOf(before, store), await textOf(after, store)] as const;
  const [old, now] = texts;
  if ((before !== null && !old) || (after !== null && !now)) return null;
  const map = change ? LineChange.fromJSON(change) : compare(old ?? empty, now ?? empty);
  return unifiedDiff(path, old, now, map);
}

const empty = Document.parse(new Uint8Array(0));

/** null: there was no file, or its text is not kept. */
async function textOf(version: string | null, store: LedgerStore): Promise<Document | null> {
  const bytes = version === null ? null : await keptVersion(store, version);
  return bytes && Document.parse(bytes);
}

function show(entry: JournalEntry, diff: string | null, out: Stream): void {
  const { id, batch, agent, tool, time, cause, edits = [] } = entry;
  out.line(out.paint("bold", visible(`${placeOf({ ...entry, kind: "commit" })}: ${happened(entry)}`)));
  const rows = [
    ["id", batch === undefined ? id : `${id}, of batch ${batch}`],
    ["agent", displayName(agent)],
    ["tool", tool],
    ["time", formatTime(time, 0)],
    ...(cause === undefined ? [] : [[entry.kind === "lost" ? "by" : "cause", cause]]),
    ...(edits.length === 0 ? [] : [["edits", edits.join(", ")]]),
  ] as const;
  for (const [name, value] of rows) out.line(`${out.paint("dim", `${name}:`)} ${visible(value as string)}`);
  if (diff === null) out.line("[the text is no longer kept]");
  else if (diff !== "") out.line(`\n${paintDiff(diff, out)}`);
}
