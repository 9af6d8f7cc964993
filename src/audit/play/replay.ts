/** Plays the calls of a session through the guard, and judges what it would have done by what came of them. */
import { basename } from "node:path";
import type { Adapter, Answer, Event, Recalled, Write } from "../../guard/index.js";
import { isCommit } from "../commands.js";
import { changedText, type FailureKind } from "../failures.js";
import type { Call } from "../sessions/steps.js";
import { type Findings, GuardInMemory } from "./guard-in-memory.js";
import { Moves } from "./moves.js";
import { after, before, isSame, type Text, type TimedChange, type Timeline } from "./timeline.js";

export interface Verdict {
  readonly kind: "allowed" | "healed" | "refusedRightly" | "inTheWay" | "undecided";
  readonly why: string;
  /** The guard's answer. */
  readonly guard: string | null;
  readonly isOverwrite: boolean;
}

export interface Played {
  /** null: it is no edit, or one of which the guard has nothing to say. */
  readonly verdict: Verdict | null;
  /** The guard had told of the change before. */
  readonly isToldEarly: boolean;
  /** Edits that were lost by a command. */
  readonly lost: Findings["lost"];
}

interface Waiting {
  readonly call: Call;
  readonly text: Text;
}

type Answered = Answer & Findings;

/** Clients whose own check refuses before the guard is asked: it only adds what it knows. */
const checkFirst = new Set(["claude-code"]);
const healable = new Set<FailureKind>(["blanks", "notFound", "stale"]);

export class Replay {
  private readonly guard: GuardInMemory;
  private timeline: Timeline | null = null;
  private changes: readonly TimedChange[] = [];
  private next = 0;
  /** The step at which an agent was last shown a file, or wrote it. */
  private readonly looks = new Map<string, number>();
  /** Agents are to be told of a change with their next event. */
  private hasNews = false;
  /** The step at which the guard told an agent of a change. */
  private readonly told = new Map<string, number>();
  /** Texts that agents were shown of files that they have not changed so far: most of these files never are. */
  private readonly waiting = new Map<string, Waiting[]>();
  /** Files that an agent was shown while their text was not certain. */
  private readonly blurred = new Set<string>();

  constructor(private readonly adapter: Adapter) {
    this.guard = new GuardInMemory(adapter);
  }

  /** The next steps are those of this timeline. */
  begin(timeline: Timeline): void {
    this.timeline = timeline;
    this.changes = timeline.changes();
    this.next = 0;
    for (const key of this.looks.keys()) this.looks.set(key, -1);
    this.told.clear();
  }

  private readonly moves = new Moves();

  async fold(agent: string, time: number): Promise<void> {
    this.guard.tick(time);
    for (const key of this.waiting.keys()) if (key.startsWith(`${agent}\0`)) this.waiting.delete(key);
    for (const key of this.blurred) if (key.startsWith(`${agent}\0`)) this.blurred.delete(key);
    await this.guard.answer({ kind: "fold" }, { agent, cwd: "/", time, recall: noText });
  }

  /** Plays one call; `failure`: how it failed. */
  async play(call: Call, index: number, failure: FailureKind | null): Promise<Played> {
    this.guard.tick(call.time);
    await this.advance(before(index));
    let verdict: Verdict | null = null;
    let isToldEarly = false;
    const isDecided = call.asks.length > 0 && (failure === null || healable.has(failure));
    if (call.asks.length > 0) await this.catchUp(call);
    if (isDecided) {
      verdict = await this.judge(call, index, failure);
      isToldEarly = (failure !== null || verdict.kind !== "allowed") && this.isTold(call);
      if (failure !== null && verdict.kind === "refusedRightly") verdict = { ...verdict, kind: "allowed" };
    }
    const isUntouched = !(await this.advance(after(index))) && call.command !== null;
    const lost: Findings["lost"][number][] = [];
    if (call.shown && call.failure === null) this.wait(call, index);
    else if (call.command === null || !isUntouched || this.hasNews)
      for (const event of call.after()) {
        const answered = await this.observe(event, call, index, isUntouched);
        if (answered) lost.push(...answered.lost);
      }
    if (call.command !== null && call.failure === null && isCommit(call.command)) this.guard.commit();
    this.moves.note(call);
    return { verdict, isToldEarly, lost };
  }

