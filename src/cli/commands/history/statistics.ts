import { exitStatus } from "../../../edits/index.js";
import { isCollision, isTakingBack } from "../../../ledger/index.js";
import type { JournalEntry } from "../../../ports/index.js";

export interface Tally {
  readonly name: string;
  readonly commits: number;
  readonly relocated: number;
  readonly refusals: number;
}

export interface Contention {
  readonly path: string;
  readonly agents: number;
  readonly collisions: number;
  readonly minutes: number;
}

export interface Statistics {
  readonly commits: number;
  readonly relocated: number;
  readonly refusals: number;
  readonly undone: number;
  /** Edits that were found to be lost, as often as they were. */
  readonly lost: number;
  readonly files: readonly Tally[];
  readonly agents: readonly Tally[];
  readonly causes: readonly { readonly code: string; readonly refusals: number }[];
  readonly contention: readonly Contention[];
}

const isStale = ({ kind, code, tool }: JournalEntry): boolean =>
  kind === "refusal" && code !== undefined && exitStatus(code) === 5 && !isTakingBack(tool);

export function statistics(recorded: readonly JournalEntry[]): Statistics {
  const entries = recorded.filter(({ initial }) => !initial);
  const count = (kind: JournalEntry["kind"]): number => entries.filter((one) => one.kind === kind).length;
  const causes = new Map<string, number>();
  for (const { kind, code } of entries)
    if (kind === "refusal") causes.set(code ?? "?", (causes.get(code ?? "?") ?? 0) + 1);
  return {
    commits: count("commit"),
    relocated: sum(entries, ({ relocated = 0 }) => relocated),
    refusals: count("refusal"),
    undone: count("undo"),
    lost: sum(entries, ({ kind, edits }) => (kind === "lost" ? (edits?.length ?? 0) : 0)),
    files: tallies(entries, ({ path }) => path),
    agents: tallies(entries, ({ agent }) => agent),
    causes: [...causes]
      .map(([code, refusals]) => ({ code, refusals }))
      .sort((one, two) => two.refusals - one.refusals),
    contention: contention(entries),
  };
}

function sum(entries: readonly JournalEntry[], value: (entry: JournalEntry) => number): number {
  return entries.reduce((total, entry) => total + value(entry), 0);
}

/** A journal may have hundreds of thousands of lines: each is looked at a few times, not once for every other. */
export function grouped(
  entries: readonly JournalEntry[],
  nameOf: (entry: JournalEntry) => string,
): Map<string, JournalEntry[]> {
  const groups = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const name = nameOf(entry);
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return groups;
}

/** Most busy first. */
function tallies(entries: readonly JournalEntry[], nameOf: (entry: JournalEntry) => string): Tally[] {
  const told = entries.filter(({ kind }) => kind !== "lost");
  return [...grouped(told, nameOf)]
    .map(([name, own]) => ({
      name,
      commits: own.filter(({ kind }) => kind === "commit").length,
      relocated: sum(own, ({ relocated = 0 }) => relocated),
      refusals: own.filter(({ kind }) => kind === "refusal").length,
    }))
    .sort((one, two) => two.commits + two.refusals - (one.commits + one.refusals));
}

const window = 10 * 60_000;
const fewest = 3;

/** Three mismatches on one file within ten minutes: the worst ten minutes of each file. */
function contention(entries: readonly JournalEntry[]): Contention[] {
  const found: Contention[] = [];
  for (const own of grouped(entries, ({ file }) => file).values()) {
    const stale = own.filter(isCollision).sort((one, two) => one.time - two.time);
    let [from, to] = [0, 0];
    for (let start = 0, end = 0; start < stale.length; start++) {
      const limit = (stale[start] as JournalEntry).time + window;
      while (end < stale.length && (stale[end] as JournalEntry).time < limit) end += 1;
      if (end - start > to - from) [from, to] = [start, end];
    }
    const worst = stale.slice(from, to);
    const [first] = worst;
    if (!first || worst.length < fewest) continue;
    const during = own.filter(({ time }) => time >= first.time - window && time < first.time + window);
    const span = (worst.at(-1)?.time ?? first.time) - first.time;
    found.push({
      path: first.path,
      agents: new Set(during.map(({ agent }) => agent)).size,
      collisions: worst.length,
      minutes: Math.max(1, Math.ceil(span / 60_000)),
    });
  }
  return found.sort((one, two) => two.collisions - one.collisions);
}

export interface Saved {
  /** Tokens. */
  readonly tokens: number;
  /** Events that counted, and those whose text is no longer kept. */
  readonly counted: number;
  readonly uncounted: number;
  readonly method: string;
}

/** Tokens of a row beyond its text with hex6 anchors, and bytes of source text a token, both measured. */
const rowTokens = 7;
const tokenBytes = 4;
const refusalTokens = 60;
const around = 4;

const method =
  "each relocated edit and each stale refusal would have cost a re-read of the whole file; a re-read is counted as " +
  "its bytes / 4 + 7 tokens a line, a refusal as 60 tokens and its rows";

/** Tokens that were not spent on reading whole files again. `sizeOf` is bytes and lines of a version, null if gone. */
export async function savedTokens(
  entries: readonly JournalEntry[],
  sizeOf: (version: string) => Promise<{ bytes: number; lines: number } | null>,
): Promise<Saved> {
  let tokens = 0;
  let counted = 0;
  let uncounted = 0;
  for (const entry of entries) {
    const stale = isStale(entry);
    if (!stale && !entry.relocated) continue;
    const version = entry.before ?? entry.after;
    const size = version === null ? null : await sizeOf(version);
    if (!size) {
      uncounted += 1;
      continue;
    }
    counted += 1;
    const whole = size.bytes / tokenBytes + size.lines * rowTokens;
    const rows = sum([entry], ({ lines }) =>
      lines.reduce((all, { start, end }) => all + end - start + 1 + around, 0),
    );
    const spent = stale ? Math.min(whole, refusalTokens + (rows * whole) / Math.max(1, size.lines)) : 0;
    tokens += whole - spent;
  }
  return { tokens: Math.round(tokens), counted, uncounted, method };
}
