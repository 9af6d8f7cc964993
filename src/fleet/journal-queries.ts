import type { JournalEntry, JournalNews, JournalQuery } from "../ports/index.js";
import { nameOfMove } from "./calls/outcome.js";
import type { Database } from "./database/database.js";
import { columnOf, type TreeNames } from "./tree-names.js";

interface Journaled {
  readonly database: Database;
  readonly tree: string;
  readonly names: TreeNames;
}

/** Oldest first. */
export async function readJournal(
  { database, tree, names }: Journaled,
  query: JournalQuery = {},
): Promise<JournalEntry[]> {
  const { files, movedTo, agent, ids, since, last } = query;
  if ([files, movedTo, ids].some((one) => one?.length === 0) || (last !== undefined && last <= 0)) return [];
  const values: unknown[] = [tree];
  const where = ["tree = $1"];
  const condition = (text: string, value: unknown): void => {
    values.push(value);
    where.push(text.replace("?", `$${values.length}`));
  };
  if (files?.length === 1) condition("file = ?", columnOf(names.stored(files[0] as string)));
  else if (files)
    condition(
      "file = any(?)",
      files.map((file) => columnOf(names.stored(file))),
    );
  if (agent !== undefined) condition("agent = ?", columnOf(agent));
  if (since !== undefined) condition("time >= ?", since);
  const moves = movedTo?.map((file) => nameOfMove(names.stored(file)));
  for (const named of [ids, moves])
    if (named)
      condition("seq in (select seq from kedge.named where tree = $1 and id = any(?))", named.map(columnOf));
  if (last !== undefined) values.push(last);
  const limit = last === undefined ? "" : ` limit $${values.length}`;
  const text = `select entry from kedge.journal where ${where.join(" and ")} order by seq desc${limit}`;
  const rows = await database.ask(text, values);
  return rows.map(({ entry }) => entryIn(entry, names)).reverse();
}

const markOf = (snapshot: unknown): string => `postgres ${snapshot}`;

/**
 * A mark is a snapshot: what was not visible in it is new, in whatever order the calls ended. Numbers alone would pass over a
 * call that took its number early and ended late.
 */
export async function journalNews(
  { database, tree, names }: Journaled,
  mark: string | null,
): Promise<JournalNews> {
  if (mark === null) {
    const [row] = await database.ask("select pg_current_snapshot()::text as snapshot", []);
    return { entries: [], mark: markOf(row?.snapshot) };
  }
  const snapshot = /^postgres (\d+:\d+:[\d,]*)$/.exec(mark)?.[1] ?? "1:1:";
  const rows = await database.ask(news, [tree, snapshot]);
  const entries = rows.flatMap(({ entry }) => (entry === null ? [] : [entryIn(entry, names)]));
  return { entries, mark: markOf(rows[0]?.snapshot) };
}

const news = `
select now.snapshot, found.entry from (select pg_current_snapshot()::text as snapshot) now left join (
  select seq, entry from kedge.journal where tree = $1
    and xid >= pg_snapshot_xmin($2::pg_snapshot)::text::xid8 and not pg_visible_in_snapshot(xid, $2::pg_snapshot)
) found on true order by found.seq`;

function entryIn(text: unknown, names: TreeNames): JournalEntry {
  return names.entry(JSON.parse(text as string) as JournalEntry);
}
