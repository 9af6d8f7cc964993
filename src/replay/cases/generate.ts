import { carry } from "./carry.js";
import { type Case, type Draft, isCrlf, linesOf, makeCase, setHash, toLf, withEnds } from "./case.js";
import { difference } from "./difference.js";
import type { FileChange, FileMerge, Source } from "./git-source.js";
import { makers, retyped } from "./made-writers.js";
import { mergeCase } from "./merge-case.js";
import { type Random, seeded } from "./random.js";

export interface CaseSet {
  readonly name: string;
  readonly seed: string;
  readonly hash: string;
  readonly cases: readonly Case[];
  /** How the pairs of consecutive changes that were drawn for the sample fell out, by class or by why not. */
  readonly drawn: Readonly<Record<string, number>>;
}

interface GenerateOptions {
  readonly source: Source;
  readonly seed: string;
  readonly cases: number;
  readonly onProgress?: (done: number, of: number) => void;
}

type Pair = readonly [FileChange, FileChange];

const natural = [
  ...["far-noshift", "far-shift", "near", "dup-shift", "touch", "same-gap", "conflict-linear"],
  ...["ambig", "moved-real"],
];
export const classNames: readonly string[] = [
  ...natural,
  ...["block-lost", "merge-clean", "conflict-merge"],
  ...Object.keys(makers),
];

const chunk = 20;
/** Texts are read of so many pairs at once: to start git takes longer than to read them. */
const ahead = 120;
/** Rare classes are looked for in so many pairs for each case wanted, then given up. */
const triesForRare = 12;

/**
 * Half of the cases are the unweighted sample: consecutive changes drawn with equal chance, each as what it is. The
 * other half fills the classes evenly, so that rare ones are seen at all.
 */
export async function generate({ source, seed, cases, onProgress }: GenerateOptions): Promise<CaseSet> {
  const random = seeded(seed);
  const pairs = random.shuffle(consecutive(await source.changes()));
  const sample = Math.ceil(cases / 2);
  const drawer = new Drawer(source, random, Math.ceil((cases - sample) / classNames.length));
  const reader = new Reader(source, pairs);
  const last = Math.min(pairs.length, cases * triesForRare);
  // A short history leaves one half for the classes.
  const half = Math.ceil(pairs.length / 2);
  let at = 0;
  for (; at < half && drawer.sampled < sample; at = Math.min(at + chunk, half)) {
    drawer.draw(await reader.read(at, Math.min(at + chunk, half)), sample);
    onProgress?.(drawer.size, cases);
  }
  const drawn = drawer.sampled;
  for (; at < last && !drawer.isFull(); at += chunk) {
    drawer.draw(await reader.read(at, Math.min(at + chunk, pairs.length)), drawn);
    // Rare classes may not be found at all: then what was looked through says how far it is.
    onProgress?.(Math.max(drawer.size, Math.floor((cases * at) / last)), cases);
  }
  for (const merge of random.shuffle(await source.merges()).slice(0, Math.ceil(cases / 2))) {
    if (drawer.isWithout("merge-clean") || drawer.isWithout("conflict-merge")) await drawer.drawMerge(merge);
    onProgress?.(drawer.size, cases);
  }
  const found = drawer.cases;
  return { name: source.name, seed, hash: setHash(found), cases: found, drawn: drawer.drawn };
}

/** Changes of one file of which the second starts from what the first left. */
function consecutive(changes: readonly FileChange[]): Pair[] {
  const next = new Map<string, FileChange>();
  for (const change of changes) next.set(`${change.path}\0${change.before}`, change);
  return changes.flatMap((first): Pair[] => {
    const second = next.get(`${first.path}\0${first.after}`);
    return second && second.after !== first.before ? [[first, second]] : [];
  });
}

interface Read {
  readonly pair: Pair;
  /** V0, V1, V2; null where one of them is not fit for a case. */
  readonly texts: readonly [string, string, string] | null;
}

/** Pairs with their texts, in order. */
class Reader {
  private from = 0;
  private held: Read[] = [];

  constructor(
    private readonly source: Source,
    private readonly pairs: readonly Pair[],
  ) {}

