import { type Fields, isFields } from "../edits/index.js";
import type { Range } from "../text/index.js";

/** An argument that cannot be understood. The tool answers it with a correct call. */
export class BadArgument extends Error {
  override readonly name = "BadArgument";
  constructor(
    message: string,
    /** The path of the call, if it had one: the example is then about the same file. */
    readonly path?: string,
  ) {
    super(message);
  }
}

const identity = ["session"];
const everywhere: Readonly<Record<string, string>> = { filepath: "path", file: "path", filename: "path" };

/**
 * The arguments of a call, read generously: `dryRun` and `dry-run` are `dry_run`, numbers and booleans may be
 * strings, lists and objects may be JSON in a string, and a null or an empty string is an argument not given.
 */
export class Arguments {
  private constructor(
    private readonly values: ReadonlyMap<string, unknown>,
    private readonly unknown: Map<string, unknown>,
  ) {}

  static read(given: unknown, names: readonly string[], aliases: Fields = {}): Arguments {
    const fields = given === undefined || given === null ? {} : parsed(given);
    if (!isFields(fields)) throw new BadArgument("the arguments must be an object");
    const meant = new Map([...names, ...identity].map((name) => [plain(name), name]));
    for (const [alias, name] of Object.entries({ ...everywhere, ...aliases }))
      if (names.includes(String(name)) && !meant.has(alias)) meant.set(alias, String(name));
    const values = new Map<string, unknown>();
    const unknown = new Map<string, unknown>();
    for (const [key, value] of Object.entries(fields)) {
      const name = meant.get(plain(key));
      if (name === undefined) unknown.set(key, value);
      else if (name === key || !values.has(name)) values.set(name, value);
    }
    return new Arguments(values, unknown);
  }

  /** Returns the agent that the call names, if it names one. */
  agent(): string | undefined {
    return this.text("session");
  }

  /** Names that mean nothing to the tool. Hosts add fields of their own, so they are no reason to refuse. */
  ignored(): readonly string[] {
    return [...this.unknown.keys()].filter((name) => !name.startsWith("_")).slice(0, 5);
  }

  /** Takes fields that stand where they were not asked for, if one of these names is among them. */
  stray(names: readonly string[]): Fields | undefined {
    if (!names.some((name) => this.unknown.has(name))) return undefined;
    const fields = Object.fromEntries(this.unknown);
    this.unknown.clear();
    return fields;
  }

  /** The value as it came. */
  raw(name: string): unknown {
    const value = this.values.get(name);
    return value === null || value === "" ? undefined : value;
  }

  /** The value as it came, the empty string included. */
  content(name: string): unknown {
    return this.values.get(name) ?? undefined;
  }

  path(): string {
    const path = this.text("path");
    if (path === undefined) throw new BadArgument("path is missing");
    return path;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.bad(`${name} is missing`);
    return value;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw this.bad(`${name} must be a string; got ${shown(value)}`);
  }

  integer(name: string, least: number): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const number = toNumber(value);
    if (number !== null && number >= least) return number;
    throw this.bad(`${name} must be a whole number from ${least}; got ${shown(value)}`);
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const word = String(value).toLowerCase();
    if (["true", "1", "yes"].includes(word)) return true;
    if (["false", "0", "no"].includes(word)) return false;
    throw this.bad(`${name} must be true or false; got ${shown(value)}`);
  }

  ranges(name: string): Range[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const ranges = rangesOf(value);
    if (ranges) return ranges;
    throw this.bad(`${name} must be like [{"start":10,"end":20}]; got ${shown(value)}`);
  }

  /** A refusal of these arguments, about the path they name. */
  bad(message: string): BadArgument {
    const path = this.values.get("path");
    return new BadArgument(message, typeof path === "string" && path !== "" ? path : undefined);
  }
}

/** JSON in a string is what it stands for; any other value is itself. */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A value in a message, cut to a length that never hides the message. */
export function shown(value: unknown): string {
  const text = written(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Nested deeper than it can be written.
    return Array.isArray(value) ? "a list" : "an object";
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function toNumber(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

/** `[{start,end}]`, `[[10,20]]`, `["10-20"]`, `"10-20,40-50"`, or any of them as JSON. */
function rangesOf(value: unknown): Range[] | null {
  const given = parsed(value);
  if (typeof given === "string") return rangesOf(given.split(",").map((part) => part.trim()));
  if (!Array.isArray(given)) return isFields(given) || toNumber(given) !== null ? rangesOf([given]) : null;
  const isPair = given.length === 2 && given.every((part) => typeof part === "number");
  const ranges = (isPair ? [given] : given).map(rangeOf);
  return ranges.every((range) => range !== null) ? ranges : null;
}

function rangeOf(item: unknown): Range | null {
  const ends = endsOf(parsed(item));
  if (!ends) return null;
  const [start, end] = ends.map(toNumber);
  return start == null || end == null ? null : { start, end };
}

function endsOf(item: unknown): readonly [unknown, unknown] | null {
  if (Array.isArray(item)) return item.length === 2 ? [item[0], item[1]] : null;
  if (isFields(item)) {
    const start = item.start ?? item.start_line;
    return [start, item.end ?? item.end_line ?? start];
  }
  if (typeof item === "number") return [item, item];
  const read = typeof item === "string" ? /^(\d+)(?:\s*(?:-|:|\.\.)\s*(\d+))?$/.exec(item) : null;
  return read ? [read[1], read[2] ?? read[1]] : null;
}
