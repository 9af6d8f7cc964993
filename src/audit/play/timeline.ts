/**
 * The texts of files in the course of a session: from what was read whole, from what the client kept of the file before
 * an edit, and from the edits themselves. A text that differs from the one before was changed by somebody else in
 * between: by the command there that is most suspect, else at an unknown time.
 */
import { type Suspicion, suspicion } from "../commands.js";
import { changedText, failureKind } from "../failures.js";
import type { Call, Step } from "../sessions/steps.js";

/** null: there is no such file; undefined: nothing certain is known. */
export type Text = string | null | undefined;

interface Knot {
  /** From this moment on. */
  readonly at: number;
  readonly text: Text;
  /** The newest moment at which something confirmed it. */
  until: number;
  /** Somebody else's doing. */
  readonly isForeign: boolean;
}

export interface TimedChange {
  readonly at: number;
  readonly path: string;
  readonly text: Text;
  /** Somebody else's doing. */
  readonly isForeign: boolean;
  /** A command of this session has most likely done it. */
  readonly isByCommand: boolean;
}

/** Moments of a step: before it, and when it is done. */
export const before = (step: number): number => 2 * step;
export const after = (step: number): number => 2 * step + 1;
const start = -1;

/** A step that may have changed files, and how likely it has changed one; or the client's notice that somebody had. */
interface Suspect {
  readonly at: number;
  readonly isNotice?: boolean;
  readonly suspicion: Suspicion;
}

export class Timeline {
  private readonly knots = new Map<string, Knot[]>();
  /** An unknown author changed a file between two moments. */
  private readonly doubts = new Map<string, (readonly [from: number, to: number])[]>();
  private readonly suspects: Suspect[] = [];
  private readonly staleAt = new Map<string, number[]>();

  /** Files that an agent has edited. Texts of other files are not needed. */
  private readonly edited: Set<string>;

  /** `known`: the files that were edited before, with their texts. */
  constructor(known: ReadonlyMap<string, Text> = new Map()) {
    this.edited = new Set(known.keys());
    for (const [path, text] of known) this.put(path, { at: start, text, isForeign: false });
  }

  get isEdited(): boolean {
    return this.edited.size > 0;
  }

  /** Takes in the next step. */
  add(step: Step, index: number): void {
    if (step.kind === "noticed") {
      const { path } = step;
      const suspicion = (one: string): 0 | 1 => (one === path ? 1 : 0);
      this.suspects.push({ at: before(index), isNotice: true, suspicion });
    }
    if (step.kind === "call") this.take(step, index);
  }

  /**
   * Everything that is certain of a file at a moment. `isFitting`: that the text is as expected is certain otherwise.
   */
  text(path: string, at: number, isFitting = false): Text {
    const knot = this.knotAt(path, at);
    if (knot?.text === undefined || isFitting) return knot?.text;
    if (this.doubts.get(path)?.some(([from, to]) => at > from && at < to)) return undefined;
    if (at <= knot.until || !this.suspect(path, knot.until, at)) return knot.text;
    return undefined;
  }

  /** Somebody else changed the file after one moment and up to another. */
  isChanged(path: string, from: number, to: number): boolean {
    return (this.knots.get(path) ?? []).some(({ at, isForeign }) => isForeign && at > from && at <= to);
  }

  /** Every change of a file, in the order of time. */
  changes(): TimedChange[] {
    const commands = new Set(this.suspects.filter(({ isNotice }) => !isNotice).map(({ at }) => at));
    const all = [...this.knots].flatMap(([path, knots]) =>
      (this.edited.has(path) ? knots : []).map(({ at, text, isForeign }) => ({
        ...{ at, path, text, isForeign, isByCommand: commands.has(at) },
      })),
    );
    return all.sort((one, two) => one.at - two.at);
  }

  /** Returns the newest text of each edited file, for the steps that follow. */
  end(): Map<string, Text> {
    return new Map([...this.edited].map((path) => [path, this.knots.get(path)?.at(-1)?.text]));
  }

  private take(call: Call, index: number): void {
    const { asks, done, shown, failure, command, remark } = call;
    for (const { path } of asks) this.edited.add(path);
    for (const { path, before: told } of done) if (told !== undefined) this.sees(path, told, before(index));
    if (shown && failure === null) this.look(call, shown.path, index);
    if (failure !== null) this.fails(call, index);
    else
      for (const [at, ask] of asks.entries()) {
        const { path, change } = ask;
        const told = done[at]?.after;
        const text = this.knotAt(path, before(index))?.text;
        const made =
          told ??
          (text === undefined && change.kind !== "whole" ? undefined : changedText(change, text ?? null));
        if (made !== undefined && text !== undefined) this.confirm(path, before(index));
        this.put(path, { at: after(index), text: made, isForeign: false });
      }
    const suspect = command === null ? null : suspicion(command, remark);
    if (suspect) this.suspects.push({ at: after(index), suspicion: suspect });
  }

