/** Changes that other programs' tools are about to make for an agent. */
import {
  type BatchRefusal,
  blocked,
  type Call,
  callOf,
  type Entry,
  find,
  judge,
  type Result,
  refuse,
  refused,
  type Verdict,
} from "../calls/index.js";
import { hunksOf } from "../changes/index.js";
import { exitStatus, type Problem, problem, type Quote, quotesIn } from "../edits/index.js";
import { type Env, gate, isKept, knownNow, type OpenFile, peek, withOpen } from "../ledger/index.js";
import { type Document, digest, LineSet, type Range } from "../text/index.js";
import { type Healed, healing } from "./healing.js";
import { uniqueQuotes } from "./hunk-quotes.js";
import type { PatchHunk } from "./patch.js";
import {
  type ForeignChange,
  hunkHit,
  isSameText,
  type Placement,
  place,
  quotesOf,
  writtenAt,
} from "./placement.js";
import { type Doubtful, goneLines, quotedLines, replaceStanding } from "./quote-chain.js";
import {
  elsewhere,
  isKnownThroughout,
  isOutgrown,
  isSeenThroughout,
  isUnplaced,
  looksOf,
  unplaced,
  unseen,
  wasSeenTwice,
} from "./seen-places.js";

/** What a tool is about to do. */
export interface ForeignWrite {
  readonly path: string;
  /** The tool, as its client calls it. */
  readonly tool: string;
  readonly change: ForeignChange;
  /** The tool takes one quote only. */
  readonly single?: boolean;
  /** As it was sent, where the change does not tell all of it: what is sent otherwise is another call. */
  readonly sent?: string;
  /** The client's name for the call: told of twice, it is refused once. */
  readonly call?: string;
}

export type Consideration =
  | { readonly kind: "allowed" }
  /** The tool would miss the place or hit another one; these quotes say the same of the text as it is now. */
  | { readonly kind: "carried"; readonly quotes: readonly Quote[] }
  /** Only blanks are wrong with its quotes: these have the file's. */
  | ({ readonly kind: "healed" } & Healed)
  | { readonly kind: "refused"; readonly result: Result<BatchRefusal> };

/** It will be refused unless more of the file turns out to have been shown. Nothing is written down of it yet. */
export interface Unsure {
  readonly kind: "unsure";
  /** Nothing contradicts: it is refused only because nothing is on record. */
  readonly isUnread: boolean;
  /** Lines that the change touches, 1-based; null: all of the file has to have been shown. */
  readonly lines: readonly Range[] | null;
}

const allowed = { kind: "allowed" } as const satisfies Consideration;

/** May the tool do this? It will do it by its own rules; so what is allowed is what comes to the same as ours. */
export async function consider(write: ForeignWrite, env: Env): Promise<Consideration> {
  return withOpen(write.path, env, async (opened) => {
    const found = opened.document ? await mendedOrWeighed(write, opened, opened.document, env) : allowed;
    const answer =
      found.kind === "refusing" ? await refusal(found, { opened, name: write.call }, env) : found;
    await opened.save();
    return answer;
  });
}

/** The same before it is decided: a refusal is not worded, and shows nothing. */
export async function preview(
  write: ForeignWrite,
  env: Env,
): Promise<Exclude<Consideration, { kind: "refused" }> | Unsure> {
  return withOpen(write.path, env, async (opened) => {
    const found = opened.document ? await mendedOrWeighed(write, opened, opened.document, env) : allowed;
    await opened.save();
    return found.kind === "refusing" ? unsure(write, found, opened.text) : found;
  });
}

/** A refusal before it is worded. */
interface Refusing {
  readonly kind: "refusing";
  readonly call: Call & { readonly request: string };
  readonly verdict: RefusedVerdict;
}

function refusing(call: Refusing["call"], verdict: RefusedVerdict): Refusing {
  return { kind: "refusing", call, verdict };
}

function unsure({ change }: ForeignWrite, { verdict }: Refusing, document: Document): Unsure {
  const { problems } = verdict.refused;
  const isUnread = problems.every(({ code }) => code === "not_read" || code === "not_shown");
  if (change.kind === "whole" || change.kind === "delete") return { kind: "unsure", isUnread, lines: null };
  const { hits, loose, joined } = place(change, document);
  const quoted = change.kind === "quotes" ? change.quotes : [];
  const places = quoted.flatMap(({ old }) => quotesIn(document, old));
  const spans = [...[...hits, ...loose].map(({ start, end }) => [start, end] as const)];
  const lines = [...spans, ...places.map(([first, last]) => [first, last + 1] as const)].reduce(
    (set, span) => set.union(LineSet.of([span])),
    joined,
  );
  return { kind: "unsure", isUnread, lines: lines.ranges() };
}

/** What can be said of a write at a glance: it may be done; nothing of its file was ever shown; or it takes a judgement. */
export type Glance = "allowed" | "unseen" | "unclear";