  private async judge(call: Call, index: number, failure: FailureKind | null): Promise<Verdict> {
    const { asks } = call;
    const timeline = this.timeline as Timeline;
    const texts = asks.map(({ path }) => timeline.text(path, before(index), failure === null));
    const isOverwrite = asks.some(
      ({ change }, at) => change.kind === "whole" && typeof texts[at] === "string",
    );
    if (texts.includes(undefined) || asks.some(({ path }) => this.blurred.has(`${call.agent}\0${path}`)))
      return {
        kind: "undecided",
        why: "the text of the file at that time is not certain",
        guard: null,
        isOverwrite,
      };
    const isLate = failure !== null && checkFirst.has(this.adapter.client);
    const event: Event = isLate
      ? { kind: "settled", paths: [], refused: asks }
      : { kind: "change", writes: asks };
    const said = await this.ask(event, call);
    const guard = said.deny ?? said.tell ?? null;
    const kind = failure === null ? ofCut(call, said, this.ofGood(call, index, said, texts)) : ofFailed(said);
    return { ...kind, guard: kind.kind === "allowed" ? null : guard, isOverwrite };
  }

  /** A call that went well: the guard had better let it through, unless it did harm. */
  private ofGood(
    call: Call,
    index: number,
    said: Answered,
    texts: readonly Text[],
  ): Pick<Verdict, "kind" | "why"> {
    const { considered } = said;
    if (said.deny === undefined && !said.quotes) return { kind: "allowed", why: "" };
    if (considered?.kind === "healed")
      return {
        kind: "healed",
        why: "the quote differed in blanks, and the client made the edit with the blanks of the call",
      };
    const [ask] = call.asks;
    if (considered?.kind === "carried" && ask) {
      const change = { kind: "quotes", quotes: considered.quotes } as const;
      const isEqual = isSame(
        changedText(change, texts[0] ?? null),
        changedText(ask.change, texts[0] ?? null),
      );
      if (isEqual && said.quotes) return { kind: "allowed", why: "" };
    }
    const code = considered?.kind === "refused" ? considered.result.details.code : "stale";
    const harm = call.asks
      .map((one, at) => this.harmOf(one, texts[at], call, index))
      .find((one) => one !== null);
    return harm
      ? { kind: "refusedRightly", why: harm }
      : { kind: "inTheWay", why: `the call went well, and the guard would have refused it (${code})` };
  }

