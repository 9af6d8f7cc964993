/** Refuses quotes that match in a place other than the one where the agent saw them. */
import { overBlanks } from "../changes/index.js";
import {
  followable,
  goneQuote,
  outgrown,
  type Problem,
  problem,
  type Sighting,
  shownSightings,
  sightingsIn,
  widened,
} from "../edits/index.js";
import {
  type AgentLedger,
  besideGap,
  describe,
  knownNow,
  type LedgerShowing,
  neverShown,
  type OpenFile,
  searchedShowings,
  showingsFor,
  shownInRefusals,
  shownRows,
  writtenLines,
} from "../ledger/index.js";
import type { Hit, Placement } from "../placement/index.js";
import { type Document, LineSet, lineIndexes } from "../text/index.js";

/** A state of the file with the lines that the agent was shown of it, and those that it knew by then. */
interface Look {
  readonly state: number;
  readonly rows: LineSet;
  readonly known: LineSet;
  /** Kept because they are asked for several times. */
  readonly sightings: Map<Hit, readonly Sighting[]>;
}

/** Returns what the agent has looked at, as far back as quotes are searched; loads the texts to follow it. */
export async function looksOf(opened: OpenFile, request: string): Promise<readonly Look[]> {
  await opened.prepare([], true);
  const { agent } = opened;
  const looks = new Map<number, LineSet>();
  for (const { state, rows } of showingsFor(agent, request).slice(-searchedShowings))
    looks.set(state, rows.union(looks.get(state) ?? LineSet.empty));
  return [...looks].map(([state, rows]) => ({
    ...{ state, rows, known: rows.union(agent.known.get(state) ?? LineSet.empty) },
    sightings: new Map(),
  }));
}

/** True if a version that was seen is not kept, and the hits are not among the lines shown since. */
export function isUnplaced(hits: readonly Hit[], looks: readonly Look[], opened: OpenFile): boolean {
  if (looks.every((look) => isFollowed(look, opened))) return false;
  return !isKnownThroughout(hits, opened.agent);
}

/** True if the text of each line that was seen is known, or the line is unchanged. */
function isFollowed({ state, known }: Look, { history }: OpenFile): boolean {
  const believed = history.believed(state);
  return believed?.unknown.intersect(believed.fromShown.carry(known)).isEmpty ?? false;
}

export function unplaced(hits: readonly Hit[], now: Document): Problem {
  const places = hits.map(({ start, end }) => [start, end] as const);
  return problem("stale", [], "the text that was shown is not kept, so the quote cannot be placed", {
    reread: widened(places, now),
  });
}

export function isKnownThroughout(hits: readonly Hit[], agent: AgentLedger): boolean {
  const known = knownNow(agent);
  return hits.every(({ start, end, joins }) => known.hasSpan(start, joins ? end + 1 : end));
}

/** Refuses a change of lines that were never shown and that the tool will change without quoting them exactly. */
export function unseen({ joined, loose }: Placement, opened: OpenFile, request: string): Problem | null {
  const { known } = opened.seen(request);
  const below = joined.subtract(known);
  // Lines that have changed are judged by their earlier text, but the lines of a patch as they are now.
  const places = loose.filter(({ whole }) => whole || opened.isCurrent);
  const like = places.reduce((set, { start, end }) => set.union(LineSet.of([[start, end]])), LineSet.empty);
  const missing = below.isEmpty ? like.subtract(known) : below;
  if (missing.isEmpty) return null;
  const said = `${describe(missing.ranges())} ${missing.size === 1 ? "was" : "were"} never shown to you`;
  const why = below.isEmpty
    ? "the quoted text has no exact match, and similar lines may be taken for it"
    : "the quote ends in a newline and its replacement does not, so the next line runs into it: end it with one, or quote that line too";
  return problem("not_shown", [], `${why}; ${said}`, {
    ...{ rows: missing.size <= shownRows ? missing : LineSet.empty, missing },
    mismatches: neverShown(missing, ""),
  });
}

