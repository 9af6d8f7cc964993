import { posix } from "node:path";
import { unquoted } from "./spelled-paths.js";

const largestText = 250_000;
export const longestPath = 400;

/** From the most likely to the least; words that are no path at all have no rank. */
const ranks = ["located", "file in folder", "file", "known", "word", "odd"] as const;
type Rank = (typeof ranks)[number];

const known =
  /^(?:makefile|gnumakefile|dockerfile|containerfile|license|licence|readme|changelog|copying|notice|authors|gemfile|rakefile|procfile|vagrantfile|jenkinsfile|justfile|build|workspace|todo)$/i;
const extension = /[^./\\]\.[A-Za-z][A-Za-z0-9_]{0,11}$/;
const url = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;
const substitution = /^(?:[sy]([/|#,]).*\1.*\1[a-zA-Z0-9]*|\d+(?:,[\d$]+)?[a-zA-Z]?)$/;
const odd = /[(){}=;<>|"'`,$#!%^&[\]]/;
/** No path but one without folder and extension. */
const plainWord = /^[A-Za-z0-9_]+$/;
const diffRow = /^(?:diff --git|---|\+\+\+) /;

/**
 * Words of a command or its output that may be paths of files, most likely first, without duplicates; at most
 * `limit`. After `cd folder` a word is given twice: within the folder, and as it stands.
 */
export function pathsIn(text: string, limit: number): string[] {
  const found = new Found(limit);
  const context: Context = { folder: "", within: "" };
  for (const line of text.slice(0, largestText).split("\n")) {
    readLine(line, { found, context, inner: false });
    if (found.isFull("located")) break;
  }
  return found.all();
}

/** How a text is read: as a word, or in quotes as several. */
type WordKind = "plain" | "leading" | "quoted" | "quoted, leading" | "text";

/** The most likely paths of each rank. */
class Found {
  readonly #limit: number;
  readonly #seen = new Map<string, number>();
  readonly #byRank: readonly string[][] = ranks.map(() => []);
  readonly #read: Readonly<Record<WordKind, Set<string>>> = {
    ...{ plain: new Set(), leading: new Set(), quoted: new Set(), "quoted, leading": new Set() },
    text: new Set(),
  };

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if another path of this rank would not be kept. */
  isFull(rank: Rank): boolean {
    return this.#byRank[ranks.indexOf(rank)]!.length >= this.#limit;
  }

  /** True if this text was read before in the same way, like most words of an output. */
  hasRead(text: string, as: WordKind): boolean {
    const read = this.#read[as];
    const size = read.size;
    return read.add(text).size === size;
  }

  add(path: string, rank: Rank): void {
    const plain = path.replace(/^(?:\.\/+)+/, "");
    const index = ranks.indexOf(rank);
    const list = this.#byRank[index]!;
    if (plain === "" || list.length >= this.#limit || (this.#seen.get(plain) ?? ranks.length) <= index)
      return;
    this.#seen.set(plain, index);
    list.push(plain);
  }

  all(): string[] {
    return [...new Set(this.#byRank.flat())].slice(0, Math.max(0, this.#limit));
  }
}

/** The folder that the words of a command are spelled from: set by `cd`, and by `-C` for one command. */
interface Context {
  folder: string;
  within: string;
}

interface Place {
  readonly found: Found;
  readonly context: Context;
  /** Within quotes of another line. */
  readonly inner: boolean;
}

interface Word {
  readonly text: string;
  /** Quoted or escaped, at least in part. */
  readonly quoted: boolean;
}

function readLine(line: string, place: Place): void {
  const { found, context } = place;
  const inDiff = diffRow.test(line);
  let previous: string | null = null;
  let first: string | null = null;
  for (const word of wordsOf(line)) {
    if (word === null) {
      first = null;
      previous = null;
      context.within = context.folder;
      continue;
    }
    if (first === null) context.within = context.folder;
    const moves = first === "cd" || first === "pushd";
    if (moves && !word.text.startsWith("-")) {
      if (!word.text.includes("$")) context.folder = joined(context.folder, word.text);
      first = "";
    } else if (previous === "-C") context.within = joined(context.folder, word.text);
    else if (inDiff) readDiffWord(word.text, found);
    else if (word.quoted && !place.inner && isText(word.text)) {
      // An absolute path in quotes is one, whatever it is made of.
      if (/^(?:\/|[A-Za-z]:\\)/.test(word.text) && extension.test(word.text)) found.add(word.text, "located");
      readText(word.text, place);
    } else readWord(word, place, first === null);
    first ??= word.text;
    previous = word.text;
  }
}

/** Returns quoted text, line by line. */
function readText(text: string, place: Place): void {
  const { folder, within } = place.context;
  if (folder === "" && within === "" && !/cd|pushd|-C/.test(text) && place.found.hasRead(text, "text"))
    return;
  for (const inner of text.split("\n")) readLine(inner, { ...place, inner: true });
}

/** True for several words in quotes that are a command or a sentence rather than the name of a file. */
function isText(quoted: string): boolean {
  return /\s/.test(quoted) && (/[;&|<>$\n]|\s-/.test(quoted) || !extension.test(quoted));
}

function joined(folder: string, path: string): string {
  if (folder === "" || /^(?:[/~\\]|[A-Za-z]:)/.test(path)) return path;
  return posix.join(folder, path);
}

const breaks = new Set([";", "|", "&", "`", "<", ">", "\r"]);
/** Characters that mean nothing but themselves. */
const plain = /[^ \t"'\\();|&`<>\r]+/y;

/** Splits any text into words as a shell would; null where a command ends. */
function wordsOf(line: string): (Word | null)[] {
  const words: (Word | null)[] = [];
  let text = "";
  let quoted = false;
  const finish = (): void => {
    if (text !== "") words.push({ text, quoted });
    text = "";
    quoted = false;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    plain.lastIndex = at;
    if (character === " " || character === "\t") finish();
    else if (plain.test(line)) {
      text += line.slice(at, plain.lastIndex);
      at = plain.lastIndex - 1;
    } else if (character === '"' || character === "'") {
      const close = closing(line, at);
      if (close < 0) finish();
      else {
        const inner = line.slice(at + 1, close);
        text += character === '"' ? fromDoubleQuotes(inner, text === "") : inner;
        quoted = true;
        at = close;
      }
    } else if (character === "\\" && /[\s!"#$&'()*;<>?[\]^`{|}~\\]/.test(line[at + 1] ?? "")) {
      text += line[++at];
      quoted = true;
    } else if ((character === "(" && !text.endsWith("/")) || (character === ")" && !text.includes("("))) {
      finish();
      words.push(null);
    } else if (breaks.has(character)) {
      if ((character === "<" || character === ">") && /^\d$/.test(text)) text = "";
      finish();
      if (character !== "<" && character !== ">") words.push(null);
    } else text += character;
  }
  finish();
  return words;
}

/** Returns where a quotation ends on this line; -1 if it does not, as after an apostrophe. */
function closing(line: string, at: number): number {
  const mark = line[at]!;
  if (mark === "'") return at > 0 && /[\p{L}\p{N}]/u.test(line[at - 1]!) ? -1 : line.indexOf("'", at + 1);
  let close = line.indexOf(mark, at + 1);
  while (close > 0 && line[close - 1] === "\\" && line[close - 2] !== "\\")
    close = line.indexOf(mark, close + 1);
  return close;
}

function fromDoubleQuotes(inner: string, whole: boolean): string {
  if (whole && /\\[0-3][0-7]{2}/.test(inner)) return unquoted(`"${inner}"`);
  return inner.replace(/\\([\\$`"])/g, "$1");
}

function readDiffWord(text: string, found: Found): void {
  if (text === "/dev/null" || text.startsWith("-") || /^[-+]+$/.test(text)) return;
  if (/^[a-z]\/./.test(text)) found.add(text.slice(2), "located");
  if (rankOf(text, false) !== null) found.add(text, /^[a-z]\/./.test(text) ? "odd" : "located");
}

function readWord(word: Word, { found, context }: Place, leads: boolean): void {
  if (found.isFull(leads ? "odd" : "word") && plainWord.test(word.text) && !known.test(word.text)) return;
  const as = word.quoted ? (leads ? "quoted, leading" : "quoted") : leads ? "leading" : "plain";
  if (context.within === "" && found.hasRead(word.text, as)) return;
  for (const [path, rank] of readings(word)) {
    if (rank === null || path.length > longestPath) continue;
    if (leads && rank === "word") found.add(path, "odd");
    else {
      if (context.within !== "")
        found.add(joined(context.within, path), rank === "file" ? "file in folder" : rank);
      found.add(path, rank);
    }
  }
}

/** Returns the paths that a word may hold: all of it, `path:12`, `--file=path`, `path:text`, `HEAD:path`. */
function readings({ text: whole, quoted }: Word): (readonly [string, Rank | null])[] {
  const text = trimmed(whole);
  if (url.test(text) || text.length > 4 * longestPath) return [];
  const located = /^(.+?):\d+(?::|$)/.exec(text)?.[1] ?? /^(.+?\.\w+)[-=]\d+[-=]/.exec(text)?.[1];
  if (located !== undefined && rankOf(located, quoted) !== null) return [[located, "located"]];
  const value = /^(?:--?[\w-]+|[A-Za-z_]\w*)=(.+)$/s.exec(text)?.[1];
  if (value !== undefined) return [[trimmed(value), rankOf(trimmed(value), quoted)]];
  const colon = text.indexOf(":", 2);
  if (colon < 0) return [[text, rankOf(text, quoted)]];
  const parts = [text.slice(0, colon), text.slice(colon + 1)];
  return parts.flatMap((part) => {
    const rank = rankOf(part, quoted);
    return rank === "word" ? [] : [[part, rank] as const];
  });
}

function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && "([{<\"'`@".includes(text[from]!) && !(text[from] === "[" && text.includes("]/")))
    from++;
  while (to > from && ":,;)}>\"'`".includes(text[to - 1]!)) to--;
  if (text[to - 1] === "." && text[to - 2] !== "." && text[to - 2] !== "/") to--;
  return text.slice(from, to);
}

/** Null: no path. */
function rankOf(path: string, quoted: boolean): Rank | null {
  if (path.startsWith("-") || path.startsWith("$") || /[*?\n]|\$[({]/.test(path)) return null;
  if (url.test(path) || substitution.test(path) || !/[\p{L}\p{N}]/u.test(path) || /[/\\]$/.test(path))
    return null;
  const inFolder = /[/\\]/.test(path);
  const typed = extension.test(path) || /(?:^|[/\\])\.[A-Za-z][\w.-]*$/.test(path);
  if (!quoted && odd.test(path)) return inFolder && typed ? "odd" : null;
  if (quoted && /\s/.test(path) && !typed) return null;
  if (typed) return inFolder ? "file in folder" : "file";
  if (inFolder || known.test(path)) return "known";
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.@+~-]*$/u.test(path) && /\p{L}/u.test(path) ? "word" : null;
}
