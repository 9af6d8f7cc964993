/** What one agent was shown of the text, and what it can know by it. */
import type { Client, Edit, Hunk } from "./client.js";
import { type Alteration, alterationBy, lineAt, type World } from "./world.js";

/** Rows of a text that were shown together, one below the other. */
export interface Look {
  readonly order: number;
  readonly state: number;
  readonly first: number;
  readonly last: number;
  readonly by: "read" | "guard" | "own";
}

/** A place where a quoted text was seen. */
export interface Sighting {
  readonly look: Look;
  /** Line of the look's text that the quote begins in. */
  readonly line: number;
  readonly last: number;
  /** The edit, made there. */
  readonly alteration: Alteration;
}

export class Memory {
  readonly looks: Look[] = [];
  private readonly removed = new Set<number>();

  constructor(
    readonly world: World,
    private readonly client: Client,
  ) {}

  saw(look: Look): void {
    if (look.first <= look.last) this.looks.push(look);
  }

  /** The agent itself took these lines out. */
  took(ids: readonly number[]): void {
    for (const id of ids) this.removed.add(id);
  }

  /** Everywhere the text of an edit was seen whole, in rows of one text. */
  sightings(edit: Edit): Sighting[] {
    return this.joined().flatMap((look) => this.sightingsIn(look, edit));
  }

  /** Also in rows of which some were shown of earlier texts. */
  allSightings(edit: Edit): Sighting[] {
    const first = Math.min(...this.looks.map(({ state }) => state));
    return this.world.states.flatMap(({ lines }, state) => {
      const looks = this.looks.filter((look) => look.state <= state);
      const ids = new Set(looks.flatMap((look) => this.idsOf({ look, line: look.first, last: look.last })));
      const rows = state < first ? [] : lines.flatMap(({ id }, at) => (ids.has(id) ? [at] : []));
      return runsOf(rows).flatMap(([start, last]) =>
        this.sightingsIn({ order: 0, state, first: start, last, by: "read" }, edit),
      );
    });
  }

  private sightingsIn(look: Look, edit: Edit): Sighting[] {
    // Rows do not tell that the last line has no newline.
    const { texts } = this.world.states[look.state]!;
    const text = `${texts.join("\n")}\n`;
    return placesIn(text, edit, this.client).flatMap(({ splice, first: line, last }) => {
      if (line < look.first || last > look.last) return [];
      return [{ look, line, last, alteration: alterationBy(text, splice) }];
    });
  }

  /** Looks at the same text as one, where their rows meet. */
  private joined(): Look[] {
    const states = [...new Set(this.looks.map(({ state }) => state))];
    return states.flatMap((state) => {
      const looks = this.looks.filter((look) => look.state === state);
      const rows = looks.flatMap(({ first, last }) => numbers(first, last));
      return runsOf([...new Set(rows)]).map(([first, last]) => {
        const inside = looks.filter((look) => look.first >= first && look.last <= last);
        const by = inside.find((look) => look.by !== "guard")?.by ?? "guard";
        return { state, first, last, by, order: Math.max(...inside.map(({ order }) => order)) };
      });
    });
  }

  /** Nothing that the agent was shown since says that it no longer stands there. */
  isLive(sighting: Sighting): boolean {
    const { look } = sighting;
    const ids = this.idsOf(sighting);
    if (ids.some((id) => this.removed.has(id) || this.isToldGone(id, look))) return false;
    const later = this.looks.filter((one) => one.order > look.order);
    return ids.every((id, at) => at === 0 || !later.some((one) => this.isParted(one, ids[at - 1]!, id)));
  }

  /** The lines that a quote touches where it was seen. */
  idsOf({ look, line, last }: Pick<Sighting, "look" | "line" | "last">): number[] {
    return this.world.states[look.state]!.lines.slice(line, last + 1).map(({ id }) => id);
  }

