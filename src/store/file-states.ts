import { stateFailure, withoutChecksum } from "../host/index.js";
import type { Json } from "../ports/index.js";
import { LineValues } from "./lines/line-values.js";
import type { StoreContext } from "./lines/replace-file.js";

/** The states of one file, by their numbers. */
export interface States {
  /** Key of the file. */
  readonly key: string;
  /** The number of the first that is left. */
  readonly first: number;
  readonly states: readonly Json[];
}

/** A line: the states from a number on. The first line of a file has its key. */
interface StatesLine {
  readonly key?: string;
  readonly from: number;
  readonly states: readonly Json[];
}

/** This many of the last states are left where a file is written anew. */
export const keptStates = 10_000;

/** The states that each file was in: one file of lines each, only ever appended to, and read on from where it was read last. */
export class FileStates {
  private readonly values: LineValues<States>;

  constructor(private readonly context: StoreContext) {
    this.values = new LineValues(context, statesAfter);
  }

  get(path: string): States | null {
    return this.values.get(path);
  }

  /** States from number `from` on; those before stay. Only called while the file is held. */
  set(path: string, key: string, line: StatesLine): void {
    try {
      if (this.isAppended(path, key, line, this.values.last(path))) return;
      const found = this.get(path);
      if (this.isAppended(path, key, line, found)) return;
      const all = after(found, key, line);
      const states = all.states.slice(-keptStates);
      const first = all.first + all.states.length - states.length;
      this.values.replace(path, { key, from: first, states }, () => ({ key, first, states }));
    } catch (error) {
      throw stateFailure(`record ${path}`, this.context.state, error);
    }
  }

  private isAppended(path: string, key: string, line: StatesLine, found: States | null): boolean {
    if (found?.key !== key || found.states.length >= 2 * keptStates) return false;
    return this.values.isAppended(path, line, () => joined(found, line));
  }
}

function after(found: States | null, key: string, line: StatesLine): States {
  return joined(found?.key === key ? found : { key, first: line.from, states: [] }, line);
}

function statesAfter(before: States | null, text: string): States | null {
  const line = lineFrom(text);
  const key = before?.key ?? line?.key;
  return line && key !== undefined ? joined(before ?? { key, first: line.from, states: [] }, line) : null;
}

/** Where a line between is damaged, the states before it are as good as dropped. */
function joined({ key, first, states }: States, line: StatesLine): States {
  const end = first + states.length;
  if (line.from > end || line.from < first) return { key, first: line.from, states: line.states };
  return { key, first, states: [...states.slice(0, line.from - first), ...line.states] };
}

function lineFrom(text: string): StatesLine | null {
  try {
    const line = withoutChecksum(text) as StatesLine | null;
    return Array.isArray(line?.states) && Number.isInteger(line?.from) ? (line as StatesLine) : null;
  } catch {
    return null;
  }
}
