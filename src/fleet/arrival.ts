import { ifThere, nodeIo, readFile } from "../host/index.js";
import type { JournalEntry } from "../ports/index.js";
import { Document } from "../text/index.js";
import type { Ground } from "./ground.js";
import { OtherTree } from "./other-tree.js";

interface Arrival {
  /** The tree was here before. */
  readonly known: boolean;
  /** The last entry of each of some files. */
  readonly entries: readonly JournalEntry[];
}

/** Texts that are compared line by line, where none is as it was recorded. */
const comparedTexts = 5;
/** A tree that was here before is refused if so many of its files are there and none is like what is on record. */
const enoughFiles = 3;

/**
 * Finds out whether the tree here is the one on record: two containers may each have a folder of that name. The tree is that one if
 * a file that was edited lately is as it was recorded, or has half of its lines still.
 */
export async function arrive(ground: Ground, root: string): Promise<void> {
  const { database, tree, names, processes } = ground;
  const place = `${processes.self().host}:${root}`;
  const [row] = await database.ask("select kedge.arrive_1($1, $2) as answer", [tree, place]);
  const { known, entries } = JSON.parse(row?.answer as string) as Arrival;
  const recorded = entries.filter(({ after }) => after !== null).map((entry) => names.entry(entry));
  const found = recorded.flatMap(({ file, after }) => {
    const bytes = quietly(() => ifThere(() => readFile(nodeIo, file)));
    return bytes && after ? [{ document: Document.parse(bytes), after }] : [];
  });
  const isEnough = known ? found.length >= enoughFiles : recorded.length > 0;
  if (isEnough && !(await isAlike(ground, found))) {
    throw new OtherTree(
      root,
      tree,
      recorded.slice(0, 3).map(({ file }) => file),
    );
  }
  if (!known) await database.ask("select kedge.settle_place_1($1, $2)", [tree, place]);
}

interface Found {
  readonly document: Document;
  /** The version on record. */
  readonly after: string;
}

async function isAlike(ground: Ground, found: readonly Found[]): Promise<boolean> {
  if (found.some(({ document, after }) => document.version === after)) return true;
  const some = found.slice(0, comparedTexts);
  const texts = await ground.texts.get(some.map(({ after }) => after));
  return some.some(({ document, after }) => {
    const before = texts.get(after);
    return before !== undefined && hasHalf(document, Document.parse(before));
  });
}

function hasHalf(now: Document, before: Document): boolean {
  const lines = new Set(now.lines());
  const old = before.lines().filter((line) => line.trim() !== "");
  return old.length > 0 && 2 * old.filter((line) => lines.has(line)).length >= old.length;
}

function quietly<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
