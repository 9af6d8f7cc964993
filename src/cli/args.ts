import { parseArgs } from "node:util";
import type { Range } from "../text/index.js";
import { type Command, type Flag, flagsOf, general, touching } from "./flag-types.js";
import { commandNamed, commands } from "./table/command-table.js";

/** The command line was wrong: the message says how, the hint what to do. Exit status 2. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** A command line, understood. */
export interface Args {
  readonly command: Command;
  readonly positionals: readonly string[];
  has(flag: string): boolean;
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  /** A whole number from `least`. */
  number(flag: string, least?: number): number | undefined;
}

export type Parsed =
  | { readonly kind: "run"; readonly args: Args }
  | { readonly kind: "help"; readonly topic: string | null; readonly json: boolean }
  | { readonly kind: "version"; readonly json: boolean };

interface Given {
  readonly name: string;
  readonly raw: string;
  readonly value: string | undefined;
}

/** Flags of all commands: one name means the same kind of flag everywhere. */
const known: ReadonlyMap<string, Flag> = new Map(
  [...commands.flatMap(flagsOf), ...touching, ...general].map((flag) => [flag.name, flag]),
);

export function parseCommandLine(argv: readonly string[]): Parsed {
  const { given, words } = split(argv);
  const json = given.some(({ name }) => name === "json");
  const [name, ...positionals] = words;
  if (given.some((flag) => flag.name === "version") || (name === "version" && words.length === 1))
    return { kind: "version", json };
  if (name === "help") return { kind: "help", topic: positionals[0] ?? null, json };
  if (given.some((flag) => flag.name === "help")) return { kind: "help", topic: name ?? null, json };
  if (name === undefined) {
    const [flag] = given;
    if (flag && !known.has(flag.name)) throw unknownFlag(flag, null);
    return { kind: "help", topic: null, json };
  }
  const command = commandNamed(name);
  if (!command) throw unknownCommand(name);
  for (const flag of given) checkFlag(flag, command);
  checkPositionals(command, positionals);
  return { kind: "run", args: makeArgs(command, positionals, given) };
}

export function unknownCommand(name: string): UsageError {
  const near = nearest(
    name,
    commands.map((command) => command.name),
  );
  return new UsageError(
    `there is no command ${JSON.stringify(name)}`,
    near ? `did you mean: kedge ${near}` : "see: kedge --help",
  );
}

/** Text that no flag can be: it begins with a dash, and a blank or line break follows before any "=". */
const isText = (word: string): boolean => /^-[^=]*\s/.test(word) || /^-[^-\w]/.test(word);

function split(argv: readonly string[]): { given: Given[]; words: string[] } {
  const options: Record<string, { type: "string" | "boolean"; short?: string; multiple: true }> = {};
  for (const { name, value, short } of known.values())
    options[name] = { type: value ? "string" : "boolean", multiple: true, ...(short ? { short } : {}) };
  // parseArgs would read "- item" as three short flags.
  const texts: string[] = [];
  const args = argv.map((word) => {
    if (!isText(word)) return word;
    texts.push(word);
    return `\0${texts.length - 1}`;
  });
  const restore = (word: string): string =>
    word.startsWith("\0") ? (texts[Number(word.slice(1))] as string) : word;
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given: Given[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(restore(token.value));
    if (token.kind !== "option") continue;
    const { name, rawName: raw, value, inlineValue } = token;
    const swallowed = value?.startsWith("--") && !inlineValue ? value.slice(2) : null;
    if (swallowed !== null && known.has(swallowed)) throw new UsageError(`${raw} needs a value`);
    given.push({ name, raw, value: value === undefined ? undefined : restore(value) });
  }
  return { given, words };
}

function checkFlag({ name, raw, value }: Given, command: Command): void {
  const flag = [...flagsOf(command), ...general].find((one) => one.name === name);
  if (!flag) throw unknownFlag({ name, raw, value }, command);
  if (flag.value && (value === undefined || value === ""))
    throw new UsageError(`${raw} needs a value: ${raw} ${flag.choices?.join("|") ?? flag.value}`);
  if (!flag.value && value !== undefined) throw new UsageError(`${raw} takes no value`);
  if (flag.choices && !flag.choices.includes(value as string)) {
    const near = nearest(value as string, flag.choices);
    const wanted = `${raw} is one of ${flag.choices.join(", ")}`;
    throw new UsageError(
      `${wanted}; got ${JSON.stringify(value)}`,
      near ? `did you mean: ${near}` : undefined,
    );
  }
}

