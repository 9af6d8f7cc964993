import { LineSet } from "../../src/core/ranges.js";
import { computeLineHash } from "../../src/core/scheme.js";
import type { Result } from "../../src/session/result.js";
import type { Session } from "../../src/session/session.js";
import { callOn, type Line, type Named, type Random, strayed } from "./model.js";
import { type Done, Memory, type Picture, type Place, type Room } from "./simulation.js";

export type Count = Record<
  "applied" | "strayed" | "unseen" | "noop" | "refused" | "again" | "retried" | "undone",
  number
>;

/** A call, and what it means by identity, for each file it is about. */
interface Intent {
  readonly what: string;
  send(): Promise<Result<unknown>>;
  readonly means: ReadonlyMap<Place, Meaning>;
  /** Whole files: all of it must have been seen. */
  readonly whole?: boolean;
}

/** What a call may touch: by anchors or by a quote. None: whatever the agent knows. */
type Meaning = Named | null;

/** One agent that reads, searches, edits from memory, repeats itself, and goes by handles. */
export class Actor {
  readonly count: Count = {
    applied: 0,
    strayed: 0,
    unseen: 0,
    noop: 0,
    refused: 0,
    again: 0,
    retried: 0,
    undone: 0,
  };
  /** Writes on what the agent did not mean, each with what can be said of it. */
  readonly strays: string[] = [];
  private readonly memory: Memory;
  private handles: { readonly place: Place | null; readonly handle: string }[] = [];

  constructor(
    private readonly room: Room,
    private readonly name: string,
  ) {
    this.memory = new Memory(room);
  }

  private get random(): Random {
    return this.room.random;
  }

  /** A new object each time: what a session knows is in the store. */
  private get session(): Session {
    return this.room.session(this.name);
  }

  async step(): Promise<void> {
    const chance = this.random.next();
    if (chance < 0.2) return this.read();
    if (chance < 0.26) return this.search();
    if (chance < 0.27) return this.fold();
    if (chance < 0.3) return this.undo();
    if (chance < 0.35) return this.goByHandle();
    if (chance < 0.37) return this.act(this.overwrite());
    if (chance < 0.39) return this.act(this.relocate());
    if (chance < 0.45) return this.act(this.quote());
    if (chance < 0.53) return this.act(this.across());
    if (chance < 0.58) return this.act(this.batch());
    return this.act(this.edit());
  }

  private async read(): Promise<void> {
    const { random } = this;
    const { path, world } = random.pick(this.room.places);
    const start = random.between(1, Math.max(1, world.lines.length));
    const ranges = [{ start, end: start + random.between(2, 25) }];
    const kind = random.next();
    const request =
      kind < 0.15 ? { path, delta: true } : kind < 0.35 ? { path } : kind < 0.4 ? { path, offset: start } : { path, ranges };
    const { text } = await this.session.read(request);
    this.room.log.push(`${this.name} reads ${JSON.stringify(request)}`);
    this.memory.takeIn(text, path, true);
    await this.room.follow();
  }

