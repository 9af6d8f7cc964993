/**
 * Which stretches of a file stand in what was printed, in time linear in both however often lines repeat: a suffix
 * automaton of the printed lines, through which each file is walked. Comparing all pairs of equal lines instead takes
 * seconds for files full of `}` and blank lines.
 */
export interface Stretch {
  /** 0-based, in the file. */
  readonly line: number;
  readonly length: number;
  /** False: it stands in the file again. */
  readonly once: boolean;
  readonly state: number;
}

/** What a walk leaves behind each line: the longest stretch that ends there, and its state. */
interface Walk {
  readonly states: Int32Array;
  readonly lengths: Int32Array;
}

export class Stretches {
  #count = 1;
  readonly #length: Int32Array;
  readonly #link: Int32Array;
  /** The first state has a way on for every key. Most others have one; only the rest get a map. */
  readonly #first: Int32Array;
  readonly #key: Int32Array;
  readonly #next: Int32Array;
  readonly #more: (Map<number, number> | undefined)[] = [undefined];
  /** A state's place in an order in which all states of strings that end in its string follow it, `#size` in all. */
  readonly #order: Int32Array;
  readonly #size: Int32Array;
  /** End positions in the sequence by that order; those of place `p` start at `#endsFrom[p]`. */
  readonly #ends: Int32Array;
  readonly #endsFrom: Int32Array;

  /** Of printed lines as numbers, equal for equal text; a negative one parts what stands before it from what follows. */
  constructor(sequence: Int32Array) {
    const room = 2 * sequence.length + 2;
    this.#length = new Int32Array(room);
    this.#link = new Int32Array(room).fill(-1);
    this.#key = new Int32Array(room).fill(-1);
    this.#next = new Int32Array(room);
    this.#first = new Int32Array(sequence.reduce((most, key) => Math.max(most, key), 0) + 1).fill(-1);
    const states = new Int32Array(sequence.length);
    let last = 0;
    sequence.forEach((key, position) => {
      last = key < 0 ? 0 : this.#extend(last, key);
      states[position] = last;
    });
    this.#size = new Int32Array(this.#count).fill(1);
    this.#order = this.#arrange();
    this.#endsFrom = new Int32Array(this.#count + 1);
    this.#ends = this.#placeEnds(sequence, states);
  }

