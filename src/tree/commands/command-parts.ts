/** The programs that a line of shell starts, without what stands around them: wrappers, folders, loops. */
import { posix } from "node:path";
import * as kinds from "./command-kinds.js";
import { parseShell, type ShellCommand, unknownPart } from "./shell-parser.js";

export interface Part {
  /** Without its folder. */
  readonly program: string;
  readonly args: readonly string[];
  readonly targets: readonly string[];
  readonly given: readonly string[];
  /** Programs in another language that the command holds. */
  readonly inline: readonly string[];
  readonly isBackground: boolean;
  /** A word as a path, from the folder that the program runs in. */
  readonly resolve: (path: string) => string;
}

const mostNested = 5;

/** Follows `cd`; looks into `bash -c`, `eval`, `xargs` and `find -exec`. */
export function partsOf(commands: readonly ShellCommand[], cwd: string, depth = 0): Part[] {
  const parts: Part[] = [];
  let folder = cwd;
  for (const command of commands) {
    const words = unwrapped(command.words);
    const [first = "", ...args] = words;
    const program = first.replace(/^.*[\\/]/, "");
    const here = folder;
    if ((program === "cd" || program === "pushd") && args[0] !== undefined && !args[0].includes(unknownPart))
      folder = resolveFrom(here, args.find((word) => !word.startsWith("-")) ?? ".");
    const { targets, given, isBackground } = command;
    const from =
      program === "git" && args[0] === "-C" && args[1] !== undefined ? resolveFrom(here, args[1]) : here;
    const inner = depth < mostNested ? innerCommands(program, args, given) : [];
    const plain = { targets, isBackground, resolve: (path: string) => resolveFrom(from, path) };
    if (inner.length > 0) {
      const nested = inner.flatMap((text) =>
        typeof text === "string"
          ? partsOf(parseShell(text), here, depth + 1)
          : partsOf([text], here, depth + 1),
      );
      parts.push(...nested.map((part) => ({ ...part, isBackground: part.isBackground || isBackground })));
      // The rest is a shell that runs them; find looks by itself.
      parts.push({
        ...plain,
        program: program === "find" ? "find" : ":",
        args: program === "find" ? args.filter((word) => !/^-(exec|execdir|ok|okdir)$/.test(word)) : [],
        given: [],
        inline: [],
      });
    } else if (program !== "" || targets.length > 0 || given.length > 0)
      parts.push({
        ...plain,
        program: program === "" ? ":" : program,
        args,
        given,
        inline: inlinePrograms(program, args, given),
      });
  }
  return parts;
}

function resolveFrom(folder: string, path: string): string {
  const home = path === "~" || path.startsWith("~/") ? `${unknownPart}home${path.slice(1)}` : path;
  return posix.resolve(folder, home);
}

function unwrapped(given: readonly string[]): string[] {
  let words = [...given];
  for (let left = 20; left > 0; left--) {
    const [first = "", ...rest] = words;
    const name = first.replace(/^.*\//, "");
    if (/^[A-Za-z_]\w*\+?=/.test(first) || kinds.prefixes.has(first)) words = rest;
    else if (first === "for" || first === "case" || first === "function" || first === "select") return [":"];
    else if (name in kinds.wrappers) {
      const skips = kinds.wrappers[name] as RegExp;
      const at = rest.findIndex((word) => !skips.test(word));
      if (at < 0) return words;
      words = rest.slice(at);
    } else return words;
  }
  return words;
}

/** Commands that a program is given to run, as text or as words. */
function innerCommands(
  program: string,
  args: readonly string[],
  given: readonly string[],
): (string | ShellCommand)[] {
  if (program === "eval") return [args.join(" ")];
  if (kinds.shells.has(program)) {
    const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
    if (at >= 0) return [args[at + 1] ?? ""];
    return args.every((word) => word.startsWith("-")) ? [...given] : [];
  }
  if (program !== "find") return [];
  const found: ShellCommand[] = [];
  for (let at = 0; at < args.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(args[at] as string)) continue;
    const end = args.findIndex((word, index) => index > at && (word === ";" || word === "+"));
    const words = args.slice(at + 1, end < 0 ? args.length : end);
    found.push({ words, targets: [], given: [], isBackground: false });
  }
  return found;
}

const interpreters = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|tsx|ts-node|Rscript|lua)$/;

function inlinePrograms(program: string, args: readonly string[], given: readonly string[]): string[] {
  if (!interpreters.test(program)) return [];
  const at = args.findIndex((word) => /^(-[a-zA-Z]*[ceE]|--eval|-p|--print|eval)$/.test(word));
  return [...(at >= 0 ? [args[at + 1] ?? ""] : []), ...given];
}

/** Writes no file, by what it is and by its flags. */
export function isHarmless({ program, args, targets, inline }: Part): boolean {
  if (targets.some((target) => !/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(target))) return false;
  if (inline.length > 0) return false;
  if (kinds.readers.has(program)) return true;
  const unless = kinds.readersUnless[program];
  if (unless) return !args.some((word) => unless.test(word));
  if (program === "sed") return isReadingSed(args);
  if (program === "git") return isReadingGit(args);
  const isVersion = args.length === 1 && /^(--version|-v|-V|--help|-h|version|help)$/.test(args[0] as string);
  if (isVersion) return true;
  return (
    /^(npm|pnpm|yarn)$/.test(program) &&
    /^(ls|list|view|info|outdated|why|root|prefix|bin|search|whoami)$/.test(args[0] ?? "")
  );
}

/** Its scripts write by w and e alone, as commands or behind a substitution. */
function isReadingSed(args: readonly string[]): boolean {
  if (args.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word))) return false;
  const isPlain = (word: string): boolean => {
    const rest = word
      .replace(/s(.)(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1/gs, "")
      .replace(/\/(?:\\.|[^/\\])*\//g, "");
    return /^[\d,$~+!pPdDqQ={};ngGI\s]*$/.test(rest) || /^[\w./-]+$/.test(word);
  };
  return (
    args.every((word) => word.startsWith("-") || isPlain(word)) &&
    !args.some((word) => /^(-[a-zA-Z]*f|--file)/.test(word))
  );
}

function isReadingGit(given: readonly string[]): boolean {
  let at = 0;
  while (at < given.length && given[at]?.startsWith("-")) {
    // A setting may name a program.
    if (given[at] === "-c") return false;
    at += /^(-C|--git-dir|--work-tree)$/.test(given[at] as string) ? 2 : 1;
  }
  const [verb = "", ...args] = given.slice(at);
  if (args.some((word) => /^(--output|-o$|--ext-diff|--exec|-O)/.test(word)) && verb !== "ls-files")
    return false;
  if (kinds.gitReaders.has(verb)) return true;
  const [first] = args;
  switch (verb) {
    case "":
      return true;
    case "branch":
    case "tag":
      return args.every((word) =>
        /^(-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current|--contains|--merged|--no-merged|--sort=.*|--format=.*)$/.test(
          word,
        ),
      );
    case "stash":
      return first === "list" || first === "show";
    case "remote":
      return first === undefined || first === "-v" || first === "show" || first === "get-url";
    case "config":
      return args.some((word) => /^(--get.*|--list|-l)$/.test(word));
    case "reflog":
      return first === undefined || first === "show" || first.startsWith("-");
    case "worktree":
    case "submodule":
    case "notes":
    case "bisect":
      return first === "list" || first === "status" || first === "log";
    default:
      return false;
  }
}
