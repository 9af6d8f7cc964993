import { type Io, ifThere, nodeIo } from "./io.js";
import { isWindows, type Platform, thisPlatform } from "./platform.js";

interface ProgramSearch {
  /** The folders to look in, as PATH lists them. */
  readonly searchPath: string | undefined;
  /** Folders whose files somebody else may have written: a workspace. No program in them is started. */
  readonly outside?: readonly string[];
  readonly io?: Io;
  readonly platform?: Platform;
}

/**
 * The absolute path of a program on the search path, or null. Relative entries are skipped, and so are those inside of
 * the workspace: else a repository could bring its own git. Windows itself looks in the working directory first.
 */
export function findProgram(name: string, search: ProgramSearch): string | null {
  const { searchPath = "", outside = [], io = nodeIo, platform = thisPlatform } = search;
  const { path } = platform;
  const full = isWindows(platform) ? `${name}.exe` : name;
  const real = (folder: string): string => ifThere(() => io.realpath(folder)) ?? path.resolve(folder);
  const foreign = outside.flatMap((folder) => [path.resolve(folder), real(folder)]);
  const isForeign = (file: string): boolean =>
    foreign.some((folder) => file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep));
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, full);
    try {
      io.access(file, 1);
      if (!isForeign(file) && !isForeign(io.realpath(file))) return file;
    } catch {
      // It is not in this folder.
    }
  }
  return null;
}
