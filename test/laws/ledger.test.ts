import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineChange } from "../../src/changes/line-change.js";
import { knownNow } from "../../src/ledger/agent-ledger.js";
import { epochOf } from "../../src/ledger/agents.js";
import { ledgerFrom, outcomeOf } from "../../src/ledger/file-ledger.js";
import { OpenFile } from "../../src/ledger/open-file.js";
import { Recorder } from "../../src/ledger/recorder.js";
import type { Json } from "../../src/ports/store.js";
import { printedAnchors } from "../support/memory.js";
import { callOn, type Line } from "../support/model.js";
import { NaiveFile } from "../support/naive.js";
import { Random } from "../support/random.js";
import { Room } from "../support/simulation.js";

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);

/** Agents and others at work on one file, beside the naive ledger of it. */
class Twin {
  readonly naive = new NaiveFile();
  readonly room: Room;

  constructor(readonly random: Random) {
    this.room = new Room({ random, foreign: 0, repeated: 0.6, size: [4, 25], files: 1 });
  }

  private get place() {
    return this.room.places[0] as Room["places"][number];
  }

  get path(): string {
    return this.place.path;
  }

  private arrive(name: string, naive = this.naive) {
    naive.found(this.room.files.text(this.path) ?? "");
    const agent = naive.agent(name);
    agent.arrive();
    return agent;
  }

  async step(name: string): Promise<void> {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.2) return this.room.rude();
    if (chance < 0.23) return this.fold(name);
    if (chance < 0.4) return this.read(name);
    if (chance < 0.5) return this.search(name);
    if (chance < 0.55) return this.observe(name);
    return this.edit(name);
  }

  private async fold(name: string): Promise<void> {
    await this.room.session(name).fold();
    this.naive.forget(name);
  }

  private async read(name: string): Promise<void> {
    const { random, path } = this;
    const start = random.between(1, this.place.world.lines.length + 1);
    const ranges = [
      { start, end: start + random.below(8) },
      { start: 1, end: random.between(1, 3) },
    ];
    const anchors = random.chance(0.1) ? ("none" as const) : ("hex6" as const);
    const request = random.pick([
      { path, anchors },
      { path, anchors, ranges },
      { path, anchors, delta: true },
    ]);
    const result = await this.room.session(name).read(request);
    if (result.isError) return;
    const agent = this.arrive(name);
    const plain = [...result.text.matchAll(/^(\d+)\t/gm)].map(([, line]) => Number(line) - 1);
    agent.printed(anchors === "none" ? plain : printedAnchors(result.text), "read", anchors !== "none");
  }

  private async search(name: string): Promise<void> {
    const line: Line | undefined = this.random.pick(this.place.world.lines);
    const request = { pattern: line?.text || "x", literal: true, context: this.random.below(2) };
    const { text } = await this.room.session(name).grep(request);
    if (text !== "[no match]") this.arrive(name).printed(printedAnchors(text), "search");
  }

  private async observe(name: string): Promise<void> {
    const { lines } = this.place.world;
    const rows = lines.flatMap(({ text }, at) => (this.random.chance(0.2) ? [{ line: at + 1, text }] : []));
    const agent = this.arrive(name);
    await this.room.session(name).observe({ path: this.path, rows });
    agent.printed(
      rows.map(({ line }) => line - 1),
      "search",
      false,
    );
  }

  /** Edits of the file as it is now: allowed or not, applied or refused, whatever they print counts. */
  private async edit(name: string): Promise<void> {
    const { world } = this.place;
    if (world.lines.length === 0) return;
    const { edits } = callOn(world.lines, world);
    const agent = this.arrive(name);
    const result = await this.room.session(name).edit({ path: this.path, edits });
    const [done] = await this.room.follow();
    const text = this.room.files.text(this.path) ?? "";
    if (done) {
      const map = LineChange.fromJSON(done.entry.change ?? []);
      this.naive.committed(text, map);
      agent.arrive({ isOwn: true });
      agent.wrote(
        map.regions.flatMap(({ bStart, bEnd }) =>
          Array.from({ length: bEnd - bStart }, (_, at) => bStart + at),
        ),
      );
    }
    const by = result.isError ? "refusal" : "edit";
    agent.printed(printedAnchors(result.text), by);
    // The answer names lines anew, in another scheme, where the anchors that it prints were printed for other lines too.
    for (const other of ["hex4", "lean"] as const) agent.named(printedAnchors(result.text, other), other, by);
  }

  /** What the ledger says this agent knows, and which rows it may name, by the version they were printed of. */
  async ledger(name: string) {
    const { files, store } = this.room;
    const file = await files.identify(this.path);
    const epoch = await epochOf({ store, agent: name });
    return store.unit([file], name, async (unit) => {
      const held = await files.hold([file], async (one) => one);
      const recorder = new Recorder(unit);
      const context = { files, store: recorder, agent: name, epoch, clock: () => 0, now: 0, codec: null };
      const opened = await OpenFile.open(held, file, context);
      const { showings, pending } = opened.agent;
      const named = showings.filter(({ scheme, rows }) => scheme !== null && !rows.isEmpty);
      return {
        known: linesOf(opened.seen("").known.ranges()),
        names: once(
          named.map(({ state, rows }) => ({
            version: opened.states[state]?.version ?? "",
            lines: linesOf(rows.ranges()),
          })),
        ),
        twice: linesOf(pending.intersect(knownNow(opened.agent)).ranges()),
      };
    });
  }

  model(name: string) {
    const agent = this.arrive(name, this.naive.copy());
    const names = agent.names
      .filter(({ lines }) => lines.size > 0)
      .map(({ state, lines }) => ({
        version: this.naive.version(state),
        lines: [...lines].sort((one, two) => one - two),
      }));
    return { expected: { known: agent.known, names: once(names) }, returned: agent.returned };
  }
}

