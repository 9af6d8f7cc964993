/** The part of the work on a tree that one author asks for, and what it stands on. Pure. */
import { type Author, isOfParty, isSameAuthor, nameOfAuthor, type Party, unrecorded } from "./author.js";
import type { FileWork } from "./file-work.js";
import { type Item, joined, linesWith, type Need, needsOf } from "./lines/text-work.js";
import type { MissingNeed } from "./refusal.js";

/** A commit's change of one path. */
export interface PlannedFile {
  readonly work: FileWork;
  /** null: the file goes. */
  readonly bytes: Uint8Array | null;
  readonly mode: string | null;
  /** The lines of `bytes`; null for a change as a whole. */
  readonly lines: readonly Item[] | null;
  /** Changes that are taken. */
  readonly taken: ReadonlySet<Item>;
}

export interface Plan {
  readonly files: readonly PlannedFile[];
  readonly missing: readonly MissingNeed[];
}

/** `companions`: whose changes come along where the party's stand on them. */
export function planFor(works: readonly FileWork[], party: Party, companions: readonly Party[]): Plan {
  const isOwn = (author: Author | null): boolean => author !== null && isOfParty(party, author);
  const isCompanion = (author: Author): boolean => companions.some((one) => isOfParty(one, author));
  const planned = works.map((work) => (work.items ? textPlan : wholePlan)(work, { isOwn, isCompanion }));
  return {
    files: planned.flatMap(({ file }) => (file ? [file] : [])),
    missing: planned.flatMap(({ missing }) => missing),
  };
}

interface Choice {
  readonly isOwn: (author: Author | null) => boolean;
  readonly isCompanion: (author: Author) => boolean;
}

interface Planned {
  readonly file: PlannedFile | null;
  readonly missing: readonly MissingNeed[];
}

const nothing: Planned = { file: null, missing: [] };

function wholePlan(work: FileWork, { isOwn }: Choice): Planned {
  if (!isOwn(work.author)) return nothing;
  const { bytes, mode } = work;
  return { file: { work, bytes, mode, lines: null, taken: new Set() }, missing: [] };
}

function textPlan(work: FileWork, choice: Choice): Planned {
  const items = work.items as readonly Item[];
  const taken = new Set(items.filter(({ author }) => choice.isOwn(author)));
  const isNew = work.creator !== null;
  // Nobody can tell who made a file executable.
  const hasMode = work.head !== null && work.head.mode !== work.mode && choice.isOwn(unrecorded);
  const isMadeEmpty = isNew && choice.isOwn(work.creator) && (work.from !== null || items.length === 0);
  if (taken.size === 0 && !hasMode && !isMadeEmpty) return nothing;
  const created = creationNeed(work, taken, choice);
  const others = complete(work, taken, choice).filter(
    ({ author }) => !created.some((need) => isSameAuthor(need.author, author)),
  );
  const missing = [...created, ...others];
  const lines = linesWith(items, (item) => taken.has(item));
  const mode = hasMode || !work.head ? work.mode : work.head.mode;
  return { file: { work, bytes: Buffer.from(joined(lines), "latin1"), mode, lines, taken }, missing };
}

/** A line in another's new file stands on all that they wrote there; in a file that another moved, on the move. */
function creationNeed(work: FileWork, taken: Set<Item>, { isOwn, isCompanion }: Choice): MissingNeed[] {
  const { creator, from, path } = work;
  const items = work.items as readonly Item[];
  if (!creator || isOwn(creator)) return [];
  const theirs = items.filter(({ author }) => nameOfAuthor(author) === nameOfAuthor(creator));
  if (from === null && theirs.length === 0) return [];
  if (isCompanion(creator)) {
    if (from === null) for (const item of theirs) taken.add(item);
    return [];
  }
  const why = from === null ? "new" : "moved";
  const numbers = numbersIn(items);
  const standing = theirs.flatMap((item) => numbers.get(item) ?? []);
  return [{ path, author: creator, lines: numbersOf(taken, items), standing, why }];
}

/** Takes along what companions' changes are needed, and what those stand on in their turn. */
function complete(
  { items, path }: FileWork,
  taken: Set<Item>,
  { isOwn, isCompanion }: Choice,
): MissingNeed[] {
  const all = items as readonly Item[];
  for (;;) {
    const needs = needsOf(all, taken);
    const along = needs.filter(({ author }) => isOwn(author) || isCompanion(author));
    for (const needed of new Set(along.map((need) => need.items))) for (const item of needed) taken.add(item);
    if (along.length === 0) return grouped(needs, all, path);
  }
}

function grouped(needs: readonly Need[], items: readonly Item[], path: string): MissingNeed[] {
  const numbers = numbersIn(items);
  const found = new Map<string, { author: Author; lines: number[]; standing: Set<readonly Item[]> }>();
  for (const { item, author, items: needed } of needs) {
    const name = nameOfAuthor(author);
    const one = found.get(name) ?? { author, lines: [], standing: new Set() };
    one.lines.push(numbers.get(item) as number);
    one.standing.add(needed);
    found.set(name, one);
  }
  return [...found.values()].map(({ author, lines, standing }) => {
    const theirs = [...standing].flat().flatMap((item) => numbers.get(item) ?? []);
    return { path, author, lines, standing: theirs, why: "between" as const };
  });
}

/** Line numbers, from 1, in the file now. */
function numbersIn(items: readonly Item[]): Map<Item, number> {
  return new Map(items.filter(({ kind }) => kind !== "removed").map((item, at) => [item, at + 1]));
}

function numbersOf(taken: ReadonlySet<Item>, items: readonly Item[]): number[] {
  const numbers = numbersIn(items);
  return [...taken].flatMap((item) => numbers.get(item) ?? []);
}