  /**
   * The stretches of a file that stand in the sequence and cannot be longer on either side; of these, those that are
   * `wanted`, by first line and length. One that does not stand once may be left out where it stands again.
   */
  of(keys: Int32Array, wanted: (line: number, length: number) => boolean): Stretch[] {
    const { states, lengths } = this.#walk(keys);
    const visits = new Int32Array(this.#count + 1);
    const longest = new Int32Array(this.#count);
    const second = new Int32Array(this.#count);
    for (let line = 0; line < keys.length; line++) {
      const state = states[line]!;
      const length = lengths[line]!;
      visits[this.#order[state]! + 1]!++;
      if (length > longest[state]!) {
        second[state] = longest[state]!;
        longest[state] = length;
      } else if (length > second[state]!) second[state] = length;
    }
    for (let place = 0; place < this.#count; place++) visits[place + 1]! += visits[place]!;
    const found: Stretch[] = [];
    const repeated = new Set<number>();
    for (let line = 0; line < keys.length; line++) {
      const length = lengths[line]!;
      if (length === 0 || lengths[line + 1] === length + 1 || !wanted(line - length + 1, length)) continue;
      const state = states[line]!;
      const place = this.#order[state]!;
      // It also ends wherever a walk stood at a longer string with this end: in a later state, or in this one.
      const within = visits[place + this.#size[state]!]! - visits[place + 1]!;
      const once = within === 0 && second[state]! < length;
      const known = repeated.size;
      if (once || repeated.add(state * keys.length + length).size > known) {
        found.push({ line: line - length + 1, length, once, state });
      }
    }
    return found;
  }

  /** Positions in the sequence at which a stretch begins, at most `limit`. */
  places({ state, length }: Stretch, limit: number): number[] {
    const place = this.#order[state]!;
    const from = this.#endsFrom[place]!;
    const to = Math.min(this.#endsFrom[place + this.#size[state]!]!, from + limit);
    return Array.from(this.#ends.subarray(from, to), (end) => end - length + 1);
  }

  #walk(keys: Int32Array): Walk {
    const states = new Int32Array(keys.length);
    const lengths = new Int32Array(keys.length);
    let state = 0;
    let length = 0;
    for (let line = 0; line < keys.length; line++) {
      const key = keys[line]!;
      let to = key < 0 ? -1 : this.#follow(state, key);
      while (to < 0 && state > 0) {
        state = key < 0 ? 0 : this.#link[state]!;
        length = this.#length[state]!;
        if (key >= 0) to = this.#follow(state, key);
      }
      if (to >= 0) {
        state = to;
        length++;
      }
      states[line] = state;
      lengths[line] = length;
    }
    return { states, lengths };
  }

  #follow(state: number, key: number): number {
    if (state === 0) return this.#first[key]!;
    if (this.#key[state] === key) return this.#next[state]!;
    return this.#more[state]?.get(key) ?? -1;
  }

  #point(state: number, key: number, to: number): void {
    if (state === 0) this.#first[key] = to;
    else if (this.#key[state] === -1 || this.#key[state] === key) {
      this.#key[state] = key;
      this.#next[state] = to;
    } else {
      this.#more[state] ??= new Map();
      this.#more[state].set(key, to);
    }
  }

  /** The usual construction, for several sequences: a way on may be there already. */
  #extend(last: number, key: number): number {
    const known = this.#follow(last, key);
    if (known >= 0) {
      return this.#length[known] === this.#length[last]! + 1 ? known : this.#split(last, key, known);
    }
    const state = this.#add(this.#length[last]! + 1);
    let from = last;
    while (from >= 0 && this.#follow(from, key) < 0) {
      this.#point(from, key, state);
      from = this.#link[from]!;
    }
    if (from < 0) this.#link[state] = 0;
    else {
      const to = this.#follow(from, key);
      this.#link[state] = this.#length[to] === this.#length[from]! + 1 ? to : this.#split(from, key, to);
    }
    return state;
  }

  #split(from: number, key: number, to: number): number {
    const copy = this.#add(this.#length[from]! + 1);
    this.#key[copy] = this.#key[to]!;
    this.#next[copy] = this.#next[to]!;
    const more = this.#more[to];
    if (more) this.#more[copy] = new Map(more);
    this.#link[copy] = this.#link[to]!;
    this.#link[to] = copy;
    for (let state = from; state >= 0 && this.#follow(state, key) === to; state = this.#link[state]!) {
      this.#point(state, key, copy);
    }
    return copy;
  }

  #add(length: number): number {
    this.#length[this.#count] = length;
    this.#more.push(undefined);
    return this.#count++;
  }

  /** A link always leads to a shorter string, so states sorted by length come after those that they link to. */
  #arrange(): Int32Array {
    const lengths = this.#length.subarray(0, this.#count);
    const shorter = new Int32Array(this.#count + 1);
    for (const length of lengths) shorter[length + 1]!++;
    for (let length = 0; length < this.#count; length++) shorter[length + 1]! += shorter[length]!;
    const states = new Int32Array(this.#count);
    lengths.forEach((length, state) => {
      states[shorter[length]!++] = state;
    });
    for (let index = this.#count - 1; index > 0; index--) {
      const state = states[index]!;
      this.#size[this.#link[state]!]! += this.#size[state]!;
    }
    const order = new Int32Array(this.#count);
    const free = new Int32Array(this.#count).fill(1);
    for (let index = 1; index < this.#count; index++) {
      const state = states[index]!;
      const link = this.#link[state]!;
      order[state] = order[link]! + free[link]!;
      free[link]! += this.#size[state]!;
    }
    return order;
  }

  #placeEnds(sequence: Int32Array, states: Int32Array): Int32Array {
    const from = this.#endsFrom;
    const kept = sequence.reduce((sum, key) => sum + (key < 0 ? 0 : 1), 0);
    sequence.forEach((key, position) => {
      if (key >= 0) from[this.#order[states[position]!]! + 1]!++;
    });
    for (let place = 0; place < this.#count; place++) from[place + 1]! += from[place]!;
    const free = from.slice();
    const ends = new Int32Array(kept);
    sequence.forEach((key, position) => {
      if (key >= 0) ends[free[this.#order[states[position]!]!]!++] = position;
    });
    return ends;
  }
}
