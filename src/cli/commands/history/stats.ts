import { keptVersion, type LedgerStore } from "../../../ports/index.js";
import { displayName, visible } from "../../../text/index.js";
import type { Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { openRecord } from "../../open-workspace.js";
import { parseSince } from "../../print/log-rows.js";
import { type Column, type Stream, tableText, wrap } from "../../print/output.js";
import {
  type Contention,
  type Saved,
  type Statistics,
  savedTokens,
  statistics,
  type Tally,
} from "./statistics.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  const since = args.text("since");
  const filter = since === undefined ? {} : { since: parseSince(since, Date.now()) };
  const { store } = await openRecord(context);
  const entries = await store.journal(filter);
  const found = statistics(entries);
  const saved = await savedTokens(entries, sizes(store));
  if (args.has("json")) output.out.line(JSON.stringify({ ...found, saved }));
  else if (entries.length === 0)
    output.out.line(`[nothing on record${since === undefined ? "" : " since then"}]`);
  else show(found, saved, output.out);
  return done;
};

function sizes(store: LedgerStore): (version: string) => Promise<{ bytes: number; lines: number } | null> {
  const known = new Map<string, { bytes: number; lines: number } | null>();
  return async (version) => {
    if (!known.has(version)) {
      const bytes = await keptVersion(store, version);
      const lines = bytes?.reduce((count, byte) => (byte === 10 ? count + 1 : count), 1) ?? 0;
      known.set(version, bytes && { bytes: bytes.length, lines });
    }
    return known.get(version) ?? null;
  };
}

const number = (value: number): string => value.toLocaleString("en");
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
const listed = 10;

function show(found: Statistics, saved: Saved, out: Stream): void {
  const { commits, relocated, refusals, undone, lost } = found;
  const head = [plural(commits, "edit"), `${number(relocated)} relocated`, plural(refusals, "refusal")];
  if (undone > 0) head.push(`${number(undone)} undone`);
  if (lost > 0) head.push(`${number(lost)} lost`);
  out.line(out.paint("bold", head.join(" · ")));
  for (const one of found.contention) out.line(out.paint("yellow", contentionLine(one)));
  out.line("");
  const tables: string[][] = [
    section("file", found.files, "start", out),
    section(
      "agent",
      found.agents.map((one) => ({ ...one, name: displayName(one.name) })),
      "end",
      out,
    ),
  ];
  if (found.causes.length > 0) {
    const rows = found.causes.map(({ code, refusals: count }) => [code, number(count)]);
    tables.push(tableText([{ title: "cause" }, { title: "refusals", right: true }], rows, out));
  }
  for (const lines of tables) out.line(`${lines.join("\n")}\n\n`);
  const tokens = saved.tokens < 1000 ? number(saved.tokens) : number(Math.round(saved.tokens / 100) * 100);
  out.line(`about ${tokens} tokens saved against full re-reads`);
  const gone =
    saved.uncounted > 0
      ? ` ${plural(saved.uncounted, "event")} not counted: the text is no longer kept.`
      : "";
  for (const line of wrap(
    `Counted over ${plural(saved.counted, "event")}: ${saved.method}.${gone}`,
    Math.min(out.columns, 100) - 2,
  ))
    out.line(out.paint("dim", `  ${line}`));
}

function section(title: string, tallies: readonly Tally[], shrinks: "start" | "end", out: Stream): string[] {
  const columns: Column[] = [
    { title, shrinks },
    { title: "edits", right: true },
    { title: "relocated", right: true },
    { title: "refusals", right: true, colour: (cell) => (cell === "0" ? null : "red") },
  ];
  const rows = tallies
    .slice(0, listed)
    .map(({ name, commits, relocated, refusals }) => [
      name,
      number(commits),
      number(relocated),
      number(refusals),
    ]);
  const more = tallies.length > listed ? [`[and ${tallies.length - listed} more]`] : [];
  return [...tableText(columns, rows, out), ...more];
}

/** "3 agents collided on src/a.ts 14 times in 10 minutes: sequence them". */
function contentionLine({ agents, path, collisions, minutes }: Contention): string {
  const who = agents === 1 ? "1 agent" : `${agents} agents`;
  const span = minutes === 1 ? "a minute" : `${minutes} minutes`;
  const advice = agents === 1 ? "something else writes it too" : "sequence them";
  return `${who} collided on ${visible(path)} ${collisions} times in ${span}: ${advice}`;
}
