/** The uncommitted lines of one text, in one order with those of HEAD, and any part of them as a text. Pure. */
import { type Author, isSameAuthor, nameOfAuthor, unrecorded } from "../author.js";
import { bestPairs } from "./best-pairs.js";
import { type Replacement, removerIn, type Weave, type WovenLine } from "./weave.js";

/** One line of HEAD, of the file now, or of both. */
export interface Item {
  readonly text: string;
  readonly kind: "kept" | "removed" | "inserted";
  /** The author of the change; null for a line that stays. */
  readonly author: Author | null;
  readonly line: WovenLine | null;
  /** A line that was removed and written anew is kept: the other one of the two. */
  readonly twin?: WovenLine | null;
  /** Items between two kept ones have one number; -1 for a kept one. */
  readonly region: number;
}

type Loose = Omit<Item, "region">;

/** Joins a weave, in which the lines alive are the file now, with the lines of HEAD: those found in it, and the others. */
export function itemsOf(weave: Weave, head: readonly string[], found: readonly (WovenLine | null)[]): Item[] {
  const isInHead = new Set(weave.include(head, found));
  const lines = [...weave.all()].filter((line) => line.isAlive || isInHead.has(line));
  const anew = new Map<WovenLine, Author>();
  const all = lines.map((line): Loose => {
    const { text, isAlive } = line;
    if (isInHead.has(line)) return { text, kind: isAlive ? "kept" : "removed", author: null, line };
    const { author, committed } = writerOf(line, isInHead);
    if (committed && !anew.has(committed)) anew.set(committed, author);
    return { text, kind: "inserted", author, line };
  });
  const removers = remembering(removerIn);
  const authors = all.map((item) => {
    const { kind, line } = item;
    if (kind !== "removed" || !line) return item;
    const remover = line.diedIn && removers(line.diedIn);
    return { ...item, author: anew.get(line) ?? remover ?? unrecorded };
  });
  return numbered(regionsOf(authors).flatMap(withoutEqual));
}

/**
 * A line keeps its author in another layout, unless it is committed as it was: then the layout is all that a commit holds of
 * it, and the former line goes with it.
 */
function writerOf(
  line: WovenLine,
  isInHead: ReadonlySet<WovenLine>,
): { readonly author: Author; readonly committed: WovenLine | null } {
  for (let at = line; at.former; at = at.former)
    if (isInHead.has(at.former)) return { author: at.bornIn?.author ?? unrecorded, committed: at.former };
  return { author: line.by ?? unrecorded, committed: null };
}