function unknownFlag({ name, raw, value }: Given, command: Command | null): UsageError {
  const where = command ? `${command.name} has no flag` : "there is no flag";
  const names = (command ? flagsOf(command) : [...known.values()]).map((flag) => flag.name);
  const near = raw.startsWith("--") ? nearest(name, names) : null;
  const elsewhere = command ? commands.filter((one) => flagsOf(one).some((flag) => flag.name === name)) : [];
  const others = elsewhere.map((one) => `kedge ${one.name}`).join(", ");
  const hint = near
    ? `did you mean: --${near}`
    : others
      ? `${raw} belongs to ${others}`
      : `see: kedge ${command ? `${command.name} ` : ""}--help`;
  const takesText = command?.positionals.some((one) => one.name === "CONTENT");
  const takesName = !raw.startsWith("--") && command?.positionals.some((one) => one.is);
  const meant = takesText ? "text" : takesName ? "a name" : null;
  const dashes = meant && value === undefined ? `; ${meant} that begins with - goes after --` : "";
  return new UsageError(`${where} ${raw}`, hint + dashes);
}

function checkPositionals({ name, positionals }: Command, given: readonly string[]): void {
  const missing = positionals.find((one, at) => !one.optional && given[at] === undefined);
  if (missing) {
    const choices = missing.choices ? `: ${missing.choices.join(", ")}` : "";
    throw new UsageError(`${name} needs ${missing.name}${choices}`, `see: kedge ${name} --help`);
  }
  for (const [at, value] of given.entries()) {
    const positional = positionals[at] ?? (positionals.at(-1)?.many ? positionals.at(-1) : undefined);
    if (!positional)
      throw new UsageError(
        `${name} takes no further argument ${JSON.stringify(value)}`,
        `see: kedge ${name} --help`,
      );
    if (value === "-" && positional.is && !positional.stdin)
      throw new UsageError(`${name} needs a ${positional.is}, not stdin`, "a file that is called - is ./-");
    if (positional.choices && !positional.choices.includes(value)) {
      const near = nearest(value, positional.choices);
      throw new UsageError(
        `${positional.name} is one of ${positional.choices.join(", ")}; got ${JSON.stringify(value)}`,
        near ? `did you mean: kedge ${name} ${near}` : undefined,
      );
    }
  }
}

function makeArgs(command: Command, positionals: readonly string[], given: readonly Given[]): Args {
  const values = (flag: string): string[] =>
    given.flatMap(({ name, value }) => (name === flag && value !== undefined ? [value] : []));
  const args: Args = {
    command,
    positionals,
    has: (flag) => given.some(({ name }) => name === flag),
    text: (flag) => values(flag).at(-1),
    texts: values,
    number(flag, least = 1) {
      const value = args.text(flag);
      if (value === undefined) return undefined;
      if (/^\d{1,15}$/.test(value) && Number(value) >= least) return Number(value);
      throw new UsageError(`--${flag} is a whole number from ${least}; got ${JSON.stringify(value)}`);
    },
  };
  return args;
}

/** The one that a typing mistake most likely meant, or null. */
export function nearest(given: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name) }))
    .sort((one, two) => one.distance - two.distance);
  const [best] = ranked;
  const tolerated = Math.max(1, Math.floor(given.length / 3));
  if (best && best.distance <= tolerated) return best.name;
  const longer = names.filter((name) => given.length >= 2 && name.startsWith(given));
  return longer.length === 1 ? (longer[0] as string) : null;
}

/** Letters to insert, delete, replace, or swap with their neighbour. */
function distance(one: string, two: string): number {
  const rows: number[][] = [Array.from({ length: two.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= two.length; column++) {
      const same = one[row - 1] === two[column - 1] ? 0 : 1;
      let best = Math.min(
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + same,
      );
      if (one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1])
        best = Math.min(best, cell(row - 2, column - 2) + 1);
      (rows[row] as number[]).push(best);
    }
  }
  return cell(one.length, two.length);
}

const farthest = Number.MAX_SAFE_INTEGER;

/** "10-20,40-50", "7", "100-" (to the end). */
export function parseRanges(text: string): Range[] {
  return text.split(",").map((part) => {
    const found = /^\s*(\d{1,15})\s*(?:(-)\s*(\d{1,15})?)?\s*$/.exec(part);
    const start = Number(found?.[1] ?? 0);
    const end = found?.[3] !== undefined ? Number(found[3]) : found?.[2] ? farthest : start;
    if (!found || start < 1) throw new UsageError(`lines are like 10-20,40-50; got ${JSON.stringify(part)}`);
    if (end < start) throw new UsageError(`the range ${part.trim()} ends before it begins`);
    return { start, end };
  });
}
