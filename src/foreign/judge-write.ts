/** Judges changes that other programs' tools are about to make for an agent. */
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
import { exitStatus, type Quote, quotesIn } from "../edits/index.js";
import {
  type CallEnv,
  type Env,
  gate,
  isKept,
  type OpenFile,
  type UnitEnv,
  withOpen,
} from "../ledger/index.js";
import {
  type ForeignChange,
  isSameText,
  type Placement,
  place,
  quotesOf,
  uniqueQuotes,
  writtenAt,
} from "../placement/index.js";
import { type Document, digest, LineSet, type Range } from "../text/index.js";
import { doubt, unclearHunk } from "./doubtful-place.js";
import { type Healed, healing, type QuotedRows } from "./healing.js";
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
import { goneLines, quotedLines, replaceStanding } from "./standing-quotes.js";

/** A change that a tool is about to make. */
export interface ForeignWrite {
  readonly path: string;
  /** The tool's name in its client. */
  readonly tool: string;
  readonly change: ForeignChange;
  /** The tool takes one quote only. */
  readonly single?: boolean;
  /** The call as it was sent, if the change does not say all of it. Calls that differ in it are different calls. */
  readonly sent?: string;
  /** The client's id for the call, so that a call that is announced twice is refused once. */
  readonly call?: string;
}

export type Consideration =
  /** `alike`: its quotes stand nowhere, and read like these lines but for blanks that nobody can put right. */
  | { readonly kind: "allowed"; readonly alike?: QuotedRows }
  /** The tool would miss the place or hit another one. These quotes make the same change to the file now. */
  | { readonly kind: "carried"; readonly quotes: readonly Quote[] }
  /** Its quotes differ from the file in blanks only. These have the blanks of the file. */
  | ({ readonly kind: "healed" } & Healed)
  | { readonly kind: "refused"; readonly result: Result<BatchRefusal> };

/** Refused, unless more of the file turns out to have been shown. Nothing is recorded yet. */
export interface Unsure {
  readonly kind: "unsure";
  /** Refused only because no showing is on record. */
  readonly isUnread: boolean;
  /** Lines that the change touches, 1-based; null if the whole file has to have been shown. */
  readonly lines: readonly Range[] | null;
}

const allowed = { kind: "allowed" } as const satisfies Consideration;

/** Allows a change if the tool, by its own rules, will do what our own edit would; else refuses or carries it. */
export async function consider(write: ForeignWrite, outer: CallEnv): Promise<Consideration> {
  return withOpen(write.path, outer, async (opened, env) => {
    const found = await judgeWrite(write, opened, env);
    const answer =
      found.kind === "refusing" ? await refusal(found, { opened, name: write.call }, env) : found;
    opened.save();
    return answer;
  });
}