/** Runs of kept items, and of others, in turn. */
function regionsOf(items: readonly Loose[]): Loose[][] {
  const runs: Loose[][] = [];
  for (const item of items) {
    const last = runs.at(-1)?.at(-1);
    if (last && (last.kind === "kept") === (item.kind === "kept")) runs.at(-1)?.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** Cells of a table that is worth its time. */
const largestRegion = 1_000_000;

/** A line that was removed and written anew is no change to git. */
function withoutEqual(items: Loose[]): Loose[] {
  const removed = items.filter(({ kind }) => kind === "removed");
  const inserted = items.filter(({ kind }) => kind === "inserted");
  const order = new Map(items.map((item, at) => [item, at]));
  const isBetween = { removed: betweenIn(removed, items), inserted: betweenIn(inserted, items) };
  const pairs = pairsOf(removed, inserted, isBetween);
  if (pairs.length === 0) return items;
  const result: Loose[] = [];
  let [r, i] = [0, 0];
  const between = (rEnd: number, iEnd: number): void => {
    const some = [...removed.slice(r, rEnd), ...inserted.slice(i, iEnd)];
    result.push(...some.sort((one, two) => (order.get(one) as number) - (order.get(two) as number)));
    [r, i] = [rEnd + 1, iEnd + 1];
  };
  for (const [rAt, iAt] of pairs) {
    between(rAt, iAt);
    const [old, made] = [removed[rAt] as Loose, inserted[iAt] as Loose];
    const [one, other] = isBetween.removed(old, made) ? [old, made] : [made, old];
    result.push({ ...made, line: one.line, twin: other.line, kind: "kept", author: null });
  }
  between(removed.length, inserted.length);
  return result;
}

/** Tells whether some of these items stand between two of all. */
type Between = (one: Loose, other: Loose) => boolean;

function betweenIn(some: readonly Loose[], all: readonly Loose[]): Between {
  const counted = new Set(some);
  const before = new Map<Loose, number>();
  let count = 0;
  for (const item of all) {
    before.set(item, count);
    if (counted.has(item)) count++;
  }
  return (one, other) => {
    const [from, to] = [before.get(one) as number, before.get(other) as number];
    const [low, first] = from <= to ? [from, one] : [to, other];
    return Math.max(from, to) - low > (counted.has(first) ? 1 : 0);
  };
}

/**
 * A pair takes the place of one of its lines in the weave, so that the texts of all commits have their lines in its order:
 * no removed line may stand between the two, or no new one.
 */
function pairsOf(
  removed: readonly Loose[],
  inserted: readonly Loose[],
  isBetween: Readonly<Record<"removed" | "inserted", Between>>,
): [number, number][] {
  if (removed.length * inserted.length > largestRegion) return [];
  const texts = new Set(removed.map(({ text }) => text));
  if (!inserted.some(({ text }) => texts.has(text))) return [];
  return bestPairs(removed.length, inserted.length, (row, column) => {
    const [one, two] = [removed[row] as Loose, inserted[column] as Loose];
    if (one.text !== two.text) return Number.NEGATIVE_INFINITY;
    if (isBetween.removed(one, two) && isBetween.inserted(one, two)) return Number.NEGATIVE_INFINITY;
    // Prefers those of one author among equal lines: to write one's own line again is no change.
    return isSameAuthor(one.author, two.author) ? 1001 : 1000;
  });
}

function numbered(items: readonly Loose[]): Item[] {
  let region = -1;
  let isOpen = false;
  return items.map((item) => {
    if (item.kind !== "kept" && !isOpen) region++;
    isOpen = item.kind !== "kept";
    return { ...item, region: isOpen ? region : -1 };
  });
}

/** The lines of HEAD with some of the changes. A line that ends the text with no line break gets one if another follows. */
export function linesWith(items: readonly Item[], isTaken: (item: Item) => boolean): Item[] {
  return items.filter((item) => item.kind === "kept" || (item.kind === "inserted") === isTaken(item));
}

export function joined(lines: readonly { readonly text: string }[]): string {
  const ending = lines.find(({ text }) => text.endsWith("\n"))?.text.endsWith("\r\n") ? "\r\n" : "\n";
  return lines
    .map(({ text }, at) => (at < lines.length - 1 && !text.endsWith("\n") ? text + ending : text))
    .join("");
}

/** A change that stands on changes of somebody else. */
export interface Need {
  readonly item: Item;
  readonly author: Author;
  /** The changes that have to come along. */
  readonly items: readonly Item[];
}

/**
 * Finds what some changes stand on: a line between two lines of one other author, and a line in the place of one that
 * another author put in the place of a line of HEAD.
 */
export function needsOf(items: readonly Item[], taken: ReadonlySet<Item>): Need[] {
  const regions = new Map<number, Item[]>();
  for (const item of items) {
    if (item.region < 0) continue;
    const region = regions.get(item.region);
    if (region) region.push(item);
    else regions.set(item.region, [item]);
  }
  return [...regions.values()].flatMap((region) => needsIn(region, taken));
}

function needsIn(region: readonly Item[], taken: ReadonlySet<Item>): Need[] {
  const left = leftBy(region, taken);
  if (left.size === 0 || !region.some((item) => taken.has(item))) return [];
  const lines = region.filter(({ kind }) => kind === "inserted");
  const spans = spansOf(lines);
  const replaced = replacedIn(region);
  return lines.flatMap((item, at) => {
    if (!taken.has(item)) return [];
    const names = new Set(replaced(item).map(nameOfAuthor));
    for (const [name, [first, last]] of spans) if (first < at && at < last) names.add(name);
    names.delete(nameOfAuthor(item.author));
    return [...names].flatMap((name) => {
      const found = left.get(name);
      return found ? [{ item, ...found }] : [];
    });
  });
}

/** The changes that are not taken, by their authors. */
function leftBy(region: readonly Item[], taken: ReadonlySet<Item>): Map<string, Omit<Need, "item">> {
  const found = new Map<string, { readonly author: Author; readonly items: Item[] }>();
  for (const item of region) {
    if (!item.author || taken.has(item)) continue;
    const name = nameOfAuthor(item.author);
    const known = found.get(name);
    if (known) known.items.push(item);
    else found.set(name, { author: item.author, items: [item] });
  }
  return found;
}

/** The places of the first and the last line of each author. */
function spansOf(lines: readonly Item[]): Map<string, [first: number, last: number]> {
  const found = new Map<string, [number, number]>();
  for (const [at, { author }] of lines.entries()) {
    const name = nameOfAuthor(author);
    const span = found.get(name);
    if (span) span[1] = at;
    else found.set(name, [at, at]);
  }
  return found;
}

/** Finds authors of uncommitted lines that a line replaced, whose removals of lines of HEAD are still theirs. */
function replacedIn(region: readonly Item[]): (item: Item) => readonly (Author | null)[] {
  const removed = new Set(region.flatMap((one) => (one.kind === "removed" && one.line ? [one.line] : [])));
  const stands = remembering(
    ({ removed: gone, inserted }: Replacement) =>
      gone.some((one) => removed.has(one)) && inserted.some(({ isAlive }) => isAlive),
  );
  const authors = remembering((by: Replacement) => {
    const found = new Map<string, Author | null>();
    for (const one of by.removed)
      if (one.bornIn && stands(one.bornIn)) found.set(nameOfAuthor(one.by), one.by);
    return [...found.values()];
  });
  return ({ line }) => (line?.bornIn ? authors(line.bornIn) : []);
}

/** Answers for each key once: thousands of lines share one replacement. */
export function remembering<Key, Answer>(ask: (key: Key) => Answer): (key: Key) => Answer {
  const known = new Map<Key, Answer>();
  return (key) => {
    if (!known.has(key)) known.set(key, ask(key));
    return known.get(key) as Answer;
  };
}
