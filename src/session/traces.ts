import { pairedLines } from "./stands.js";
import { follow, isThere, type Step, type Trace, tracesOf } from "./trace.js";

/** The places of all edits of a file. Of a long journal most are replaced sooner or later, and no step concerns them. */
export class Traces {
  readonly all: Trace[] = [];
  private readonly awake = new Set<Trace>();
  /** Those that are there but cannot be followed. */
  private readonly unseen = new Set<Trace>();
  /** All before this one are blind. */
  private firstSighted = 0;
  /** By the edit that made them, and by the edit that replaced something of them. */
  private readonly made = new Map<string, Trace[]>();
  private readonly replaced = new Map<string, Set<Trace>>();

  /** Those that others may have met; `isKnown`: by bringing back a text that was there before, or none. */
  met(isKnown: boolean): Trace[] {
    return isKnown ? [...this.awake, ...this.unseen] : [...this.awake];
  }

  /** Those of which something vanished, by the text that last held it: each text is loaded once. */
  withGone(): Trace[] {
    const found = [...this.awake].filter(hasGone);
    const stateOf = ({ gone, altered }: Trace) => (gone[0] ?? altered[0])?.state ?? 0;
    return found.sort((one, two) => stateOf(one) - stateOf(two));
  }

  /** Edits of these ids made them, or replaced something of them. */
  of(made: readonly string[], replaced: readonly string[]): Set<Trace> {
    const found = new Set(made.flatMap((id) => this.made.get(id) ?? []));
    for (const id of replaced) for (const trace of this.replaced.get(id) ?? []) found.add(trace);
    return found;
  }

  follow(given: Omit<Step, "paired">): void {
    const { map, entry } = given;
    const step: Step = { ...given, paired: map && pairedLines(map) };
    for (const trace of this.awake) {
      if (follow(trace, step)) this.note(trace, entry.id);
      if (!isFollowed(trace)) this.sort(trace);
    }
  }

  private note(trace: Trace, by: string): void {
    const traces = this.replaced.get(by);
    if (traces) traces.add(trace);
    else this.replaced.set(by, new Set([trace]));
  }

  /** An edit that has just been made. */
  begin({ entry, map, state }: Pick<Step, "entry" | "map" | "state">): void {
    const over = [...(this.replaced.get(entry.id) ?? [])].sort(inOrder);
    const begun = tracesOf(entry, map, state, over);
    this.made.set(entry.id, [...(this.made.get(entry.id) ?? []), ...begun]);
    for (const trace of begun) {
      this.all.push(trace);
      this.sort(trace);
    }
  }

  /** For each that is not what it was. */
  sort(trace: Trace): void {
    const isAwake = isFollowed(trace);
    if (isAwake) this.awake.add(trace);
    else this.awake.delete(trace);
    if (!isAwake && isThere(trace)) this.unseen.add(trace);
    else this.unseen.delete(trace);
  }

  /** A text is not kept. */
  loseSight(): void {
    for (; this.firstSighted < this.all.length; this.firstSighted++) {
      const trace = this.all[this.firstSighted] as Trace;
      trace.blind = true;
      this.sort(trace);
    }
  }
}

function hasGone({ gone, altered }: Trace): boolean {
  return gone.length + altered.length > 0;
}

function isFollowed(trace: Trace): boolean {
  return hasGone(trace) || (isThere(trace) && !trace.blind);
}

/** As the edits were made. */
export function inOrder(one: Trace, two: Trace): number {
  return one.state - two.state || one.region.bStart - two.region.bStart;
}
