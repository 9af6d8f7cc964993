import { stateFailure, withChecksum, withoutChecksum } from "../host/index.js";
import type { Json } from "../ports/index.js";
import type { FileStamp } from "./lines/file-stamp.js";
import { appendTo, linesOf, readFrom } from "./lines/line-file.js";
import { replaceFile, type StoreContext } from "./lines/replace-file.js";

/** The states of one file, by their numbers. */
export interface States {
  /** Key of the file. */
  readonly key: string;
  /** The number of the first that is left. */
  readonly first: number;
  readonly states: readonly Json[];
}

interface KnownStates extends States {
  readonly stamp: FileStamp;
  /** Where the last line that counts ends. */
  readonly end: number;
}

/** A line: the states from a number on. The first line of a file has its key. */
interface StatesLine {
  readonly key?: string;
  readonly from: number;
  readonly states: readonly Json[];
}

/** This many of the last states are left where a file is written anew. */
export const keptStates = 10_000;
const mostKnownFiles = 64;

/** The states that each file was in: one file of lines each, only ever appended to, and read on from where it was read last. */
export class FileStates {
  private readonly known = new Map<string, KnownStates>();

  constructor(private readonly context: StoreContext) {}

  get(path: string): States | null {
    const known = this.known.get(path);
    const found = readFrom(this.context, path, (stamp) => {
      if (!known || stamp.ino !== known.stamp.ino || stamp.size < known.stamp.size) return 0;
      return stamp.size === known.stamp.size && stamp.time === known.stamp.time ? null : known.end;
    });
    if (found === null) return null;
    const { stamp, bytes } = found;
    if (bytes === null) return known as KnownStates;
    const isWhole = !known || stamp.ino !== known.stamp.ino || stamp.size < known.stamp.size;
    const read = this.read(isWhole ? null : known, bytes, stamp);
    if (read) this.remember(path, read);
    return read;
  }

  /** States from number `from` on; those before stay. Only called while the file is held. */
  set(path: string, key: string, line: { readonly from: number; readonly states: readonly Json[] }): void {
    const before = this.get(path);
    try {
      const isAppended = before?.key === key && before.states.length < 2 * keptStates;
      const bytes = encoded(line);
      const stamp = isAppended ? appendTo(this.context, path, bytes, () => false) : null;
      if (stamp) {
        const known = this.known.get(path);
        // Another line may have come in between only if somebody wrote who does not hold the file.
        if (known && known.end + bytes.length === stamp.size)
          this.remember(path, { ...joined(known, line), stamp, end: stamp.size });
        else this.known.delete(path);
        return;
      }
      const all = joined(before?.key === key ? before : { key, first: line.from, states: [] }, line);
      const states = all.states.slice(-keptStates);
      const first = all.first + all.states.length - states.length;
      this.known.delete(path);
      replaceFile(this.context, path, encoded({ key, from: first, states }));
    } catch (error) {
      this.known.delete(path);
      throw stateFailure(`record ${path}`, this.context.state, error);
    }
  }

  private read(known: KnownStates | null, bytes: Uint8Array, stamp: FileStamp): KnownStates | null {
    let read: KnownStates | null = known && { ...known, stamp };
    const start = known?.end ?? 0;
    for (const { text, end } of linesOf(bytes)) {
      const line = lineFrom(text);
      if (line === null) continue;
      const key = read?.key ?? line.key;
      if (key === undefined) continue;
      read = { ...joined(read ?? { key, first: line.from, states: [] }, line), stamp, end: start + end };
    }
    return read;
  }

  private remember(path: string, known: KnownStates): void {
    if (this.known.size >= mostKnownFiles) this.known.clear();
    this.known.set(path, known);
  }
}

/** Where a line between is damaged, the states before it are as good as dropped. */
function joined({ key, first, states }: States, line: StatesLine): States {
  const end = first + states.length;
  if (line.from > end || line.from < first) return { key, first: line.from, states: line.states };
  return { key, first, states: [...states.slice(0, line.from - first), ...line.states] };
}

function encoded(line: StatesLine): Uint8Array {
  return new TextEncoder().encode(`\n${withChecksum(line)}`);
}

function lineFrom(text: string): StatesLine | null {
  try {
    const line = withoutChecksum(text) as StatesLine | null;
    return Array.isArray(line?.states) && Number.isInteger(line?.from) ? (line as StatesLine) : null;
  } catch {
    return null;
  }
}
