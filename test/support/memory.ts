/** What a simulated agent has in its context. It believes printed text, and remembers what it wrote. */

import { type SchemeName, scheme } from "../../src/anchors/scheme.js";
import { LineSet } from "../../src/text/line-set.js";
import { documentOf, type Line, type World } from "./model.js";
import { type Done, type Place, type Room, textOf } from "./simulation.js";

/** Rows printed at one moment, and the whole file as it was then. */
export interface Picture {
  readonly place: Place;
  readonly lines: readonly Line[];
  readonly rows: LineSet;
  readonly scheme: SchemeName;
  /** When that was. */
  readonly moment: number;
}

/** A printed row, named by the anchor it was printed with. */
export interface Row {
  readonly picture: Picture;
  readonly index: number;
  readonly line: Line;
}

type Printer = "read" | "delta" | "search" | "answer";

export class Memory {
  pictures: Picture[] = [];
  /** When each line was printed last. */
  private readonly shown = new Map<World, Map<number, number>>();
  private readonly written = new Map<World, Set<number>>();
  private readonly texts = new Set<string>();
  /** When a read or a search told of each line last. */
  private readonly looked = new Map<World, Map<number, number>>();
  /** Lines of which it was told that they are gone: by a note, or by all that stands there instead. */
  private readonly missed = new Set<number>();
  /** Texts of which it knew every line at some time. */
  private wholes: Pick<Picture, "place" | "lines">[] = [];

  constructor(
    private readonly room: Room,
    private readonly name: string,
  ) {}

  forget(): void {
    this.pictures = [];
    this.wholes = [];
    this.shown.clear();
    this.written.clear();
    this.texts.clear();
    this.missed.clear();
    this.looked.clear();
  }

  /** Some line that read like this was printed, or written by the agent. */
  hasRead({ text }: Line): boolean {
    return this.texts.has(text);
  }

  /** A read or a search told of the line after this moment. */
  hasLooked(place: Place, { id }: Line, since: number): boolean {
    return (this.looked.get(place.world)?.get(id) ?? -1) > since || this.wrote(place, id);
  }

  knows(place: Place, { id }: Line): boolean {
    return this.shown.get(place.world)?.has(id) === true || this.wrote(place, id);
  }

  wrote(place: Place, id: number): boolean {
    return this.written.get(place.world)?.has(id) === true;
  }

  ownLines(place: Place): number[] {
    return [...(this.written.get(place.world) ?? [])];
  }

  own({ place, hunks }: Done): void {
    const ids = this.written.get(place.world) ?? new Set();
    for (const { id, text } of hunks.flatMap(({ lines }) => lines)) {
      ids.add(id);
      this.texts.add(text);
    }
    this.written.set(place.world, ids);
    this.rememberWhole(place);
  }

  /** The text that was shown last; one that was shown before and is back is the newest again. */
  newest(place: Place): Picture | undefined {
    const shown = this.pictures.filter((one) => one.place === place);
    const back = this.room.isBack(place) ? textOf(place.world.lines) : null;
    const again = shown.findLast(({ lines }) => textOf(lines) === back);
    return again ? { ...again, lines: place.world.lines } : shown.at(-1);
  }

  private rememberWhole(place: Place): void {
    const { lines } = place.world;
    if (this.wholes.some((one) => one.lines === lines) || !lines.every((line) => this.knows(place, line)))
      return;
    this.wholes.push({ place, lines });
  }

  /** Where a text is back, whatever was done in between, nothing tells the lines then from the lines now. */
  recognise(): void {
    this.pictures = this.pictures.map((one) => {
      const { lines, moment } = this.room.newestLike(one.place, one.lines) ?? one;
      if (lines === one.lines) return one;
      this.knowAgain(one, lines);
      return { ...one, lines, moment };
    });
    // A text that was known whole is known again, also where later reads printed all of its numbers.
    for (const one of this.wholes)
      this.knowAgain(one, this.room.newestLike(one.place, one.lines)?.lines ?? []);
  }

  private knowAgain({ place, lines: then }: Pick<Picture, "place" | "lines">, lines: readonly Line[]): void {
    const shown = this.shown.get(place.world) ?? new Map<number, number>();
    for (const [at, line] of lines.entries())
      if (this.knows(place, then[at] as Line) && !this.knows(place, line))
        shown.set(line.id, this.room.moment);
    this.shown.set(place.world, shown);
  }

