import { stateFailure, withoutChecksum } from "../host/index.js";
import { idsIn, isAskedFor, type JournalEntry, type JournalNews, type JournalQuery } from "../ports/index.js";
import type { StoreContext } from "./lines/replace-file.js";
import type { SegmentIndex } from "./lines/segment-index.js";
import { hashOf, Segments } from "./lines/segments.js";

const journalSize = 1024 * 1024;
/** A process that was stopped between asking for the segment and writing may write into one that is full by then. */
const watchedSegments = 4;
/** Lines that are parsed at a time where the last of many are asked for. */
const parsedAtOnce = 64;

const keyOfFile = (file: string): string => `file ${file}`;
const keyOfMove = (file: string): string => `moved to ${file}`;
const keyOfAgent = (agent: string): string => `agent ${agent}`;
const keyOfId = (id: string): string => `id ${id}`;

/** The journal: entries found by file, by agent, and by the ids that they have or name. */
export class Journal {
  private readonly segments: Segments;

  constructor(
    private readonly context: StoreContext,
    most: number = journalSize,
  ) {
    this.segments = new Segments(context, "journal", Math.min(most, journalSize));
  }

  append(entries: readonly JournalEntry[]): void {
    const lines = entries.map((entry) => ({
      time: entry.time,
      keys: keysOf(entry),
      value: entry,
    }));
    try {
      this.segments.append(lines);
    } catch (error) {
      throw stateFailure("append to the journal", this.context.state, error);
    }
  }

  /** Oldest first. */
  read(query: JournalQuery = {}): JournalEntry[] {
    const found: JournalEntry[][] = [];
    let left = query.last ?? Number.POSITIVE_INFINITY;
    const keys = hashesOf(query);
    const missing = new Set(query.ids);
    for (const segment of this.segments.numbers().reverse()) {
      if (left <= 0) break;
      const index = this.segments.index(segment);
      if (!index || (query.since !== undefined && index.newest < query.since)) continue;
      const entries = this.last(segment, candidates(index, keys), { index, query, left });
      found.push(entries);
      left -= entries.length;
      // Entries that name an edit were written after it.
      for (const { id } of entries) missing.delete(id);
      if (query.ids && missing.size === 0) break;
    }
    return found.reverse().flat();
  }

  since(mark: string | null): JournalNews {
    const places = marked(mark);
    const numbers = this.segments.numbers();
    const oldest = places && Math.min(...places.keys());
    const entries: JournalEntry[] = [];
    const ends: string[] = [];
    for (const segment of numbers.slice(-watchedSegments))
      ends.push(`${segment}:${this.segments.index(segment)?.size ?? 0}`);
    if (mark !== null)
      for (const segment of numbers.filter((number) => oldest === null || number >= oldest)) {
        const index = this.segments.index(segment);
        if (!index) continue;
        const from = places?.get(segment) ?? 0;
        const lines = all(index).filter((line) => index.start(line) >= from);
        entries.push(...this.parsed(segment, lines, index));
      }
    return { entries, mark: ends.join() };
  }

  /** Lines that nobody can read. */
  damaged(): number {
    let count = 0;
    for (const segment of this.segments.numbers()) {
      const index = this.segments.index(segment);
      if (index) count += index.damaged + index.count - this.entriesIn(segment, all(index), index).length;
    }
    return count;
  }

  /** The last entries that are asked for, of these lines of a segment. */
  private last(
    segment: number,
    lines: readonly number[],
    {
      index,
      query,
      left,
    }: { readonly index: SegmentIndex; readonly query: JournalQuery; readonly left: number },
  ): JournalEntry[] {
    const found: JournalEntry[][] = [];
    let missing = left;
    for (let end = lines.length; end > 0 && missing > 0; ) {
      const start = Number.isFinite(left) ? Math.max(0, end - Math.max(parsedAtOnce, missing)) : 0;
      const entries = this.parsed(segment, lines.slice(start, end), index).filter((one) =>
        isAskedFor(one, query),
      );
      found.push(entries.slice(Math.max(0, entries.length - missing)));
      missing -= entries.length;
      end = start;
    }
    return found.reverse().flat();
  }

  private parsed(segment: number, lines: readonly number[], index: SegmentIndex): JournalEntry[] {
    if (lines.length === 0) return [];
    const entries = this.entriesIn(segment, lines, index);
    const skipped = lines.length - entries.length + (lines.length === index.count ? index.damaged : 0);
    if (skipped > 0)
      this.context.report(
        `${this.segments.pathOf(segment)}: ${skipped} damaged ${skipped === 1 ? "line was" : "lines were"} skipped`,
      );
    return entries;
  }

  private entriesIn(segment: number, lines: readonly number[], index: SegmentIndex): JournalEntry[] {
    return this.segments.lines(segment, lines, index).flatMap((text) => entryIn(text) ?? []);
  }
}

function keysOf(entry: JournalEntry): string[] {
  const { file, agent, toFile } = entry;
  const moved = toFile === undefined ? [] : [keyOfMove(toFile)];
  return [keyOfFile(file), keyOfAgent(agent), ...moved, ...idsIn(entry).map(keyOfId)];
}

function all({ count }: SegmentIndex): number[] {
  return Array.from({ length: count }, (_, line) => line);
}

/** A query as an index knows it: an entry has one of the hashes of each set. */
interface Asked {
  readonly sets: readonly (readonly number[])[];
  readonly since: number | undefined;
}

function hashesOf({ files, movedTo, agent, ids, since }: JournalQuery): Asked {
  const sets = [
    files?.map(keyOfFile),
    movedTo?.map(keyOfMove),
    agent === undefined ? undefined : [keyOfAgent(agent)],
    ids?.map(keyOfId),
  ];
  return { sets: sets.flatMap((keys) => (keys ? [keys.map(hashOf)] : [])), since };
}

/** Lines that may be asked for, by the key that is had by the fewest. */
function candidates(index: SegmentIndex, { sets, since }: Asked): readonly number[] {
  const union = (hashes: readonly number[]): readonly number[] => {
    if (hashes.length === 1) return index.find(hashes[0] as number);
    return [...new Set(hashes.flatMap((hash) => index.find(hash)))].sort((one, two) => one - two);
  };
  const fewest =
    sets.length === 0
      ? all(index)
      : sets.map(union).reduce((one, two) => (two.length < one.length ? two : one));
  return since === undefined ? fewest : fewest.filter((line) => index.time(line) >= since);
}

/** How far each of the last segments was read; null: all of them from the beginning. */
function marked(mark: string | null): ReadonlyMap<number, number> | null {
  const found = [...(mark ?? "").matchAll(/(\d+):(\d+)/g)];
  return found.length === 0 ? null : new Map(found.map(([, segment, end]) => [Number(segment), Number(end)]));
}

function entryIn(text: string): JournalEntry | null {
  try {
    const { at: _, ...entry } = withoutChecksum(text) as { readonly at?: string };
    return isEntry(entry) ? entry : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

/** Checks the fields that every reader of an entry relies on. A kind that is unknown here is a later version's. */
function isEntry(value: object): value is JournalEntry {
  const { id, time, agent, tool, kind, path, file, before, after, lines } = value as JournalEntry;
  const isNamed = isText(id) && isText(agent) && isText(tool) && isText(path) && isText(file);
  const isWhole = isNamed && typeof time === "number" && isText(kind) && Array.isArray(lines);
  return isWhole && isTextOrNull(before) && isTextOrNull(after);
}
