/** Reads from its words what a shell command does to files. Pure, and conservative: an unknown program may write. */

import * as kinds from "./command-kinds.js";
import { isHarmless, type Part, partsOf } from "./command-parts.js";
import { parseShell, unknownPart } from "./shell-parser.js";

export type Writer = "git" | "formatter" | "packages" | "generator";

/** A path as it is named in a command; absolute, and maybe with wild cards. */
export interface NamedPath {
  readonly path: string;
  /** The text of that file is the command's own: it is written, moved or removed, and not only read. */
  readonly isWritten: boolean;
}

/** Commands that remove lines that are in no commit. */
export interface Sweep {
  /** `all`: anybody's lines; `others`: those of others than who runs it. */
  readonly of: "all" | "others";
  /** Absolute paths it is confined to; empty: the whole tree. */
  readonly within: readonly string[];
}

export interface CommandFacts {
  readonly isReadOnly: boolean;
  readonly names: readonly NamedPath[];
  /** Lines that the command itself holds: of heredocs, echo, printf, inline programs. */
  readonly lines: readonly string[];
  readonly writers: readonly Writer[];
  readonly sweeps: readonly Sweep[];
  readonly movesHead: boolean;
  readonly isBackground: boolean;
}

const longest = 64 * 1024;

/** Judges a command that runs in the folder `cwd`. */
export function commandFacts(command: string, cwd: string): CommandFacts {
  const text = command.slice(0, longest);
  const parts = partsOf(parseShell(text), cwd);
  const isReadOnly = command.length <= longest && parts.length > 0 && parts.every(isHarmless);
  return {
    isReadOnly,
    names: isReadOnly ? [] : parts.flatMap((part) => namesIn(part)),
    lines: isReadOnly ? [] : parts.flatMap(linesIn),
    writers: [...new Set(parts.flatMap(writersIn))],
    sweeps: parts.flatMap(sweepsIn),
    movesHead: parts.some(({ program, args }) => program === "git" && headMovers.has(gitVerb(args))),
    isBackground: parts.some(({ isBackground }) => isBackground) || kinds.watchers.test(text),
  };
}

const headMovers = new Set(
  "checkout switch pull merge rebase cherry-pick revert am reset commit bisect".split(" "),
);

/** The subcommand, behind options of git itself. */
export function gitVerb(args: readonly string[]): string {
  return gitArguments(args)[0] ?? "";
}

/** The subcommand and its words. */
export function gitArguments(args: readonly string[]): readonly string[] {
  let at = 0;
  while (at < args.length && args[at]?.startsWith("-"))
    at += /^(-C|-c|--git-dir|--work-tree|--namespace)$/.test(args[at] as string) ? 2 : 1;
  return args.slice(at);
}

const isFlag = (word: string): boolean => word.startsWith("-") && word !== "-";

function namesIn(part: Part): NamedPath[] {
  const { targets, resolve } = part;
  const written = targets
    .filter((target) => !target.startsWith("/dev/"))
    .map((target) => ({ path: resolve(target), isWritten: true }));
  return [
    ...written,
    ...argumentNames(part).map(({ path, isWritten }) => ({ path: resolve(path), isWritten })),
  ];
}

