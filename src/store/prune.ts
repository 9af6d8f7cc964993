import { errorCode, ifThere, nameOf, reason, remove, ticks } from "../host/index.js";
import { tokensRecord } from "../ports/index.js";
import type { StoreContext } from "./lines/replace-file.js";

export interface Bounds {
  /** Milliseconds since something was last written. */
  readonly age: number;
  /** Bytes of a workspace. */
  readonly size: number;
}

interface Pruned {
  readonly removed: number;
  readonly bytes: number;
  /** False: the time ran out. */
  readonly isDone: boolean;
  /** Nothing is recorded any more. */
  readonly isEmpty: boolean;
}

/** These two say something of the folder itself. */
const isLabel = (path: string): boolean => path.endsWith("workspace.json") || path.endsWith(marker);

/** A token counts until it is revoked, however long nobody made another. */
const tokens = new RegExp(`[/\\\\]records[/\\\\]${nameOf(tokensRecord)}[/\\\\]\\d+$`);

interface Found {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

const hour = 3_600_000;

/** Its date tells when a workspace was pruned last. */
export const marker = "pruned.json";

/**
 * Removes what is older than the bounds allow, then the oldest versions and rotated journals until the rest fits. A
 * version that somebody still refers to may go: that costs a merge, never a wrong one.
 */
export function prune(context: StoreContext, bounds: Bounds, deadline = Number.POSITIVE_INFINITY): Pruned {
  const { clock } = context;
  const all = filesBelow(context, context.folder);
  const now = clock();
  let removed = 0;
  let bytes = 0;
  const kept: Found[] = [];
  for (const file of all) {
    if (ticks() > deadline) return { removed, bytes, isDone: false, isEmpty: false };
    const unfinished = file.path.endsWith(".tmp") && now - file.modified > hour;
    const old = now - file.modified > bounds.age && !isLabel(file.path) && !tokens.test(file.path);
    if ((old || unfinished) && removeQuietly(context, file.path)) removed += 1;
    else {
      kept.push(file);
      bytes += file.size;
    }
  }
  // Texts first, then the journal; of either the segments that are full, the oldest first.
  const expendable = [...fullSegments(kept, "versions"), ...fullSegments(kept, "journal")];
  // Somewhat below the bound, so that the next version does not make it necessary again.
  const goal = bytes > bounds.size ? bounds.size * 0.9 : bounds.size;
  for (const file of expendable) {
    if (bytes <= goal) break;
    if (ticks() > deadline) return { removed, bytes, isDone: false, isEmpty: false };
    if (!removeQuietly(context, file.path)) continue;
    removeQuietly(context, file.path.replace(/log$/, "index"));
    removed += 1;
    bytes -= file.size;
  }
  return { removed, bytes, isDone: true, isEmpty: kept.every(({ path }) => isLabel(path)) };
}

function fullSegments(files: readonly Found[], folder: "versions" | "journal"): Found[] {
  const pattern = new RegExp(`[/\\\\]${folder}[/\\\\]\\d+\\.log$`);
  const found = files.filter(({ path }) => pattern.test(path));
  return found.sort((one, other) => (one.path < other.path ? -1 : 1)).slice(0, -1);
}

/** A folder for each workspace, those first that were never pruned, then by the time of it. */
export function workspacesByPruning({ io, platform, folder }: StoreContext): string[] {
  const { path } = platform;
  const above = path.dirname(folder);
  const found = (ifThere(() => io.readdir(above)) ?? []).filter((entry) => entry.isDirectory());
  const dated = found.map(({ name }) => {
    const at = path.join(above, name);
    return { at, time: Number(ifThere(() => io.lstat(path.join(at, marker)))?.mtimeMs ?? 0) };
  });
  return dated.sort((one, other) => one.time - other.time).map(({ at }) => at);
}

function filesBelow(context: StoreContext, folder: string): Found[] {
  const { io, platform } = context;
  return (ifThere(() => io.readdir(folder)) ?? []).flatMap((entry): Found[] => {
    const path = platform.path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(context, path);
    const stat = ifThere(() => io.lstat(path));
    return stat ? [{ path, size: Number(stat.size), modified: Number(stat.mtimeMs) }] : [];
  });
}

/** Everything that is recorded of a workspace, but for one folder. Files that others write in between stay. */
export function removeTree(context: StoreContext, folder: string, kept?: string): void {
  const { io, platform } = context;
  for (const entry of ifThere(() => io.readdir(folder)) ?? []) {
    const path = platform.path.join(folder, entry.name);
    if (path === kept) continue;
    if (entry.isDirectory()) removeTree(context, path, kept);
    else remove(io, path);
  }
  try {
    io.rmdir(folder);
  } catch (error) {
    if (!filled.has(errorCode(error))) throw error;
  }
}

/** The folder is gone already, or there is something in it again. */
const filled = new Set(["ENOENT", "ENOTDIR", "ENOTEMPTY", "EEXIST"]);

function removeQuietly({ io, report }: StoreContext, path: string): boolean {
  try {
    return remove(io, path);
  } catch (error) {
    report(`${path} cannot be pruned: ${reason(error)}`);
    return false;
  }
}
