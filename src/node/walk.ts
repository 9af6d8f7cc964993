import type { Disk } from "./folder.js";
import type { Ignores } from "./ignores.js";

/**
 * The files below a folder that are not ignored, in the order of their paths; links are not followed. Folders that
 * cannot be read are passed over, as ripgrep does.
 */
export function* walk(
  disk: Pick<Disk, "io" | "platform">,
  folder: string,
  ignores: Ignores,
): Generator<string> {
  const { io, platform } = disk;
  const names: string[] = [];
  try {
    for (const entry of io.readdir(folder)) {
      if (entry.isFile()) names.push(entry.name);
      // With the slash, names sort the way whole paths do.
      else if (entry.isDirectory()) names.push(`${entry.name}/`);
    }
  } catch {
    return;
  }
  for (const name of names.sort()) {
    const isFolder = name.endsWith("/");
    const bare = isFolder ? name.slice(0, -1) : name;
    if (ignores.isIgnored(folder, bare, isFolder)) continue;
    const path = platform.path.join(folder, bare);
    if (isFolder) yield* walk(disk, path, ignores);
    else yield path;
  }
}