  /** Takes in a result, row by row, and checks that the rows are true. A read replaces older rows of its numbers. */
  takeIn(text: string, path: string, used: SchemeName = "hex6", by: Printer = "answer"): void {
    let place = this.room.at(path);
    const rows = new Map<Place, number[]>();
    for (const line of text.split("\n")) {
      const headed = this.room.places.find(({ path: name }) => isHeading(line, name));
      place = headed ?? place;
      // An answer says so on a line of its own, a refused move or whole-file write within its sentence.
      for (const [, above] of line.matchAll(/\d+ lines? deleted (?:after line (\d+)|at the start)/g))
        if (place) this.miss(place, Number(above ?? 0));
      if (headed) continue;
      for (const { number, text: shown } of rowsIn(line, used)) {
        if (!place) continue;
        const there = place.world.lines[number - 1];
        if (!there || (shown !== null && there.text !== shown))
          this.room.fault(`printed of ${place.path}: ${line}`);
        rows.set(place, [...(rows.get(place) ?? []), number - 1]);
      }
    }
    for (const [where, numbers] of rows) this.add(where, numbers, used, by);
    for (const where of rows.keys()) {
      this.learnLosses(where);
      this.rememberWhole(where);
    }
  }

  /** A line of others is gone for an agent once it was shown all that stands there instead, and where that ends if it is less. */
  private learnLosses(place: Place): void {
    const shown = this.shown.get(place.world);
    const now = place.world.lines;
    for (const { lines, rows } of this.pictures.filter((one) => one.place === place))
      for (const at of rows.indexes()) {
        const { id } = lines[at] as Line;
        const loss = this.missed.has(id) ? undefined : this.room.loss(place, id);
        if (!loss) continue;
        const [before, after] = this.around(place, lines, at);
        const [first, last] = this.aroundThen(place, lines, at);
        const isShown = (line: Line): boolean => (shown?.get(line.id) ?? -1) >= loss.moment;
        const isLess = after - before < last - first;
        const [from, to] = isLess ? [Math.max(0, before), after + 1] : [before + 1, after];
        if (now.slice(from, to).every(isShown)) this.missed.add(id);
      }
  }

  private add(place: Place, numbers: readonly number[], used: SchemeName, by: Printer): void {
    const sorted = [...new Set(numbers)].sort((one, two) => one - two);
    const rows = LineSet.of(sorted.map((index) => [index, index + 1] as const));
    if (by === "read" || by === "delta")
      this.pictures = this.pictures
        .map((one) =>
          one.place === place && one.scheme === used ? { ...one, rows: one.rows.subtract(rows) } : one,
        )
        .filter((one) => !one.rows.isEmpty);
    this.pictures.push({ place, lines: place.world.lines, rows, scheme: used, moment: this.room.moment });
    const ids = this.shown.get(place.world) ?? new Map<number, number>();
    for (const { id, text } of sorted.flatMap((index) => place.world.lines[index] ?? [])) {
      ids.set(id, this.room.moment);
      this.texts.add(text);
    }
    this.shown.set(place.world, ids);
    if (by === "answer") return;
    const looked = this.looked.get(place.world) ?? new Map<number, number>();
    // A delta tells of all lines that the agent knows that they are as they were, or prints them.
    const told = by === "delta" ? place.world.lines.filter((line) => this.knows(place, line)) : [];
    for (const line of [...told, ...sorted.flatMap((index) => place.world.lines[index] ?? [])])
      looked.set(line.id, this.room.moment);
    this.looked.set(place.world, looked);
  }

  /**
   * Of a text that is back, which the agent was shown, it means what stands there now between two of its lines. So it does
   * where it has looked at all of them since it was shown their anchors.
   */
  between(place: Place, first: number, last: number, since: number): number[] {
    const now = place.world.lines;
    const [from, to] = [first, last].map((id) => now.findIndex((line) => line.id === id)) as [number, number];
    if (from < 0 || to < 0) return [];
    const inside = now.slice(Math.min(from, to), Math.max(from, to) + 1);
    if (inside.every((line) => this.hasLooked(place, line, since))) return inside.map(({ id }) => id);
    if (!this.room.isBack(place)) return [];
    return inside.filter((line) => this.knows(place, line)).map(({ id }) => id);
  }

  /** Lines that stood between the line of this number and the next one are gone, it is said. */
  private miss(place: Place, above: number): void {
    for (const { lines } of this.pictures.filter((one) => one.place === place))
      for (const [at, { id }] of lines.entries()) {
        const [before, after] = this.around(place, lines, at);
        if (this.room.loss(place, id) && before < above && above <= after) this.missed.add(id);
      }
  }

