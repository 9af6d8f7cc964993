import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { SchemeName } from "../anchors/index.js";
import { type FleetStore, fleetStore } from "../fleet/index.js";
import { findWorkspace, type Workspace } from "../host/index.js";
import { type Cancellation, PortError } from "../ports/index.js";
import { type NodeStore, type NodeStoreOptions, nodeStore } from "../store/index.js";
import { type NodeFiles, nodeFiles } from "./files.js";
import type { Settings } from "./settings.js";

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** How long, and how much of it, what is recorded of a workspace is kept. */
export function boundsOf({ limits }: Settings): { age?: number; size?: number } {
  return {
    ...(limits?.days ? { age: limits.days * 86_400_000 } : {}),
    ...(limits?.space ? { size: limits.space } : {}),
  };
}

/** The settings that a session takes. */
export interface Policies extends Pick<Settings, "gate" | "onStale" | "keepOnFold"> {
  readonly anchors?: SchemeName;
}

/** Returns the settings that are a session's. */
export function policiesOf({ gate, onStale, keepOnFold, anchors }: Settings): Policies {
  return {
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(keepOnFold ? { keepOnFold } : {}),
    ...(anchors && anchors !== "none" ? { anchors } : {}),
  };
}

interface FilesSetup {
  readonly settings: Settings;
  /** Whose content may be kept, if the settings name no roots. */
  readonly root: string;
  /** Where relative paths start. */
  readonly base: string;
  readonly state: string;
  readonly report: (line: string) => void;
  /** The tools that write are another program's. */
  readonly foreign?: boolean;
  /** Ends the work of the process. */
  readonly signal?: Cancellation;
  /** Globs from a root: nothing else is touched, found or told of. */
  readonly scope?: readonly string[] | undefined;
  /** The process ends within a second or so. */
  readonly brief?: boolean;
}

/** A path argument is its own permission, unless roots are given; then they confine. */
export function openFiles(setup: FilesSetup): NodeFiles {
  const { settings, root, base, state, report, brief, foreign, signal, scope } = setup;
  const { roots, deny, secrets, limits, encoding } = settings;
  const { size, wait, time } = limits ?? {};
  return nodeFiles({
    ...{ roots: roots ?? [root], confine: roots !== undefined, base, state, report },
    ...(deny ? { deny } : {}),
    ...(secrets ? { secrets } : {}),
    ...(encoding ? { encoding } : {}),
    ...(brief ? { brief } : {}),
    ...(foreign ? { foreign } : {}),
    ...(signal ? { signal } : {}),
    ...(scope ? { scope } : {}),
    limits: { ...(size ? { size } : {}), ...(wait ? { wait } : {}), ...(time ? { time } : {}) },
  });
}

interface StoreSetup extends Omit<NodeStoreOptions, "bounds"> {
  readonly settings: Settings;
  readonly workspace: Workspace;
  /** The record alone is of interest: the tree may be on another host. */
  readonly isOnlooker?: boolean;
}

/** Milliseconds. */
const usualLease = 15_000;

/** Opens the record of a workspace where the settings say that it is: in the state folder, or in a database. */
export function openStore(setup: StoreSetup): NodeStore {
  const { settings, ...options } = setup;
  return openFleet(setup) ?? nodeStore({ ...options, bounds: boundsOf(settings) });
}

/** The record in a database; null: it is in the state folder. */
export function openFleet({ settings, ...setup }: StoreSetup): FleetStore | null {
  const chosen = chosenStore(settings, setup.workspace);
  if (!chosen) return null;
  const { wait } = settings.limits ?? {};
  const options = { ...setup, ...chosen, bounds: boundsOf(settings), root: mainFolder(setup.workspace) };
  return fleetStore({ ...options, ...(wait === undefined ? {} : { wait }) });
}

/** The database in which a workspace is recorded, and the name of the tree; null: it is in the state folder. */
export function chosenStore(
  { store = {} }: Pick<Settings, "store">,
  workspace: Workspace,
): { readonly url: string; readonly tree: string; readonly lease: number } | null {
  const { url, trees, lease } = store;
  if (url === undefined) {
    if (store.tree === undefined) return null;
    const which = `the tree ${store.tree} is named, and no store for it`;
    throw new PortError("bad_request", `${which}: give its address with --store or KEDGE_STORE`);
  }
  const top = mainFolder(workspace);
  const tree = store.tree ?? (trees ? (trees[workspace.root] ?? trees[top]) : basename(top));
  if (tree === undefined) return null;
  if (tree === "")
    throw new PortError("bad_request", `${top} has no name for the store: give one with --tree`);
  return { url, tree, lease: lease === undefined ? usualLease : lease * 1000 };
}

/** The top of the main work tree, also from a linked one: all of them are one tree in a store. */
function mainFolder({ root, key }: Workspace): string {
  return basename(key) === ".git" ? dirname(key) : root;
}

/**
 * The workspace of the working directory, if the paths lie in it. Else that of the first path, if it belongs to a
 * repository:
 * so a file has one ledger, from wherever it is named.
 */
export function workspaceFor(cwd: string, paths: readonly string[]): Workspace {
  const here = findWorkspace(cwd);
  const outside = paths.find((path) => !isWithin(resolve(cwd, path), here.root));
  if (outside === undefined) return here;
  const there = findWorkspace(dirname(resolve(cwd, outside)));
  return there.key === there.root ? here : there;
}