  /** Judges a call that had better not been made; null: nothing is known of it. */
  private harmOf({ path, change }: Write, text: Text, call: Call, index: number): string | null {
    if (typeof text !== "string") return null;
    const key = `${call.agent}\0${path}`;
    const looked = this.looks.get(key);
    if (change.kind === "whole" || change.kind === "delete") {
      const kept = new Set(change.kind === "whole" ? (change.content ?? "").split("\n") : []);
      const gone = text.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line) && !kept.has(line));
      if (gone.length === 0) return null;
      const seen = sentText(call.recall());
      const unread = gone.filter((line) => !seen.includes(line.trim()));
      return unread.length > 0
        ? `took away ${count(unread.length, "line")} that the agent had not been shown`
        : null;
    }
    const isChanged = looked !== undefined && this.timeline?.isChanged(path, looked, before(index));
    return isChanged ? "somebody else had changed the file since the agent saw it" : null;
  }

  /** Keeps what was shown until it matters; the same once more adds nothing. */
  private wait(call: Call, index: number): void {
    const { path = "", isWhole = false } = call.shown ?? {};
    const key = `${call.agent}\0${path}`;
    const text = (this.timeline as Timeline).text(path, before(index), true);
    this.looks.set(key, before(index));
    this.told.delete(key);
    if (text === undefined) this.blurred.add(key);
    else if (isWhole) this.blurred.delete(key);
    if (this.blurred.has(key)) return;
    const all = this.waiting.get(key) ?? [];
    const last = all.at(-1);
    // All of this text was just shown: the same again, or a part of it, adds nothing.
    const isKnown = last?.call.shown?.isWhole === true && last.text === text;
    if (!isKnown) all.push({ call, text });
    this.waiting.set(key, all);
  }

  /** Lets the guard see what the agent was shown of these files, each as it was then. */
  private async catchUp({ agent, asks }: Call): Promise<void> {
    for (const { path } of asks) {
      await this.show(`${agent}\0${path}`, path);
      for (const old of this.moves.namesBefore(path)) await this.follow(old, path, agent);
    }
  }

  private async follow(from: string, to: string, agent: string): Promise<void> {
    const key = `${agent}\0${from}`;
    if (!this.looks.has(key)) return;
    await this.show(key, from);
    await this.guard.follow(from, to, agent);
  }

  private async show(key: string, path: string): Promise<void> {
    const now = this.guard.text(path);
    for (const { call, text } of this.waiting.get(key) ?? []) {
      this.guard.put(path, text);
      if (await this.guard.isKnown(path, call.agent)) continue;
      for (const event of call.after()) if (!isIdle(event)) await this.ask(event, call, true);
    }
    if (this.waiting.delete(key)) this.guard.put(path, now);
  }

  private isTold({ agent, asks }: Call): boolean {
    return asks.some(({ path }) => this.told.has(`${agent}\0${path}`));
  }

  private async observe(
    event: Event,
    call: Call,
    index: number,
    isUntouched: boolean,
  ): Promise<Answered | null> {
    const { agent } = call;
    const timeline = this.timeline as Timeline;
    if (event.kind === "settled" && (event.refused.length > 0 || (isIdle(event) && !this.hasNews)))
      return null;
    for (const { path } of event.kind === "changed" ? event.writes : []) {
      const key = `${agent}\0${path}`;
      if (timeline.text(path, after(index), true) === undefined) this.blurred.add(key);
      this.looks.set(key, after(index));
      this.told.delete(key);
    }
    const said = await this.ask(event, call, isUntouched);
    this.hasNews = false;
    if (said.tell !== undefined)
      for (const [key] of this.looks) {
        const path = key.startsWith(`${agent}\0`) ? key.slice(agent.length + 1) : null;
        if (path !== null && said.tell.includes(basename(path))) this.told.set(key, index);
      }
    return said;
  }

  private ask(event: Event, call: Call, isUntouched = false): Promise<Answered> {
    return this.guard.answer(event, call, isUntouched);
  }

  /** Puts the files into the state of a moment; whether any has changed. */
  private async advance(moment: number): Promise<boolean> {
    let isChanged = false;
    for (let one = this.changes[this.next]; one && one.at <= moment; one = this.changes[this.next]) {
      const { path, text, isForeign, isByCommand } = one;
      // The output of a command does not tell an agent what it changed.
      const isNews = isForeign && !isByCommand && typeof text === "string" && one.at >= 0;
      if (isNews) await this.showAll(path);
      this.guard.put(path, text);
      if (isNews) {
        this.guard.notice(path);
        this.hasNews = true;
      }
      isChanged = true;
      this.next += 1;
    }
    return isChanged;
  }

  /** An agent that was shown the file knows it before it changes. */
  private async showAll(path: string): Promise<void> {
    for (const key of [...this.waiting.keys()]) if (key.endsWith(`\0${path}`)) await this.show(key, path);
  }
}

const unseen = new Set<unknown>(["not_read", "not_shown"]);

/** Leaves out what nobody can judge: a text may have been shown before the session's first line. */
function ofCut(
  { isCut }: Call,
  { considered }: Answered,
  judged: Pick<Verdict, "kind" | "why">,
): Pick<Verdict, "kind" | "why"> {
  const code = considered?.kind === "refused" ? considered.result.details.code : null;
  if (!isCut || judged.kind !== "inTheWay" || !unseen.has(code)) return judged;
  return { kind: "undecided", why: "the session's file begins in the middle of the conversation" };
}

function ofFailed({ considered }: Answered): Pick<Verdict, "kind" | "why"> {
  if (considered?.kind === "healed")
    return {
      kind: "healed",
      why: "only blanks were wrong with the quote: the guard has the lines as they stand",
    };
  if (considered?.kind === "carried")
    return {
      kind: "healed",
      why: "the lines had moved or changed beside the edit: the guard carries it there",
    };
  return { kind: "allowed", why: "" };
}

/** Nothing happened: the guard says what it has been waiting to say, if anything. */
function isIdle(event: Event): boolean {
  return event.kind === "settled" && event.paths.length === 0 && event.refused.length === 0;
}

const noText = (): Recalled => ({ sent: [], isComplete: true });

function sentText({ sent }: Recalled): string {
  return sent.map(({ text, call }) => `${text}\n${call}`).join("\n");
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
