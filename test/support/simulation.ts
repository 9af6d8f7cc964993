/**
 * Agents at work through sessions on a few small files, and one rude editor who asks nobody. Every line instance has
 * an identity that no session learns; what the agents know of the files they take from printed text alone.
 */

import type { SchemeName } from "../../src/anchors/scheme.js";
import { hunksOf, LineChange } from "../../src/changes/line-change.js";
import { type MemoryFiles, memoryFiles, memoryStore } from "../../src/ports/index.js";
import type { JournalEntry, LedgerStore } from "../../src/ports/store.js";
import { Session } from "../../src/session/session.js";
import type { SessionOptions } from "../../src/session/session-options.js";
import { Document } from "../../src/text/document.js";
import type { Hunk } from "../../src/text/splice.js";
import { type Line, World } from "./model.js";
import type { Random } from "./random.js";

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
  /** Nothing but hashes is kept of the files. */
  readonly unkept?: boolean;
  /** Schemes that the agents read in, the first of them mostly. */
  readonly schemes?: readonly SchemeName[];
  /** Share of steps in which somebody takes back what an agent did. */
  readonly reverts?: number;
  /** Is told of plain edits that were refused without a handle for each place. */
  onStuck?(text: string, log: readonly string[]): void;
}

/** What a call did to one file, by identity. */
export interface Done {
  readonly place: Place;
  readonly entry: JournalEntry;
  readonly before: readonly Line[];
  readonly hunks: readonly Hunk<Line>[];
  readonly removed: readonly Line[];
}

interface Past {
  readonly lines: readonly Line[];
  readonly by: string | null;
  readonly text: string;
  readonly moment: number;
}

interface Loss {
  readonly by: string | null;
  readonly moment: number;
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
  private readonly past = new Map<Place, Past[]>();
  private readonly losses = new Map<Place, Map<number, Loss>>();
  private readonly returned = new Map<string, number>();
  /** Counts what happened. */
  moment = 0;
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
    const { store } = this;
    const identify: MemoryFiles["identify"] = async (path) => ({
      ...(await this.files.identify(path)),
      keep: false,
    });
    const files = this.settings.unkept ? { ...this.files, identify } : this.files;
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
    const map = LineChange.fromJSON(entry.change ?? []);
    const after = Document.fromText(this.files.text(entry.to ?? entry.path) ?? "").lines();
    /** The lines an undo brings back are those that the edit took out. */
    const gone = entry.kind === "undo" ? this.undoneBy(entry.cause).flatMap(({ removed }) => removed) : [];
    const instance = (text: string): Line => {
      const at = gone.findIndex((line) => line.text === text && !before.includes(line));
      return at < 0 ? (world.fresh([text])[0] as Line) : (gone.splice(at, 1)[0] as Line);
    };
    const hunks = hunksOf(map.regions, {
      lines: (start: number, end: number) => after.slice(start, end).map(instance),
    });
    world.apply(hunks);
    this.came(place, entry.agent);
    const removed = hunks.flatMap(({ start, end }) => before.slice(start, end));
    const done = { place, entry, before, hunks, removed };
    this.commits.set(entry.id, done);
    return done;
  }

  private came(place: Place, by: string | null): void {
    const { lines } = place.world;
    const past = this.past.get(place) ?? [];
    const losses = this.losses.get(place) ?? new Map<number, Loss>();
    const present = new Set(lines.map(({ id }) => id));
    this.moment++;
    for (const { id } of past.at(-1)?.lines ?? [])
      if (!present.has(id)) losses.set(id, { by, moment: this.moment });
    for (const id of present) if (losses.delete(id)) this.returned.set(lineKey(place, id), this.moment);
    this.losses.set(place, losses);
    this.past.set(place, [...past, { lines, by, text: textOf(lines), moment: this.moment }]);
  }

  /** Time goes by between what an agent does: what it was answered it has seen. */
  wait(): void {
    this.time += 1000;
  }

  /** The newest text that reads like this one. */
  newestLike(place: Place, lines: readonly Line[]): Past | undefined {
    const text = textOf(lines);
    return (this.past.get(place) ?? []).findLast((one) => one.text === text);
  }

  /** The text stood there before, and another one in between. */
  isBack(place: Place): boolean {
    const past = this.past.get(place) ?? [];
    return past.slice(0, -1).some(({ text }) => text === past.at(-1)?.text);
  }

  /** The line was taken out and brought back since. */
  wasAway(place: Place, id: number, since: number): boolean {
    return (this.returned.get(lineKey(place, id)) ?? -1) > since;
  }

  /** Who took a line out, and when; undefined while it stands there. */
  loss(place: Place, id: number): Loss | undefined {
    return this.losses.get(place)?.get(id);
  }

  /** Somebody takes the last edits of an agent back, and all that was done since, as `git checkout` does. */
  revert(name: string): void {
    const place = this.random.pick(this.places);
    const past = this.past.get(place) ?? [];
    const own = past.findLastIndex(({ by }) => by === name);
    const before = past[own - 1]?.lines;
    if (!before || textOf(before) === textOf(place.world.lines)) return;
    // Nobody recorded this either: equal lines that it puts in or takes out cannot be told apart.
    for (const line of changedLines(place.world.lines, before)) this.blurred.add(line.text);
    place.world.lines = before;
    this.came(place, null);
    this.files.set(place.path, textOf(before));
    this.log.push(`reverted ${place.path}: ${before.map(({ text }) => text).join("·")}`);
  }

  undoneBy(cause = ""): Done[] {
    return cause.split(" ").flatMap((id) => this.commits.get(id) ?? []);
  }
}

function lineKey({ world }: Place, id: number): string {
  return `${world.number} ${id}`;
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