  /** Rows show that the second line no longer follows the first. */
  private isParted({ state, first, last }: Look, one: number, two: number): boolean {
    const ids = this.world.states[state]!.lines.slice(first, last + 1).map((line) => line.id);
    const [above, below] = [ids.indexOf(one), ids.indexOf(two)];
    if (above >= 0 && above + 1 < ids.length) return ids[above + 1] !== two;
    return below > 0 && ids[below - 1] !== one;
  }

  /** The agent was shown since what stands in the line's place, or the lines beside the gap that it left. */
  private isToldGone(id: number, look: Look): boolean {
    const { ever, states } = this.world;
    const place = ever.findIndex((line) => line.id === id);
    if (!ever[place]?.gone) return false;
    const before = new Set(states[look.state]!.lines.map((line) => line.id));
    const later = this.looks.filter((one) => one.order > look.order);
    return later.some(({ state, first, last }) => {
      const { lines } = states[state]!;
      if (lines.some((line) => line.id === id)) return false;
      const index = new Map(lines.map((line, at) => [line.id, at]));
      const isOld = (line: { readonly id: number }) => before.has(line.id) && index.has(line.id);
      const above = ever.slice(0, place).findLast(isOld);
      const below = ever.slice(place + 1).find(isOld);
      const start = above ? index.get(above.id)! + 1 : 0;
      const end = below ? index.get(below.id)! : lines.length;
      if (start < end) return first <= start && end - 1 <= last;
      return (
        (start === 0 || first <= start - 1) &&
        (end === lines.length || last >= end) &&
        first <= end &&
        last >= start - 1
      );
    });
  }

  /** Whether a line of the text now may be one that was shown. */
  hasSeen(line: number): boolean {
    return this.looks.some((look) => this.isAmong(line, look));
  }

  /** Whether a line of the text now is one that was shown of a text up to that one. */
  knew(line: number, newest: number): boolean {
    const id = this.world.lines[line]?.id;
    return this.looks.some(({ state, first, last }) => {
      const rows = this.world.states[state]!.lines.slice(first, last + 1);
      return state <= newest && rows.some((row) => row.id === id);
    });
  }

  private isAmong(line: number, { state, first, last }: Look): boolean {
    for (let at = first; at <= last; at++) if (this.world.places(state, at).has(line)) return true;
    return false;
  }
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last + 1 - first }, (_, at) => first + at);

/** Numbers that follow one another, as first and last. */
export function runsOf(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const at of numbers.toSorted((one, two) => one - two)) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === at) last[1] = at;
    else runs.push([at, at]);
  }
  return runs;
}

/** Where an edit's text stands in another one, and what the tool would make of it there. */
export interface Place {
  readonly splice: Hunk;
  /** Line that it begins in, and the last one of which something is quoted. */
  readonly first: number;
  readonly last: number;
}

/** Wherever it does: places that overlap among them. */
export function placesIn(given: string, edit: Edit, { takesLineEnd }: Client): Place[] {
  const text = edit.kind === "quote" || given.endsWith("\n") ? given : `${given}\n`;
  const sides = edit.kind === "quote" ? [edit.old, edit.new] : [sideOf(edit, "+"), sideOf(edit, "-")];
  const [old, made] = sides as [string, string];
  const takesMore = takesLineEnd && made === "" && !old.endsWith("\n");
  const places: Place[] = [];
  for (let from = text.indexOf(old); from >= 0; from = text.indexOf(old, from + 1)) {
    const isWhole = from === 0 || text[from - 1] === "\n";
    if (edit.kind === "patch" && !isWhole) continue;
    const end = from + old.length;
    const to = Math.min(takesMore && text[end] === "\n" ? end + 1 : end, given.length);
    places.push({ splice: { from, to, made }, first: lineAt(text, from), last: lineAt(text, end - 1) });
  }
  return places;
}

function sideOf({ lines }: Extract<Edit, { kind: "patch" }>, other: "+" | "-"): string {
  const side = lines.filter(({ sign }) => sign !== other);
  return side.map(({ text }) => `${text}\n`).join("");
}
