/** Changes that other programs' tools are about to make for an agent. */
import {
  chained,
  type Document,
  exitStatus,
  firstPlaces,
  hunkQuotes,
  LineSet,
  PatchError,
  type PatchHunk,
  type Problem,
  placeHunks,
  problem,
  type Quote,
  quotedLines,
  type Replaced,
  replaceQuotes,
  replaceStanding,
  uniqueQuotes,
} from "../core/index.js";
import { type Call, callOf, find } from "./call.js";
import { elsewhere, type Hit, isUnplaced, looksOf, unplaced } from "./elsewhere.js";
import { gate } from "./gate.js";
import { peek, withOpen } from "./holding.js";
import { blocked, type Entry, judge, refused, type Verdict } from "./judge.js";
import { type AgentLedger, knownNow } from "./ledger.js";
import { keptBytes, type OpenFile } from "./open.js";
import type { FileId } from "./ports.js";
import { refuse } from "./refuse.js";
import type { BatchRefusal, Env, Result } from "./result.js";

/** What a tool does to one file. */
export type ForeignChange =
  /** Text is quoted and replaced, quote after quote. */
  | { readonly kind: "quotes"; readonly quotes: readonly Quote[] }
  | { readonly kind: "patch"; readonly hunks: readonly PatchHunk[] }
  /** All of it is written: created, or replaced; null: with what is not told. */
  | { readonly kind: "whole"; readonly content: string | null }
  | { readonly kind: "delete" };

/** What a tool is about to do. */
export interface ForeignWrite {
  readonly path: string;
  /** The tool, as its client calls it. */
  readonly tool: string;
  readonly change: ForeignChange;
  /** The tool takes one quote only. */
  readonly single?: boolean;
}

export type Consideration =
  | { readonly kind: "allowed" }
  /** The tool would miss the place or hit another one; these quotes say the same of the text as it is now. */
  | { readonly kind: "carried"; readonly quotes: readonly Quote[] }
  | { readonly kind: "refused"; readonly result: Result<BatchRefusal> };

const allowed: Consideration = { kind: "allowed" };

/** May the tool do this? It will do it by its own rules; so what is allowed is what comes to the same as ours. */
export async function consider(write: ForeignWrite, env: Env): Promise<Consideration> {
  return withOpen(write.path, env, async (opened) => {
    const answer = opened.document ? await weigh(write, opened, opened.document, env) : allowed;
    await opened.save();
    return answer;
  });
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
    return isFollowed && areKnown(hitsOf(change, document) ?? [], agent) ? "allowed" : "unclear";
  }
  return LineSet.all(document.lineCount).subtract(knownNow(agent)).isEmpty ? "allowed" : "unclear";
}

async function weigh(
  write: ForeignWrite,
  opened: OpenFile,
  document: Document,
  env: Env,
): Promise<Consideration> {
  const { change } = write;
  const isWhole = change.kind === "whole" || change.kind === "delete";
  // There is nothing in it that could be lost, or that could be shown.
  if ((isWhole && document.lineCount === 0) || document.binary) return allowed;
  const plain = callOf(write.tool, [{ path: write.path, edits: [] }], { single: true, dryRun: true });
  const sent = { ...plain, request: JSON.stringify([write.tool, change]) };
  const decision = gate(isWhole ? "whole" : "touch", opened.seen(sent.request), env.gate);
  if (!("allow" in decision)) return refusal(sent, opened, refused([blocked(decision)]), env);
  if (change.kind === "whole" || change.kind === "delete") return allowed;
  const unclear =
    change.kind === "patch" && env.gate !== "off" ? unclearHunk(change.hunks, opened, sent.request) : null;
  if (unclear) return refusal(sent, opened, refused([unclear]), env);
  if (env.gate === "off") return allowed;
  const hits = hitsOf(change, document);
  // The text the agent saw last is the text there is: where its quotes stand is between it and its tool.
  if (opened.isCurrent && (!hits || (isKept(opened.file, document) && areKnown(hits, opened.agent))))
    return allowed;
  const call = await callFor(write, opened, document, env);
  const looks = await looksOf(opened, call.request);
  if (hits && isUnplaced(hits, looks, opened)) return refusal(call, opened, refused([unplaced()]), env);
  const found = opened.isCurrent ? allowed : await placed(call, write, opened, env);
  if (found.kind === "refused") return found;
  const places =
    found.kind === "allowed"
      ? (hits ?? [])
      : quotedLines(call.quotes, opened.view(call.request)).map((one) => ({ ...one, carried: true }));
  const other = elsewhere(places, looks, opened, call.request);
  return other ? refusal(call, opened, refused([other]), env) : found;
}

