import { recordFrom } from "./tree-record.js";
import { loadTree, type TreeStore } from "./tree-store.js";

/** Numbers that the last look at a tree left, for people who wonder. */
export interface OnRecord {
  /** Files whose texts are on record. */
  readonly kept: number;
  /** Files that the bounds leave out. */
  readonly left: number;
  /** The look took too long, and covered only files known before. */
  readonly isNarrow: boolean;
}

/** null: nobody has looked at it. */
export async function treeOnRecord(store: TreeStore, root: string): Promise<OnRecord | null> {
  const record = recordFrom((await loadTree(store, root))?.value ?? null);
  if (!record) return null;
  const { files, left, isNarrow } = record;
  return { kept: [...files.values()].filter(({ isKept }) => isKept).length, left, isNarrow };
}
