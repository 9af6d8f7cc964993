/** Whose uncommitted lines a text holds, by the journal. */
import { compare, LineChange } from "../changes/index.js";
import type { JournalEntry } from "../ports/index.js";
import { Document, LineSet } from "../text/index.js";
import { outside } from "./authors.js";
import { type Owner, type Owners, ownersAfter } from "./line-work.js";

/** Steps of a file that are followed: of a longer journal the newest. */
const mostSteps = 200;

/** Those who may have made an entry. */
export function authorsOf({ agent, authors }: JournalEntry): readonly string[] {
  return authors ?? [agent];
}

type TextOf = (version: string) => Promise<Document | null>;

/** `base` is the text in the commit: lines that stand in it belong to nobody. */
export async function ownersOf(
  text: Document,
  base: Document | null,
  entries: readonly JournalEntry[],
  textOf: TextOf,
): Promise<Owners> {
  const found = await followed(text, entries.slice(-mostSteps), textOf);
  if (!base) return found;
  const committed = LineSet.all(text.lineCount).subtract(writtenIn(compare(base, text)));
  return found.map((owner, at) => (committed.has(at) ? null : owner));
}

function writtenIn({ regions }: LineChange): LineSet {
  return LineSet.of(
    regions.map(({ bStart, bEnd }) => [bStart, bEnd] as const).filter(([start, end]) => start < end),
  );
}

/** A text of the file, and whose its lines are. */
interface Standing {
  readonly version: string | null;
  readonly owners: Owners;
}

const person: Owner = { authors: [outside], command: "" };

async function followed(text: Document, entries: readonly JournalEntry[], textOf: TextOf): Promise<Owners> {
  let at: Standing | null = null;
  for (const entry of entries) {
    const before: Owners | null =
      at !== null && at.version === entry.before ? at.owners : await arrive(at, entry.before, textOf);
    const change = changeOf(entry);
    if (!before || !change || change.before !== before.length) {
      at = null;
      continue;
    }
    const by = { authors: authorsOf(entry), command: entry.tool === "shell" ? (entry.cause ?? "") : "" };
    at = { version: entry.after, owners: ownersAfter(before, change, by, entry.reformat) };
  }
  if (at?.version === text.version) return at.owners;
  const last = at && (await textIn(at.version, textOf));
  if (!at || !last || last.lineCount !== at.owners.length) return new Array(text.lineCount).fill(person);
  return ownersAfter(at.owners, compare(last, text), person);
}

function changeOf({ change }: JournalEntry): LineChange | null {
  try {
    return change ? LineChange.fromJSON(change) : null;
  } catch {
    return null;
  }
}

/** The owners of a text that nobody journaled a step to: what is new in it is somebody else's. */
async function arrive(at: Standing | null, version: string | null, textOf: TextOf): Promise<Owners | null> {
  const to = await textIn(version, textOf);
  const from = at && (await textIn(at.version, textOf));
  if (!to) return null;
  if (!at || !from || from.lineCount !== at.owners.length) return new Array(to.lineCount).fill(person);
  return ownersAfter(at.owners, compare(from, to), person);
}

async function textIn(version: string | null, textOf: TextOf): Promise<Document | null> {
  return version === null ? Document.fromText("") : textOf(version);
}
