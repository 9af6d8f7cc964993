import { delimiter, dirname } from "node:path";
import { nodeIo, thisPlatform } from "../../src/host/index.js";
import { findRipgrep } from "../../src/search/ripgrep.js";

/** The system's own, or else that of the package. False if there is none for this system. */
export async function putRipgrepOnPath(): Promise<boolean> {
  const { PATH = "" } = process.env;
  const disk = { io: nodeIo, platform: thisPlatform };
  if (findRipgrep(disk, PATH) !== null) return true;
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    process.env.PATH = [PATH, dirname(rgPath)].join(delimiter);
  } catch {
    return false;
  }
  return findRipgrep(disk, process.env.PATH) !== null;
}
