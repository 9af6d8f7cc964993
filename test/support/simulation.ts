/**
 * Agents at work through sessions on a few small files, and one rude editor who asks nobody. Every line instance has
 * an identity that no session learns; what the agents know of the files they take from printed text alone.
 */
import { Change } from "../../src/core/change.js";
import { Document } from "../../src/core/document.js";
import { LineMap } from "../../src/core/linemap.js";
import { LineSet } from "../../src/core/ranges.js";
import { type MemoryFiles, memoryFiles, memoryStore } from "../../src/session/memory.js";
import type { JournalEntry, LedgerStore } from "../../src/session/ports.js";
import { Session, type SessionOptions } from "../../src/session/session.js";
import { type Line, type Random, World } from "./model.js";

export interface Settings {
  readonly random: Random;
  /** Share of steps that are the rude editor's. */
  readonly foreign: number;
  /** Share of lines that read like others. */
  readonly repeated: number;
  readonly size: readonly [number, number];
  readonly files?: number;
  readonly agents?: number;
  readonly session?: Partial<SessionOptions>;
}

/** What a call did to one file, by identity. */
export interface Done {
  readonly place: Place;
  readonly entry: JournalEntry;
  readonly before: readonly Line[];
  readonly hunks: Change<Line>["hunks"];
  readonly removed: readonly Line[];
}

/** A file wherever it is now; moves change its path. */
export interface Place {
  path: string;
  readonly world: World;
}

/** The files and the one true account of them. */
export class Room {
  readonly files: MemoryFiles = memoryFiles();
  readonly store: LedgerStore;
  readonly places: Place[] = [];
  /** What no session may do: each is a bug. */
  readonly faults: string[] = [];
  /** What happened, for a reader of a fault. */
  readonly log: string[] = [];
  /** Texts of lines that the rude editor touched. */
  readonly blurred = new Set<string>();
  private readonly commits = new Map<string, Done>();
  /** What each file came to, and by whom; nobody recorded what the rude editor did. */
  private readonly past = new Map<Place, { readonly lines: readonly Line[]; readonly by: string | null }[]>();
  private time = 1;
  private told = 0;
  private made = 0;

  constructor(readonly settings: Settings) {
    this.store = settings.session?.store ?? memoryStore();
    for (let number = 0; number < (settings.files ?? 2); number++) this.furnish();
  }

  get random(): Random {
    return this.settings.random;
  }

  /** A new file, put there by nobody. */
  private furnish(): void {
    const { random, repeated, size } = this.settings;
    const place = { path: `f${++this.made}`, world: new World(random, repeated, random.between(...size)) };
    this.places.push(place);
    this.came(place, null);
    this.files.set(place.path, textOf(place.world.lines));
  }

  freshPath(): string {
    return `f${++this.made}`;
  }

  session(agent: string): Session {
    const { files, store } = this;
    return new Session({ clock: () => this.time++, ...this.settings.session, files, store, agent });
  }

  at(path: string): Place | undefined {
    return this.places.find((place) => place.path === path);
  }

  /** Whoever asks nobody changes a file. Equal lines that he puts in, takes out or moves cannot be told apart. */
  rude(): void {
    const place = this.random.pick(this.places);
    const before = place.world.lines;
    place.world.disturb();
    this.came(place, null);
    for (const line of changedLines(before, place.world.lines)) this.blurred.add(line.text);
    this.files.set(place.path, textOf(place.world.lines));
    this.log.push(`rude ${place.path}: ${place.world.lines.map(({ text }) => text).join("·")}`);
  }

  fault(what: string): void {
    this.faults.push(`${what}\n${this.log.slice(-12).join("\n")}`);
  }

  /** Takes over what the journal says was done, and checks it with the files to the byte. */
  async follow(): Promise<Done[]> {
    const entries = await this.store.journal();
    const done: Done[] = [];
    for (const entry of entries.slice(this.told)) {
      if (entry.kind === "refusal") continue;
      const place = this.at(entry.path) ?? this.movedBack(entry);
      if (place && entry.change) done.push(this.apply(place, entry));
      if (entry.to !== undefined && place) place.path = entry.to;
    }
    this.told = entries.length;
    for (const { path, world } of this.places)
      if (this.files.text(path) !== textOf(world.lines))
        this.fault(`${path} is not what the journal made it`);
    return done;
  }

  /** The undo of a move: the file is where it was before. */
  private movedBack({ kind, path, cause, after }: JournalEntry): Place | undefined {
    if (kind !== "undo" || after === null) return undefined;
    const to = this.undoneBy(cause).find(({ entry }) => entry.path === path)?.entry.to;
    const place = to === undefined ? undefined : this.at(to);
    if (place) place.path = path;
    return place;
  }

