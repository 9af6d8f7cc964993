import type { SchemeName } from "../../src/anchors/scheme.js";
import type { RefusalDetails } from "../../src/answers/refusal-details.js";
import type { Result } from "../../src/calls/result.js";
import type { Session } from "../../src/session/session.js";
import { type Intent, Intents } from "./intent.js";
import { Memory } from "./memory.js";
import { type Line, type Named, strayed } from "./model.js";
import type { Random } from "./random.js";
import type { Done, Place, Room } from "./simulation.js";

/** What came of an agent's calls; `strayed` are writes on lines that it did not mean, or was never shown. */
export interface Count {
  applied: number;
  strayed: number;
  noop: number;
  refused: number;
  again: number;
  retried: number;
  undone: number;
  /** Edits that nothing speaks against. */
  plain: number;
  plainRefused: number;
  /** Of those the ones without a handle for each place. */
  stuck: number;
  /** Ambiguous calls that were decided by the handle of the lines that were meant. */
  decided: number;
  /** Ranges over lines that a delta showed, and those of them that were refused. */
  deltas: number;
  deltasRefused: number;
}

export const nothingDone: Count = {
  ...{ applied: 0, strayed: 0, noop: 0, refused: 0, again: 0, retried: 0, undone: 0 },
  ...{ plain: 0, plainRefused: 0, stuck: 0, decided: 0, deltas: 0, deltasRefused: 0 },
};

/** A handle that a refusal gave, and the texts it was given for. */
interface Handle {
  readonly place: Place | null;
  readonly handle: string;
  readonly texts: ReadonlyMap<Place, string>;
}

const wordsOf = (lines: readonly Line[]): string => lines.map(({ text }) => text).join("\n");

/** One agent that reads, searches, edits from memory, repeats itself, goes by handles, takes back, forgets. */
export class Actor {
  readonly count: Count = { ...nothingDone };
  /** Each write that strayed, with its explanation. */
  readonly strays: string[] = [];
  private readonly memory: Memory;
  private readonly intents: Intents;
  private handles: Handle[] = [];

  constructor(
    private readonly room: Room,
    private readonly name: string,
  ) {
    this.memory = new Memory(room, name);
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
    this.room.wait();
    this.memory.recognise();
    const chance = this.random.next();
    if (chance < 0.2) return this.read();
    if (chance < 0.26) return this.search();
    if (chance < 0.27) return this.fold();
    if (chance < 0.3) return this.undo();
    if (chance < 0.35) return this.goByHandle();
    if (chance < 0.37) return this.act(this.intents.overwrite());
    if (chance < 0.39) return this.act(this.intents.relocate());
    if (chance < 0.45) return this.act(this.intents.quote());
    if (chance < 0.56) return this.act(this.intents.mixed());
    if (chance < 0.6) return this.act(this.intents.batch());
    if (chance < 0.66) return this.afterDelta();
    if (chance < 0.66 + (this.room.settings.reverts ?? 0)) return this.room.revert(this.name);
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
    const anchors = this.anyScheme();
    const request = { ...random.pick(requests), anchors };
    const { text } = await this.session.read(request);
    this.room.log.push(`${this.name} reads ${JSON.stringify(request)}`);
    this.memory.takeIn(text, path, anchors, "delta" in request ? "delta" : "read");
    await this.room.follow();
  }

  private anyScheme(): SchemeName {
    const { schemes = ["hex6"] } = this.room.settings;
    return this.random.chance(0.8) ? (schemes[0] as SchemeName) : this.random.pick(schemes);
  }

  /** Reads what others have changed, and edits a range over it by the anchors that it has. */
  private async afterDelta(): Promise<void> {
    const { random } = this;
    const place = random.pick(this.room.places);
    const { path, world } = place;
    const { text } = await this.session.read({ path, delta: true });
    this.room.log.push(`${this.name} reads the delta of ${path}`);
    const before = this.memory.pictures.length;
    this.memory.takeIn(text, path, "hex6", "delta");
    this.room.wait();
    const picture = this.memory.pictures.at(-1);
    if (this.memory.pictures.length <= before - 1 || !picture || picture.lines !== world.lines) return;
    const [start, end] = random.pick(picture.rows.spans);
    const intent = this.intents.range(place, world.lines, [
      Math.max(0, start - random.between(1, 2)),
      Math.min(world.lines.length - 1, end - 1 + random.between(1, 2)),
    ]);
    if (!intent) return;
    const refused = this.count.plainRefused;
    await this.act(intent);
    if (!intent.isPlain) return;
    this.count.deltas++;
    this.count.deltasRefused += this.count.plainRefused - refused;
  }

