import { nodeIo, thisPlatform, ticks } from "../host/index.js";
import { Ignores, walk } from "./ignores.js";

interface ListBounds {
  /** Milliseconds. */
  readonly time: number;
  readonly files: number;
}

/** Lists the files of a folder that no ignore file names, from there and with "/"; null where the bounds are too narrow. */
export async function listFiles(folder: string, { time, files }: ListBounds): Promise<string[] | null> {
  const deadline = ticks() + time;
  const { ignores } = await Ignores.of(nodeIo, thisPlatform, folder);
  const { path } = thisPlatform;
  const found: string[] = [];
  for (const one of walk({ io: nodeIo, platform: thisPlatform }, folder, ignores)) {
    if (found.length >= files || ticks() > deadline) return null;
    found.push(path.relative(folder, one).replaceAll(path.sep, "/"));
  }
  return found;
}