export async function glance({ path, change }: ForeignWrite, env: Env): Promise<Glance> {
  const file = await env.files.identify(path);
  const found = await peek(file, env);
  if (found === "missing" || (found === "unseen" && !(await env.files.read(file)))) return "allowed";
  if (typeof found !== "object") return found;
  if (change.kind === "patch") return "unclear";
  const { document, agent, state } = found;
  if (change.kind === "quotes") {
    // What was shown of an older text that is not kept may have changed, and nothing tells.
    const isFollowed = isKept(file, document) || agent.showings.every((one) => one.state === state);
    const { hits, joined, doubtful, unended, loose, isGone } = place(change, document);
    const isKnown = isKnownThroughout(hits, agent) && joined.subtract(knownNow(agent)).isEmpty;
    const isClear = doubtful === null && unended.length === 0 && loose.length === 0 && !isGone;
    return isFollowed && isKnown && isClear ? "allowed" : "unclear";
  }
  return LineSet.all(document.lineCount).subtract(knownNow(agent)).isEmpty ? "allowed" : "unclear";
}

async function mendedOrWeighed(
  write: ForeignWrite,
  opened: OpenFile,
  document: Document,
  env: Env,
): ReturnType<typeof weigh> {
  const healed = env.gate === "off" ? null : await healing(write.change, opened, document);
  if (healed) {
    const { quotes } = healed;
    const answer = await weigh({ ...write, change: { kind: "quotes", quotes } }, opened, document, env);
    if (answer.kind === "allowed") return { kind: "healed", ...healed };
  }
  return weigh(write, opened, document, env);
}

async function weigh(
  write: ForeignWrite,
  opened: OpenFile,
  document: Document,
  env: Env,
): Promise<Exclude<Consideration, { kind: "refused" }> | Refusing> {
  const { change } = write;
  const isWhole = change.kind === "whole" || change.kind === "delete";
  // There is nothing in it that could be lost, or that could be shown.
  if ((isWhole && document.lineCount === 0) || document.binary) return allowed;
  const plain = callOf(write.tool, [{ path: write.path, edits: [] }], { single: true, dryRun: true });
  const sent = { ...plain, request: digest(JSON.stringify([write.tool, change, write.sent])) };
  const decision = gate(isWhole ? "whole" : "touch", opened.seen(sent.request), env.gate);
  if (!("allow" in decision)) {
    await opened.prepare([], true);
    return refusing(sent, refused([blocked(decision, opened)]));
  }
  if (change.kind === "whole" || change.kind === "delete") return allowed;
  if (env.gate === "off") return allowed;
  const placement = place(change, document);
  const { hits, isPlaced } = placement;
  // It is all as the agent saw it last, and what it quotes stands there or never did.
  const isSettled = opened.isCurrent && !placement.isGone;
  const hunk = await unclearHunk(placement, opened, sent.request);
  const [end] = placement.unended;
  const isTwice = end !== undefined && (await wasSeenTwice(end, opened, sent.request));
  const known = isTwice ? null : opened.seen(sent.request).known;
  const unclear = hunk ?? doubt(placement, known) ?? unseen(placement, opened, sent.request);
  if (unclear) return refusing(sent, refused([unclear]));
  // The text the agent saw last is the text there is: where its quotes stand is between it and its tool.
  const isKnown = isKept(opened.file, document) && isKnownThroughout(hits, opened.agent);
  if (isSettled && (hits.length === 0 || isKnown)) return allowed;
  const call = await callFor(write, opened, placement, env);
  const looks = await looksOf(opened, call.request);
  if (isUnplaced(hits, looks, opened)) return refusing(call, refused([unplaced(hits, document)]));
  const isSeen =
    isPlaced &&
    isSeenThroughout(hits, looks, opened, call.request) &&
    !isOutgrown(hits, opened, call.request);
  const found = isSettled || isSeen ? allowed : placed(call, placement, opened, env);
  if (opened.isCurrent && found.kind === "refused" && isShownNowhere(found)) return allowed;
  const places =
    found.kind === "carried"
      ? quotedLines(call.quotes, opened.view(call.request)).map((one) => ({
          ...one,
          whole: change.kind === "patch",
          carried: true,
        }))
      : hits;
  // If it was seen elsewhere, that says most of what is wrong.
  const loose = placement.loose.filter(({ whole }) => whole);
  const other = elsewhere([...places, ...loose], looks, opened, call.request);
  if (other) return refusing(call, refused([other]));
  return found.kind === "refused" ? refusing(call, found) : found;
}

/** A call of ours that comes to the same. */
interface OwnCall extends Call {
  readonly request: string;
  readonly entry: Entry;
  readonly quotes: readonly Quote[];
  /** Where the tool would put it in the text that the agent takes the file to have. */
  readonly shown: Placement;
  readonly isSingle: boolean;
}

async function callFor(
  { change, tool, path, single: isSingle = false }: ForeignWrite,
  opened: OpenFile,
  placement: Placement,
  env: Env,
): Promise<OwnCall> {
  await opened.prepare([], true);
  const { history, newest = history.last } = opened.view("");
  const shown = history.believed(newest)?.document ?? opened.text;
  const quotes = quotesOf(change, opened.text, placement, shown);
  const edits = quotes.map((quote) => ({ op: "replace_text", ...quote }));
  const call = callOf(tool, [{ path, edits }], { single: true, dryRun: true });
  const { targets, request } = await find(call, env);
  const { entry } = targets[0] as (typeof targets)[number];
  return { ...call, request, entry, quotes, shown: place(change, shown), isSingle };
}

