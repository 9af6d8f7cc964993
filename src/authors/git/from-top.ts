/** Where a path is in a work tree. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import type { Repository } from "../../host/index.js";

/** From the top, with "/"; "." is the top itself, null outside of the tree. */
export function fromTop(path: string, { root }: Repository): string | null {
  const way = relative(root, realPath(path));
  if (way === ".." || way.startsWith(`..${sep}`)) return null;
  return way === "" ? "." : way.replaceAll(sep, "/");
}

/** The name of a link stays: git keeps links as they are. A file may be gone with its folder. */
function realPath(path: string): string {
  const above = dirname(path);
  if (existsSync(above)) return join(realpathSync(above), basename(path));
  return above === path ? path : join(realPath(above), basename(path));
}
