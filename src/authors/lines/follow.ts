/** Follows a file through the journal to the text now: a weave of its lines. */
import { compare, LineChange } from "../../changes/index.js";
import type { JournalEntry, StoreReader } from "../../ports/index.js";
import { Document } from "../../text/index.js";
import { authorOf, isReformat, unrecorded } from "../author.js";
import { type StateText, Weave } from "./weave.js";

/** A text that can be compared; `lines` have their line breaks. */
export interface KeptText extends StateText {
  readonly document: Document;
}

const noFile: KeptText = { version: "", lines: [], document: Document.parse(new Uint8Array(0)) };

export function linesOf(bytes: Uint8Array): string[] {
  return (
    Buffer.from(bytes)
      .toString("latin1")
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}

/** A text as git would keep it: line breaks of Windows become those of git where git converts them. */
export type Cleaning = (line: string) => string;

/** null where its lines are not those that the journal counts: UTF-16, or bytes that are no text. */
export function stateText(document: Document, clean: Cleaning): KeptText | null {
  const lines = linesOf(document.bytes);
  if (document.isBinary || lines.length !== document.lineCount) return null;
  return { version: document.version, lines: lines.map(clean), document };
}

const versionsAtOnce = 32;

/** Texts by version, loaded ahead some at a time. */
class Texts {
  private readonly loaded = new Map<string, KeptText | null>();

  constructor(
    private readonly store: Pick<StoreReader, "versions">,
    private readonly wanted: readonly string[],
    private readonly now: KeptText,
    private readonly clean: Cleaning,
  ) {}

  async of(version: string | null): Promise<KeptText | null> {
    if (version === null) return noFile;
    if (version === this.now.version) return this.now;
    const known = this.loaded.get(version);
    if (known !== undefined) return known;
    const at = Math.max(0, this.wanted.indexOf(version));
    const ids = [...new Set([version, ...this.wanted.slice(at, at + versionsAtOnce)])];
    const found = await this.store.versions(ids);
    this.loaded.clear();
    for (const id of ids) {
      const bytes = found.get(id);
      const document = bytes ? Document.parse(bytes) : null;
      this.loaded.set(id, document?.version === id ? stateText(document, this.clean) : null);
    }
    return this.loaded.get(version) ?? null;
  }
}

interface Following {
  readonly store: Pick<StoreReader, "versions">;
  readonly clean: Cleaning;
}

/** Entries of one file, oldest first. */
export async function follow(
  entries: readonly JournalEntry[],
  now: KeptText,
  { store, clean }: Following,
): Promise<Weave> {
  const steps = entries.filter(({ kind, before, after, to }) => isStep(kind) && (before ?? after ?? to));
  const wanted = steps.flatMap(({ before, after }) => [before, after].filter((id) => id !== null));
  const texts = new Texts(store, wanted, now, clean);
  let weave: Weave | null = null;
  for (const entry of steps) {
    // A move leaves the text as it is, and no file where it was.
    if (entry.to !== undefined || (entry.kind === "undo" && isMoveBack(entry, weave))) continue;
    const before = await texts.of(entry.before);
    const after = await texts.of(entry.after);
    if (before) weave = arrive(weave, before);
    if (!weave || !before || !after) {
      // The lines of an unknown text cannot be told: those of the next known one count as old.
      weave = after ? new Weave(after) : null;
      continue;
    }
    weave = stepped(weave, before, after, entry);
  }
  return arrive(weave, now);
}

const isStep = (kind: string): boolean => kind === "commit" || kind === "undo";

function isMoveBack({ before, after }: JournalEntry, weave: Weave | null): boolean {
  return before === null && after !== null && weave?.version === after;
}

/** Goes on to a text that nobody journaled a step to. */
function arrive(weave: Weave | null, text: KeptText): Weave {
  if (!weave) return new Weave(text);
  if (weave.version === text.version) return weave;
  const before = Document.parse(Buffer.from(weave.text.lines.join(""), "latin1"));
  weave.step(text, { author: unrecorded, change: compare(before, text.document) });
  return weave;
}

function stepped(weave: Weave, before: KeptText, after: KeptText, entry: JournalEntry): Weave {
  const author = authorOf(entry);
  const change = readChange(entry, before, after) ?? compare(before.document, after.document);
  weave.step(after, { author, change, isReformat: isReformat(entry), restored: entry.edits ?? [] });
  return weave;
}

/** The journaled change, if it is one of these texts: each line outside of it reads the same. */
function readChange({ change }: JournalEntry, before: KeptText, after: KeptText): LineChange | null {
  try {
    const read = change ? LineChange.fromJSON(change) : null;
    if (read?.before !== before.lines.length || read.after !== after.lines.length) return null;
    const isSound = read.regions.every(({ aStart, bStart }, at) =>
      isSameSpan(before, after, [read.regions[at - 1]?.aEnd ?? 0, aStart, bStart]),
    );
    const { aEnd = 0, bEnd = 0 } = read.regions.at(-1) ?? {};
    return isSound && isSameSpan(before, after, [aEnd, read.before, bEnd + read.before - aEnd]) ? read : null;
  } catch {
    return null;
  }
}

/** `at`: the lines [start, end) of the text before, and where their end is in the text after. */
function isSameSpan(
  before: KeptText,
  after: KeptText,
  [start, end, bEnd]: readonly [number, number, number],
): boolean {
  return before.document.isSameLines(start, end, after.document, bEnd - (end - start));
}
