/** Changes of which nobody can tell where they are meant to go. */
import { type Problem, problem } from "../edits/index.js";
import type { OpenFile } from "../ledger/index.js";
import { type Doubtful, hunkHit, type PatchHunk, type Placement } from "../placement/index.js";
import { LineSet } from "../text/index.js";
import { wasSeenTwice } from "./seen-places.js";

/** Refuses a patch with a hunk that fits several places: its tool takes the first without a word. */
export async function unclearHunk(
  { hunkPlaces }: Placement,
  opened: OpenFile,
  request: string,
): Promise<Problem | null> {
  const { known } = opened.seen(request);
  for (const { hunk } of hunkPlaces) {
    const why = unplaceable(hunk);
    if (why !== null) return problem("bad_request", [], why);
  }
  let above = 0;
  for (const { hunk, found, others } of hunkPlaces) {
    if (!found || hunk.quoted.length === 0) continue;
    const { start, end } = found;
    if (start < above)
      return problem("overlap", [], `two hunks quote line ${start + 1}`, {
        rows: LineSet.of([[start, end]]),
      });
    above = end;
    if (others.length === 0) continue;
    const isKnown = (at: number): boolean => known.hasSpan(at, at + end - start);
    const hit = hunkHit(start, end, opened.text);
    // The agent saw it there and nowhere else.
    if (isKnown(start) && !others.some(isKnown) && !(await wasSeenTwice(hit, opened, request))) continue;
    const places = [start, ...others];
    const listed = places.slice(0, listedPlaces).map((at) => at + 1);
    const said = JSON.stringify(opened.text.text(start).slice(0, 80));
    const where = `${listed.join(", ")}${places.length > listed.length ? ", …" : ""}`;
    return problem(
      "ambiguous",
      [],
      `the lines beginning with ${said} match in ${places.length} places (lines ${where}), and which one is meant cannot be told: give more context, or @@ with a line above them`,
      { rows: LineSet.of(places.slice(0, listedPlaces).map((at) => [at, at + end - start] as const)) },
    );
  }
  return null;
}

/** Returns why a hunk is hardly meant as its tool reads it; null if nothing speaks against it. */
function unplaceable({ headers, quoted, unsigned }: PatchHunk): string | null {
  if (unsigned)
    return "lines of a hunk have no sign, and are overlooked: begin each with a blank, - or +, empty lines too";
  return quoted.length === 0 && headers.length > 0
    ? "a hunk that only adds lines adds them at the end of the file, whatever its @@ says: quote the line above them"
    : null;
}

const listedPlaces = 5;

/** Refuses a quote of which the tool counts one match where the agent sees several. `known`: null for all lines. */
export function doubt({ doubtful, unended, hits }: Placement, known: LineSet | null = null): Problem | null {
  if (doubtful) return inDoubt(doubtful);
  const end = unended.find((one) => !known || known.hasSpan(one.start, one.end));
  const found = hits.filter(({ quoted }) => quoted === end?.quoted);
  return end ? inDoubt({ old: end.quoted, lines: [...found, end].map(({ start }) => start) }) : null;
}

function inDoubt({ old, lines }: Doubtful): Problem {
  const said = JSON.stringify(old.slice(0, 80));
  const listed = [...new Set(lines)].map((line) => line + 1).slice(0, listedPlaces);
  const where = listed.length > 0 ? ` (${listed.length === 1 ? "line" : "lines"} ${listed.join(", ")})` : "";
  return problem(
    "ambiguous",
    [],
    `${said} matches in several places${where}, though a tool may count only one, and which one is meant cannot be told: quote more surrounding lines`,
    { rows: LineSet.lines(lines) },
  );
}
