import type { LineChange } from "./line-change.js";

/**
 * Exact changes of one kind, the agent's own or others', one right after the other. Changes are put together two by
 * two, always at the same places: what a call puts together, the next one finds, and a long way costs the logarithm of
 * its length.
 */
export class ChangeRun {
  private changes: LineChange[] = [];
  private start = 0;
  private own = false;

  isNext(state: number, own: boolean): boolean {
    return this.changes.length === 0 || (own === this.own && state === this.start + this.changes.length);
  }

  add(state: number, own: boolean, change: LineChange): void {
    if (this.changes.length === 0) this.start = state;
    this.own = own;
    this.changes.push(change);
  }

  /** Ends the run: `before` and all of it as one change. */
  endedAfter(before: LineChange): LineChange {
    const { changes, start, own } = this;
    if (changes.length === 0) return before;
    this.changes = [];
    const isFirst = before.isIdentity;
    const known = isFirst ? ways.get(changes[0] as LineChange) : undefined;
    const isOnWay = known?.own === own && changes[known.count - 1] === known.last;
    let [done, at] = isOnWay ? [known.done, known.count] : [before, 0];
    while (at < changes.length) {
      let size = 1;
      while ((start + at) % (2 * size) === 0 && at + 2 * size <= changes.length) size *= 2;
      const whole = together(changes, at, at + size);
      done = done.compose(own ? owned(whole) : whole);
      at += size;
      if (isFirst && size >= longStep)
        ways.set(changes[0] as LineChange, { own, count: at, last: changes[at - 1] as LineChange, done });
    }
    return done;
  }
}

/** How far a run was put together, by its first change: the next call goes on from there. One for each run, since they are long. */
const ways = new WeakMap<
  LineChange,
  { readonly own: boolean; readonly count: number; readonly last: LineChange; readonly done: LineChange }
>();
const longStep = 16;

const joinedChanges = new WeakMap<LineChange, WeakMap<LineChange, LineChange>>();
const ownedChanges = new WeakMap<LineChange, LineChange>();

function together(changes: readonly LineChange[], start: number, end: number): LineChange {
  if (end - start === 1) return changes[start] as LineChange;
  const middle = (start + end) >> 1;
  const [first, second] = [together(changes, start, middle), together(changes, middle, end)];
  const others = joinedChanges.get(first) ?? new WeakMap<LineChange, LineChange>();
  joinedChanges.set(first, others);
  const known = others.get(second);
  if (known) return known;
  const made = first.compose(second);
  others.set(second, made);
  return made;
}

function owned(change: LineChange): LineChange {
  const known = ownedChanges.get(change);
  if (known) return known;
  const made = change.owned();
  ownedChanges.set(change, made);
  return made;
}
