import { checksumIn, ifThere, readFile, reason, stateFailure, withoutChecksum } from "../host/index.js";
import type { Json } from "../ports/index.js";
import { type Difference, differenceOf, withDifference } from "./lines/json-difference.js";
import { linesOf } from "./lines/line-file.js";
import { LineValues } from "./lines/line-values.js";
import { putAside } from "./lines/put-aside.js";
import type { StoreContext } from "./lines/replace-file.js";

/** A record and the names that it was made for, since a file's name is one-way. */
export interface RecordEntry {
  readonly key: string;
  readonly agent?: string;
  readonly record: Json;
}

/** A line that tells the record by the line before, which it names: after one that is missing, nothing is certain. */
interface ChangeLine {
  readonly after: string;
  readonly change: Difference | null;
}

interface LastRecord {
  readonly entry: RecordEntry;
  /** The checksum of the last line, and the length of the one in which the record is whole. */
  readonly sum: string;
  readonly whole: number;
}

/** Differences may take as much room as the whole record and this, before it is written anew. */
const room = 8 * 1024;

/** One small file a record: all of it in one line, then what is other in the next ones. */
export class Records {
  private readonly values: LineValues<LastRecord | string>;

  constructor(private readonly context: StoreContext) {
    this.values = new LineValues(context, recordAfter);
  }

  get(path: string): RecordEntry | null {
    const found = this.values.get(path);
    if (typeof found !== "string") return found?.entry ?? null;
    this.values.forget(path);
    putAside(this.context, path, found);
    return null;
  }

  set(path: string, entry: RecordEntry): void {
    try {
      const last = this.values.last(path);
      if (last !== null && typeof last !== "string" && this.isAppended(path, last, entry)) return;
      this.values.replace(path, entry, (text) => wholeIn(text, entry));
    } catch (error) {
      throw stateFailure(`record ${path}`, this.context.state, error);
    }
  }

  private isAppended(path: string, { entry: before, sum, whole }: LastRecord, entry: RecordEntry): boolean {
    if (before.key !== entry.key || before.agent !== entry.agent) return false;
    const line: ChangeLine = { after: sum, change: differenceOf(before.record, entry.record) };
    const made = (text: string): LastRecord => ({ entry, sum: checksumIn(text), whole });
    return this.values.isAppended(path, line, made, 2 * whole + room);
  }
}

/** A record of which nothing can be read: whoever needs it puts it aside. */
export function isDamaged({ io }: StoreContext, path: string): boolean {
  const bytes = ifThere(() => readFile(io, path));
  let found: LastRecord | string | null = "empty";
  for (const { text } of linesOf(bytes ?? new Uint8Array(0))) found = recordAfter(found, text) ?? found;
  return bytes !== null && typeof found === "string";
}

function wholeIn(text: string, entry: RecordEntry): LastRecord {
  return { entry, sum: checksumIn(text), whole: text.length };
}

/** A line that was cut off says nothing; a text tells why there is no record. */
function recordAfter(before: LastRecord | string | null, text: string): LastRecord | string | null {
  const found = before === null || typeof before === "string" ? null : before;
  let line: (RecordEntry & Partial<ChangeLine>) | null;
  try {
    line = withoutChecksum(text) as typeof line;
  } catch (error) {
    return found ? null : reason(error);
  }
  if (typeof line?.key === "string" && line.record !== undefined) return wholeIn(text, line);
  if (!found) return before ?? "not a record";
  if (line?.change === undefined) return null;
  if (line.after !== found.sum) return "a line is missing";
  try {
    const record = line.change ? withDifference(found.entry.record, line.change) : found.entry.record;
    return { ...found, entry: { ...found.entry, record }, sum: checksumIn(text) };
  } catch (error) {
    return reason(error);
  }
}
