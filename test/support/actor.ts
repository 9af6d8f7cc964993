import { LineSet } from "../../src/core/ranges.js";
import { computeLineHash } from "../../src/core/scheme.js";
import type { Result } from "../../src/session/result.js";
import type { Session } from "../../src/session/session.js";
import { type Intent, Intents } from "./intent.js";
import { type Line, type Named, type Random, strayed } from "./model.js";
import { type Done, Memory, type Picture, type Place, type Room } from "./simulation.js";

/** What came of an agent's calls; `strayed` are writes on lines that it did not mean, or was never shown. */
export interface Count {
  applied: number;
  strayed: number;
  noop: number;
  refused: number;
  again: number;
  retried: number;
  undone: number;
}

const none: Count = { applied: 0, strayed: 0, noop: 0, refused: 0, again: 0, retried: 0, undone: 0 };

/** A handle that a refusal gave, and the texts it was given for. */
interface Handle {
  readonly place: Place | null;
  readonly handle: string;
  readonly texts: ReadonlyMap<Place, string>;
}

const wordsOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");

/** One agent that reads, searches, edits from memory, repeats itself, goes by handles, takes back, forgets. */
export class Actor {
  readonly count: Count = { ...none };
  /** Each write that strayed, with its explanation. */
  readonly strays: string[] = [];
  private readonly memory: Memory;
  private readonly intents: Intents;
  private handles: Handle[] = [];

  constructor(
    private readonly room: Room,
    private readonly name: string,
  ) {
    this.memory = new Memory(room);
    this.intents = new Intents(room, this.memory);
  }

  private get random(): Random {
    return this.room.random;
  }

  /** A new object each time: what a session knows is in the store. */
  private get session(): Session {
    return this.room.session(this.name);
  }

  async step(): Promise<void> {
    this.memory.recognise(this.name);
    const chance = this.random.next();
    if (chance < 0.2) return this.read();
    if (chance < 0.26) return this.search();
    if (chance < 0.27) return this.fold();
    if (chance < 0.3) return this.undo();
    if (chance < 0.35) return this.goByHandle();
    if (chance < 0.37) return this.act(this.intents.overwrite());
    if (chance < 0.39) return this.act(this.intents.relocate());
    if (chance < 0.45) return this.act(this.intents.quote());
    if (chance < 0.53) return this.act(this.intents.across());
    if (chance < 0.58) return this.act(this.intents.batch());
    return this.act(this.intents.edit());
  }

  private log(what: string, { text }: Result<unknown>): void {
    this.room.log.push(`${this.name} ${what} → ${JSON.stringify(text)}`);
  }

  private async read(): Promise<void> {
    const { random } = this;
    const { path, world } = random.pick(this.room.places);
    const start = random.between(1, Math.max(1, world.lines.length));
    const ranges = [{ start, end: start + random.between(2, 25) }];
    const requests = [
      { path, delta: true },
      { path },
      { path, offset: start },
      { path, ranges },
      { path, ranges },
    ];
    const request = random.pick(requests);
    const { text } = await this.session.read(request);
    this.room.log.push(`${this.name} reads ${JSON.stringify(request)}`);
    this.memory.takeIn(text, path, true);
    await this.room.follow();
  }

  private async search(): Promise<void> {
    const { random } = this;
    const line = random.pick(random.pick(this.room.places).world.lines);
    const request = { pattern: line?.text || "}", literal: true, context: random.below(3) };
    const { text } = await this.session.grep(request);
    this.room.log.push(`${this.name} searches ${JSON.stringify(request)}`);
    this.memory.takeIn(text, "");
  }

  private async fold(): Promise<void> {
    await this.session.fold();
    this.room.log.push(`${this.name} folds`);
    this.memory.forget();
    this.handles = [];
  }

  private async act(intent: Intent | null): Promise<void> {
    if (!intent) return;
    const seen = [...intent.means.keys()].map((place) => [place, place.world.lines] as const);
    const result = await intent.send(this.session);
    this.log(intent.what, result);
    const done = await this.room.follow();
    if (result.isError) return this.afterRefusal(intent, result, done);
    if (done.length === 0) this.count.noop++;
    else this.count.applied++;
    if (intent.kind === "whole") for (const [place, lines] of seen) this.checkSeen(place, lines, intent.what);
    for (const one of done) this.judge(one, intent.what, intent.means.get(one.place) ?? null, intent.kind);
    this.memory.takeIn(result.text, seen[0]?.[0].path ?? "");
  }