  /** The lines of a text between which a line stood that others were put in the place of. */
  private aroundThen(place: Place, lines: readonly Line[], at: number): [number, number] {
    const now = new Set(place.world.lines.map(({ id }) => id));
    const isStanding = (line: Line): boolean => now.has(line.id);
    const after = lines.slice(at + 1).findIndex(isStanding);
    return [lines.slice(0, at).findLastIndex(isStanding), after < 0 ? lines.length : at + 1 + after];
  }

  /** The lines of the file now between which a line stood. */
  private around(place: Place, lines: readonly Line[], at: number): [number, number] {
    const now = this.room.places.find((one) => one === place)?.world.lines ?? [];
    const places = new Map(now.map(({ id }, index) => [id, index]));
    const standing = (line: Line): boolean => places.has(line.id);
    const before = lines.slice(0, at).findLast(standing);
    const after = lines.slice(at + 1).find(standing);
    return [
      before ? (places.get(before.id) as number) : -1,
      after ? (places.get(after.id) as number) : now.length,
    ];
  }

  /** The line stands there, or the agent cannot know that it does not. */
  isMeant({ picture: { place, lines, moment }, index, line: { id } }: Row): boolean {
    // What was taken out and put back is another line, unless all of the text is back.
    if (this.room.wasAway(place, id, moment)) return false;
    const loss = this.room.loss(place, id);
    if (!loss) return true;
    if (loss.by === this.name || this.missed.has(id)) return false;
    const [before, after] = this.around(place, lines, index);
    const shown = this.shown.get(place.world);
    const since = place.world.lines.slice(Math.max(0, before), after + 1);
    return !since.every((line) => (shown?.get(line.id) ?? -1) >= loss.moment);
  }

  /** The row that a line was printed with last. */
  lastRow(place: Place, id: number): Row | null {
    for (const picture of this.pictures.toReversed()) {
      if (picture.place !== place) continue;
      const index = picture.lines.findIndex((line, at) => line.id === id && picture.rows.has(at));
      if (index >= 0) return { picture, index, line: picture.lines[index] as Line };
    }
    return null;
  }
}

/** Whether a line is named by the anchor that it was printed with last. */
export function isLastRow(row: Row, memory: Memory): boolean {
  const last = memory.lastRow(row.picture.place, row.line.id);
  return last !== null && anchorOfRow(last) === anchorOfRow(row);
}

export function anchorOfRow({ picture, index }: Row): string {
  const used = scheme(picture.scheme);
  return used.tag(index + 1, used.hashLine(documentOf(picture.lines), index));
}

function isHeading(line: string, path: string): boolean {
  if (line.startsWith("NO CHANGE: "))
    return line.split(" ").some((word) => word === path || word === `${path}.`);
  return line === path || line === `${path}:` || line.startsWith(`${path}: `) || line.startsWith(`${path} `);
}

const marks = "(?:>>> | {4})?";
const rowOf: Readonly<Record<SchemeName, RegExp>> = {
  hex6: new RegExp(`^${marks}(\\d+)#[0-9a-f]{6}\\|(.*)$`),
  hex4: new RegExp(`^${marks}(\\d+)#[0-9a-f]{4}\\|(.*)$`),
  lean: new RegExp(`^${marks}[a-z]+(\\d+)\\t(.*)$`),
};
const bareOf: Readonly<Record<SchemeName, RegExp>> = {
  hex6: /^\d+#[0-9a-f]{6}(?: \d+#[0-9a-f]{6})*$/,
  hex4: /^\d+#[0-9a-f]{4}(?: \d+#[0-9a-f]{4})*$/,
  lean: /^[a-z]+\d+(?: [a-z]+\d+)*$/,
};

/** Indexes of the lines whose anchors of a scheme a text prints, with their text or without. */
export function printedAnchors(text: string, used: SchemeName = "hex6"): number[] {
  return text.split("\n").flatMap((line) => rowsIn(line, used).map(({ number }) => number - 1));
}

/** Rows with their text, or the bare anchors of lines the agent wrote. */
function rowsIn(line: string, used: SchemeName): { number: number; text: string | null }[] {
  const found = rowOf[used].exec(line);
  if (found) return [{ number: Number(found[1]), text: found[2] as string }];
  if (!bareOf[used].test(line)) return [];
  return line.split(" ").map((anchor) => ({ number: Number(/\d+/.exec(anchor)?.[0]), text: null }));
}