  private async search(): Promise<void> {
    const { random } = this;
    const line = random.pick(random.pick(this.room.places).world.lines);
    const pattern = line?.text || "}";
    const request = { pattern, literal: true, context: random.below(3) };
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

  private recent(): Picture | null {
    const { pictures } = this.memory;
    return pictures.length === 0 ? null : this.random.pick(pictures.slice(-6));
  }

  /** One to three edits on rows of one recent picture. */
  private edit(): Intent | null {
    const picture = this.recent();
    if (!picture) return null;
    const { edits, meaning } = this.editsOn(picture);
    const { place } = picture;
    return {
      what: `edit ${place.path} ${JSON.stringify(edits)}`,
      send: () => this.session.edit({ path: place.path, edits }),
      means: new Map([[place, meaning]]),
    };
  }

  private editsOn(picture: Picture): { edits: Readonly<Record<string, unknown>>[]; meaning: Named } {
    const { random } = this;
    const calls = Array.from({ length: random.chance(0.2) ? random.between(2, 3) : 1 }, () =>
      callOn(picture.lines, picture.place.world, random.pick(picture.rows.spans())),
    );
    const named = calls.map((call) => call.named(this.latest(picture, call.refs)));
    const own = this.memory.ownLines(picture.place);
    return {
      edits: calls.flatMap((call) => call.edits),
      meaning: {
        lines: [...named.flatMap(({ lines }) => lines), ...own],
        after: named.flatMap(({ after }) => after),
        before: named.flatMap(({ before }) => before),
      },
    };
  }

  /** What lies between two anchors is what was printed there last, if the same lines had the same anchors then. */
  private latest(picture: Picture, refs: readonly number[]): readonly Line[] {
    const again = this.memory.pictures.findLast(
      ({ place, lines, rows }) =>
        place === picture.place &&
        refs.every((index) => rows.has(index) && lines[index]?.text === picture.lines[index]?.text),
    )?.lines;
    return again && refs.every((index) => again[index]?.id === picture.lines[index]?.id) ? again : picture.lines;
  }

  /** A range whose ends come from two pictures; a picture that has both is what they mean together. */
  private across(): Intent | null {
    const { random } = this;
    const newer = this.recent();
    if (!newer) return null;
    const { place } = newer;
    const older = this.memory.pictures.slice(0, this.memory.pictures.indexOf(newer) + 1);
    const one = this.rowOf(random.pick(older.filter((picture) => picture.place === place)));
    const two = this.rowOf(newer);
    const both = this.memory.pictures.findLast(
      ({ place: where, lines, rows }) =>
        where === place && [one, two].every(({ index, line }) => rows.has(index) && lines[index]?.text === line.text),
    );
    const last = this.memory.pictures.findLast(
      ({ place: where, lines, rows }) =>
        where === place && [one, two].some(({ index, line }) => rows.has(index) && lines[index]?.id === line.id),
    );
    const lines = (both ?? last ?? newer).lines;
    const [first, second] = both
      ? [one.index, two.index]
      : [one, two].map(({ line }) => lines.findIndex(({ id }) => id === line.id));
    if (first === undefined || second === undefined || first < 0) return null;
    const [start, end] = first <= second ? [one, two] : [two, one];
    const edits = [
      { op: "replace_lines", start: start.anchor, end: end.anchor, text: place.world.texts(random.below(3)) },
    ];
    const ids = lines.slice(Math.min(first, second), Math.max(first, second) + 1).map(({ id }) => id);
    return {
      what: `across ${place.path} ${JSON.stringify(edits)}`,
      send: () => this.session.edit({ path: place.path, edits }),
      means: new Map([[place, { lines: [...ids, ...this.memory.ownLines(place)], after: ids, before: ids }]]),
    };
  }

  private rowOf({ lines, rows }: Picture): { index: number; line: Line; anchor: string } {
    const [start, end] = this.random.pick(rows.spans());
    const index = this.random.between(start, end - 1);
    const line = lines[index] as Line;
    return { index, line, anchor: `${index + 1}#${hashOf(line.text)}` };
  }

  /** Quoted text is looked for in the newest version shown; what others added since is not replaced. */
  private quote(): Intent | null {
    const { random } = this;
    const picture = this.recent();
    if (!picture) return null;
    const { place } = picture;
    const newest = this.memory.pictures.findLast((one) => one.place === place) as Picture;
    const { text: old } = this.rowOf(picture).line;
    if (old === "") return null;
    const edits = [{ op: "replace_text", old, new: place.world.texts(1)[0], all: random.chance(0.3) }];
    const lines = newest.lines.filter(({ text }) => text.includes(old)).map(({ id }) => id);
    return {
      what: `quote ${place.path} ${JSON.stringify(edits)}`,
      send: () => this.session.edit({ path: place.path, edits }),
      means: new Map([[place, { lines: [...lines, ...this.memory.ownLines(place)], after: [], before: [] }]]),
    };
  }

  private batch(): Intent | null {
    const [one, two] = [this.recent(), this.recent()];
    if (!one || !two || one.place === two.place) return null;
    const parts = [one, two].map((picture) => ({ ...this.editsOn(picture), place: picture.place }));
    const files = parts.map(({ place, edits }) => ({ path: place.path, edits }));
    return {
      what: `batch ${JSON.stringify(files)}`,
      send: () => this.session.multiEdit({ files }),
      means: new Map(parts.map(({ place, meaning }) => [place, meaning])),
    };
  }

  private overwrite(): Intent {
    const { random } = this;
    const place = random.pick(this.room.places);
    const content = [...place.world.lines.map(({ text }) => text), ...place.world.texts(2)];
    return {
      what: `write ${place.path}`,
      send: () => this.session.write({ path: place.path, content }),
      means: new Map([[place, null]]),
      whole: true,
    };
  }

  private relocate(): Intent {
    const place = this.random.pick(this.room.places);
    const [path, to] = [place.path, this.room.freshPath()];
    return {
      what: `move ${path} to ${to}`,
      send: () => this.session.multiEdit({ files: [{ path, edits: [{ op: "move_file", to }] }] }),
      means: new Map([[place, null]]),
      whole: true,
    };
  }

  private async act(intent: Intent | null): Promise<void> {
    if (!intent) return;
    const seen = new Map([...intent.means.keys()].map((place) => [place, place.world.lines] as const));
    const result = await intent.send();
    this.room.log.push(`${this.name} ${intent.what} → ${JSON.stringify(result.text)}`);
    const done = await this.room.follow();
    if (result.isError) {
      this.count.refused++;
      if (done.length > 0) this.room.fault("a refusal wrote");
      await this.afterRefusal(intent, result);
      return;
    }
    if (done.length === 0 && !intent.whole) this.count.noop++;
    else this.count.applied++;
    if (intent.whole)
      for (const [place, lines] of seen)
        if (lines.some((line) => !this.memory.knows(place, line))) this.unseen(`${intent.what}: not all was shown`);
    for (const one of done) this.judge(one, intent.what, intent.means.get(one.place) ?? null);
    this.memory.takeIn(result.text, [...intent.means.keys()][0]?.path ?? "");
  }

  private judge(done: Done, what: string, meaning: Meaning): void {
    const { place, before, hunks, removed } = done;
    const plain = hunks.map(({ start, end, lines }) => ({ start, end, lines: lines.map(({ text }) => text) }));
    if (meaning && strayed(plain, before, meaning).length > 0) {
      this.count.strayed++;
      this.strays.push(`${what}\n${this.room.log.slice(-14).join("\n")}`);
      const texts = new Set(before.filter(({ id }) => meaning.lines.includes(id)).map(({ text }) => text));
      for (const { text } of removed)
        if (!texts.has(text) && !this.remembers(place, text)) this.room.fault(`${what}: took ${text}, never shown`);
    }
    const isQuote = what.startsWith("quote");
    for (const line of removed)
      if (!isQuote && !this.memory.knows(place, line)) this.unseen(`${what}: line ${line.text} was not shown`);
    this.memory.own(done);
  }

  private remembers(place: Place, text: string): boolean {
    return this.memory.pictures.some(
      (one) => one.place === place && one.lines.some((line, at) => line.text === text && one.rows.has(at)),
    );
  }

  private unseen(what: string): void {
    this.count.unseen++;
    this.strays.push(`UNSEEN ${what}\n${this.room.log.slice(-14).join("\n")}`);
  }

  private async afterRefusal(intent: Intent, result: Result<unknown>): Promise<void> {
    const [place] = intent.means.keys();
    this.memory.takeIn(result.text, place?.path ?? "");
    this.narrow(place, result);
    const { retry } = result.details as { retry?: string };
    if (retry !== undefined) this.handles.push({ place: intent.means.size === 1 ? (place ?? null) : null, handle: retry });
    if (!this.random.chance(0.4)) return;
    const again = await intent.send();
    this.count.again++;
    this.room.log.push(`${this.name} again → ${JSON.stringify(again.text)}`);
    const done = await this.room.follow();
    if (!again.isError || done.length > 0) this.room.fault("a refused call got through unchanged");
    for (const one of done) this.judge(one, intent.what, intent.means.get(one.place) ?? null);
    this.memory.takeIn(again.text, place?.path ?? "");
    this.narrow(place, again);
  }

  /** After an ambiguity only rows printed from then on count for that anchor. */
  private narrow(place: Place | undefined, { details }: Result<unknown>): void {
    const { mismatches = [] } = details as { mismatches?: readonly { anchor: string; cause: string; path?: string }[] };
    for (const { anchor, cause, path } of mismatches) {
      const where = this.room.at(path ?? "") ?? place;
      const index = Number.parseInt(anchor, 10) - 1;
      const latest = this.memory.pictures.at(-1);
      const text = this.memory.pictures.find(
        (one) => one.place === where && one.rows.has(index) && anchor.endsWith(hashOf(one.lines[index]?.text ?? "")),
      )?.lines[index]?.text;
      if (cause !== "ambiguous" || !where || text === undefined) continue;
      this.memory.retire(where, LineSet.of([[index, index + 1]]), text);
      if (latest && latest.place === where && !this.memory.pictures.includes(latest)) this.memory.pictures.push(latest);
    }
  }

  private async goByHandle(): Promise<void> {
    const used = this.handles.pop();
    if (!used) return;
    const { place, handle } = used;
    const send = () =>
      place ? this.session.edit({ path: place.path, retry: handle }) : this.session.multiEdit({ retry: handle });
    const result = await send();
    this.room.log.push(`${this.name} retries ${handle} → ${JSON.stringify(result.text)}`);
    const done = await this.room.follow();
    if (result.isError && done.length > 0) this.room.fault("a refused retry wrote");
    if (!result.isError) this.count.retried++;
    for (const one of done) this.judge(one, `retry ${handle}`, null);
    this.memory.takeIn(result.text, place?.path ?? "");
    const once = await send();
    if (!once.isError) this.room.fault("a handle was good twice");
    this.memory.takeIn(once.text, place?.path ?? "");
    await this.room.follow();
  }

  /** What an undo takes out is what the edit put in; what it puts in is what the edit took out. */
  private async undo(): Promise<void> {
    const result = await this.session.undo();
    const done = await this.room.follow();
    this.room.log.push(`${this.name} undoes → ${JSON.stringify(result.text)}`);
    if (result.isError && done.length > 0) this.room.fault("a refused undo wrote");
    for (const one of done) {
      this.count.undone++;
      const undone = this.room.undoneBy(one.entry.cause);
      const put = new Set(undone.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.map(({ id }) => id))));
      const strange = one.removed.filter(({ id }) => !put.has(id));
      if (strange.length > 0) this.strays.push(`undo took out ${strange.map(({ text }) => text).join("·")}\n${this.room.log.slice(-14).join("\n")}`);
      this.count.strayed += strange.length > 0 ? 1 : 0;
      const back = one.hunks.flatMap(({ lines }) => lines.map(({ text }) => text)).sort();
      const gone = undone.flatMap(({ removed }) => removed.map(({ text }) => text)).sort();
      if (undone.length === 1 && back.join("\n") !== gone.join("\n")) this.room.fault(`undo brought back ${back} for ${gone}`);
      this.memory.own(one);
    }
  }
}

function hashOf(text: string): string {
  return computeLineHash(text);
}