  private async search(): Promise<void> {
    const { random } = this;
    const line = random.pick(random.pick(this.room.places).world.lines);
    const request = { pattern: line?.text || "}", literal: true, context: random.below(3) };
    const { text } = await this.session.grep(request);
    this.room.log.push(`${this.name} searches ${JSON.stringify(request)}`);
    this.memory.takeIn(text, "", "hex6", "search");
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
    if (intent.isPlain) this.countPlain(result);
    const done = await this.room.follow();
    if (result.isError) return this.afterRefusal(intent, result, done);
    if (done.length === 0) this.count.noop++;
    else this.count.applied++;
    if (intent.kind === "whole") for (const [place, lines] of seen) this.checkSeen(place, lines, intent.what);
    for (const one of done) this.judge(one, intent.what, intent.means.get(one.place) ?? null, intent.kind);
    this.takeIn(result, seen[0]?.[0]);
  }

  /** In whatever scheme it is answered. */
  private takeIn({ text }: Result<unknown>, place: Place | undefined): void {
    for (const scheme of this.room.settings.schemes ?? (["hex6"] as const))
      this.memory.takeIn(text, place?.path ?? "", scheme);
  }

  private countPlain({ isError, details, text }: Result<unknown>): void {
    this.count.plain++;
    if (!isError) return;
    this.count.plainRefused++;
    const { places = [], retry: handle } = details as RefusalDetails;
    if (handle !== undefined) return;
    if (places.length > 0 && places.every(({ retry }) => retry !== undefined)) return;
    this.count.stuck++;
    if (this.room.settings.onStuck) this.room.settings.onStuck(text, this.room.log);
  }

  /** What was touched was meant, and whatever was taken out the agent had seen or written. */
  private judge(done: Done, what: string, named: Named | null, kind: Intent["kind"] | "decided"): void {
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
    this.takeIn(result, place);
    const { retry, places = [] } = result.details as RefusalDetails;
    const texts = new Map([...intent.means.keys()].map((one) => [one, wordsOf(one.world.lines)]));
    const only = intent.means.size === 1 ? (place ?? null) : null;
    const handles = [retry, ...places.map((one) => one.retry)].filter((one) => one !== undefined);
    for (const handle of handles) this.handles.push({ place: only, handle, texts });
    if (this.random.chance(0.4)) await this.again(intent, place);
    if (only && this.random.chance(0.7)) await this.decide(intent, only, result);
  }

  private async again(intent: Intent, place: Place | undefined): Promise<void> {
    this.count.again++;
    const again = await intent.send(this.session);
    this.log("again", again);
    const wrote = await this.room.follow();
    if (!again.isError || wrote.length > 0) this.room.fault("a refused call got through unchanged");
    for (const one of wrote) this.memory.own(one);
    this.takeIn(again, place);
  }

  /** Sees the places, and sends the handle of the lines that it meant. */
  private async decide(intent: Intent, place: Place, { text, details }: Result<unknown>): Promise<void> {
    const { places = [] } = details as RefusalDetails;
    const isMeant = ({ line }: { readonly line: number }): boolean =>
      intent.anchors?.includes(place.world.lines[line - 1]?.id ?? -1) ?? false;
    const handles = new Set(places.filter(isMeant).map(({ retry }) => retry));
    const [handle] = handles;
    if (handles.size !== 1 || handle === undefined) return;
    // What it would go over is not what it meant.
    if (text.split("\n").some((line) => line.includes(handle) && line.includes("goes over"))) return;
    const result = await this.session.edit({ path: place.path, retry: handle });
    this.log(`decides ${handle}`, result);
    if (result.isError) this.room.fault("a handle that was just given is refused");
    this.count.decided++;
    for (const one of await this.room.follow())
      this.judge(one, `decided ${intent.what}`, intent.means.get(place) ?? null, "decided");
    this.takeIn(result, place);
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
    this.takeIn(result, place ?? undefined);
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