/** A call of ours that comes to the same. */
interface OwnCall extends Call {
  readonly request: string;
  readonly entry: Entry;
  readonly quotes: readonly Quote[];
}

async function callFor(
  { change, tool, path }: ForeignWrite,
  opened: OpenFile,
  document: Document,
  env: Env,
): Promise<OwnCall> {
  await opened.prepare([], true);
  const { history, newest = history.last } = opened.view("");
  const quotes = quotesOf(change, document, history.believed(newest)?.document);
  const edits = quotes.map((quote) => ({ op: "replace_text", ...quote }));
  const call = callOf(tool, [{ path, edits }], { single: true, dryRun: true });
  const { targets, request } = await find(call, env);
  return { ...call, request, entry: (targets[0] as (typeof targets)[number]).entry, quotes };
}

/** By the rules of our own edits: may it be done as it is, or in other words, or not at all? */
async function placed(
  call: OwnCall,
  { change, single = false }: ForeignWrite,
  opened: OpenFile,
  env: Env,
): Promise<Consideration> {
  const { quotes, request, entry } = call;
  const document = opened.text;
  const made = replaceQuotes(document, change.kind === "quotes" ? change.quotes : quotes);
  const standing = made && replaceStanding(quotes, opened.view(request));
  if (made && standing && sameLines(made.document, standing)) return allowed;
  const verdict = judge(entry, opened, request, env);
  if (verdict.kind === "noop") return allowed;
  if (verdict.kind === "refused")
    return isForTheTool(verdict, change, made) ? allowed : refusal(call, opened, verdict, env);
  const { after } = verdict;
  // Where all places are meant, places that came since are meant too.
  if (made && (quotes.some(({ all }) => all) || sameLines(made.document, after as Document))) return allowed;
  return { kind: "carried", quotes: carriedQuotes(verdict, document, single) };
}

/** Where the tool puts it; null if it finds no place, or all places are meant. */
function hitsOf(change: ForeignChange, document: Document): readonly Hit[] | null {
  if (change.kind === "patch")
    return firstPlaces(change.hunks, document.lines()).map(({ start, end }) => ({
      ...{ quoted: document.lines(start, end).join("\n"), start, end },
    }));
  if (change.kind !== "quotes" || change.quotes.some(({ all }) => all)) return null;
  return (
    chained(document, change.quotes)?.map(({ old, start, end }) => ({ quoted: old, start, end })) ?? null
  );
}

/** Its older texts can be compared with the one now. */
function isKept({ keep }: FileId, { bytes }: Document): boolean {
  return keep && bytes.length <= keptBytes;
}

function areKnown(hits: readonly Hit[], agent: AgentLedger): boolean {
  const known = knownNow(agent);
  return hits.every(({ start, end }) => known.containsSpan(start, end));
}