  async read(from: number, to: number): Promise<Read[]> {
    if (to > this.from + this.held.length) {
      this.from = from;
      this.held = await this.fetch(this.pairs.slice(from, from + ahead));
    }
    return this.held.slice(from - this.from, to - this.from);
  }

  private async fetch(pairs: readonly Pair[]): Promise<Read[]> {
    const blobs = pairs.flatMap(([first, second]) => [first.before, first.after, second.after]);
    const texts = await this.source.texts(blobs);
    return pairs.map((pair, at) => {
      const [v0, v1, v2] = texts.slice(at * 3, at * 3 + 3);
      return { pair, texts: v0 && v1 && v2 ? [v0, v1, v2] : null };
    });
  }
}

class Drawer {
  readonly cases: Case[] = [];
  readonly drawn: Record<string, number> = {};
  sampled = 0;
  private readonly counts = new Map<string, number>();
  private readonly ids = new Set<string>();

  constructor(
    private readonly source: Source,
    private readonly random: Random,
    private readonly quota: number,
  ) {}

  get size(): number {
    return this.cases.length;
  }

  isWithout(name: string): boolean {
    return (this.counts.get(name) ?? 0) < this.quota;
  }

  isFull(): boolean {
    return !classNames.some((name) => !/merge|moved-real/.test(name) && this.isWithout(name));
  }

  draw(read: readonly Read[], sample: number): void {
    for (const { pair, texts } of read) if (texts) this.drawPair(pair, texts, sample);
  }

  private drawPair([first, second]: Pair, real: readonly [string, string, string], sample: number): void {
    const { path } = first;
    const texts = real.map(toLf) as [string, string, string];
    const ends = [isCrlf(real[0]), isCrlf(real[1])] as const;
    const origin = `${first.commit.slice(0, 12)} ${second.commit.slice(0, 12)}`;
    const carried = carry({ path, origin, texts, converted: ends[0] !== ends[1] });
    const kind = "class" in carried ? carried.class : carried.without;
    if (this.sampled < sample) {
      this.drawn[kind] = (this.drawn[kind] ?? 0) + 1;
      if ("class" in carried && this.add(withEnds(carried, ends), true)) this.sampled++;
      return;
    }
    if ("class" in carried && this.isWithout(kind)) this.add(withEnds(carried, ends));
    const hunks = difference(linesOf(texts[0]), linesOf(texts[1]));
    if (!hunks || hunks.length === 0) return;
    if ("class" in carried && /^(far|near|dup)/.test(kind) && this.isWithout("block-lost")) {
      const block = retyped(carried, hunks);
      if (block) this.add(withEnds(block, ends));
    }
    const edit = { path, origin: first.commit.slice(0, 12), base: texts[0], after: texts[1], edits: hunks };
    // One made case of each change at most: else small histories would fill the set with one edit.
    for (const name of this.random.shuffle(Object.keys(makers))) {
      if (!this.isWithout(name)) continue;
      const draft = makers[name]?.(edit, this.random);
      const kept = [ends[0], ends[0]] as const;
      if (draft && this.add(draft.class === "crlf" ? draft : withEnds(draft, kept))) return;
    }
  }

  async drawMerge(merge: FileMerge): Promise<void> {
    const base = await this.source.parting(merge);
    if (base === null) return;
    const texts = await this.source.texts([base, ...merge.sides, merge.merged]);
    const [parted, left, right, merged] = texts;
    if (!parted || !left || !right || !merged) return;
    const [first, agent] = this.random.below(2) === 0 ? [left, right] : [right, left];
    const origin = merge.commit.slice(0, 12);
    const draft = mergeCase({
      ...{ path: merge.path, origin, base: toLf(parted) },
      ...{ first: toLf(first), agent: toLf(agent), merged: toLf(merged) },
    });
    if (draft && this.isWithout(draft.class)) this.add(withEnds(draft, [isCrlf(parted), isCrlf(first)]));
  }

  private add(draft: Draft, sampled = false): boolean {
    const made = makeCase(draft);
    if (this.ids.has(made.id)) return false;
    this.ids.add(made.id);
    this.cases.push({ ...made, sampled });
    if (!sampled) this.counts.set(made.class, (this.counts.get(made.class) ?? 0) + 1);
    return true;
  }
}
