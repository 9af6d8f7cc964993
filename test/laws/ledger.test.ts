import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineChange } from "../../src/changes/line-change.js";
import { knownNow } from "../../src/ledger/agent-ledger.js";
import { epochOf } from "../../src/ledger/epochs.js";
import { emptyFile, fromJson, toJson } from "../../src/ledger/file-ledger.js";
import { OpenFile } from "../../src/ledger/open-file.js";
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
      agent.arrive();
      agent.wrote(
        map.regions.flatMap(({ bStart, bEnd }) =>
          Array.from({ length: bEnd - bStart }, (_, at) => bStart + at),
        ),
      );
    }
    agent.printed(printedAnchors(result.text), result.isError ? "refusal" : "edit");
  }

  /** What the ledger says this agent knows, and which rows it may name, by the version they were printed of. */
  async ledger(name: string) {
    const { files, store } = this.room;
    const file = await files.identify(this.path);
    const epoch = await epochOf({ store, agent: name });
    const context = { files, store, agent: name, epoch, clock: () => 0, now: 0, codec: null };
    return files.hold([file], async (held) => {
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
      const record = await twin.room.store.file(twin.path);
      const read = fromJson(record);
      expect(toJson(read)).toEqual(record);
      expect(toJson({ ...read, agents: read.agents.map((one) => one) })).toEqual(record);
      expect(fromJson(toJson(fromJson(record)))).toEqual(fromJson(record));
    }
  });

  it("takes what is no record for none", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fromJson(value as Json)).toEqual(emptyFile);
        expect(fromJson({ format: 2, order: 1, states: value as Json, agents: {} })).toBeDefined();
        const { agents } = fromJson({ format: 2, order: 1, states: [], agents: { one: value as Json } });
        expect(agents.get("one")?.showings ?? []).toEqual([]);
        expect([...agents.states()].length).toBeLessThan(2);
      }),
      { seed, numRuns: runs },
    );
  });
});
