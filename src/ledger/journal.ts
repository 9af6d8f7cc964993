/** The journal tells who did what to which file. Every entry of it is made here. */
import { changedRanges, unrecordedText } from "../answers/index.js";
import type { LineChange } from "../changes/index.js";
import type { FileId, JournalEntry, PortError } from "../ports/index.js";
import { shortHash } from "../text/index.js";
import type { OpenFile } from "./open-file.js";
import type { Env } from "./with-open-file.js";

type Given = Omit<JournalEntry, "id" | "time" | "agent" | "tree">;

/** `happening` tells apart what happened to one file at one time. */
function entryId(time: number, file: string, happening: string): string {
  return `${time.toString(36)}-${shortHash(`${file}\n${happening}`)}`;
}

async function append(entry: Given, happening: string, { store, agent, clock }: Env): Promise<string> {
  const time = clock();
  const id = entryId(time, entry.file, happening);
  await store.append({ id, time, agent, ...entry });
  return id;
}

/** Names what is done to several files at once. */
export function batchId(first: OpenFile, { clock }: Env): string {
  return `b${entryId(clock(), first.file.key, String(first.tick()))}`;
}

/** What was done to one file. `change` is null where no line of the text before is followed to the text after. */
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
export function journalChange(opened: OpenFile, { change, to, ...told }: Done, env: Env): Promise<string> {
  const { path, key } = opened.file;
  const lines = change ? { lines: changedRanges(change), change: change.toJSON() } : { lines: [] };
  const moved = to ? { to: to.file.path } : {};
  return append({ ...told, path, file: key, ...lines, ...moved }, String((to ?? opened).tick()), env);
}

const longestCause = 200;

/** What a refusal says of one file. */
type Refused = Pick<PortError, "code" | "message"> & Pick<JournalEntry, "tool" | "path" | "lines">;

/** A refusal may quote the file: the cause is kept only where the text may be. */
export async function journalRefusal(opened: OpenFile, refused: Refused, env: Env): Promise<void> {
  const { file, document, mayKeep } = opened;
  const { cause, ...entry } = refusalOf(refused, file.key, document?.version ?? null);
  await append({ ...entry, ...(mayKeep ? { cause } : {}) }, String(opened.tick()), env);
}

/** A refusal that did not get as far as the file's record. It stands, journaled or not. */
export async function journalThrown(refused: Refused, env: Env): Promise<void> {
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
  env: Env,
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
