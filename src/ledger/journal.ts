/** The journal tells who did what to which file. Every entry of it is made here. */
import { changedRanges, unrecordedText } from "../answers/index.js";
import type { LineChange } from "../changes/index.js";
import type { FileId, JournalEntry, LedgerStore, PortError } from "../ports/index.js";
import { shortHash } from "../text/index.js";
import type { OpenFile } from "./open-file.js";
import type { CallEnv, Env, UnitEnv } from "./with-open-file.js";

type Given = Omit<JournalEntry, "id" | "time" | "agent" | "tree">;

/** `happening` tells apart what one agent did to one file at one time. */
function entryId({ time, agent, file }: Told, happening: string): string {
  return `${time.toString(36)}-${shortHash(`${file}\n${agent}\n${happening}`)}`;
}

type Told = Pick<JournalEntry, "time" | "agent" | "file">;

function entryOf(entry: Given, happening: string, { agent, clock }: Env): JournalEntry {
  const time = clock();
  return { id: entryId({ time, agent, file: entry.file }, happening), time, agent, ...entry };
}

/** Has the entry written with the rest of the call. Returns its id. */
function add(entry: Given, happening: string, env: UnitEnv): string {
  const made = entryOf(entry, happening, env);
  env.store.add(made);
  return made.id;
}

/** Writes an entry that belongs to no call on a file. */
function append(entry: Given, happening: string, env: Env & { readonly store: LedgerStore }): Promise<void> {
  return env.store.append([entryOf(entry, happening, env)]);
}

/** Names what is done to several files at once. */
export function batchId(first: OpenFile, { clock, agent }: Env): string {
  return `b${entryId({ time: clock(), agent, file: first.file.key }, String(first.tick()))}`;
}

/** One file's part of an entry. `change` is null where no line of the text before is followed to the text after. */
export interface Done
  extends Pick<
    JournalEntry,
    "tool" | "kind" | "before" | "after" | "batch" | "relocated" | "cause" | "edits" | "instead" | "folders"
  > {
  readonly change: LineChange | null;
  /** The record of a file that was moved goes along, and its count of what happened. */
  readonly to?: OpenFile;
}

/** Returns the id of the entry. */
export function journalChange(opened: OpenFile, { change, to, ...told }: Done, env: UnitEnv): string {
  const { path, key } = opened.file;
  const lines = change ? { lines: changedRanges(change), change: change.toJSON() } : { lines: [] };
  const moved = to ? { to: to.file.path, toFile: to.file.key } : {};
  return add({ ...told, path, file: key, ...lines, ...moved }, String((to ?? opened).tick()), env);
}

/** A change of the tree that no tool told of; `agent` of the surroundings is who made it. */
export type FoundChange = Pick<
  JournalEntry,
  | "tool"
  | "before"
  | "after"
  | "cause"
  | "authors"
  | "reformat"
  | "clean"
  | "initial"
  | "swept"
  | "to"
  | "toFile"
> & { readonly change: LineChange | null; readonly time: number };

export async function journalFound(
  { path, key }: FileId,
  { change, time, ...told }: FoundChange,
  { store, agent }: CallEnv,
): Promise<JournalEntry> {
  const lines = change ? { lines: changedRanges(change), change: change.toJSON() } : { lines: [] };
  const id = entryId({ time, agent, file: key }, `found ${told.before} ${told.after}`);
  const entry: JournalEntry = { id, time, agent, ...told, kind: "commit", path, file: key, ...lines };
  await store.append([entry]);
  return entry;
}

/** HEAD of the work tree at `root` went elsewhere: one entry, however many files that changed. */
export async function journalHead(
  root: string,
  moved: Pick<JournalEntry, "head" | "cause" | "authors" | "tool">,
  env: CallEnv,
): Promise<void> {
  const entry = {
    ...moved,
    kind: "head" as const,
    path: root,
    file: root,
    before: null,
    after: null,
    lines: [],
  };
  await append(entry, `${moved.head?.from} ${moved.head?.to}`, env);
}

const longestCause = 200;

/** A refusal's part about one file. */
type Refused = Pick<PortError, "code" | "message"> & Pick<JournalEntry, "tool" | "path" | "lines">;

/** A refusal may quote the file: the cause is kept only where the text may be. */
export function journalRefusal(opened: OpenFile, refused: Refused, env: UnitEnv): void {
  const { file, document, isKeepable } = opened;
  const { cause, ...entry } = refusalOf(refused, file.key, document?.version ?? null);
  add({ ...entry, ...(isKeepable ? { cause } : {}) }, String(opened.tick()), env);
}

/** Journals a refusal that did not get as far as the file's record; the refusal counts in any case. */
export async function journalThrown(refused: Refused, env: CallEnv): Promise<void> {
  const { path, message } = refused;
  const file = await env.files.identify(path).then(
    ({ key }) => key,
    () => path,
  );
  await append(refusalOf(refused, file, null), message, env).catch(() => {});
}

function refusalOf({ message, ...told }: Refused, file: string, before: string | null) {
  return {
    ...told,
    kind: "refusal" as const,
    file,
    before,
    after: null,
    cause: message.slice(0, longestCause),
  };
}

/** Edits of one file are lost; `cause` is the command that took them away, if that may be kept. */
export async function journalLoss(
  { path, key }: FileId,
  lost: Pick<JournalEntry, "tool" | "before" | "after" | "lines" | "cause"> & {
    readonly edits: readonly string[];
  },
  env: CallEnv,
): Promise<void> {
  await append({ ...lost, kind: "lost", path, file: key }, lost.edits.join(), env);
}

/**
 * A file is written, recorded or not: a failure to record it is told beside the result, and keeps nothing else from being
 * recorded.
 */
export class Recording {
  private readonly failures = new Set<string>();

  async try<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.failures.add(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** At most one. */
  get warnings(): string[] {
    return this.failures.size === 0 ? [] : [unrecordedText([...this.failures])];
  }
}

/** Somebody else was there first. An anchor that is wrong in itself is no collision, nor is an edit that cannot be undone. */
export function isCollision({ kind, code, tool }: JournalEntry): boolean {
  return kind === "refusal" && (code === "stale" || code === "deleted") && !isTakingBack(tool);
}

/** Whether a refused call was no edit of its own. */
export function isTakingBack(tool: string): boolean {
  return tool === "undo" || tool === "restore";
}
