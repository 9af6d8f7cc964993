import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The roots a client names, kept inside the ceiling: one that is wider is cut down to it, one beside it does not
 * count. None left: the ceiling itself. No ceiling: as the client says.
 */
export function narrowedRoots(
  client: readonly { readonly uri: string }[],
  ceiling: readonly string[],
): readonly string[] {
  const named = client.flatMap(({ uri }) => folderOf(uri));
  if (ceiling.length === 0) return named;
  const limits = ceiling.map(real);
  const found = named.map(real).flatMap((root) => {
    if (limits.some((limit) => isInside(root, limit))) return [root];
    return limits.filter((limit) => isInside(limit, root));
  });
  return found.length > 0 ? [...new Set(found)] : ceiling;
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return isAbsolute(uri) ? [uri] : [];
  }
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}
