import { nameOf, type Platform } from "../host/index.js";
import { foldedName, type JournalEntry, type Json } from "../ports/index.js";

export interface TreeNamesOptions {
  /** The top of the tree on this host. */
  readonly root: string;
  readonly host: string;
  readonly platform: Platform;
}

/** Before the name of a file in a record. */
const marker = "\u0001";
const inside = "./";
const outside = "@";
const other = "=";
/** Longer names do not fit into an index. */
const longest = 500;

/**
 * Names of files as the store has them: from the top of the tree on, so that hosts which mount it elsewhere mean the same
 * file by them. A file outside the tree is this host's alone.
 */
export class TreeNames {
  private readonly marked: string;
  /** The root as keys have it: in one case where the file system knows none. */
  private keyRoot: string;

  constructor(private readonly options: TreeNamesOptions) {
    this.marked = `${outside}${options.host}:`;
    this.keyRoot = options.root;
  }

  /** The name of a file by its key. */
  stored(key: string): string {
    const { root, platform } = this.options;
    const way = wayFrom(this.keyRoot, key, platform) ?? wayFrom(root, key, platform);
    if (way !== null) return inside + way;
    const folded = wayFrom(foldedName(root), key, platform);
    if (folded === null) return (platform.path.isAbsolute(key) ? this.marked : other) + key;
    this.keyRoot = foldedName(root);
    return inside + folded;
  }

  /** Its key on this host; null: it is another host's. */
  key(stored: string): string | null {
    if (stored.startsWith(inside)) return this.within(this.keyRoot, stored);
    if (stored.startsWith(other)) return stored.slice(other.length);
    return stored.startsWith(this.marked) ? stored.slice(this.marked.length) : null;
  }

  /** A path; unlike a key it has the case of its letters. */
  path(stored: string): string {
    if (stored.startsWith(inside)) return this.within(this.options.root, stored);
    return this.key(stored) ?? stored;
  }

  storedEntry(entry: JournalEntry): JournalEntry {
    const { path } = this.options.platform;
    const moved = (one: string): string => (path.isAbsolute(one) ? this.stored(one) : one);
    return withPaths(entry, (one) => this.stored(one), moved);
  }

  entry(stored: JournalEntry): JournalEntry {
    const isMoved = (one: string): boolean => one.startsWith(inside) || one.startsWith(outside);
    const back = (one: string): string => (isMoved(one) ? this.path(one) : one);
    return withPaths(stored, (one) => this.key(one) ?? one, back);
  }

  /** The name of a record: those of work trees have the path of theirs in it. */
  record(name: string): string {
    return name.split(this.options.root).join(marker);
  }

  /** A record: the files that it names by their keys are those of the tree. */
  storedValue(name: string, value: Json): Json {
    const { path } = this.options.platform;
    const moved = (text: string): string => {
      const stored = path.isAbsolute(text) ? this.stored(text) : "";
      return stored.startsWith(inside) ? marker + stored : text;
    };
    return withTexts(value, moved, hasContent(name));
  }

  value(name: string, stored: Json): Json {
    const back = (text: string): string =>
      text.startsWith(marker + inside) ? this.within(this.keyRoot, text.slice(marker.length)) : text;
    return withTexts(stored, back, hasContent(name));
  }

  private within(root: string, stored: string): string {
    const { path } = this.options.platform;
    const way = stored.slice(inside.length);
    return way === ""
      ? root
      : root + (root.endsWith(path.sep) ? "" : path.sep) + way.split("/").join(path.sep);
  }
}

function wayFrom(root: string, key: string, { path }: Platform): string | null {
  if (key === root) return "";
  const above = root.endsWith(path.sep) ? root : root + path.sep;
  return key.startsWith(above) ? key.slice(above.length).split(path.sep).join("/") : null;
}

function withPaths(
  entry: JournalEntry,
  file: (key: string) => string,
  path: (path: string) => string,
): JournalEntry {
  const { to, toFile, tree } = entry;
  return {
    ...{ ...entry, file: file(entry.file), path: path(entry.path) },
    ...(to === undefined ? {} : { to: path(to) }),
    ...(toFile === undefined ? {} : { toFile: file(toFile) }),
    ...(tree === undefined ? {} : { tree: path(tree) }),
  };
}

/** A text that a database takes: it has no NUL and no half of a character. */
export function columnOf(text: string): string {
  const isPlain = !/^["#]|\0|\p{Surrogate}/u.test(text);
  const column = isPlain ? text : JSON.stringify(text);
  return Buffer.byteLength(column) <= longest ? column : `#${nameOf(text)}${nameOf(column)}`;
}

/** The text of a column; null: it was too long for it. */
export function textIn(column: string): string | null {
  if (column.startsWith("#")) return null;
  return column.startsWith('"') ? (JSON.parse(column) as string) : column;
}

/** A request that can be sent again has lines of files in it: only what is called a key is one. */
function hasContent(name: string): boolean {
  return name.startsWith("retry ");
}

function withTexts(value: Json, change: (text: string) => string, isKeyed: boolean, isKey = !isKeyed): Json {
  if (typeof value === "string") return isKey ? change(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((one) => withTexts(one, change, isKeyed, !isKeyed));
  const fields = Object.entries(value as { readonly [key: string]: Json }).map(([name, one]) => [
    isKeyed ? name : change(name),
    withTexts(one, change, isKeyed, !isKeyed || name === "key"),
  ]);
  return Object.fromEntries(fields) as Json;
}
