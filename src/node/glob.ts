/**
 * Globs, matched in time that grows with pattern × path: a pattern may come with a repository, or from a model, and one
 * with a dozen stars, as an expression, takes longer than anybody waits.
 */
import { PortError } from "../session/index.js";

/** What one character, or any run of them within a name, has to be. */
type Part = "any run" | ((character: string) => boolean);

/** A name of the path, or any names, also none. */
type Piece = "any names" | readonly Part[];

export type Glob = (path: string) => boolean;

/**
 * `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a-z]`, `{one,other}`, and `\` before a character that is meant
 * as it stands. Throws `bad_request` for what other programs know besides: taken literally it would match too little.
 */
export function compileGlob(pattern: string, nocase: boolean): Glob {
  const fold = (text: string): string => (nocase ? text.toLowerCase() : text);
  const all = alternatives(pattern).map((one) => piecesOf(one, fold));
  return (path) => {
    const names = fold(path).split("/");
    return all.some((pieces) => fits(pieces, names, matchesName));
  };
}

/**
 * The classic walk: where it fails, the last piece that stands for anything takes one more. An earlier one never has to.
 * `fits` is for names in a path as for characters in a name.
 */
function fits<P, T>(pieces: readonly P[], items: ArrayLike<T>, one: (piece: P, item: T) => boolean): boolean {
  const isRun = (piece: P | undefined): boolean => piece === "any names" || piece === "any run";
  let [piece, item] = [0, 0];
  let [run, from] = [-1, 0];
  while (item < items.length) {
    if (isRun(pieces[piece])) [run, from, piece] = [piece, item, piece + 1];
    else if (piece < pieces.length && one(pieces[piece] as P, items[item] as T))
      [piece, item] = [piece + 1, item + 1];
    else if (run < 0) return false;
    else [piece, from, item] = [run + 1, from + 1, from + 1];
  }
  while (isRun(pieces[piece])) piece += 1;
  return piece === pieces.length;
}

const matchesName = (piece: Piece, name: string): boolean =>
  fits(piece as readonly Part[], name, (part, character) => (part as (one: string) => boolean)(character));

function piecesOf(pattern: string, fold: (text: string) => string): Piece[] {
  const pieces: Piece[] = [];
  for (const name of split(pattern, "/")) {
    if (name !== "**") pieces.push(partsOf(name, fold));
    else if (pieces.at(-1) !== "any names") pieces.push("any names");
  }
  return pieces;
}

function partsOf(name: string, fold: (text: string) => string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < name.length; at++) {
    const character = name[at] as string;
    if (/[*?+@!]/.test(character) && name[at + 1] === "(" && name.includes(")", at)) throw unknown(name);
    const set = character === "[" ? setAt(name, at, fold) : null;
    if (character === "*") {
      if (parts.at(-1) !== "any run") parts.push("any run");
    } else if (character === "?") parts.push(() => true);
    else if (set) {
      parts.push(set.part);
      at = set.end;
    } else {
      const literal = character === "\\" && at + 1 < name.length ? (name[++at] as string) : character;
      for (const one of fold(literal)) parts.push((given) => given === one);
    }
  }
  return parts;
}

function unknown(name: string): PortError {
  return new PortError(
    "bad_request",
    `the pattern ${JSON.stringify(name)} is not understood: write {one,other} instead`,
  );
}

/** What stands in brackets; null if they are not closed: then the bracket is a character like any other. */
function setAt(
  name: string,
  start: number,
  fold: (text: string) => string,
): { part: Part; end: number } | null {
  let at = start + 1;
  const isNegated = name[at] === "!" || name[at] === "^";
  if (isNegated) at += 1;
  const ranges: [string, string][] = [];
  for (let isFirst = true; at < name.length; isFirst = false) {
    if (name[at] === "]" && !isFirst) {
      const holds = (one: string): boolean => ranges.some(([low, high]) => low <= one && one <= high);
      const both = (one: string): boolean => holds(one) || (fold("A") === "a" && holds(one.toUpperCase()));
      return { part: (one) => both(one) !== isNegated, end: at };
    }
    const named = /^\[:(\w+):\]/.exec(name.slice(at));
    if (named) {
      ranges.push(...(classes[named[1] as string] ?? []));
      at += named[0].length;
      continue;
    }
    if (name[at] === "\\" && at + 1 < name.length) at += 1;
    const low = name[at] as string;
    const isRange = name[at + 1] === "-" && name[at + 2] !== undefined && name[at + 2] !== "]";
    ranges.push([low, isRange ? (name[at + 2] as string) : low]);
    at += isRange ? 3 : 1;
  }
  return null;
}

const [digits, lower, upper]: readonly (readonly [string, string])[] = [
  ["0", "9"],
  ["a", "z"],
  ["A", "Z"],
];
const classes: Readonly<Record<string, [string, string][]>> = Object.fromEntries(
  Object.entries({
    ...{
      digit: [digits],
      lower: [lower],
      upper: [upper],
      alpha: [lower, upper],
      alnum: [digits, lower, upper],
    },
    ...{
      word: [digits, lower, upper, ["_", "_"]],
      space: [
        [" ", " "],
        ["\t", "\r"],
      ],
    },
    ...{
      punct: [
        ["!", "/"],
        [":", "@"],
        ["[", "`"],
        ["{", "~"],
      ],
      xdigit: [digits, ["a", "f"], ["A", "F"]],
    },
  }) as [string, [string, string][]][],
);

const mostAlternatives = 1000;

/** Every pattern that the braces stand for, the outermost first. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const left = [pattern];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const found = braceIn(one);
    if (found === null) done.push(one);
    else left.push(...found);
    if (done.length + left.length <= mostAlternatives) continue;
    throw new PortError("bad_request", `a pattern stands for more than ${mostAlternatives} in its braces`);
  }
  return done;
}

/** The patterns that the first pair of braces with a comma stands for; null if there is none. */
function braceIn(pattern: string): string[] | null {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start += 1;
    else if (pattern[start] === "{") {
      const end = closing(pattern, start);
      const choices = end < 0 ? [] : split(pattern.slice(start + 1, end), ",");
      if (choices.length > 1)
        return choices.map((one) => pattern.slice(0, start) + one + pattern.slice(end + 1));
    }
  }
  return null;
}

function closing(pattern: string, start: number): number {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "\\") at += 1;
    else if (pattern[at] === "{") depth += 1;
    else if (pattern[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

/** At a character that stands neither in braces nor behind a backslash. */
function split(text: string, by: "," | "/"): string[] {
  const found: string[] = [];
  let [from, depth] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (by === "," && text[at] === "{") depth += 1;
    else if (by === "," && text[at] === "}") depth -= 1;
    else if (text[at] === by && depth === 0) {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, text.slice(from)];
}
