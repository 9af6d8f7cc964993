/** The parts that searches share, wherever the files are. */
import { PortError, type SearchQuery } from "./files.js";

/** A longer expression is refused by the engine, but only when it is used. */
const longestPattern = 10_000;

interface Expression {
  readonly expression: RegExp;
  readonly source: string;
  readonly ignoreCase: boolean;
}

export function expressionOf({ pattern, literal, ignoreCase, word = false }: SearchQuery): Expression {
  if (pattern === "") throw new PortError("bad_request", "pattern is empty");
  // The way to say it that models know from ripgrep.
  const inline = !literal && pattern.startsWith("(?i)");
  const source = literal ? escaped(pattern) : pattern.slice(inline ? 4 : 0);
  const anyCase = ignoreCase || inline;
  return { expression: compiled(source, anyCase ? "i" : "", word), source, ignoreCase: anyCase };
}

function compiled(source: string, flags: string, isWord: boolean): RegExp {
  if (source.length > longestPattern)
    throw new PortError("bad_request", `pattern is longer than ${longestPattern} characters`);
  try {
    return expressionFor(source, `${flags}u`, isWord);
  } catch {
    // Without "u", needless escapes such as \" or \- are let pass; models write them.
    try {
      return expressionFor(source, flags, isWord);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const said = why.replace(/^Invalid regular expression: /, "");
      throw new PortError("bad_request", `pattern is not a regular expression: ${said}`);
    }
  }
}

/** Without the flag "u" a character class knows the letters and digits of ASCII alone. */
function expressionFor(source: string, flags: string, isWord: boolean): RegExp {
  const bare = new RegExp(source, flags);
  const character = flags.includes("u") ? "[\\p{L}\\p{M}\\p{N}_]" : "\\w";
  return isWord ? new RegExp(`(?<!${character})(?:${source})(?!${character})`, flags) : bare;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** A hit is named the way the folder was asked for. */
export function asAsked(folder: string | undefined, relative: string): string {
  if (folder === undefined || folder === ".") return relative;
  return /[\\/]$/.test(folder) ? folder + relative : `${folder}/${relative}`;
}

/**
 * The paths that a glob names, as on disk: without a slash at any depth, with one from the folder that is searched; all
 * that is in a folder it names; with "!" in front, all others.
 */
export function globbed(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined || glob === "") return () => true;
  const plain = glob.replace(/^!/, "");
  const body = plain.replace(/^\.?\//, "").replace(/\/$/, "");
  const start = plain.replace(/\/$/, "").includes("/") ? "^" : "(?:^|/)";
  const expression = new RegExp(`${start}(?:${globSource(body)})(?:/.*)?$`, "s");
  return (path) => expression.test(path) === (plain === glob);
}

const globParts = /\\.|\[[!^]?[^\]]+\]|\*\*\/|\*+|[^\w/]/gs;

function globSource(glob: string): string {
  const parts: readonly string[] = glob.match(globParts) ?? [];
  if (parts.includes("("))
    throw new PortError("bad_request", `glob ${glob}: groups are not understood here; use {a,b}`);
  const isPaired =
    parts.filter((part) => part === "{").length === parts.filter((part) => part === "}").length;
  let depth = 0;
  return glob.replace(globParts, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part.startsWith("*")) return part === "*" ? "[^/]*" : ".*";
    if (part === "?") return "[^/]";
    // Names in brackets are as common as choices of characters.
    if (/^\[\w/.test(part)) return `(?:${part}|${escaped(part)})`;
    if (part.length > 1) return part.startsWith("[") ? part.replace("[!", "[^") : escaped(part.slice(1));
    if (isPaired && part === "{") depth += 1;
    else if (depth > 0 && part === ",") return "|";
    else if (depth > 0 && part === "}") depth -= 1;
    else return escaped(part);
    return part === "{" ? "(?:" : ")";
  });
}
