import { relative, sep } from "node:path";
import { findRepository, homeFolder } from "../host/index.js";
import type { Files } from "../ports/index.js";
import { type Observed, Tree } from "./tree.js";
import type { TreeStore } from "./tree-store.js";
import type { TreeMode } from "./tree-text.js";
import { TreeWatcher } from "./watcher.js";

interface TreeSetup {
  /** The top of the workspace. */
  readonly root: string;
  readonly files: Files;
  readonly store: TreeStore;
  readonly clock: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mode: TreeMode;
  /** Milliseconds that it may take to list the tree. */
  readonly patience?: number;
}

const usualPatience = 1_500;

/** The tree of a workspace on this machine. */
export function openTree({ root, env, patience = usualPatience, ...setup }: TreeSetup): Tree {
  const where = { root, repository: findRepository(root), isHome: isInside(root, homeFolder(env)) };
  return new Tree({ ...setup, ...where, patience });
}

interface WatchSetup extends Omit<TreeSetup, "mode"> {
  readonly mode: TreeMode | undefined;
  readonly agent: string;
  readonly log: (line: string) => void;
  /** Is told of the first recording in a workspace. */
  readonly first: (recorded: Pick<Observed, "kept" | "left">) => void;
}

/** Watches the tree of a workspace around the calls of a session; null where the person turned that off. */
export function watchTree({ mode = "dirty", agent, log, first, ...setup }: WatchSetup): TreeWatcher | null {
  if (mode === "off") return null;
  const { root, clock } = setup;
  return new TreeWatcher({ tree: openTree({ ...setup, mode }), root, agent, clock, log, first });
}

/** Whether a folder lies in another one, or is it. */
function isInside(folder: string, inner: string): boolean {
  const way = relative(folder, inner);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`));
}
