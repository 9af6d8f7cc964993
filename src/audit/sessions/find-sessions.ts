/** Finds session files, and which client wrote them. */
import { closeSync, constants, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { readers } from "../clients/index.js";
import type { FoundFile, Machine, SessionReader } from "../clients/reader.js";
import type { SessionFile } from "./steps.js";

export interface SessionSearch extends Machine {
  readonly paths: readonly string[];
  readonly client?: string | undefined;
}

export interface FoundSessions {
  /** Newest first. */
  readonly files: readonly SessionFile[];
  readonly unreadable: readonly string[];
}

const headSize = 4096;
/** Folders in folders: links may lead in circles. */
const mostFolders = 12;

export function findSessions(search: SessionSearch): FoundSessions {
  const chosen = readers.filter(({ client }) => search.client === undefined || client === search.client);
  const unreadable: string[] = [];
  const found = new Map<string, SessionFile>();
  const take = (start: string, among: readonly SessionReader[], isGiven: boolean): void => {
    for (const file of filesBelow(start, isGiven ? unreadable : [])) {
      const head = headOf(file.path);
      const reader = head === null ? undefined : among.find((one) => one.isSession(file.path, head));
      for (const one of reader?.files(file) ?? []) found.set(`${one.path}\0${one.name ?? ""}`, one);
    }
  };
  if (search.paths.length > 0) for (const path of search.paths) take(path, chosen, true);
  else for (const one of chosen) for (const folder of one.folders(search)) take(folder, [one], false);
  const files = [...found.values()].sort(
    (one, two) => two.changed - one.changed || (one.path < two.path ? -1 : 1),
  );
  return { files, unreadable };
}

function* filesBelow(path: string, unreadable: string[], depth = 0): Generator<FoundFile> {
  try {
    const stat = statSync(path);
    if (stat.isFile()) yield { path: realpathSync(path), size: stat.size, changed: stat.mtimeMs };
    if (!stat.isDirectory() || depth > mostFolders) return;
    const names = readdirSync(path, { withFileTypes: true });
    // A link inside a folder is not followed: it may lead anywhere.
    for (const entry of names)
      if (entry.isFile() || entry.isDirectory())
        yield* filesBelow(join(path, entry.name), unreadable, depth + 1);
  } catch {
    unreadable.push(path);
  }
}

/** The blanks go that other programs put between names and values: clients write none. */
function compact(head: string): string {
  return head.replace(/([{,:]) +(?=")/g, "$1").replace(/": +/g, '":');
}

function headOf(path: string): string | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const bytes = Buffer.alloc(headSize);
      return compact(bytes.toString("utf8", 0, readSync(fd, bytes, 0, headSize, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
