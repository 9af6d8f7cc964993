/** Edits of a work tree that is gone, made in the present one: the same merge, onto the file that is there. */
import { merge3, type Returned, settle } from "../calls/index.js";
import { compare, LineChange } from "../changes/index.js";
import type { Problem } from "../edits/index.js";
import { contextOf, type Env, keptTexts, OpenFile } from "../ledger/index.js";
import { type Commits, type JournalEntry, PortError } from "../ports/index.js";
import { Document } from "../text/index.js";

/** A file of a work tree that is gone. */
export interface Elsewhere {
  /** The root of that work tree. */
  readonly tree: string;
  /** The file in the present one. */
  readonly path: string;
}

export async function elsewhere(
  entry: JournalEntry | undefined,
  commits: Commits | null | undefined,
): Promise<Elsewhere | null> {
  if (entry?.tree === undefined || !commits?.presentPath) return null;
  const { tree } = entry;
  const path = await commits.presentPath(entry.file, tree);
  return path === null ? null : { tree, path };
}

interface Made {
  readonly text: Document;
  readonly map: LineChange | null;
}

interface Moved {
  readonly path: string;
  readonly text: Document;
  readonly map: LineChange | null;
  readonly before: Document | null;
  readonly warnings: readonly string[];
}

/** Makes the edits in the present file, oldest first; or says what stands in the way. */
export async function makeHere(
  edits: readonly JournalEntry[],
  path: string,
  env: Env,
): Promise<Moved | readonly Problem[]> {
  const file = await env.files.identify(path);
  const context = await contextOf(env);
  return env.files.hold([file], async (held) => {
    const opened = await OpenFile.open(held, file, context);
    const before = opened.document;
    let made: { readonly text: Document | null; readonly map: LineChange | null } = {
      text: before,
      map: before && LineChange.identity(before.lineCount),
    };
    for (const edit of edits) {
      const next = await makeOne(edit, made.text, env);
      if (isProblemList(next)) return next;
      made = { text: next.text, map: made.map && next.map && made.map.compose(next.map) };
    }
    const { text, map } = made;
    if (!text) throw new PortError("bad_request", "name the edits to restore");
    const written = { file, before: before?.toBytes() ?? null, after: text.toBytes() };
    if (!(await held.commit([written])))
      throw new PortError("busy", `${path} changed while it was being restored: try again`);
    const instead = edits.map(({ id }) => id);
    const returned: Returned = { opened, text, maps: map ? [map] : [] };
    const warnings = await settle(returned, { tool: "restore", kind: "commit", instead }, env);
    return { path, text, map, before, warnings };
  });
}

function isProblemList(made: Made | readonly Problem[]): made is readonly Problem[] {
  return !("text" in made);
}

async function makeOne(
  edit: JournalEntry,
  now: Document | null,
  env: Env,
): Promise<Made | readonly Problem[]> {
  const { before, after, id } = edit;
  const refused = (why: string) =>
    new PortError("stale", `edit ${id} of ${edit.path} cannot be restored: ${why}`);
  if (after === null) throw refused("it deleted the file");
  const texts = keptTexts(now?.encoding ?? null, [now], env);
  const to = await texts(after);
  const from = before === null ? Document.fromText("") : await texts(before);
  if (!to || !from) throw refused("the text is not kept");
  if (before === null) {
    if (now && now.version !== to.version) throw refused("another file is there now");
    return { text: to, map: null };
  }
  if (!now) throw refused("there is no such file here");
  const { regions } = edit.change ? LineChange.fromJSON(edit.change) : compare(from, to);
  const merged = merge3({ base: from, ours: to, regions, now });
  return "problems" in merged ? merged.problems : { text: merged.document, map: merged.change };
}
