/**
 * What a shell command printed of which files.
 *
 * Laws: a line is credited only if the output holds it whole, after what numbers or names it; and only as part of a
 * run, consecutive rows that are consecutive lines, that could not as well be something else: of three lines or more
 * at one place of the file, or with a line that stands once. Where a run is only part of what a longer run of another
 * file explains, it is that file's.
 */

import type { Row } from "./event.js";
import { findRuns } from "./evidence.js";
import { Printed } from "./keys.js";
import { readOutput } from "./printed.js";
import { certain } from "./rivals.js";
import { Spellings } from "./spellings.js";

export { carriedText } from "./carried.js";
export { pathsIn } from "./paths.js";

export interface Candidate {
  readonly path: string;
  /** As a document gives them: without line breaks and byte order mark. */
  readonly lines: readonly string[];
  /** Named in the command or its output, as against known from the ledger only. */
  readonly named: boolean;
}

export interface Credit {
  readonly path: string;
  /** In order. */
  readonly rows: readonly Row[];
}

/** The lines of these files that an output shows, for files of which it shows any. */
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