/** True if a quote was a whole line when it was shown, and is now a part of a changed line that was not read since. */
export function isOutgrown(hits: readonly Hit[], opened: OpenFile, request: string): boolean {
  const view = opened.view(request);
  return hits.some(({ quoted, start, end }) => {
    const text = opened.text.lines(quoted.startsWith("\n") ? start + 1 : start, end).join("\n");
    const isWhole = text === quoted.replace(/^\n|\n$/g, "");
    return !isWhole && outgrown([], quoted, [start, end], view) !== null;
  });
}

/** True if all quoted text was seen where it matches. */
export function isSeenThroughout(
  hits: readonly Hit[],
  looks: readonly Look[],
  opened: OpenFile,
  request: string,
): boolean {
  return hits.every((hit) => isSeen(hit, looks, opened, request));
}

/**
 * True if the agent saw this text here. Known lines that others made neighbours were not seen together, and a line that
 * reappeared after the agent saw it gone is not known.
 */
function isSeen(hit: Hit, looks: readonly Look[], opened: OpenFile, request: string): boolean {
  const { known } = opened.seen(request);
  const lines = followable(lineIndexes(hit.start, hit.end), opened.text);
  const isKnown = (line: number): boolean => known.has(line);
  const others = lines.filter((line) => !isKnown(line));
  return looks.some((look) =>
    sightings(hit, look, opened).some((one) => {
      if (!one.isShown || !isAt(one, hit)) return false;
      if (hit.carried || others.length === 0) return true;
      const exact = one.toNow?.invert();
      const isReindented = one.at >= 0 && others.every((line) => exact && exact.index(line) < 0);
      const later = looks.filter(({ state }) => state > look.state);
      return isReindented && isUnchangedSince(others, later, opened);
    }),
  );
}

/** True if these lines differed at most in blanks at their ends in every version that the agent was shown a part of. */
function isUnchangedSince(lines: readonly number[], looks: readonly Look[], { history }: OpenFile): boolean {
  return looks.every(({ state }) => {
    const believed = history.believed(state);
    if (!believed) return false;
    const back = overBlanks(believed.toNow, believed.document, history.now).invert();
    const fromShown = history.followOverBlanks(state)?.invert();
    return lines.every((line) => back.index(line) >= 0 || (fromShown?.index(line) ?? -1) >= 0);
  });
}

/** True if the text was seen in several places: which of them is gone cannot always be told. */
export async function wasSeenTwice(hit: Hit, opened: OpenFile, request: string): Promise<boolean> {
  const looks = await looksOf(opened, request);
  return looks.some((look) => sightings(hit, look, opened).length > 1);
}

function isAt({ at, hull: [start, end] }: Sighting, hit: Hit): boolean {
  return (
    (at === hit.start && hit.start < hit.end) ||
    (hit.carried === true && start <= hit.end && end >= hit.start)
  );
}

/**
 * Refuses a hit whose place is not the one that is meant, or may not be: the text was seen elsewhere and not here; or it was
 * seen in a second place where it is now gone, unless the agent was shown that it is gone.
 */
export function elsewhere(
  hits: readonly Hit[],
  looks: readonly Look[],
  opened: OpenFile,
  request: string,
): Problem | null {
  for (const hit of hits) {
    const isHere = (one: Sighting): boolean => isAt(one, hit);
    const seen = looks.map((look) => sightings(hit, look, opened));
    if (isSeen(hit, looks, opened, request)) {
      const together = seen.flatMap((ones) => (ones.some(isHere) ? ones : amongWhich(hit, ones)));
      const isKnown = ({ hull }: Sighting): boolean =>
        isTold(hull, opened, request) && (!hasInside(hull, hit) || isShownAround(hull, opened, request));
      const gone = together.find((one) => one.at < 0 && !isHere(one) && !isKnown(one));
      if (gone) return withRows(seenTwice(hit, gone), hit, gone, opened);
      continue;
    }
    // Lines that the agent itself removed count as seen elsewhere too.
    const taken = looks.map(({ state, rows }) => shownSightings(hit, state, rows, opened.history));
    const others = [...seen, ...taken].flat().filter((one) => !isHere(one));
    const other = others.find(({ at }) => at < 0);
    if (other) return withRows(goneQuote([], other, opened.text), hit, other, opened);
    // A tool that takes patches does not count the matches.
    const [standing] = hit.whole ? others : [];
    if (standing) return withRows(seenBelow(hit, standing), hit, standing, opened);
  }
  return null;
}

