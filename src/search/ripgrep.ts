import type { Disk } from "../disk/index.js";
import { findProgram } from "../host/index.js";
import type { Cancellation } from "../ports/index.js";
import { hiddenFolders, ignoreFiles } from "./ignores.js";

interface Narrowing {
  readonly folder: string;
  /** Text that every file with a hit holds; null: none is known. */
  readonly literal: string | null;
  readonly ignoreCase: boolean;
  /** Whether ignore files above the folder apply. */
  readonly aboveCounts: boolean;
  readonly signal: Cancellation | undefined;
}

/** ripgrep, if it is on the path, and not in a folder that is searched. */
export function findRipgrep(
  { io, platform }: Pick<Disk, "io" | "platform">,
  searchPath: string | undefined,
  outside: readonly string[] = [],
): string | null {
  return findProgram("rg", { io, platform, searchPath, outside });
}

/**
 * Files that may have hits, at least all that do; null if ripgrep cannot tell. Ripgrep only narrows down, in parallel
 * and fast: what matches and what is ignored is decided by the caller, so that an answer never depends on whether it is
 * installed.
 */
export async function narrow(program: string, search: Narrowing): Promise<string[] | null> {
  const { literal, ignoreCase } = search;
  const wanted =
    literal === null ? ["--files"] : [ignoreCase ? "--ignore-case" : "--case-sensitive", ...holding(literal)];
  const braced = [...ignoreFiles.flatMap((name) => ["--glob", name]), ...holding("{")];
  const [found, odd] = await Promise.all([list(program, wanted, search), list(program, braced, search)]);
  // To git a brace is a character like any other; here it stands for alternatives, and more is ignored.
  return odd?.length === 0 ? found : null;
}

const holding = (literal: string): string[] => [
  ...["--files-with-matches", "--fixed-strings", "--regexp", literal],
];

async function list(program: string, wanted: readonly string[], search: Narrowing): Promise<string[] | null> {
  const { execFile } = await import("node:child_process");
  const options = ["--no-config", "--no-messages", "--text", "--null"];
  options.push("--hidden", "--no-ignore-global", "--no-ignore-exclude");
  for (const folder of hiddenFolders) options.push("--glob", `!${folder}/`);
  if (!search.aboveCounts) options.push("--no-ignore-parent");
  const stop = new AbortController();
  search.signal?.addEventListener("abort", () => stop.abort());
  const settings = { cwd: search.folder, maxBuffer: 1 << 28, signal: stop.signal };
  return new Promise((resolve) => {
    execFile(program, [...options, ...wanted, "--", "./"], settings, (error, output) => {
      // 1: nothing found. Anything else, also in part, is left to the walk through the folders.
      if (error && error.code !== 1) resolve(null);
      else resolve(output.split("\0").filter((name) => name !== ""));
    });
  });
}
