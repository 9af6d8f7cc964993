/**
 * Credits the lines of files that a shell command printed.
 *
 * Laws: a line is credited only if the output holds it whole, after what numbers or names it; and only as part of a
 * run, consecutive rows that are consecutive lines, that can be nothing else: three lines or more at one place of the
 * file, or with a line that is single in it. A run that is only a part of a longer run of another file is that file's.
 */
import type { Row } from "../event.js";
import { Printed } from "./line-ids.js";
import { findRuns, type Run } from "./matching-runs.js";
import { readOutput } from "./readings.js";
import { Spellings } from "./spelled-paths.js";

export interface Candidate {
  readonly path: string;
  /** Without line breaks and byte order mark, as a document has them. */
  readonly lines: readonly string[];
  /** Named in the command or its output; else known from the ledger only. */
  readonly named: boolean;
}

interface Credit {
  readonly path: string;
  /** In order. */
  readonly rows: readonly Row[];
}

/** Returns the lines of these files that an output shows, for files of which it shows any. */
export function creditOutput(output: string, candidates: readonly Candidate[]): Credit[] {
  const files = [...new Map(candidates.map((candidate) => [candidate.path, candidate])).values()];
  const pieces = readOutput(output, new Spellings(files));
  const printed = new Printed(pieces, files);
  const shown = printed.files.map(({ keys }) => new Uint8Array(keys.length));
  for (const run of certain(findRuns(printed), printed)) {
    shown[run.file]!.fill(1, run.line, run.line + run.length);
  }
  return files.flatMap(({ path, lines }, file) => {
    const rows: Row[] = [];
    for (let index = shown[file]!.indexOf(1); index >= 0; index = shown[file]!.indexOf(1, index + 1)) {
      rows.push({ line: index + 1, text: lines[index]! });
    }
    return rows.length > 0 ? [{ path, rows }] : [];
  });
}

/**
 * Returns the runs that no other file explains better. Up to half of all lines occur in other files too, in headers and
 * imports above all: rows that belong to a longer run of one file show nothing of the others.
 */
function certain(runs: readonly Run[], printed: Printed): Run[] {
  const rivals = new Rivals(runs, printed);
  const kept = runs.filter((run) => run.sure || !rivals.explain(run));
  const owners = ownersOf(
    kept.filter((run) => standing(run, printed) === full),
    printed.rowCount,
  );
  return kept.filter((run) => {
    if (run.ambiguous) return false;
    if (run.sure || standing(run, printed) === full) return true;
    let foreign = 0;
    for (let row = run.from; row <= run.to; row++) {
      if (owners[row] !== none && owners[row] !== run.file) foreign++;
    }
    return 2 * foreign <= run.to - run.from + 1;
  });
}

/** Ranks a run: above all by whether the file is named, then by whether numbers of the rows are those of the lines. */
function standing(run: Run, printed: Printed): number {
  return (printed.files[run.file]!.named ? 2 : 0) + (run.misnumbered ? 0 : 1);
}

const full = 3;

class Rivals {
  readonly #printed: Printed;
  /** By row: the longest run that it is in. */
  readonly #longest: readonly (Run | undefined)[];
  /** By first and last row, the run of the best standing there, and whether several files have one. */
  readonly #best = new Map<number, { readonly run: Run; shared: boolean }>();

  constructor(runs: readonly Run[], printed: Printed) {
    this.#printed = printed;
    const longest: (Run | undefined)[] = new Array(printed.rowCount).fill(undefined);
    // The next row that no run has yet; longer runs come first, so no row is looked at twice.
    const next = Int32Array.from({ length: printed.rowCount + 2 }, (_, row) => row);
    const free = (from: number): number => {
      let row = from;
      while (next[row] !== row) {
        next[row] = next[next[row]!]!;
        row = next[row]!;
      }
      return row;
    };
    for (const run of [...runs].sort((one, other) => other.length - one.length)) {
      for (let row = free(run.from); row <= run.to; row = free(row)) {
        longest[row] = run;
        next[row] = row + 1;
      }
      const best = this.#best.get(this.#extent(run));
      const better = best === undefined ? 1 : standing(run, printed) - standing(best.run, printed);
      if (better > 0) this.#best.set(this.#extent(run), { run, shared: false });
      else if (better === 0 && run.file !== best!.run.file) best!.shared = true;
    }
    this.#longest = longest;
  }

  /**
   * True if another file explains a run better. A run of a file that is not named, or with numbers that are not its own, has
   * to be the only best explanation. Any other gives way only to a run that says more: an extra blank row is no proof.
   */
  explain(run: Run): boolean {
    const own = standing(run, this.#printed);
    const best = this.#best.get(this.#extent(run))!;
    if (own < full && (best.shared || standing(best.run, this.#printed) > own)) return true;
    return [this.#longest[run.from], this.#longest[run.to]].some((rival) => {
      if (rival === undefined || rival.file === run.file) return false;
      if (rival.from > run.from || rival.to < run.to) return false;
      const tied = own < full && standing(rival, this.#printed) >= own && rival.length > run.length;
      return rival.weight > run.weight || (tied && rival.weight === run.weight);
    });
  }

  #extent(run: Run): number {
    return run.from * (this.#printed.rowCount + 1) + run.to;
  }
}

const none = -1;
const several = -2;

/** Returns for each row the file that has it in one of these runs. */
function ownersOf(runs: readonly Run[], rowCount: number): Int32Array {
  const owners = new Int32Array(rowCount).fill(none);
  for (const { file, from, to } of runs) {
    for (let row = from; row <= to; row++) {
      owners[row] = owners[row] === none || owners[row] === file ? file : several;
    }
  }
  return owners;
}
