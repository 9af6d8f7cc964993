/** The records of version 0.1.0 for a workspace: its journal is taken over, its texts are read where they are. */
import { ifThere, nameOf, newToken, readFile, reason, withoutChecksum } from "../host/index.js";
import type { JournalEntry } from "../ports/index.js";
import { Journal } from "./journal.js";
import { namesIn } from "./lines/line-file.js";
import type { StoreContext } from "./lines/replace-file.js";
import { removeTree } from "./prune.js";
import { unpack } from "./versions.js";

const entriesAtOnce = 500;

/**
 * Begins the record of a workspace with the journal of an earlier one. The folder gets its name once it is whole: of two
 * processes that start at once one takes over, and one that dies in the middle leaves it to the next.
 */
export function takeOver(context: StoreContext, older: string): void {
  const { io, platform, clock, folder, report } = context;
  if (io.isThere(folder) || !io.isThere(older)) return;
  const begun = `${folder}.${newToken(clock)}.tmp`;
  try {
    const journal = new Journal({ ...context, folder: begun });
    const entries = journalIn({ ...context, folder: older });
    for (let at = 0; at < entries.length; at += entriesAtOnce)
      journal.append(entries.slice(at, at + entriesAtOnce));
    if (entries.length === 0) return;
    io.rename(begun, folder);
    report(
      `${entries.length} entries of the journal of version 0.1.0 were taken over; files are read again, once`,
    );
  } catch (error) {
    // Another process may have been first; otherwise the next start tries again.
    if (!io.isThere(platform.path.join(folder, "journal")))
      report(`${older} cannot be taken over: ${reason(error)}`);
    ifThere(() => removeTree(context, begun));
  }
}

/** Oldest first. Lines that nobody can read are left out, as ever. */
function journalIn(context: StoreContext): JournalEntry[] {
  const names = namesIn(context, context.folder).filter((name) => /^journal(-.*)?\.jsonl$/.test(name));
  // The one without a number is the newest.
  const ordered = names.sort(
    (one, two) => Number(one === "journal.jsonl") - Number(two === "journal.jsonl") || (one < two ? -1 : 1),
  );
  return ordered.flatMap((name) => {
    const bytes = readFile(context.io, context.platform.path.join(context.folder, name));
    return new TextDecoder()
      .decode(bytes ?? undefined)
      .split("\n")
      .flatMap(olderEntries);
  });
}

function olderEntries(line: string): JournalEntry[] {
  try {
    const entry = withoutChecksum(line) as JournalEntry | null;
    return typeof entry?.id === "string" && typeof entry.file === "string" ? [entry] : [];
  } catch {
    return [];
  }
}

/** A text that version 0.1.0 kept: a file each, packed. */
export function olderVersion({ io, platform }: StoreContext, older: string, id: string): Uint8Array | null {
  const name = /^[0-9a-f]{8,64}$/.test(id) ? id : nameOf(id);
  const path = platform.path.join(older, "versions", `${name}.z`);
  try {
    const packed = io.isThere(path) ? readFile(io, path) : null;
    return packed && unpack(packed);
  } catch {
    return null;
  }
}