function argumentNames(part: Part): NamedPath[] {
  const { program, args, inline } = part;
  if (isReader(part)) return [];
  const operands = args.filter((word) => !isFlag(word) && word !== "");
  const named = (paths: readonly string[], isWritten: boolean): NamedPath[] =>
    paths.map((path) => ({ path, isWritten }));
  if (program === "git") return gitNames(gitArguments(args));
  if (program === "sed" || program === "perl" || program === "ruby") return inPlaceNames(program, args);
  if (kinds.copiers.has(program))
    return named(operands.slice(-1), true).flatMap((one) => [one, ...into(one, operands.slice(0, -1))]);
  if (program === "mv")
    return named(operands, true).flatMap((one) => [
      one,
      ...(one.path === operands.at(-1) ? into(one, operands.slice(0, -1)) : []),
    ]);
  if (
    program === "rm" ||
    program === "unlink" ||
    program === "tee" ||
    program === "truncate" ||
    program === "touch" ||
    program === "shred" ||
    program === "patch"
  )
    return named(operands, true);
  if (program === "dd")
    return named(
      args.flatMap((word) => /^of=(.+)$/.exec(word)?.[1] ?? []),
      true,
    );
  const flagged = args.flatMap((word) => /^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? []);
  const quoted = inline.flatMap((text) =>
    [...text.matchAll(/["'`]([^"'`\n]{1,300})["'`]/g)].map(([, path]) => path as string),
  );
  const isWritten = isFormatter(part);
  return [
    ...named([...operands.filter(isPathLike), ...flagged], isWritten),
    ...named(quoted.filter(isPathLike), false),
  ];
}

/** A copy into a folder has the name of what is copied. */
function into({ isWritten, path: folder }: NamedPath, sources: readonly string[]): NamedPath[] {
  return sources.map((source) => ({
    path: `${folder.replace(/\/$/, "")}/${source.replace(/\/$/, "").split("/").at(-1)}`,
    isWritten,
  }));
}

function isPathLike(word: string): boolean {
  return (
    word.length <= 300 &&
    /^[^\s;|&<>$]+$/.test(word) &&
    !word.includes(unknownPart) &&
    /[\w*]/.test(word) &&
    !/^[\w+.-]+:\/\//.test(word)
  );
}

/** The first operand is the program unless a flag gives it. */
function inPlaceNames(program: string, args: readonly string[]): NamedPath[] {
  const isInPlace = args.some((word) => /^(-[a-zA-Z0-9]*i|--in-place)/.test(word));
  let isGiven = false;
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] as string;
    const takes = program === "sed" ? /^(-[a-zA-Z]*[ef]|--expression|--file)$/ : /^-[a-zA-Z0-9]*[eE]$/;
    if (takes.test(word)) {
      isGiven = true;
      at++;
    } else if (/^--(expression|file)=/.test(word)) isGiven = true;
    else if (!isFlag(word)) operands.push(word);
  }
  const files = isGiven ? operands : operands.slice(program === "sed" ? 1 : 0);
  // BSD's sed takes the suffix as a word of its own.
  return files.filter((word) => word !== "").map((path) => ({ path, isWritten: isInPlace }));
}

function gitNames([verb = "", ...args]: readonly string[]): NamedPath[] {
  const at = args.indexOf("--");
  const named = at >= 0 ? args.slice(at + 1) : args.filter((word) => !isFlag(word));
  if (!/^(checkout|restore|rm|mv|clean|stash|reset|add|apply)$/.test(verb)) return [];
  return (verb === "stash" || verb === "reset" ? (at >= 0 ? named : []) : named).map((path) => ({
    path,
    isWritten: true,
  }));
}

function linesIn({ given, program, args, inline }: Part): string[] {
  const said =
    program === "echo" || program === "printf"
      ? [args.filter((word) => !/^-[neE]+$/.test(word)).join(" ")]
      : [];
  const scripts =
    program === "sed" || program === "perl"
      ? args.filter((word) => !isFlag(word)).flatMap((word) => word.split(/(?<!\\)[/|#,]/))
      : [];
  return [...given, ...said.map((text) => text.replaceAll("\\n", "\n")), ...inline, ...scripts]
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.trim() !== "");
}

function isFormatter({ program, args }: Part): boolean {
  if (kinds.formatters.has(program))
    return (
      !args.some((word) => /^(--check|-c|--list-different|-l|--diff|-d)$/.test(word)) &&
      (!/^(eslint|ruff|biome|oxlint|rubocop|standard)$/.test(program) ||
        args.some((word) => /^(--fix|--write|--apply|format|fmt|-a|-A|--autocorrect)/.test(word)))
    );
  return (
    (kinds.runners.has(program) && args.some((word) => !isFlag(word) && kinds.formatScript.test(word))) ||
    (program === "go" && args[0] === "fmt") ||
    (program === "cargo" && (args[0] === "fmt" || args[0] === "fix"))
  );
}

function isPackages({ program, args }: Part): boolean {
  if (!kinds.packageManagers.has(program)) return false;
  const verb = args.find((word) => !isFlag(word));
  return verb === undefined ? program === "yarn" : kinds.packageVerbs.has(verb);
}

const generating =
  /(?:^|[:_-])(?:generate|codegen|gen|build|scaffold|create|init|new|migrate|snapshot)(?:$|[:_-])/;

function writersIn(part: Part): Writer[] {
  const { program, args } = part;
  const verb = args.find((word) => !isFlag(word)) ?? "";
  const isGenerator =
    (kinds.runners.has(program) && args.some((word) => !isFlag(word) && generating.test(word))) ||
    /^(protoc|openapi-generator|graphql-codegen|buf|sqlc|prisma|rails|django-admin|cmake|configure|autoconf)$/.test(
      program,
    );
  return [
    ...(program === "git" && !kinds.gitReaders.has(gitVerb(args)) ? ["git" as const] : []),
    ...(isFormatter(part) ? ["formatter" as const] : []),
    ...(isPackages(part) ? ["packages" as const] : []),
    ...(isGenerator || (program === "go" && verb === "generate") ? ["generator" as const] : []),
  ];
}

/** It is given files to look at. */
function isReader(part: Part): boolean {
  const { program, args } = part;
  if (isHarmless({ ...part, targets: [] })) return true;
  if (kinds.checkers.has(program)) return true;
  const verb = args.filter((word) => !isFlag(word) && word !== "run")[0] ?? "";
  if (kinds.runners.has(program) && kinds.checks.test(verb)) return true;
  if (kinds.formatters.has(program)) return !isFormatter(part);
  return program === "node" && args.includes("--test");
}

/** The commands that remove work that is in no commit. */
function sweepsIn(part: Part): Sweep[] {
  const { program, args, resolve } = part;
  const sweep = (of: Sweep["of"], paths: readonly string[]): Sweep[] => [{ of, within: paths.map(resolve) }];
  const operands = args.filter((word) => !isFlag(word));
  if (program === "git") return gitSweeps(gitArguments(args), resolve);
  if (program === "rm" || program === "unlink" || program === "shred" || program === "truncate")
    return sweep("others", operands);
  if (program === "mv")
    return sweep("others", [
      ...operands,
      ...into({ path: operands.at(-1) ?? "", isWritten: true }, operands.slice(0, -1)).map(
        ({ path }) => path,
      ),
    ]);
  if (program === "find" && args.includes("-delete")) return sweep("others", [operands[0] ?? "."]);
  if (program === "rsync" && args.some((word) => word.startsWith("--delete")))
    return sweep("others", operands.slice(-1));
  return [];
}

function gitSweeps([verb = "", ...args]: readonly string[], resolve: (path: string) => string): Sweep[] {
  const has = (flag: RegExp): boolean => args.some((word) => flag.test(word));
  const at = args.indexOf("--");
  const operands = at >= 0 ? args.slice(at + 1) : args.filter((word) => !isFlag(word));
  const all = (paths: readonly string[] = []): Sweep[] => [{ of: "all", within: paths.map(resolve) }];
  const isForced = has(/^(-[a-zA-Z]*f|--force|--discard-changes)$/);
  switch (verb) {
    case "checkout":
      if (has(/^(-b|-B|--orphan)$/) && !isForced) return [];
      // A word that is no branch is a path: which of the two it is shows in what it took.
      return at >= 0 ? all(operands) : isForced ? all() : all(operands);
    case "restore":
      return has(/^(-S|--staged)$/) && !has(/^(-W|--worktree)$/) ? [] : all(operands);
    case "reset":
      return has(/^--(hard|merge|keep)$/) ? all() : [];
    case "clean":
      return has(/^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/) ? [] : all(operands);
    case "stash":
      return /^(list|show|pop|apply|branch|create)$/.test(args[0] ?? "") ? [] : all(at >= 0 ? operands : []);
    case "switch":
      return isForced ? all() : [];
    case "rebase":
    case "pull":
    case "merge":
    case "cherry-pick":
    case "revert":
    case "am":
    case "read-tree":
    case "checkout-index":
      return all();
    case "rm":
      return [{ of: "others", within: operands.map(resolve) }];
    case "mv":
      return [{ of: "others", within: operands.map(resolve) }];
    default:
      return [];
  }
}