/** Returns the other places if the hit may be one of those that were seen, among lines that cannot be told apart. */
function amongWhich(hit: Hit, ones: readonly Sighting[]): readonly Sighting[] {
  const around = ones.filter((one) => one.at < 0 && hasInside(one.hull, hit));
  if (around.length === 0) return [];
  return around.length > 1 ? ones : ones.filter((one) => one !== around[0]);
}

function hasInside([start, end]: Sighting["hull"], hit: Hit): boolean {
  return start <= hit.start && hit.end <= end;
}

/** Adds the rows of both places to a refusal. */
function withRows(found: Problem, hit: Hit, { hull: [start, end] }: Sighting, { text }: OpenFile): Problem {
  const there = start < end ? LineSet.of([[start, end]]) : besideGap(start, text.lineCount);
  return { ...found, rows: there.union(LineSet.of([[hit.start, hit.end]])) };
}

function seenTwice(hit: Hit, { hull: [start, end] }: Sighting): Problem {
  const gap = start === 0 ? "at the beginning" : `below line ${start}`;
  const where = start < end ? `at ${describe([{ start: start + 1, end }])}` : gap;
  return problem(
    "ambiguous",
    [],
    `the quoted text is at line ${hit.start + 1}; you also saw it ${where}, where it has been removed. Quote more surrounding lines`,
    { changed: LineSet.of(start < end ? [[start, end]] : []) },
  );
}

function seenBelow({ start }: Hit, { at }: Sighting): Problem {
  return problem(
    "ambiguous",
    [],
    `you saw the quoted lines at line ${at + 1}, but the tool would take line ${start + 1} for them: give more context, or @@ with a line above them`,
  );
}

/** Returns the places in the text that the agent takes the file to have: as shown, with its own edits since. */
function sightings(hit: Hit, look: Look, { history }: OpenFile): readonly Sighting[] {
  const found = look.sightings.get(hit);
  if (found) return found;
  const { state, rows, known } = look;
  // A version that came back has its lines where they were.
  const isBack = history.states[state]?.version === history.states[history.last]?.version;
  const believed = history.believed(isBack ? history.last : state);
  if (!believed) return [];
  const { document, fromShown, toNow } = believed;
  const own = writtenLines(fromShown);
  const [shown, seen] = [rows, known].map((lines) => fromShown.carry(lines).union(own)) as [LineSet, LineSet];
  const alike = history.followOverBlanks(isBack ? history.last : state);
  const toShown = fromShown.invert();
  const ofPrinted = (line: number): number => {
    const then = toShown.index(line);
    return then < 0 ? -1 : (alike?.index(then) ?? -1);
  };
  const places = sightingsIn(hit, { document, seen, shown, toNow, alike: ofPrinted, now: history.now });
  look.sightings.set(hit, places);
  return places;
}

/** True if the agent was shown the lines that are there now, or the two between which there is nothing. */
function isTold([start, end]: Sighting["hull"], { agent, text }: OpenFile, request: string): boolean {
  const pending = agent.pending.subtract(shownInRefusals(agent, request));
  if (start < end && !pending.intersect(LineSet.of([[start, end]])).isEmpty) return false;
  // Rows that were shown before do not say that lines between them are gone.
  const shown = shownNow(agent, request).filter(({ printer }) => printer === "refusal");
  return !agent.deletions.some(
    ({ gap }) =>
      gap >= start &&
      gap <= end &&
      !shown.some(({ rows }) => besideGap(gap, text.lineCount).subtract(rows).isEmpty),
  );
}

function shownNow(agent: AgentLedger, request: string): readonly LedgerShowing[] {
  return agent.showings.filter((one) => one.state === agent.state && one.request !== request);
}

/** True if what is left of these lines was shown, with the lines above and below. */
function isShownAround([start, end]: Sighting["hull"], { agent, text }: OpenFile, request: string): boolean {
  const shown = shownNow(agent, request).reduce((set, { rows }) => set.union(rows), LineSet.empty);
  return shown.hasSpan(Math.max(0, start - 1), Math.min(text.lineCount, end + 1));
}