/** The same rows read twice name the same lines. */
function once<T>(names: readonly T[]): T[] {
  const found = new Map(names.map((one) => [JSON.stringify(one), one]));
  return [...found].sort(([one], [two]) => (one < two ? -1 : 1)).map(([, one]) => one);
}

function linesOf(ranges: readonly { readonly start: number; readonly end: number }[]): number[] {
  return ranges.flatMap(({ start, end }) =>
    Array.from({ length: end - start + 1 }, (_, at) => start + at - 1),
  );
}

/** A text that came back after somebody had copied its first lines: what was known of it then is known again. */
const examples = [483237768];

describe("the ledger", () => {
  it("agrees with one that keeps every row ever printed: what can be named, and what is known", async () => {
    const fresh = Array.from({ length: Math.ceil(runs / 4) }, (_, round) => seed + round);
    for (const one of [...examples, ...fresh]) {
      const twin = new Twin(new Random(one));
      for (let step = 0; step < 25; step++) {
        const name = twin.random.pick(["one", "two"]);
        await twin.step(name);
        const { known, names, twice } = await twin.ledger(name);
        const where = `KEDGE_SEED=${one} KEDGE_RUNS=1, step ${step}, ${name}`;
        const { expected, returned } = twin.model(name);
        expect({ known, names }, where).toEqual(expected);
        const odd = twice.filter((line) => !returned.has(line));
        expect(odd, `${where}: known, and yet pending`).toEqual([]);
      }
      expect(twin.room.faults).toEqual([]);
    }
  });

  it("is written down and read back as it was", async () => {
    for (let round = 0; round < runs / 10; round++) {
      const twin = new Twin(new Random(seed + round));
      for (let step = 0; step < 25; step++) await twin.step(twin.random.pick(["one", "two"]));
      for (const agent of ["one", "two"]) {
        const { store } = twin.room;
        const epoch = await epochOf({ store, agent });
        const record = await store.look(twin.path, agent);
        const empty = ledgerFrom({ first: 0, states: [], ledger: null }, epoch);
        // What was read before is known by the object that it was read from: a copy is read anew.
        const again = () => JSON.parse(JSON.stringify(record)) as typeof record;
        const read = ledgerFrom(again(), epoch);
        const written = outcomeOf("k", { ...empty, first: read.first }, read);
        const states = [...record.states.slice(0, read.first), ...(written.states?.states ?? [])];
        expect(states).toEqual(record.states);
        if (record.ledger === null || read.agent.state < 0) continue;
        expect(written.ledger?.record).toEqual(record.ledger);
        const plain = JSON.parse(JSON.stringify({ first: 0, states, ledger: written.ledger?.record }));
        expect(ledgerFrom(plain, epoch)).toEqual(read);
      }
    }
  });

  it("refers to states by their numbers, whichever of them are at hand", async () => {
    for (let round = 0; round < runs / 20; round++) {
      const twin = new Twin(new Random(seed + round));
      for (let step = 0; step < 60; step++) await twin.step(twin.random.pick(["one", "two"]));
      const { store } = twin.room;
      const epoch = await epochOf({ store, agent: "one" });
      const record = await store.look(twin.path, "one");
      if (record.ledger === null || ledgerFrom(record, epoch).agent.state < 0) continue;
      const whole = ledgerFrom(record, epoch);
      const shift = twin.random.below(Math.max(1, whole.agent.state));
      const cut = { first: shift, states: record.states.slice(shift), ledger: record.ledger };
      const less = ledgerFrom(cut, epoch);
      const at = (one: typeof whole) =>
        one.agent.showings.map(({ state, rows }) => [state + one.first, rows.toJSON()]);
      expect(at(less)).toEqual(at(whole).filter(([state]) => (state as number) >= shift));
      expect(less.agent.state + less.first).toBe(whole.agent.state + whole.first);
      // Forgotten is forgotten for good, even should the states turn up again.
      const kept = outcomeOf("k", less, less).ledger?.record ?? null;
      expect(at(ledgerFrom({ ...record, ledger: kept }, epoch))).toEqual(at(less));
    }
  });

  it("of states that were lost and grew again is none", async () => {
    const twin = new Twin(new Random(seed));
    for (let step = 0; step < 40; step++) await twin.step("one");
    const { store } = twin.room;
    const epoch = await epochOf({ store, agent: "one" });
    await twin.room.session("one").read({ path: twin.path });
    const record = await store.look(twin.path, "one");
    expect(ledgerFrom(record, epoch).agent.showings).not.toEqual([]);
    const others = record.states.map((state) => ["0".repeat(16), ...(state as readonly Json[]).slice(1)]);
    expect(ledgerFrom({ ...record, states: others }, epoch).agent.showings).toEqual([]);
    expect(ledgerFrom({ ...record, states: record.states.slice(0, 1) }, epoch).agent.showings).toEqual([]);
  });

  it("takes what is no record for none", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = value as Json;
        const none = ledgerFrom({ first: 0, states: [], ledger: json }, 0);
        expect(none.agent.showings).toEqual([]);
        expect(ledgerFrom({ first: 0, states: [json], ledger: null }, 0)).toBeDefined();
        const odd = { format: 4, order: 1, version: null, epoch: 0, state: 0, showings: json };
        expect(ledgerFrom({ first: 0, states: [], ledger: odd }, 0).agent.showings).toEqual([]);
      }),
      { seed, numRuns: runs },
    );
  });
});
