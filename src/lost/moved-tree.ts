/** Edits of a work tree that is gone, made in the present one: the same merge, onto the file that is there. */
import { type Merged, mergeChange, type Returned, writeBack } from "../calls/index.js";
import { compare, LineChange } from "../changes/index.js";
import type { Problem } from "../edits/index.js";
import { type CallEnv, type Env, keptTexts, withOpen } from "../ledger/index.js";
import { type Commits, type JournalEntry, PortError } from "../ports/index.js";
import { Document } from "../text/index.js";

export interface EditsElsewhere {
  /** Oldest first. */
  readonly edits: readonly JournalEntry[];
  /** The root of the work tree that is gone. */
  readonly tree: string;
  /** The file in the present one. */
  readonly path: string;
}

/** null if the work tree of these edits, all of one file, is there. */
export async function editsElsewhere(
  edits: readonly JournalEntry[],
  commits: Commits | null,
): Promise<EditsElsewhere | null> {
  const { tree, file } = edits[0] ?? {};
  if (tree === undefined || file === undefined || !commits?.presentPath) return null;
  const path = await commits.presentPath(file, tree);
  return path === null ? null : { edits, tree, path };
}

/** `change` is null if the file was made. */
interface Made {
  readonly text: Document;
  readonly change: LineChange | null;
  readonly before: Document | null;
  readonly warnings: readonly string[];
}

/** Makes the edits in the present file; or says what is in the way. */
export async function makeHere(
  { edits, path }: EditsElsewhere,
  outer: CallEnv,
): Promise<Made | { readonly problems: readonly Problem[] }> {
  return withOpen(path, outer, async (opened, env, held) => {
    const before = opened.document;
    let text = before;
    let change = before && LineChange.identity(before.lineCount);
    for (const edit of edits) {
      const merged = await makeOne(edit, text, env);
      if ("problems" in merged) return merged;
      change = change?.compose(merged.change) ?? null;
      text = merged.document;
    }
    if (!text) throw new PortError("bad_request", "name the edits to restore");
    const returned: Returned = { opened, text, maps: change ? [change] : [] };
    const instead = edits.map(({ id }) => id);
    const entry = { tool: "restore", kind: "commit", instead } as const;
    const warnings = await writeBack([returned], { held, told: () => entry }, env);
    if (warnings === "changed")
      throw new PortError("busy", `${path} changed while it was being restored: try again`);
    return { text, change, before, warnings };
  });
}

async function makeOne(edit: JournalEntry, now: Document | null, env: Env): Promise<Merged> {
  const { before, after, id, change } = edit;
  const refused = (why: string) =>
    new PortError("stale", `edit ${id} of ${edit.path} cannot be restored: ${why}`);
  if (after === null) throw refused("it deleted the file");
  const texts = keptTexts(now?.encoding ?? null, [now], env);
  const ours = await texts(after);
  const base = before === null ? Document.fromText("") : await texts(before);
  if (!ours || !base) throw refused("the text is not kept");
  if (before === null) {
    if (now && now.version !== ours.version) throw refused("another file is there now");
    return { document: ours, change: LineChange.identity(ours.lineCount) };
  }
  if (!now) throw refused("there is no such file here");
  return mergeChange(base, ours, change ? LineChange.fromJSON(change) : compare(base, ours), now);
}