/** Of several places such a tool takes the first, without a word: that one has to be a place the agent knows. */
function unclearHunk(hunks: readonly PatchHunk[], opened: OpenFile, request: string): Problem | null {
  const { known } = opened.seen(request);
  for (const { start, end, places } of firstPlaces(hunks, opened.text.lines())) {
    const place = LineSet.of([[start, end]]);
    if (places < 2 || place.subtract(known).isEmpty) continue;
    const said = JSON.stringify(opened.text.text(start).slice(0, 80));
    return problem(
      "ambiguous",
      [],
      `the lines beginning with ${said} stand in ${places} places, and the first of them (line ${start + 1}) was not shown: give more context, or @@ with a line above them`,
      { rows: place },
    );
  }
  return null;
}

/** Wrong in itself, or with a quote that stands in several places: the tool says so in its own words. */
function isForTheTool(
  { refused: { problems } }: Extract<Verdict, { kind: "refused" }>,
  change: ForeignChange,
  made: Replaced | null,
): boolean {
  return problems.every(({ code }) => {
    // It stood in nothing that was shown, and stands there once: nothing seen was taken for it.
    if (code === "not_found") return made !== null;
    return exitStatus(code) === 2 || (code === "ambiguous" && !made && change.kind === "quotes");
  });
}

async function refusal(
  call: Call & { readonly request: string },
  opened: OpenFile,
  verdict: Verdict,
  env: Env,
): Promise<Consideration> {
  // No handle: the tool it would have to be sent to knows none.
  const plain =
    verdict.kind === "refused" ? { ...verdict, refused: { ...verdict.refused, forced: null } } : verdict;
  const result = await refuse({ ...call, entries: call.given }, [{ opened, verdict: plain }], env);
  return { kind: "refused", result };
}

/** `shown`: the text that the agent takes the file to have. */
export function quotesOf(
  change: ForeignChange,
  document: Document,
  shown: Document = document,
): readonly Quote[] {
  if (change.kind === "quotes") return independent(change.quotes, document, shown);
  if (change.kind !== "patch") return [];
  const text = { lines: document.lines(), terminated: isTerminated(document), appends: true };
  try {
    return placeHunks(change.hunks, text).map((quote) => ({ ...quote, all: false }));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // It stands in several places, and which one is meant cannot be told of a text that has changed.
    return hunkQuotes(change.hunks).map((quote) => ({ ...quote, all: false }));
  }
}

/** A quote of what an earlier one of the same call writes, or that reaches over its edge, is a part of that one. */
function independent(quotes: readonly Quote[], document: Document, shown: Document): readonly Quote[] {
  if (quotes.length < 2 || quotes.some(({ all }) => all)) return folded(quotes, document);
  const stretches = chained(shown, quotes) ?? chained(document, quotes);
  if (!stretches) return folded(quotes, document);
  return stretches.length === quotes.length
    ? quotes
    : stretches.map((one) => ({ old: one.old, new: one.new, all: false }));
}

/** The same, for what can be told without a text in which all of them stand. */
function folded(quotes: readonly Quote[], document: Document): readonly Quote[] {
  const text = document.lines().join("\n");
  const result: Quote[] = [];
  for (const quote of quotes) {
    const at = text.includes(quote.old) ? -1 : result.findLastIndex((one) => one.new.includes(quote.old));
    const earlier = result[at];
    if (earlier) result[at] = { ...earlier, new: earlier.new.split(quote.old).join(quote.new) };
    else result.push(quote);
  }
  return result;
}

function isTerminated(document: Document): boolean {
  return document.lineCount > 0 && document.terminator(document.lineCount - 1) !== "";
}

export function sameLines(one: Document, two: Document): boolean {
  return one.lineCount === two.lineCount && one.lines().every((line, index) => line === two.text(index));
}

function carriedQuotes(
  verdict: Extract<Verdict, { kind: "applied" }>,
  document: Document,
  single: boolean,
): readonly Quote[] {
  const replacements = verdict.applied.change.hunks.map(({ start, end, lines }) => ({
    at: start,
    remove: end - start,
    insert: lines,
  }));
  const text = { lines: document.lines(), terminated: isTerminated(document) };
  return uniqueQuotes(replacements, text, single).map((quote) => ({ ...quote, all: false }));
}
