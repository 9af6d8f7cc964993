/** Finds the uncommitted lines that a change removed so that they count as lost. Pure. */
import { compare } from "../../changes/index.js";
import { type Document, LineSet } from "../../text/index.js";
import type { Sweep, Writer } from "../commands/command.js";
import type { RunningCommand } from "../tree-record.js";
import { goneLines, mendedLines, type Owner, type Owners, removedLines } from "./line-work.js";

interface Taking {
  /** Absolute. */
  readonly path: string;
  readonly before: Document;
  readonly after: Document | null;
  /** Owners of the lines before. */
  readonly owners: Owners;
  readonly authors: readonly string[];
  readonly sweeps: readonly Sweep[];
  readonly writers: readonly Writer[];
  /** By the command that an owner's line was written with. */
  readonly writersOf: (command: string) => readonly Writer[];
  /** The text is one that stood there before these lines, or none. */
  readonly isBack: boolean;
  /** Texts that stood there before these lines were written. */
  readonly former?: readonly (Document | null)[];
  /** A command is known to have done it, or may have. */
  readonly isCommand: boolean;
}

/** Lines of `before`. Other lines were replaced, or belong to the one who removed them. */
export function lostLines(taking: Taking): LineSet {
  const { before, after, owners, path, sweeps, isBack, isCommand, former = [] } = taking;
  const uncommitted = LineSet.lines(
    owners.flatMap((owner, at) => (owner && !isSameKind(owner, taking) ? [at] : [])),
  );
  const gone = goneLines(before, after, uncommitted);
  if (gone.isEmpty) return gone;
  const own = LineSet.lines(gone.indexes().filter((at) => isOwn(owners[at] as Owner, taking)));
  const covering = sweeps.filter(
    ({ within }) => within.length === 0 || within.some((one) => isBelow(one, path)),
  );
  const all = covering.find(({ of }) => of === "all");
  if (all) return all.within.includes(path) ? gone.subtract(own) : gone;
  const others = gone.subtract(own);
  if (covering.length > 0 || after === null || (isBack && !isCommand)) return others;
  const theirs = uncommitted.indexes().filter((at) => !isOwn(owners[at] as Owner, taking)).length;
  // An editor that writes an old text over lines takes them; a person who mends a word of each has changed them.
  const taken = isCommand ? others : others.subtract(mendedLines(before, after, others, former));
  if (taken.size * 2 > theirs) return taken;
  return isCommand ? removedLines(compare(before, after), others) : LineSet.empty;
}

interface TakenFile extends Pick<Taking, "path" | "authors"> {
  readonly isGone: boolean;
  /** Those of whom one wrote the file. */
  readonly owner: readonly string[];
  readonly by: Pick<RunningCommand, "sweeps"> | null;
}

/** Whether a file of which no text is on record counts as lost. A text in its place may be made of it. */
export function isTaken({ path, isGone, owner, authors, by }: TakenFile): boolean {
  const covering = (by?.sweeps ?? []).filter(
    ({ within }) => within.length === 0 || within.some((one) => isBelow(one, path)),
  );
  const isTheirs = !isOwn({ authors: owner, command: "" }, { authors });
  const isSwept = covering.some(({ of, within }) => of === "all" && !within.includes(path));
  return isSwept || (isTheirs && (covering.length > 0 || isGone));
}

function isBelow(folder: string, path: string): boolean {
  const plain = folder.replace(/[*?[{].*$/, "");
  return (
    path === folder ||
    (plain !== folder ? path.startsWith(plain) : path.startsWith(`${folder.replace(/\/$/, "")}/`))
  );
}

function isOwn({ authors }: Owner, taking: Pick<Taking, "authors">): boolean {
  const [one] = taking.authors;
  return authors.length === 1 && taking.authors.length === 1 && authors[0] === one;
}

/** A package manager, a generator or a formatter remakes what its kind has made. */
function isSameKind({ command }: Owner, { writers, writersOf }: Taking): boolean {
  const kinds: readonly Writer[] = writers.filter((writer) => writer !== "git");
  return command !== "" && writersOf(command).some((writer) => kinds.includes(writer));
}
