/**
 * Globs, matched in time that grows with pattern × path: a pattern may come with a repository, or from a model, and one
 * with a dozen stars, as an expression, takes longer than anybody waits.
 */
import { PortError } from "../ports/index.js";

/** The pattern of one character, or of any run of them within a name. */
type Part = "any run" | ((character: string) => boolean);

/** A name of the path, or any names, also none. */
type Piece = "any names" | readonly Part[];

type Glob = (path: string) => boolean;

/**
 * `*` and `?` within a name, `**` for any folders, `[a-z]`, `[!a-z]`, `{one,other}`, and `\` before a character that is meant
 * as it stands. Throws `bad_request` for what other programs know besides: taken literally it would match too little.
 */
export function compileGlob(pattern: string, nocase: boolean): Glob {
  const fold = (text: string): string => (nocase ? text.toLowerCase() : text);
  const all = alternatives(pattern).map((one) => piecesOf(one, fold));
  return (path) => {
    const names = fold(path).split("/");
    return all.some((pieces) => isMatch(pieces, names, isNameMatch));
  };
}

/** Tells of a folder, "" for the root, whether a path somewhere in it may match. */
export function compileGlobAbove(pattern: string): Glob {
  const all = alternatives(pattern).map((one) => piecesOf(one, (text) => text));
  return (folder) => {
    const names = folder === "" ? [] : folder.split("/");
    return all.some((pieces) => isOnTheWay(pieces, names));
  };
}

/** Up to the first piece that stands for any names, each piece is for the name at its place. */
function isOnTheWay(pieces: readonly Piece[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const piece = pieces[at];
    if (piece === "any names") return true;
    if (piece === undefined || !isNameMatch(piece, name)) return false;
  }
  return names.length < pieces.length;
}

/**
 * The classic walk: where it fails, the last piece that stands for anything takes one more. An earlier one never has to.
 * `fits` is for names in a path as for characters in a name.
 */
function isMatch<P, T>(
  pieces: readonly P[],
  items: ArrayLike<T>,
  one: (piece: P, item: T) => boolean,
): boolean {
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

const isNameMatch = (piece: Piece, name: string): boolean =>
  isMatch(piece as readonly Part[], name, (part, character) => (part as (one: string) => boolean)(character));

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

/** Reads a bracket expression; null if it is not closed: then the bracket is a character like any other. */
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
      const isInRange = (one: string): boolean => ranges.some(([low, high]) => low <= one && one <= high);
      const isMatch = (one: string): boolean =>
        isInRange(one) || (fold("A") === "a" && isInRange(one.toUpperCase()));
      return { part: (one) => isMatch(one) !== isNegated, end: at };
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

/** Tells whether a path, with "/" between its names and relative to its root, is meant. */
export type Matcher = (path: string) => string | null;

interface Rule {
  /** As a person wrote it, for the refusal that names it. */
  readonly pattern: string;
  readonly matches: (path: string) => boolean;
}

/** Without regard to case everywhere: ".GIT/config" is the same file on half of all machines. */
const rule = (pattern: string, matches: (names: readonly string[]) => boolean): Rule => ({
  pattern,
  matches: (path) => matches(path.toLowerCase().split("/")),
});

/** For the last name of a path. */
const named = (pattern: string, matches: (name: string) => boolean): Rule =>
  rule(pattern, (names) => matches(names.at(-1) as string));

const ending = (pattern: string): Rule => {
  const endings = pattern.split(", ").map((one) => one.slice(1));
  return named(pattern, (name) => endings.some((end) => name.endsWith(end)));
};

const keyNames = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const keys: readonly Rule[] = [
  named(
    `${keyNames.join("*, ")}*`,
    (name) => keyNames.some((key) => name.startsWith(key)) && !name.endsWith(".pub"),
  ),
  ending("*.pem, *.key, *.ppk"),
  ending("*.p12, *.pfx, *.jks, *.keystore"),
];

/** The defaults are no globs: a hook that has no patterns of its own loads no library for them, nor makes expressions. */
export const deniedByDefault: readonly Rule[] = [rule(".git/", (names) => names.includes(".git")), ...keys];

const isSample = (name: string): boolean =>
  [".example", ".sample", ".template"].some((end) => name.endsWith(end));
const credentials = [
  ...[".netrc", "_netrc", ".pgpass", ".git-credentials", ".htpasswd", ".npmrc", ".yarnrc.yml", ".pypirc"],
  ...["credentials.json", "client_secret.json", "kubeconfig", ".terraformrc", ".vault-token"],
];
/** A folder and a name in it that tools keep their passwords under. */
const stores = [".aws/credentials", ".kube/config", ".docker/config.json", ".cargo/credentials.toml"];
const begins = [
  "secrets.",
  ".secrets",
  "kubeconfig.",
  "service-account",
  "service_account",
  "serviceaccount",
];

export const secretByDefault: readonly Rule[] = [
  named(".env*", (name) => name.startsWith(".env") && !isSample(name)),
  named(credentials.join(", "), (name) => credentials.includes(name)),
  named(
    `${begins.join("*, ")}*`,
    (name) => begins.some((begin) => name.startsWith(begin)) && !isSample(name),
  ),
  rule(stores.join(", "), (names) => stores.includes(names.slice(-2).join("/"))),
  // Keys have no ending: `id_generator.py` is none.
  named("id_*", (name) => name.startsWith("id_") && !name.includes(".")),
  ending("*.kdbx, *.tfvars, *.tfvars.json, *.tfstate, *.tfstate.backup"),
  ...keys,
];

/**
 * The pattern that names a path, null if none does. The last pattern that matches decides, and one that begins with
 * "!" takes a path out again, the way .gitignore does it.
 */
export function matcher(defaults: readonly Rule[], patterns: readonly string[]): Matcher {
  const own: { rule: Rule; takesOut: boolean }[] = [];
  for (const given of patterns) {
    const takesOut = given.startsWith("!");
    own.push({ rule: glob(takesOut ? given.slice(1) : given), takesOut });
  }
  own.reverse();
  return (path) => {
    const last = own.find((one) => one.rule.matches(path));
    if (last) return last.takesOut ? null : last.rule.pattern;
    return defaults.find((one) => one.matches(path))?.pattern ?? null;
  };
}

/** Without a slash a pattern means a name at any depth; with one, a path from the root; at the end, all in a folder. */
export function glob(pattern: string, nocase = true): Rule {
  const anchored = pattern.replace(/\/$/, "").includes("/");
  const body = pattern.replace(/^(\.?\/)+/, "").replace(/\/$/, "");
  const from = anchored ? body : `**/${body}`;
  const whole = compileGlob(from, nocase);
  const inside = compileGlob(`${from}/**`, nocase);
  const folderOnly = pattern.endsWith("/");
  // A name like x[1].txt is meant as it stands, too.
  const fold = (text: string): string => (nocase ? text.toLowerCase() : text);
  const named = `/${fold(body)}`;
  const isNamed = (path: string): boolean =>
    anchored ? `/${fold(path)}` === named : `/${fold(path)}`.endsWith(named);
  return {
    pattern,
    matches: (path) => (!folderOnly && (whole(path) || isNamed(path))) || inside(path),
  };
}