  private look(call: Call, path: string, index: number): void {
    const { whole = null, part = null } = call.outcome().shown ?? {};
    if (whole !== null) {
      this.sees(path, whole, before(index));
      return;
    }
    const text = this.knotAt(path, before(index))?.text;
    if (typeof text !== "string") return;
    if (part !== null && part !== "" && text.includes(part)) {
      this.confirm(path, before(index));
      return;
    }
    const lines = text.split("\n");
    const rows = call
      .after()
      .flatMap((event) => (event.kind === "read" && event.path === path ? event.rows : []));
    if (rows.length === 0) return;
    if (rows.every((row) => lines[row.line - 1] === row.text)) this.confirm(path, before(index));
    else this.sees(path, undefined, before(index));
  }

  private fails(call: Call, index: number): void {
    for (const { path, change } of call.asks) {
      const text = this.knotAt(path, before(index))?.text;
      const kind = failureKind(call, text);
      if (kind === "stale") this.staleAt.set(path, [...(this.staleAt.get(path) ?? []), before(index)]);
      const isWrong = kind === "notFound" && change.kind !== "whole" && typeof text === "string";
      if (isWrong && changedText(change, text) !== undefined) this.sees(path, undefined, before(index));
      if (kind === "blanks") this.confirm(path, before(index));
    }
  }

  /** The file reads so at this moment. */
  private sees(path: string, text: Text, at: number): void {
    const last = this.knots.get(path)?.at(-1);
    const from = last?.at ?? start;
    if (!last || last.text === undefined) {
      const cause = this.suspect(path, from, at);
      const own = last && this.knots.get(path)?.at(-2);
      if (cause === null && own && this.isOfFormatter(own, text)) {
        this.knots.get(path)?.pop();
        this.put(path, { at: own.at, text, isForeign: true }, at);
        return;
      }
      const since = cause ?? from;
      if (last && since === from) this.knots.get(path)?.pop();
      this.put(path, { at: since, text, isForeign: last?.isForeign ?? false }, at);
      return;
    }
    if (isSame(last.text, text)) {
      this.confirm(path, at);
      return;
    }
    const cause = this.suspect(path, last.until, at) ?? this.suspect(path, from, at);
    if (cause === null && this.isOfFormatter(last, text)) {
      this.put(path, { at: last.at, text, isForeign: true }, at);
      return;
    }
    const stale = this.staleAt.get(path)?.find((one) => one > last.until);
    const moment = Math.min(cause ?? at, stale ?? at);
    if (cause === null && stale === undefined) this.doubt(path, last.until, at);
    this.put(path, { at: Math.max(moment, from), text, isForeign: true }, at);
  }

  /** A formatter runs right after an edit, before anything else looks at the file. */
  private isOfFormatter({ at, until, isForeign, text: own }: Knot, text: Text): boolean {
    return !isForeign && until === at && at !== start && isReformatted(own, text);
  }

  private confirm(path: string, at: number): void {
    const last = this.knots.get(path)?.at(-1);
    if (last) last.until = Math.max(last.until, at);
  }

  private doubt(path: string, from: number, to: number): void {
    this.doubts.set(path, [...(this.doubts.get(path) ?? []), [from, to]]);
  }

  private put(path: string, knot: Omit<Knot, "until">, until = knot.at): void {
    const all = this.knots.get(path) ?? [];
    if (all.length === 0) this.knots.set(path, all);
    all.push({ ...knot, until });
  }

  private knotAt(path: string, at: number): Knot | undefined {
    const all = this.knots.get(path) ?? [];
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle] as Knot).at <= at) low = middle + 1;
      else high = middle;
    }
    return all[low - 1];
  }

  /**
   * The moment at which the file was most likely changed: after the last command that names it, else after the last that
   * may write any file, else when the client noticed; null if nothing is suspect.
   */
  private suspect(path: string, from: number, to: number): number | null {
    let wide: number | null = null;
    let noticed: number | null = null;
    for (let index = this.suspects.length - 1; index >= 0; index--) {
      const { at, isNotice = false, suspicion: likely } = this.suspects[index] as Suspect;
      if (at <= from) break;
      const degree = at > to ? 0 : likely(path);
      if (degree === 2) return at;
      if (degree === 1 && isNotice) noticed = at;
      else if (degree === 1) wide ??= at;
    }
    return wide ?? noticed;
  }
}

/** The texts are the same except for blanks, line breaks and the marks that formatters set and remove. */
function isReformatted(one: Text, two: Text): boolean {
  if (typeof one !== "string" || typeof two !== "string") return false;
  const bare = (text: string): string => text.replace(/[\s;,'"`()]/g, "");
  return bare(one) === bare(two);
}

/** Clients do not always tell whether the last line ends. */
export function isSame(one: Text, two: Text): boolean {
  if (one === two) return true;
  return typeof one === "string" && typeof two === "string" && (`${one}\n` === two || one === `${two}\n`);
}