/** Judges without deciding: a refusal is not worded, shows nothing, and may turn out otherwise. */
export async function preview(
  write: ForeignWrite,
  outer: CallEnv,
): Promise<Exclude<Consideration, { kind: "refused" }> | Unsure> {
  return withOpen(write.path, outer, async (opened, env) => {
    const found = await judgeWrite(write, opened, env);
    opened.save();
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

type Finding = Exclude<Consideration, { kind: "refused" }> | Refusing;

async function judgeWrite(write: ForeignWrite, opened: OpenFile, env: Env): Promise<Finding> {
  if (!opened.document) return allowed;
  const healed = env.gate === "off" ? null : await healing(write.change, opened, opened.document);
  if (healed?.quotes) {
    const { quotes } = healed;
    const answer = await weigh({ ...write, change: { kind: "quotes", quotes } }, opened, env);
    if (answer.kind === "allowed") return { kind: "healed", ...healed };
  }
  const answer = await weigh(write, opened, env);
  return healed && answer.kind === "allowed" ? { ...allowed, alike: healed.rows } : answer;
}

async function weigh(write: ForeignWrite, opened: OpenFile, env: Env): Promise<Finding> {
  const { change } = write;
  const document = opened.text;
  const isWhole = change.kind === "whole" || change.kind === "delete";
  // An empty or binary file has no lines that could be lost or shown.
  if ((isWhole && document.lineCount === 0) || document.isBinary) return allowed;
  const plain = callOf(write.tool, [{ path: write.path, edits: [] }], { single: true, dryRun: true });
  const sent = { ...plain, request: digest(JSON.stringify([write.tool, change, write.sent])) };
  const decision = gate(isWhole ? "whole" : "touch", opened.seen(sent.request), env.gate);
  if (!("allow" in decision)) {
    await opened.prepare([], true);
    return refusing(sent, refused([blocked(decision, opened)]));
  }
  if (isWhole || env.gate === "off") return allowed;
  const placement = place(change, document);
  const { hits, isPlaced } = placement;
  // The file is as the agent saw it last, and what it quotes matches or never did.
  const isSettled = opened.isCurrent && !placement.isGone;
  const hunk = await unclearHunk(placement, opened, sent.request);
  const [end] = placement.unended;
  const isTwice = end !== undefined && (await wasSeenTwice(end, opened, sent.request));
  const known = isTwice ? null : opened.seen(sent.request).known;
  const unclear = hunk ?? doubt(placement, known) ?? unseen(placement, opened, sent.request);
  if (unclear) return refusing(sent, refused([unclear]));
  // The agent saw this text last, so where its quotes match is between the agent and its tool.
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
  // A quote that was seen elsewhere is the clearest reason to give.
  const loose = placement.loose.filter(({ whole }) => whole);
  const other = elsewhere([...places, ...loose], looks, opened, call.request);
  if (other) return refusing(call, refused([other]));
  return found.kind === "refused" ? refusing(call, found) : found;
}

/** Our own call that makes the same change. */
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
  const edits = quotes.map((quote) => ({ op: "replace_text" as const, ...quote }));
  const call = callOf(tool, [{ path, edits }], { single: true, dryRun: true });
  const { targets, request } = await find(call, env);
  const { entry } = targets[0] as (typeof targets)[number];
  return { ...call, request, entry, quotes, shown: place(change, shown), isSingle };
}

/** Judges by the rules of our own edits: allowed as it is, carried to other quotes, or refused. */
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
  // The change seems to be there already. A tool that finds no match may look for one more loosely.
  if (verdict.kind === "noop") {
    const done = made ? null : goneLines(quotes, opened.view(request));
    return done ? refused([done]) : allowed;
  }
  if (verdict.kind === "refused") return isForTheTool(verdict, placement, made !== null) ? allowed : verdict;
  const { after, applied } = verdict;
  // With `all`, matches that others added since are meant too.
  if (made && (quotes.every(({ all }) => all) || isSameText(made.document, after as Document)))
    return allowed;
  // Others seem to have done a part of the edit: the rest alone is not what was meant.
  const gone = goneLines(quotes, opened.view(request));
  if (gone) return refused([gone]);
  return {
    kind: "carried",
    quotes: uniqueQuotes(hunksOf(applied.change.regions, applied.document), document, isSingle),
  };
}

/** True if the tool itself refuses this: the call is wrong in itself, or a quote matches several times. */
function isForTheTool(
  { refused: { problems } }: RefusedVerdict,
  { isSeveral }: Placement,
  isWritten: boolean,
): boolean {
  return problems.every(({ code }) => {
    // The quote was never shown and matches once, so nothing that was seen was taken for it.
    if (code === "not_found") return isWritten;
    return exitStatus(code) === 2 || (code === "ambiguous" && isSeveral);
  });
}

/** True if no quote was ever shown, which the tool itself says. */
function isShownNowhere({ refused: { problems } }: RefusedVerdict): boolean {
  return problems.every(({ code }) => code === "not_found");
}

type RefusedVerdict = Extract<Verdict, { kind: "refused" }>;

async function refusal(
  { call, verdict }: Refusing,
  { opened, name }: { readonly opened: OpenFile; readonly name: string | undefined },
  env: UnitEnv,
): Promise<Consideration> {
  // The tool that would get a retry handle knows none.
  const plain = { ...verdict, refused: { ...verdict.refused, forced: null } };
  const told = { ...call, entries: call.given, ...(name === undefined ? {} : { name }) };
  const result = await refuse(told, [{ opened, verdict: plain }], env);
  return { kind: "refused", result };
}
