/** Which agents have uncommitted lines in some files. */
import { relative, sep } from "node:path";
import { findRepository, type Repository } from "../host/index.js";
import { outside } from "../tree/index.js";
import { type Author, isOfParty } from "./author.js";
import { type FileWork, loadWork, type Surroundings } from "./file-work.js";

export function repositoryOf(root: string): Repository | null {
  const found = findRepository(root);
  return found?.isBare ? null : found;
}

/** Lists files of these absolute paths with lines of agents other than `own`; no paths: of the whole tree. */
export async function agentsIn(
  around: Surroundings,
  paths: readonly string[],
  own: string,
): Promise<{ path: string; agents: string[] }[]> {
  const ways = paths.map((path) => relative(around.repository.root, path).replaceAll(sep, "/"));
  const inside = ways.filter((way) => way !== "" && way !== ".." && !way.startsWith("../"));
  if (paths.length > 0 && ways.includes("")) return agentsIn(around, [], own);
  if (paths.length > 0 && inside.length === 0) return [];
  const party = { agent: own.split("/")[0] as string, isClaiming: false };
  const isOther = (author: Author): boolean => !isOfParty(party, author) && !author.authors.includes(outside);
  return (await loadWork(around, inside)).flatMap((work) => {
    const others = authorsIn(work).filter(isOther);
    const agents = [...new Set(others.flatMap(({ authors }) => authors))];
    return agents.length > 0 ? [{ path: work.path, agents }] : [];
  });
}

function authorsIn({ items, author }: FileWork): Author[] {
  return items ? items.flatMap((item) => item.author ?? []) : [author];
}
