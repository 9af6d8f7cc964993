/** Counts what happened in one session, a piece of bounded size after the other. */
import type { Adapter } from "../guard/index.js";
import { isShellChange } from "./commands.js";
import { failureKind, failureReasons } from "./failures.js";
import { Recoveries } from "./recoveries.js";
import { Replay } from "./replay.js";
import type { CaseKind, Detail, Tally } from "./report.js";
import type { Call, SessionFile, Step } from "./sessions/steps.js";
import { ShownTexts } from "./shown-texts.js";
import { before, Timeline } from "./timeline.js";

/** Characters that are held at a time. */
const heldSize = 24 * 1024 * 1024;
const mostSteps = 20_000;

export interface Counting {
  readonly tally: Tally;
  /** Older calls are played, not counted. */
  readonly since: number;
  /** False for a call that was counted before: sessions are resumed and copied. */
  isNew(call: Call): boolean;
}

export class SessionAudit {
  private readonly replay: Replay;
  private readonly shown = new ShownTexts();
  private readonly recoveries: Recoveries;
  private timeline = new Timeline();
  private steps: Step[] = [];
  /** Calls that show what the model had been shown before. */
  private readonly repeated = new Set<Call>();
  private size = 0;

  constructor(
    private readonly file: SessionFile,
    adapter: Adapter,
    private readonly counting: Counting,
  ) {
    this.replay = new Replay(adapter);
    this.recoveries = new Recoveries(counting.tally.recovery);
  }

  /** Everything that asks for what a call showed does so here, while it is at hand. */
  async take(step: Step): Promise<void> {
    this.timeline.add(step, this.steps.length);
    this.steps.push(step);
    if (step.kind === "fold") this.shown.fold(step.agent);
    if (step.kind === "call") {
      if (this.isRepeated(step)) this.repeated.add(step);
      this.size += step.weight;
    }
    if (this.size > heldSize || this.steps.length >= mostSteps) await this.finish();
  }

  /** Plays what was taken so far. */
  async finish(): Promise<void> {
    const { steps, timeline } = this;
    this.replay.begin(timeline);
    for (const [index, step] of steps.entries()) {
      if (step.kind === "fold") await this.replay.fold(step.agent, step.time);
      if (step.kind === "call") await this.call(step, index, timeline);
    }
    this.timeline = new Timeline(timeline.end());
    this.steps = [];
    this.repeated.clear();
    this.size = 0;
  }

  private async call(call: Call, index: number, timeline: Timeline): Promise<void> {
    const { tally, since } = this.counting;
    const isCounted = (call.time >= since || call.time === 0) && this.counting.isNew(call);
    const [ask] = call.asks;
    const text = ask ? timeline.text(ask.path, before(index)) : undefined;
    const failure = ask && call.failure !== null ? failureKind(call, text) : null;
    const played = timeline.isEdited ? await this.replay.play(call, index, failure) : null;
    if (!isCounted) return;
    const guard = played?.verdict?.guard ?? null;
    const add = (kind: CaseKind, path: string | null, why: string): void =>
      this.add({ kind, path, why, guard, text: text ?? null }, call);
    tally.called(this.file.client, this.file.session, call.agent, call.time);
    if (ask) tally.edited(this.file.client, call.time, failure);
    if (ask && failure !== null) add(`failed.${failure}`, ask.path, failureReasons[failure]);
    this.recoveries.take(call, failure);
    this.countOthers(call, add);
    if (!played) return;
    const { verdict, isToldEarly, lost } = played;
    if (lost.length > 0) {
      tally.counts.lostByCommands += 1;
      add(
        "lostByCommands",
        lost[0]?.path ?? null,
        `took away lines of ${lost.length === 1 ? "an edit" : `${lost.length} edits`}`,
      );
    }
    if (!verdict || !ask) return;
    if (verdict.isOverwrite) tally.counts.overwrites += 1;
    if (isToldEarly) {
      tally.kedge.toldEarly += 1;
      add("kedge.toldEarly", ask.path, "the guard had told of the change before this call");
    }
    if (verdict.kind === "allowed") return;
    if (verdict.kind === "undecided") {
      tally.counts.undecided += 1;
      add("undecided", ask.path, verdict.why);
      return;
    }
    tally.kedge[verdict.kind] += 1;
    if (verdict.kind === "inTheWay" && verdict.isOverwrite) tally.counts.overwritesInTheWay += 1;
    add(`kedge.${verdict.kind}`, ask.path, verdict.why);
  }

  private countOthers(call: Call, add: (kind: CaseKind, path: string | null, why: string) => void): void {
    const { counts } = this.counting.tally;
    const path = shownPath(call);
    if (path !== null) counts.reads += 1;
    if (this.repeated.has(call)) {
      counts.repeatedReads += 1;
      add("repeatedReads", path, "the model had all of it since the last compaction");
    }
    if (call.command === null) return;
    counts.commands += 1;
    if (call.asks.length > 0 || call.failure !== null || !isShellChange(call.command)) return;
    counts.shellChanges += 1;
    add("shellChanges", null, `\`${programOf(call.command)}\` wrote files`);
  }

  private isRepeated(call: Call): boolean {
    const { shown, failure, agent } = call;
    if (!shown || failure !== null) return false;
    const { body = null } = call.outcome().shown ?? {};
    return body === null || this.shown.isRepeated(agent, shown.path, body);
  }

  private add(
    {
      kind,
      path,
      why,
      ...known
    }: { kind: CaseKind; path: string | null; why: string } & Pick<Detail, "guard" | "text">,
    call: Call,
  ): void {
    const { client, session } = this.file;
    const { agent, id, tool, time } = call;
    this.counting.tally.add(
      { kind, client, session, agent, time: isoOf(time), call: id, tool, path, why },
      () => ({ input: call.input(), result: call.outcome().result, ...known }),
    );
  }
}

function shownPath({ shown, failure }: Call): string | null {
  return shown && failure === null ? shown.path : null;
}

function isoOf(time: number): string | null {
  return time > 0 && time < 8.64e15 ? new Date(time).toISOString() : null;
}

/** Its first word: the rest may hold anything. */
function programOf(command: string): string {
  const words = command
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  return (/^[\w./+-]{1,40}/.exec(words[0] ?? "") ?? ["a command"])[0];
}
