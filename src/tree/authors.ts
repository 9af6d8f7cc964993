/** Names the author of a change: rules from what is known of commands that ran. Pure. Never the wrong one alone. */
import { compileGlob } from "../host/index.js";
import { outside } from "../text/index.js";
import { packageFiles } from "./commands/command-kinds.js";
import { piecesOf } from "./commands/command-lines.js";
import type { RunningCommand } from "./tree-record.js";

/** A change of one file, as far as it tells who made it. */
export interface Trace {
  /** Absolute. */
  readonly path: string;
  /** Lines that are new in it. */
  readonly added: readonly string[];
  readonly isNew: boolean;
  readonly isReformat: boolean;
  /** It is now as git has it. */
  readonly isClean: boolean;
  /** When the file was changed last, in milliseconds; null where it is gone. */
  readonly changed: number | null;
}

export interface Circumstances {
  /** Those that may have made the change; one that has ended was kept from being looked after. */
  readonly running: readonly RunningCommand[];
  /** Agents with something in the background. */
  readonly background: readonly string[];
  /** The file changed while no command ran, not long ago. */
  readonly isLoose: boolean;
  /** When something outside was seen to write. */
  readonly outside: number;
  readonly now: number;
}

export interface Attribution {
  /** One alone, or the set of those who may have done it. */
  readonly authors: readonly string[];
  /** The command that did it, or may have. */
  readonly by: RunningCommand | null;
}

/** Milliseconds: a command that took less leaves a person little time. */
const quick = 2_000;
/** Somebody who was seen to write this long before a command began may still be at it. */
const busy = 60_000;
/** Times of files are coarse on some disks. */
const coarse = 50;

export function attribute(trace: Trace, around: Circumstances): Attribution {
  const { background, isLoose, now } = around;
  // A text that was written before a command began is not that command's.
  const running = around.running.filter(
    ({ start }) => trace.changed === null || trace.changed + coarse >= start,
  );
  const alive = isLoose || running.length === 0 ? background : [];
  if (running.length === 0) return { authors: setOf([outside, ...alive]), by: null };
  for (const isEvident of [isTold, isLikely]) {
    const evident = running.filter(
      (command) =>
        isEvident(trace, command) && !(isEvident === isLikely && isLoose && !isOfGit(trace, command)),
    );
    const agents = setOf(evident.map(({ agent }) => agent));
    if (agents.length > 0)
      return {
        authors: agents.length === 1 && !evident.some(isOver(trace)) ? agents : setOf([...agents, outside]),
        by: evident.at(-1) ?? null,
      };
  }
  const agents = setOf(running.map(({ agent }) => agent));
  const by = running.at(-1) as RunningCommand;
  const isAlone =
    agents.length === 1 &&
    !running.some(isOver(trace)) &&
    now - by.start < quick &&
    !isLoose &&
    background.length === 0 &&
    around.outside < by.start - busy;
  return { authors: isAlone ? agents : setOf([...agents, outside, ...alive]), by };
}

/** Others had time to change the file after the command. */
function isOver({ changed }: Trace): (command: RunningCommand) => boolean {
  return ({ end }) => end !== undefined && (changed === null || changed > end + coarse);
}

function setOf(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The command says so itself: it names the file, or holds the text. */
function isTold(trace: Trace, command: RunningCommand): boolean {
  return hasNamed(command, trace.path) || hasHashOf(command, trace);
}

export function hasNamed({ names }: Pick<RunningCommand, "names">, path: string): boolean {
  return names.some(
    ({ path: named, isWritten }) =>
      isSame(named, path) ||
      (isWritten && path.startsWith(named.endsWith("/") ? named : `${named}/`)) ||
      isMatch(named, path),
  );
}

function isSame(named: string, path: string): boolean {
  return named === path || named.normalize() === path.normalize();
}

function isMatch(pattern: string, path: string): boolean {
  if (!/[*?[{]/.test(pattern)) return false;
  try {
    return compileGlob(pattern, true)(path);
  } catch {
    return false;
  }
}

function hasHashOf({ hashes }: RunningCommand, { added }: Trace): boolean {
  if (hashes.length === 0) return false;
  const own = new Set(hashes);
  return added.some((line) => piecesOf(line).some((piece) => own.has(piece)));
}

/** Nobody but git writes the text that git has, to the byte. */
function isOfGit({ isClean }: Trace, { writers }: RunningCommand): boolean {
  return isClean && writers.includes("git");
}

/** It is a known writer, and this is how it writes. */
function isLikely(
  { path, isClean, isNew, isReformat }: Trace,
  { writers, movesHead, sweeps }: RunningCommand,
): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return writers.some((writer) => {
    if (writer === "git") return isClean || movesHead || sweeps.length > 0;
    if (writer === "formatter") return isReformat;
    if (writer === "packages") return packageFiles.has(name);
    return isNew;
  });
}
