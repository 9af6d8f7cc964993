import type { Printed, PrintedFile } from "./line-ids.js";
import type { Piece } from "./readings.js";
import { enough, PrintedRows, type SharedRun } from "./shared-runs.js";

/** A run: consecutive rows of an output that read like consecutive lines of a file. */
export interface Run {
  readonly file: number;
  /** 0-based. */
  readonly line: number;
  readonly length: number;
  /** First and last row. */
  readonly from: number;
  readonly to: number;
  /** Number of lines that say something, in this run and the runs that count together with it. */
  readonly weight: number;
  /** The rows may be other lines of the file as well: they show none, but no other file is needed to explain them. */
  readonly ambiguous: boolean;
  /** The rows name this file themselves. */
  readonly sure: boolean;
  /** The rows carry numbers other than those of the lines. */
  readonly misnumbered: boolean;
}

/** Returns all runs that may count, before runs of other files are compared. */
export function findRuns(printed: Printed): Run[] {
  return [...unnumberedRuns(printed), ...numberedRuns(printed)];
}

/** Returns runs by text alone. */
function unnumberedRuns(printed: Printed): Run[] {
  const { rows, starts, pieceAt } = inSequence(printed);
  const shared = new PrintedRows(rows);
  return printed.files.flatMap((view, file) => {
    if (view.keys.every((key) => key < 0)) return [];
    return shared.of(view.keys, view.single).flatMap((one) => {
      const index = pieceAt[one.at]!;
      const piece = printed.pieces[index]!;
      if (piece.owner >= 0 && piece.owner !== file) return [];
      const run = runOf({ file, piece, at: one.at - starts[index]! }, one, view, piece.numbered);
      return isCountedByText(run, printed) ? [run] : [];
    });
  });
}

/** Returns all pieces one after the other, separated; rows that are in no file separate too. */
function inSequence(printed: Printed) {
  const size = printed.pieceKeys.reduce((sum, keys) => sum + keys.length + 1, 0);
  const rows = new Int32Array(size).fill(-1);
  const pieceAt = new Int32Array(size);
  const starts = new Int32Array(printed.pieces.length);
  let at = 0;
  printed.pieceKeys.forEach((keys, index) => {
    starts[index] = at;
    for (const key of keys) {
      pieceAt[at] = index;
      rows[at++] = printed.isHeld(key) ? key : -1;
    }
    at++;
  });
  return { rows, starts, pieceAt };
}

interface RunPlace {
  readonly file: number;
  readonly piece: Piece;
  readonly at: number;
}

function runOf(
  { file, piece, at }: RunPlace,
  { line, length, isOnly }: Omit<SharedRun, "at">,
  view: PrintedFile,
  misnumbered: boolean,
): Run {
  return {
    file,
    line,
    length,
    from: piece.rows[at]!,
    to: piece.rows[at + length - 1]!,
    weight: view.tellingBefore[line + length]! - view.tellingBefore[line]!,
    ambiguous: !isOnly,
    sure: piece.owner === file,
    misnumbered,
  };
}

function isCountedByText(run: Run, printed: Printed): boolean {
  const view = printed.files[run.file]!;
  const whole = run.length === view.keys.length && (view.named || run.sure);
  if (run.length >= enough) return run.weight > 0 || whole || run.sure || view.alone;
  if (whole) return true;
  return !run.misnumbered && hasOwnLine(run, view, printed);
}

/** True if a line of the run is single in the file and, unless the file is named, in no other file. */
function hasOwnLine(run: Run, view: PrintedFile, printed: Printed): boolean {
  for (let line = run.line; line < run.line + run.length; line++) {
    if (!view.single[line]) continue;
    const key = view.keys[line]!;
    if (run.sure || (printed.isTelling(key) && (view.named || printed.isHeldOnce(key)))) return true;
  }
  return false;
}

/** Returns runs by number and text. */
function numberedRuns(printed: Printed): Run[] {
  return printed.pieces.flatMap((piece, index) => {
    const keys = printed.pieceKeys[index]!;
    if (!piece.numbered || !keys.some((key) => printed.isHeld(key))) return [];
    const owned = piece.owner >= 0;
    return printed.files.flatMap((view, file) => {
      if (owned && piece.owner !== file) return [];
      const only = owned || piece.hint === file || view.alone;
      const runs = agreeingRuns(file, view, { piece, keys });
      if (runs.length === 0) return [];
      if (!isCountedTogether(runs, piece, printed)) {
        return runs.filter((run) => isCountedByNumber(run, only, printed)).map(({ run }) => run);
      }
      const weight = runs.reduce((sum, { run }) => sum + run.weight, 0);
      return runs.map(({ run }) => ({ ...run, weight }));
    });
  });
}

interface Agreeing {
  readonly run: Run;
  /** A neighbouring row continues their numbers but not the file's lines, so that the numbers are of another file. */
  readonly contradicted: boolean;
}

function agreeingRuns(file: number, view: PrintedFile, numbered: Numbered): Agreeing[] {
  const runs: Agreeing[] = [];
  const { piece, keys } = numbered;
  const { numbers } = piece;
  for (let at = 0; at < keys.length; at++) {
    const length = agreeing(view, numbered, at);
    if (length === 0) continue;
    const first = numbers[at]!;
    const run = runOf({ file, piece, at }, { line: first - 1, length, isOnly: true }, view, false);
    const before = first > 1 && numbers[at - 1] === first - 1;
    runs.push({ run, contradicted: before || numbers[at + length] === first + length });
    at += length - 1;
  }
  return runs;
}

interface Numbered {
  readonly piece: Piece;
  readonly keys: Int32Array;
}

/** Counts the rows from here on that are consecutive lines of the file, by number and text. */
function agreeing({ keys: lines }: PrintedFile, { piece, keys }: Numbered, at: number): number {
  const first = piece.numbers[at]! - 1;
  let length = 0;
  while (
    at + length < keys.length &&
    piece.numbers[at + length] === first + length + 1 &&
    lines[first + length] === keys[at + length]
  ) {
    length++;
  }
  return length;
}

/** True if all rows of one search are lines of the file: they count like one run, though they are not neighbours. */
function isCountedTogether(runs: readonly Agreeing[], piece: Piece, printed: Printed): boolean {
  const rows = piece.numbers.reduce((sum, number) => sum + (number > 0 ? 1 : 0), 0);
  const agreed = runs.reduce((sum, { run }) => sum + run.length, 0);
  if (agreed < rows) return false;
  if (agreed >= enough && runs.some(({ run }) => run.weight > 0)) return true;
  return runs.some(({ run }) => hasOwnLine(run, printed.files[run.file]!, printed));
}

function isCountedByNumber({ run, contradicted }: Agreeing, only: boolean, printed: Printed): boolean {
  const view = printed.files[run.file]!;
  if (run.sure || (only && !contradicted)) return true;
  if (view.named && run.length === view.keys.length) return true;
  return (run.length >= enough && run.weight > 0) || hasOwnLine(run, view, printed);
}
