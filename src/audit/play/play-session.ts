/**
 * Plays one session, a piece of bounded size after the other, and says in plain values what an audit counts of each call:
 * a session may be played in another thread, before the sessions that are newer.
 */
import { basename } from "node:path";
import { adapters } from "../../guard/index.js";
import { isShellChange } from "../commands.js";
import { type FailureKind, failureKind, failureReasons } from "../failures.js";
import {
  type CaseKind,
  caseId,
  type Detail,
  type PlayedCall,
  type PlayedCase,
  type PlayedSession,
} from "../report.js";
import type { Call, Progress, SessionFile, Step } from "../sessions/steps.js";
import { Replay } from "./replay.js";
import { ShownTexts } from "./shown-texts.js";
import { before, Timeline } from "./timeline.js";

/** Characters that are held at a time. */
const heldSize = 24 * 1024 * 1024;
const mostSteps = 20_000;

/** Some sessions do not tell when a call was made. */
export function isOld({ time }: Pick<Call, "time">, since: number): boolean {
  return time < since && time !== 0;
}

export interface Playing {
  /** Older calls do not count. */
  readonly since: number;
  /** The beginning of the id of a case that somebody wants to see whole. */
  readonly show: string | null;
  readonly progress: Progress;
  /** False for a call that counts elsewhere: after the last that may count, nothing has to be played. */
  isNew(key: string): boolean;
}

export async function playSession(file: SessionFile, playing: Playing): Promise<PlayedSession> {
  const play = new SessionPlay(file, playing);
  let failure: string | null = null;
  try {
    try {
      for (const step of file.steps(playing.progress)) await play.add(step);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      // The steps that came before can be played.
      failure = file.path;
    }
    await play.finish();
    return { calls: play.calls, failure };
  } catch (error) {
    return { calls: [], failure: `${file.path} (${(error as Error).message})` };
  }
}

/** A copy of a session has its calls with their names and times; some models name calls alike in every session. */
export function callKey(client: string, { id, tool, time }: Pick<Call, "id" | "tool" | "time">): string {
  return `${client} ${id} ${tool} ${time}`;
}

class SessionPlay {
  readonly calls: PlayedCall[] = [];
  private readonly replay: Replay;
  private readonly shown = new ShownTexts();
  private readonly failedAt = new Map<string, Set<string>>();
  private timeline = new Timeline();
  private steps: Step[] = [];
  /** Calls that show what the model had been shown before. */
  private readonly repeated = new Set<Call>();
  private size = 0;
  /** How many of the steps there are up to the last that may count. */
  private counting = 0;

  constructor(
    private readonly file: SessionFile,
    private readonly playing: Playing,
  ) {
    const adapter = adapters[file.client];
    if (!adapter) throw new Error(`there is no adapter for ${file.client}`);
    this.replay = new Replay(adapter);
  }

  /** Everything that asks for what a call showed does so here, while it is at hand. */
  async add(step: Step): Promise<void> {
    this.timeline.add(step, this.steps.length);
    this.steps.push(step);
    if (step.kind === "fold") this.shown.fold(step.agent);
    if (step.kind === "call") {
      if (this.isRepeated(step)) this.repeated.add(step);
      if (this.isCounting(step)) this.counting = this.steps.length;
      this.size += step.weight;
    }
    if (this.size > heldSize || this.steps.length >= mostSteps) await this.play(this.steps.length);
  }

  async finish(): Promise<void> {
    await this.play(this.counting);
  }

  /** Plays the first of the steps that were taken, and forgets all of them. */
  private async play(count: number): Promise<void> {
    const { steps, timeline } = this;
    this.replay.begin(timeline);
    for (const [index, step] of steps.slice(0, count).entries()) {
      if (step.kind === "fold") await this.replay.fold(step.agent, step.time);
      if (step.kind === "call") this.calls.push(await this.call(step, index, timeline));
    }
    this.timeline = new Timeline(timeline.end());
    this.steps = [];
    this.repeated.clear();
    [this.size, this.counting] = [0, 0];
  }

  private isCounting(call: Call): boolean {
    const { since } = this.playing;
    return !isOld(call, since) && this.playing.isNew(callKey(this.file.client, call));
  }

