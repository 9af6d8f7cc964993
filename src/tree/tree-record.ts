/** The state that one look leaves to the next, between processes: in the state folder, never in the repository. */
import type { Json } from "../ports/index.js";
import type { CommandFacts, NamedPath, Sweep, Writer } from "./commands/command.js";
import type { Sighting } from "./looks/sighting.js";
import { loadTree, type TreeStore } from "./tree-store.js";

/** A command that has begun and, as far as anybody told, not ended. */
export interface RunningCommand extends Pick<CommandFacts, "isBackground" | "movesHead"> {
  readonly agent: string;
  readonly tool: string;
  /** The client's name for the call; "" if it has none. */
  readonly call: string;
  /** Masked, and cut. */
  readonly command: string;
  readonly start: number;
  readonly names: readonly NamedPath[];
  /** Hashes of the lines that the command itself holds. */
  readonly hashes: readonly string[];
  readonly writers: readonly Writer[];
  readonly sweeps: readonly Sweep[];
  /** When it ended; it is kept because an edit tool was at work on some file then. */
  readonly end?: number;
}

export interface TreeRecord {
  /** When the tree was looked at, in milliseconds. */
  readonly time: number;
  /** When a look that nobody waits for may begin. */
  readonly rested: number;
  /** The commit that was checked out. */
  readonly head: string | null;
  readonly index: string;
  /** Paths of the index that differed from HEAD. */
  readonly staged: readonly string[];
  /** By path from the top: files of which the text is in no commit. */
  readonly files: ReadonlyMap<string, Sighting>;
  readonly running: readonly RunningCommand[];
  /** Commands that ended while an edit tool was at work: what they did to its file shows when that is over. */
  readonly held: readonly RunningCommand[];
  /** Agents that started something which may still run, and when. */
  readonly background: readonly (readonly [agent: string, time: number])[];
  /** Files that an edit tool is about to write: between the two events of the call nobody can say whose text is there. */
  readonly editing: readonly (readonly [agent: string, path: string, time: number])[];
  /** Files that changed while no command ran, and when. */
  readonly loose: ReadonlyMap<string, number>;
  /** When something else than an agent was seen to write. */
  readonly outside: number;
  /** Files beyond the bounds, which are not on record. */
  readonly left: number;
  /** The last look took too long, and covered only files known before. */
  readonly isNarrow: boolean;
}

export const emptyRecord: TreeRecord = {
  ...{
    time: 0,
    rested: 0,
    head: null,
    index: "",
    staged: [],
    files: new Map(),
    running: [],
    held: [],
    background: [],
    editing: [],
  },
  ...{ loose: new Map(), outside: 0, left: 0, isNarrow: false },
};

const format = 1;

export function recordJson(record: TreeRecord): Json {
  const { files, loose, ...rest } = record;
  return {
    format,
    ...(rest as unknown as { [key: string]: Json }),
    files: [...files].map(([path, { identity, version, isKept }]) => [
      path,
      identity,
      version,
      isKept ? 1 : 0,
    ]),
    loose: [...loose].map(([path, time]) => [path, time]),
  };
}

interface RawRecord extends Omit<TreeRecord, "files" | "loose"> {
  readonly format: number;
  readonly files: readonly (readonly [string, string, string | null, number])[];
  readonly loose: readonly (readonly [string, number])[];
}

/** null: nothing was recorded, or by a version that wrote it otherwise. */
export function recordFrom(json: Json | null): TreeRecord | null {
  const raw = json as unknown as RawRecord | null;
  if (raw?.format !== format) return null;
  try {
    const { format: _, ...rest } = raw;
    const files = raw.files.map(
      ([path, identity, version, isKept]) => [path, { identity, version, isKept: isKept === 1 }] as const,
    );
    return {
      ...rest,
      rested: raw.rested ?? 0,
      editing: raw.editing ?? [],
      held: raw.held ?? [],
      files: new Map(files),
      loose: new Map(raw.loose),
    };
  } catch {
    return null;
  }
}

/** Numbers that the last look at a tree left, for people who wonder. */
export interface OnRecord {
  /** Files whose texts are on record. */
  readonly kept: number;
  /** Files that the bounds leave out. */
  readonly left: number;
  /** The look took too long, and covered only files known before. */
  readonly isNarrow: boolean;
}

/** null: nobody has looked at it. */
export async function treeOnRecord(store: TreeStore, root: string): Promise<OnRecord | null> {
  const record = recordFrom((await loadTree(store, root))?.value ?? null);
  if (!record) return null;
  const { files, left, isNarrow } = record;
  return { kept: [...files.values()].filter(({ isKept }) => isKept).length, left, isNarrow };
}
