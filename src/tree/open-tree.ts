import { relative, sep } from "node:path";
import { findRepository, homeFolder } from "../host/index.js";
import type { Files } from "../ports/index.js";
import { Tree } from "./tree.js";
import type { TreeStore } from "./tree-store.js";
import type { TreeMode } from "./tree-text.js";

interface TreeSetup {
  /** The top of the workspace. */
  readonly root: string;
  readonly files: Files;
  readonly store: TreeStore;
  readonly clock: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mode: TreeMode;
}

/** The tree of a workspace on this machine. */
export function openTree({ root, files, store, clock, env, mode }: TreeSetup): Tree {
  const repository = findRepository(root);
  return new Tree({ root, repository, files, store, clock, mode, isHome: isInside(root, homeFolder(env)) });
}

/** Whether a folder lies in another one, or is it. */
function isInside(folder: string, inner: string): boolean {
  const way = relative(folder, inner);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`));
}