  /** What was touched was meant, and whatever was taken out the agent had seen or written. */
  private judge(done: Done, what: string, named: Named | null, kind: Intent["kind"]): void {
    const { place, before, hunks, removed } = done;
    const plain = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(({ text }) => text) }));
    const missed = named ? strayed(plain, before, named) : [];
    if (missed.length > 0) {
      const met = missed.flatMap(({ start, end }) => before.slice(Math.max(0, start - 1), end + 1));
      this.stray(what, "touched what was not meant", met);
    } else if (kind === "anchors") this.checkSeen(place, removed, what);
    if (kind === "anchors")
      for (const line of removed)
        if (!this.memory.hasRead(line)) this.room.fault(`${what}: took out ${line.text}, a text never shown`);
    this.memory.own(done);
  }

  private checkSeen(place: Place, lines: readonly Line[], what: string): void {
    const unseen = lines.filter((line) => !this.memory.knows(place, line));
    if (unseen.length > 0) this.stray(what, "was never shown", unseen);
  }

  /** Without the rude editor there is no excuse; with him, only lines that read like some that he touched. */
  private stray(what: string, why: string, lines: readonly Line[]): void {
    this.count.strayed++;
    const alike = lines
      .filter(({ text }) => this.room.blurred.has(text))
      .map(({ text }) => JSON.stringify(text));
    if (alike.length === 0) this.room.fault(`${what}: ${why}, and nobody changed a line like it`);
    this.strays.push(
      `${what}: ${why}; the rude editor had put in, taken out or moved lines reading ${alike.join(", ")}`,
    );
  }

  private async afterRefusal(intent: Intent, result: Result<unknown>, done: readonly Done[]): Promise<void> {
    this.count.refused++;
    if (done.length > 0) this.room.fault("a refusal wrote");
    const [place] = intent.means.keys();
    this.takeRefusal(place, result);
    const { retry } = result.details as { retry?: string };
    if (retry !== undefined)
      this.handles.push({
        place: intent.means.size === 1 ? (place ?? null) : null,
        handle: retry,
        texts: new Map([...intent.means.keys()].map((one) => [one, wordsOf(one.world.lines)])),
      });
    if (!this.random.chance(0.4)) return;
    this.count.again++;
    const again = await intent.send(this.session);
    this.log("again", again);
    const wrote = await this.room.follow();
    if (!again.isError || wrote.length > 0) this.room.fault("a refused call got through unchanged");
    for (const one of wrote) this.memory.own(one);
    this.takeRefusal(place, again);
  }

  /** After an ambiguity, be it one of lines that are all gone, only rows printed from then on count for that anchor. */
  private takeRefusal(place: Place | undefined, { text, details }: Result<unknown>): void {
    const older = new Set(this.memory.pictures);
    this.memory.takeIn(text, place?.path ?? "");
    const fresh = new Set(this.memory.pictures.filter((one) => !older.has(one)));
    const { mismatches = [] } = details as {
      mismatches?: readonly { anchor: string; cause: string; path: string }[];
    };
    for (const { anchor, cause, path } of mismatches) {
      const [line, hash] = anchor.split("#");
      const where = this.room.at(path);
      const index = Number(line) - 1;
      const isOf = ({ place: at, lines, rows }: Picture) =>
        at === where && rows.has(index) && computeLineHash(lines[index]?.text ?? "") === hash;
      // Whoever is told that the line is gone means it no more.
      if (cause !== "ambiguous" && cause !== "deleted") continue;
      for (const one of this.memory.pictures)
        if (!fresh.has(one) && isOf(one)) this.memory.retire(one, LineSet.of([[index, index + 1]]));
    }
  }

  /** The same call on the rows of its refusal, now or later; nothing is touched that was not shown by then. */
  private async goByHandle(): Promise<void> {
    const used = this.handles.pop();
    if (!used) return;
    const { place, handle } = used;
    const send = () =>
      place
        ? this.session.edit({ path: place.path, retry: handle })
        : this.session.multiEdit({ retry: handle });
    const result = await send();
    this.log(`retries ${handle}`, result);
    const done = await this.room.follow();
    if (result.isError && done.length > 0) this.room.fault("a refused retry wrote");
    if (!result.isError) this.count.retried++;
    // It is bound to a text, and the same text is back: what its refusal has shown is what stands there.
    const isBack = ({ place: at, before }: Done): boolean => wordsOf(before) === used.texts.get(at);
    for (const one of done) this.judge(one, `retry ${handle}`, null, isBack(one) ? "whole" : "anchors");
    if (result.isError) this.takeRefusal(place ?? undefined, result);
    else this.memory.takeIn(result.text, place?.path ?? "");
    if (!(await send()).isError) this.room.fault("a handle was good twice");
    await this.room.follow();
  }

  /** An undo takes out what reads like what the edit put in, and brings back what it took out; no more than that. */
  private async undo(): Promise<void> {
    const result = await this.session.undo();
    const done = await this.room.follow();
    this.log("undoes", result);
    if (result.isError && done.length > 0) this.room.fault("a refused undo wrote");
    for (const one of done) {
      this.count.undone++;
      const undone = this.room.undoneBy(one.entry.cause);
      const put = (commit: Done) => commit.hunks.flatMap(({ lines }) => lines);
      const strange = [
        ...beyond(one.removed, undone.flatMap(put)),
        ...beyond(
          put(one),
          undone.flatMap(({ removed }) => removed),
        ),
      ];
      if (strange.length > 0) this.room.fault(`undo was not the inverse: ${strange.join(", ")}`);
      this.memory.own(one);
    }
  }
}

/** Texts of the first that the second does not have, or has fewer of. */
function beyond(lines: readonly Line[], of: readonly Line[]): string[] {
  const left = of.map(({ text }) => text);
  return lines.flatMap(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at >= 0 ? [] : [text];
  });
}
