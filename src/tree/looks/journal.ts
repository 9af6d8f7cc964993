/** Writes a change that was found down like any edit: in the journal, and in the record of a file that agents have seen. */
import { libraryDoor } from "../../answers/index.js";
import { compare, LineChange } from "../../changes/index.js";
import {
  type CallEnv,
  type FoundChange,
  journalFound,
  journalHead,
  type OpenFile,
  withFile,
} from "../../ledger/index.js";
import type { FileId, Files, JournalEntry } from "../../ports/index.js";
import { type Document, LineSet } from "../../text/index.js";
import type { TreeStore } from "../tree-store.js";

interface JournalContext {
  readonly files: Files;
  readonly store: TreeStore;
  readonly clock: () => number;
}

/** The surroundings of a call by somebody. Nothing of it is decided by a gate. */
export function envFor(agent: string, { files, store, clock }: JournalContext): CallEnv {
  const rules = { gate: "off", onStale: "relocate", unmoved: false, anchors: "hex6", codec: null } as const;
  return { files, store, agent, clock, voice: { door: libraryDoor }, ...rules };
}

/** One name for one author, or for all who may have been it. */
export function nameOf(authors: readonly string[]): {
  readonly agent: string;
  readonly authors?: readonly string[];
} {
  return authors.length === 1 ? { agent: authors[0] as string } : { agent: authors.join(" or "), authors };
}

/** A text of a file: null where there is no file. */
type Text = { readonly version: string; readonly text: Document | null } | null;

interface Step {
  readonly file: FileId;
  readonly before: Text;
  readonly after: Text;
  /** Where the file went. */
  readonly to?: FileId;
}

/** The exact change; null where a text is not known. */
export function changeBetween(before: Text, after: Text): LineChange | null {
  if (before && after) return before.text && after.text && compare(before.text, after.text);
  if (before) return before.text && LineChange.whole(before.text.lineCount, 0);
  return after?.text ? LineChange.whole(0, after.text.lineCount) : null;
}

export async function write(
  { file, before, after, to }: Step,
  found: Omit<FoundChange, "before" | "after" | "change">,
  authors: readonly string[],
  context: JournalContext,
): Promise<JournalEntry> {
  const { agent, ...set } = nameOf(authors);
  const env = envFor(agent, context);
  const change = changeBetween(before, after);
  const versions = { before: before?.version ?? null, after: after?.version ?? null };
  const moved = to === undefined ? {} : { to: to.path, toFile: to.key };
  const entry = await journalFound(file, { ...found, ...set, ...versions, ...moved, change }, env);
  const { states } = await context.store.look(file.key, agent);
  if (states.length > 0 && change && before?.text && after)
    await record({ file, before, after }, change, env);
  return entry;
}

/** The state of the file is that of who made it, so that refusals and news name them. */
async function record({ file, before, after }: Step, change: LineChange, env: CallEnv): Promise<void> {
  await withFile(file, env, async (opened) => {
    // A file that is gone may come back, and agents know what they have seen of it.
    if (!before?.text || opened.document?.version !== after?.version) return;
    await claim(opened, before.text, change);
    await opened.save();
  });
}

async function claim(opened: OpenFile, before: Document, change: LineChange): Promise<void> {
  const isBehind = (): boolean => opened.states.at(-2)?.version === before.version;
  if (opened.isFresh && !isBehind()) {
    await opened.stepBack(before);
    opened.arriveAgain();
  }
  const last = opened.states.length - 1;
  if (!isBehind() || opened.states[last]?.by !== null) return;
  await opened.claim(last, change, LineSet.empty);
  // The record is saved though nothing that an agent knows is another.
  opened.tick();
}

export { journalHead };
