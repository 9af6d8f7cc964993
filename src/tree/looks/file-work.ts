/** Whose uncommitted lines a text holds, by the journal. */
import { compare, type LineChange, pairLayout, readChange } from "../../changes/index.js";
import type { JournalEntry } from "../../ports/index.js";
import { Document, LineSet, outside } from "../../text/index.js";
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
  /** Owners of lines that a sweep removed, by their texts: the lines belong to them again when they are back. */
  const taken = new Map<string, Owner | null>();
  for (const entry of entries) {
    const before: Owners | null =
      at !== null && at.version === entry.before ? at.owners : await arrive(at, entry.before, textOf);
    const change = await changeOf(entry, textOf);
    if (!before || !change || change.before !== before.length) {
      at = null;
      continue;
    }
    const command = entry.tool === "shell" ? (entry.cause ?? "") : "";
    // Lines of a commit belong to nobody.
    const by = entry.clean ? null : { authors: authorsOf(entry), command };
    const owners = ownersAfter(before, change, by, entry.reformat);
    if (taken.size > 0) giveBack(owners, change, { taken, text: await textIn(entry.after, textOf) });
    if (entry.swept) take(before, entry.swept, { taken, text: await textIn(entry.before, textOf) });
    at = { version: entry.after, owners };
  }
  if (at?.version === text.version) return at.owners;
  const last = at && (await textIn(at.version, textOf));
  if (!at || !last || last.lineCount !== at.owners.length) return new Array(text.lineCount).fill(person);
  return ownersAfter(at.owners, compare(last, text), person);
}

interface TakenLines {
  readonly taken: Map<string, Owner | null>;
  readonly text: Document | null;
}

/** Remembers the owners of lines that a sweep removed. */
function take(owners: Owners, swept: readonly number[], { taken, text }: TakenLines): void {
  for (const line of LineSet.fromJSON(swept).indexes())
    if (text && line < text.lineCount) taken.set(text.text(line), owners[line] ?? null);
}

function giveBack(owners: (Owner | null)[], { regions }: LineChange, { taken, text }: TakenLines): void {
  for (const { bStart, bEnd } of regions)
    for (let line = bStart; line < bEnd; line++) {
      const owner = text ? taken.get(text.text(line)) : undefined;
      if (owner) owners[line] = owner;
    }
}

/** Lines that are only laid out anew are the lines that they were. */
async function changeOf(
  { change, before, after, reformat }: JournalEntry,
  textOf: TextOf,
): Promise<LineChange | null> {
  const found = change ? readChange(change) : null;
  if (!found || !reformat) return found;
  const [old, now] = [await textIn(before, textOf), await textIn(after, textOf)];
  return old && now ? pairLayout(old, now, found) : found;
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