/** By the rules of our own edits: may it be done as it is, or in other words, or not at all? */
function placed(
  { quotes, request, entry, shown, isSingle }: OwnCall,
  placement: Placement,
  opened: OpenFile,
  env: Env,
): Exclude<Consideration, { kind: "refused" }> | RefusedVerdict {
  const document = opened.text;
  const made = writtenAt(placement, document);
  const standing = made && replaceStanding(quotes, opened.view(request));
  if (made && standing && isSameText(made.document, standing)) return allowed;
  const doubted = doubt(shown);
  if (doubted) return refused([doubted]);
  const verdict = judge(entry, opened, request, env);
  // Others have done it already, as it seems: a tool that finds no place for it may look for one more loosely.
  if (verdict.kind === "noop") {
    const done = made ? null : goneLines(quotes, opened.view(request));
    return done ? refused([done]) : allowed;
  }
  if (verdict.kind === "refused") return isForTheTool(verdict, placement, made !== null) ? allowed : verdict;
  const { after, applied } = verdict;
  // Where all places are meant, places that came since are meant too.
  if (made && (quotes.every(({ all }) => all) || isSameText(made.document, after as Document)))
    return allowed;
  // Half of an edit is none: others have done the rest of it, or so it looks.
  const gone = goneLines(quotes, opened.view(request));
  if (gone) return refused([gone]);
  return {
    kind: "carried",
    quotes: uniqueQuotes(hunksOf(applied.change.regions, applied.document), document, isSingle),
  };
}

/** Of several places such a tool takes the first, without a word: has that one to be the one that is meant? */
async function unclearHunk(
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
    const isKnown = (at: number): boolean => known.containsSpan(at, at + end - start);
    const hit = hunkHit(start, end, opened.text);
    // It was seen there, and nowhere else.
    if (isKnown(start) && !others.some(isKnown) && !(await wasSeenTwice(hit, opened, request))) continue;
    const places = [start, ...others];
    const listed = places.slice(0, listedPlaces).map((at) => at + 1);
    const said = JSON.stringify(opened.text.text(start).slice(0, 80));
    const where = `${listed.join(", ")}${places.length > listed.length ? ", …" : ""}`;
    return problem(
      "ambiguous",
      [],
      `the lines beginning with ${said} stand in ${places.length} places (lines ${where}), and which one is meant cannot be told: give more context, or @@ with a line above them`,
      { rows: LineSet.of(places.slice(0, listedPlaces).map((at) => [at, at + end - start] as const)) },
    );
  }
  return null;
}

/** What its tool would do with a hunk is hardly what is meant, wherever that is. */
function unplaceable({ headers, quoted, unsigned }: PatchHunk): string | null {
  if (unsigned)
    return "lines of a hunk have no sign, and are overlooked: begin each with a blank, - or +, empty lines too";
  return quoted.length === 0 && headers.length > 0
    ? "a hunk that only adds lines adds them at the end of the file, whatever its @@ says: quote the line above them"
    : null;
}

const listedPlaces = 5;

/** The tool counts one place where the agent sees several. */
function doubt({ doubtful, unended, hits }: Placement, known: LineSet | null = null): Problem | null {
  if (doubtful) return inDoubt(doubtful);
  const end = unended.find((one) => !known || known.containsSpan(one.start, one.end));
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
    `${said} stands in several places${where}, though a tool may count one, and which one is meant cannot be told: quote more of what is around it`,
    { rows: LineSet.lines(lines) },
  );
}

/** Wrong in itself, or with a quote that stands in several places: the tool says so in its own words. */
function isForTheTool(
  { refused: { problems } }: RefusedVerdict,
  { isSeveral }: Placement,
  isWritten: boolean,
): boolean {
  return problems.every(({ code }) => {
    // It stood in nothing that was shown, and stands there once: nothing seen was taken for it.
    if (code === "not_found") return isWritten;
    return exitStatus(code) === 2 || (code === "ambiguous" && isSeveral);
  });
}

/** It stood in nothing that was shown: its tool says so itself. */
function isShownNowhere({ refused: { problems } }: RefusedVerdict): boolean {
  return problems.every(({ code }) => code === "not_found");
}

type RefusedVerdict = Extract<Verdict, { kind: "refused" }>;

async function refusal(
  { call, verdict }: Refusing,
  { opened, name }: { readonly opened: OpenFile; readonly name: string | undefined },
  env: Env,
): Promise<Consideration> {
  // No handle: the tool it would have to be sent to knows none.
  const plain = { ...verdict, refused: { ...verdict.refused, forced: null } };
  const told = { ...call, entries: call.given, ...(name === undefined ? {} : { name }) };
  const result = await refuse(told, [{ opened, verdict: plain }], env);
  return { kind: "refused", result };
}
