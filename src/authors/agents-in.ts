/** Which agents have uncommitted lines in some files. */
import { findRepository, glob, type Repository } from "../host/index.js";
import { outside } from "../text/index.js";
import type { Taking } from "../tree/index.js";
import { type Author, isOfParty } from "./author.js";
import { type FileWork, loadWork, type Surroundings } from "./file-work.js";
import { fromTop } from "./git/from-top.js";

export function repositoryOf(root: string): Repository | null {
  const found = findRepository(root);
  return found?.isBare ? null : found;
}

/** Lists files with lines of agents other than `own` that a command takes to a commit. */
export async function agentsIn(
  around: Surroundings,
  takings: readonly Taking[],
  own: string,
): Promise<{ path: string; agents: string[] }[]> {
  const taken = takings.map(({ paths, isTracked }) => {
    const ways = paths.flatMap((path) => fromTop(path, around.repository) ?? []);
    if (paths.length === 0 || ways.includes(".")) return { isTracked, folders: ["."], isMeant: [() => true] };
    const isMeant = ways.map((way) => glob(`/${way}`, false).matches);
    return { isTracked, folders: ways.map(folderOf), isMeant };
  });
  const folders = new Set(taken.flatMap((one) => one.folders));
  if (folders.size === 0) return [];
  const party = { agent: own.split("/")[0] as string, isClaiming: false };
  const isOther = (author: Author): boolean => !isOfParty(party, author) && !author.authors.includes(outside);
  return (await loadWork(around, folders.has(".") ? [] : [...folders])).flatMap((work) => {
    const isNew = work.head === null && work.staged === null;
    const isTaken = taken.some(
      ({ isMeant, isTracked }) => !(isTracked && isNew) && isMeant.some((is) => is(work.path)),
    );
    const others = isTaken ? authorsIn(work).filter(isOther) : [];
    const agents = [...new Set(others.flatMap(({ authors }) => authors))];
    return agents.length > 0 ? [{ path: work.path, agents }] : [];
  });
}

const wild = /[*?[{]/;

/** The part of a path in front of wild cards. */
function folderOf(way: string): string {
  const at = way.search(wild);
  return at < 0 ? way : way.slice(0, Math.max(0, way.lastIndexOf("/", at))) || ".";
}

function authorsIn({ items, author }: FileWork): Author[] {
  return items ? items.flatMap((item) => item.author ?? []) : [author];
}