  private apply(place: Place, entry: JournalEntry): Done {
    const { world } = place;
    const before = world.lines;
    const map = LineMap.fromJSON(entry.change ?? []);
    const after = Document.fromText(this.files.text(entry.to ?? entry.path) ?? "").lines();
    /** The lines an undo brings back are those that the edit took out. */
    const gone = entry.kind === "undo" ? this.undoneBy(entry.cause).flatMap(({ removed }) => removed) : [];
    const instance = (text: string): Line => {
      const at = gone.findIndex((line) => line.text === text && !before.includes(line));
      return at < 0 ? (world.fresh([text])[0] as Line) : (gone.splice(at, 1)[0] as Line);
    };
    const hunks = map.regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
      start: aStart,
      end: aEnd,
      lines: after.slice(bStart, bEnd).map(instance),
    }));
    world.apply(Change.of(before.length, hunks));
    this.came(place, entry.agent);
    const removed = hunks.flatMap(({ start, end }) => before.slice(start, end));
    const done = { place, entry, before, hunks, removed };
    this.commits.set(entry.id, done);
    return done;
  }

  private came(place: Place, by: string | null): void {
    this.past.set(place, [...(this.past.get(place) ?? []), { lines: place.world.lines, by }]);
  }

  /** All that was done since is this agent's own, and the text is the same again. */
  isBack({ place, lines }: Picture, agent: string): boolean {
    const past = this.past.get(place) ?? [];
    const since = past.slice(past.findLastIndex((one) => one.lines === lines) + 1);
    return since.every(({ by }) => by === agent) && textOf(lines) === textOf(place.world.lines);
  }

  undoneBy(cause = ""): Done[] {
    return cause.split(" ").flatMap((id) => this.commits.get(id) ?? []);
  }
}

/** All that is not in the common head or tail. */
function changedLines(before: readonly Line[], after: readonly Line[]): Line[] {
  let [head, tail] = [0, 0];
  const shortest = Math.min(before.length, after.length);
  while (head < shortest && before[head] === after[head]) head++;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [...before.slice(head, before.length - tail), ...after.slice(head, after.length - tail)];
}

export function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join("");
}

/** Rows printed at one moment, and the whole file as it was then. */
export interface Picture {
  readonly place: Place;
  readonly lines: readonly Line[];
  readonly rows: LineSet;
}

/** What an agent has in its context. It believes printed text, and remembers what it wrote. */
export class Memory {
  pictures: Picture[] = [];
  private readonly shown = new Map<World, Set<number>>();
  private readonly written = new Map<World, Set<number>>();
  private readonly texts = new Set<string>();

  constructor(private readonly room: Room) {}

  forget(): void {
    this.pictures = [];
    this.shown.clear();
    this.written.clear();
    this.texts.clear();
  }

  /** Some line that read like this was printed, or written by the agent. */
  hasRead({ text }: Line): boolean {
    return this.texts.has(text);
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
  }

  /** Where a text is back by the agent's own doing, nothing tells the lines then from the lines now. */
  recognise(agent: string): void {
    this.pictures = this.pictures.map((one) =>
      this.room.isBack(one, agent) ? { ...one, lines: one.place.world.lines } : one,
    );
  }

  /** Takes in a result, row by row, and checks that the rows are true. A read replaces older rows of its numbers. */
  takeIn(text: string, path: string, isRead = false): void {
    let place = this.room.at(path);
    const rows = new Map<Place, number[]>();
    for (const line of text.split("\n")) {
      place = this.room.places.find(({ path: name }) => isHeading(line, name)) ?? place;
      for (const { number, text: shown } of rowsIn(line)) {
        if (!place) continue;
        const there = place.world.lines[number - 1];
        if (!there || (shown !== null && there.text !== shown))
          this.room.fault(`printed of ${place.path}: ${line}`);
        rows.set(place, [...(rows.get(place) ?? []), number - 1]);
      }
    }
    for (const [where, numbers] of rows) this.add(where, numbers, isRead);
  }

  private add(place: Place, numbers: readonly number[], isRead: boolean): void {
    const sorted = [...new Set(numbers)].sort((one, two) => one - two);
    const rows = LineSet.of(sorted.map((index) => [index, index + 1] as const));
    if (isRead) for (const one of this.pictures) if (one.place === place) this.retire(one, rows);
    this.pictures.push({ place, lines: place.world.lines, rows });
    const ids = this.shown.get(place.world) ?? new Set();
    for (const { id, text } of sorted.flatMap((index) => place.world.lines[index] ?? [])) {
      ids.add(id);
      this.texts.add(text);
    }
    this.shown.set(place.world, ids);
  }

  /** These rows of a picture name nothing any more. */
  retire(picture: Picture, rows: LineSet): void {
    this.pictures = this.pictures
      .map((one) => (one === picture ? { ...one, rows: one.rows.subtract(rows) } : one))
      .filter((one) => !one.rows.isEmpty);
  }
}

function isHeading(line: string, path: string): boolean {
  if (line.startsWith("NO CHANGE: "))
    return line.split(" ").some((word) => word === path || word === `${path}.`);
  return line === path || line === `${path}:` || line.startsWith(`${path}: `) || line.startsWith(`${path} `);
}

const row = /^(?:>>> | {4})?(\d+)#[0-9a-f]{6}\|(.*)$/;
const anchors = /^\d+#[0-9a-f]{6}(?: \d+#[0-9a-f]{6})*$/;

/** Indexes of the lines whose anchors a text prints, with their text or without. */
export function printedAnchors(text: string): number[] {
  return text.split("\n").flatMap((line) => rowsIn(line).map(({ number }) => number - 1));
}

/** Rows with their text, or the bare anchors of lines the agent wrote. */
function rowsIn(line: string): { number: number; text: string | null }[] {
  const found = row.exec(line);
  if (found) return [{ number: Number(found[1]), text: found[2] as string }];
  if (!anchors.test(line)) return [];
  return line.split(" ").map((anchor) => ({ number: Number.parseInt(anchor, 10), text: null }));
}
