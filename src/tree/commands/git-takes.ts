/** Reads from the words of a git command whose lines it takes to a commit: all of the files that it names. */
import { gitArguments } from "./command.js";
import { partsOf } from "./command-parts.js";
import { parseShell, unknownPart } from "./shell-parser.js";

/** Files that go to the index or into a commit as they are on the disk. */
export interface Taking {
  /** Absolute, and maybe with wild cards; empty: the whole tree. */
  readonly paths: readonly string[];
  /** Files that git does not track stay out. */
  readonly isTracked: boolean;
}

export function takenByGit(command: string, cwd: string): Taking[] {
  return partsOf(parseShell(command), cwd).flatMap(({ program, args, resolve }) => {
    if (program !== "git") return [];
    const [verb = "", ...words] = gitArguments(args);
    const read = verb === "commit" ? commitWords : verb === "add" || verb === "stage" ? addWords : null;
    const found = read?.(words);
    if (!found) return [];
    const { operands, isTracked } = found;
    // ":/" is the whole tree; other magic words tell too little.
    if (operands.some((word) => word.startsWith(":/"))) return [{ paths: [], isTracked }];
    const paths = operands.filter((word) => !word.startsWith(":") && !word.includes(unknownPart));
    return operands.length > 0 && paths.length === 0 ? [] : [{ paths: paths.map(resolve), isTracked }];
  });
}

/** null: nothing is taken, or by hand. */
type Words = { readonly operands: readonly string[]; readonly isTracked: boolean } | null;

function addWords(words: readonly string[]): Words {
  const { flags, operands } = sorted(words, "", []);
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  if (has("p", "i", "e", "n", "N", "patch", "interactive", "edit", "dry-run", "intent-to-add", "refresh"))
    return null;
  const isTracked = has("u", "update");
  return operands.length > 0 || isTracked || has("A", "all", "no-ignore-removal")
    ? { operands, isTracked }
    : null;
}

const commitValues = ["message", "file", "author", "date", "template", "fixup", "squash", "trailer"];
const otherValues = ["reuse-message", "reedit-message", "cleanup", "pathspec-from-file"];

function commitWords(words: readonly string[]): Words {
  const { flags, operands } = sorted(words, "mFCct", [...commitValues, ...otherValues]);
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  if (has("p", "patch", "interactive", "dry-run", "h", "help")) return null;
  return operands.length > 0 || has("a", "all") ? { operands, isTracked: true } : null;
}

/** `short` and `long` are flags that take the next word as their value. */
function sorted(
  words: readonly string[],
  short: string,
  long: readonly string[],
): { readonly flags: ReadonlySet<string>; readonly operands: readonly string[] } {
  const flags = new Set<string>();
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") return { flags, operands: [...operands, ...words.slice(at + 1)] };
    if (word.startsWith("--")) {
      const [name = "", value] = word.slice(2).split("=");
      flags.add(name);
      if (value === undefined && long.includes(name)) at++;
    } else if (word.startsWith("-") && word !== "-") {
      const letters = [...word.slice(1)];
      const valued = letters.findIndex((letter) => short.includes(letter));
      // The rest of the word is the value of -S and -u.
      const ends = letters.findIndex((letter) => short !== "" && "Su".includes(letter));
      const last = Math.min(...[valued, ends].filter((place) => place >= 0), letters.length - 1);
      for (const letter of letters.slice(0, last + 1)) flags.add(letter);
      if (last === valued && valued === letters.length - 1) at++;
    } else operands.push(word);
  }
  return { flags, operands };
}