  private async call(call: Call, index: number, timeline: Timeline): Promise<PlayedCall> {
    const { id, time, tool, agent, asks } = call;
    const [ask] = asks;
    const text = ask ? timeline.text(ask.path, before(index)) : undefined;
    const failure = ask && call.failure !== null ? failureKind(call, text) : null;
    const played = timeline.isEdited ? await this.replay.play(call, index, failure) : null;
    const verdict = played?.verdict ?? null;
    const detail = { guard: verdict?.guard ?? null, text: text ?? null };
    const cases: PlayedCase[] = [];
    const add = (kind: CaseKind, path: string | null, why: string): void => {
      cases.push(this.caseOf({ kind, path, why }, call, detail));
    };
    if (ask && failure !== null) add(`failed.${failure}`, ask.path, failureReasons[failure]);
    const path = shownPath(call);
    if (this.repeated.has(call))
      add("repeatedReads", path, "the model had all of it since the last compaction");
    if (isChange(call)) add("shellChanges", null, `\`${programOf(call.command ?? "")}\` wrote files`);
    const { lost = [], isToldEarly = false } = played ?? {};
    if (lost.length > 0)
      add(
        "lostByCommands",
        lost[0]?.path ?? null,
        `took away lines of ${lost.length === 1 ? "an edit" : `${lost.length} edits`}`,
      );
    if (ask && isToldEarly)
      add("kedge.toldEarly", ask.path, "the guard had told of the change before this call");
    if (ask && verdict && verdict.kind !== "allowed")
      add(verdict.kind === "undecided" ? "undecided" : `kedge.${verdict.kind}`, ask.path, verdict.why);
    const { about, size } = this.recovery(call, failure);
    const [again] = about;
    const why = "one of the calls after an edit of this file failed, up to the one that succeeds";
    const found: PlayedCase | null = again === undefined ? null : { kind: "recovery", path: again, why };
    return {
      ...{ id, time, tool, agent, cases, about, size },
      recovery: found && this.caseOf(found, call, detail),
      edit: ask ? { failure, paths: asks.map((one) => one.path) } : null,
      isRead: path !== null,
      isCommand: call.command !== null,
      isOverwrite: verdict?.isOverwrite ?? false,
    };
  }

  /** Which of the files that the agent failed at before this call is about. */
  private recovery(call: Call, failure: FailureKind | null): Pick<PlayedCall, "about" | "size"> {
    const failed = this.failedAt.get(call.agent) ?? new Set();
    const about = [...failed].filter((path) => isAbout(call, path));
    // An edit that a person does not want is not tried again.
    const isTried = failure !== null && failure !== "declined";
    if (isTried) {
      for (const { path } of call.asks) failed.add(path);
      this.failedAt.set(call.agent, failed);
    }
    return { about, size: isTried || about.length > 0 ? call.size() : 0 };
  }

  private isRepeated(call: Call): boolean {
    const { shown, failure, agent } = call;
    if (!shown || failure !== null) return false;
    const { body = null } = call.outcome().shown ?? {};
    return body === null || this.shown.isRepeated(agent, shown.path, body);
  }

  private caseOf(found: PlayedCase, call: Call, known: Pick<Detail, "guard" | "text">): PlayedCase {
    const { show } = this.playing;
    const { client, session } = this.file;
    if (show === null || !caseId({ ...found, client, session, call: call.id }).startsWith(show)) return found;
    return { ...found, detail: { input: call.input(), result: call.outcome().result, ...known } };
  }
}

function isChange({ command, asks, failure }: Call): boolean {
  return command !== null && asks.length === 0 && failure === null && isShellChange(command);
}

function isAbout({ asks, shown, command }: Call, path: string): boolean {
  if (asks.some((one) => one.path === path) || shown?.path === path) return true;
  return command?.includes(basename(path)) ?? false;
}

function shownPath({ shown, failure }: Call): string | null {
  return shown && failure === null ? shown.path : null;
}

/** Its first word: the rest may hold anything. */
function programOf(command: string): string {
  const words = command
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  return (/^[\w./+-]{1,40}/.exec(words[0] ?? "") ?? ["a command"])[0];
}
