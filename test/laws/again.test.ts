/**
 * What is answered without a lock is what a locked look would have answered, and a locked look would have written
 * nothing down. Two worlds live through the same history; in one of them nothing can be looked at without a lock.
 */

import { describe, expect, it } from "vitest";
import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import type { ForeignWrite } from "../../src/foreign/judge-write.js";
import { type Files, PortError } from "../../src/ports/files.js";
import { type MemoryFiles, memoryFiles, memoryStore } from "../../src/ports/index.js";
import type { Json, LedgerStore } from "../../src/ports/store.js";
import { Session } from "../../src/session/session.js";
import { latin1Codec, utf8Codec } from "../../src/text/codec.js";
import { Random } from "../support/random.js";
import { altered } from "../support/store.js";

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);

const paths = ["a.ts", "b.ts", "secret"];
const agents = ["one", "two", "forced"];
const texts = ["}", "", "x", "yy", "return;", "é", "unique line of text", "z".repeat(2001), "last one here"];

/** How a world looks at files: as ever; never without a lock; or so that every reading is written down. */
type Way = "short" | "locked" | "written";

/** A record in which no reading was the last thing that happened, so that the next one is written down too. */
function stirred(record: Json | null): Json | null {
  const text = JSON.stringify(record, (key, value: unknown) => {
    if (key !== "showings" || !Array.isArray(value)) return value;
    return value.map((showing: Json[]) => {
      const [order, ...rest] = showing as [number, ...Json[]];
      const isReading = rest.includes("read") || rest.includes("observed");
      return isReading && Number.isInteger(order) ? [order - 0.5, ...rest] : showing;
    });
  });
  return JSON.parse(text) as Json | null;
}

/** One world: its files, its ledger, how often a lock was taken. */
class World {
  readonly files: MemoryFiles;
  readonly kept = memoryStore();
  readonly sessions: ReadonlyMap<string, Session>;
  locks = 0;
  now = 1_000_000;
  /** Texts of old versions are gone. */
  isPruned = false;
  /** Runs at the given look at a port that no lock covers, once. */
  meanwhile: { at: number; run: () => Promise<unknown> } | null = null;
  private holds = 0;

  constructor(
    initial: Readonly<Record<string, string>>,
    readonly way: Way,
    readonly options: { gate: "lines" | "file" | "off"; onStale: "relocate" | "refuse" },
  ) {
    this.files = memoryFiles(initial);
    const files: Files = {
      ...this.files,
      identify: async (path) => ({ ...(await this.files.identify(path)), keep: path !== "secret" }),
      hold: (ids, body) => {
        this.locks++;
        this.holds++;
        return this.files.hold(ids, body).finally(() => this.holds--);
      },
      read: way === "short" ? (file) => this.interrupted(() => this.files.read(file)) : async () => null,
    };
    const kept = altered(this.kept, { isKept: () => !this.isPruned });
    const look: LedgerStore["look"] = (file, agent) =>
      this.interrupted(async () => {
        const record = await this.kept.look(file, agent);
        return way === "written" ? { ...record, ledger: stirred(record.ledger) } : record;
      });
    const record: LedgerStore["record"] = (name) => this.interrupted(() => this.kept.record(name));
    const store: LedgerStore = {
      ...kept,
      look,
      record,
      unit: (ids, agent, body) => kept.unit(ids, agent, (unit) => body({ ...unit, look, record })),
    };
    this.sessions = new Map(
      agents.map((agent) => [
        agent,
        new Session({
          ...{ files, store, agent, ...options, clock: () => this.now },
          ...(agent === "forced" ? { codec: latin1Codec } : {}),
        }),
      ]),
    );
  }

  private async interrupted<T>(look: () => Promise<T>): Promise<T> {
    const { meanwhile } = this;
    if (meanwhile && this.holds === 0 && meanwhile.at-- === 0) {
      this.meanwhile = null;
      await meanwhile.run();
    }
    return look();
  }

  session(agent: string): Session {
    return this.sessions.get(agent) as Session;
  }

  /** As a guard asks: a glance first, and a judgement where that is not enough. */
  async judge(agent: string, write: ForeignWrite): Promise<unknown> {
    const session = this.session(agent);
    const found = this.way === "short" ? await session.glance(write) : "unclear";
    if (found === "allowed") return { kind: found };
    return session.consider(write);
  }

  async record(): Promise<string> {
    const looks = paths.flatMap((path) => agents.map((agent) => this.kept.look(path, agent)));
    const files = await Promise.all(looks);
    return JSON.stringify([files, await this.kept.journal(), paths.map((path) => this.files.text(path))]);
  }
}

/** What a port says is an answer too. */
function done(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (error instanceof PortError) return error.message;
    throw error;
  });
}

/** Without the ids of edits, which count what was written down. */
function plain(answer: unknown): string {
  return JSON.stringify(answer ?? null).replace(/\b[0-9a-z]+-[0-9a-z]{1,4}\b/g, "ID");
}

type Step = (world: World) => Promise<unknown>;

/** Makes the next step of a history; what it names comes from what was printed before. */
class Course {
  private readonly anchors = new Map<string, string[]>(paths.map((path) => [path, ["1#0f0dd9"]]));
  private readonly calls: Step[] = [];
  private readonly olds = new Map<string, string[]>(paths.map((path) => [path, []]));
  private readonly handles: string[] = [];

  constructor(readonly random: Random) {}

  text(lines = this.random.below(12)): string {
    const body = Array.from({ length: lines }, () => this.random.pick(texts)).join("\n");
    return body === "" || this.random.chance(0.1) ? body : `${body}\n`;
  }

  /** What an answer printed can be named from now on. */
  learn(path: string, { text, details }: Result): void {
    const printed = [...text.matchAll(/^(?:>>> | {4})?(\d+#[0-9a-f]{4,6}|[a-z]{3}\d+)[|\t]/gm)];
    const known = this.anchors.get(path) as string[];
    known.push(...printed.map(([, anchor]) => anchor as string));
    known.splice(0, Math.max(0, known.length - 40));
    const { retry } = details as { retry?: string };
    if (retry) this.handles.push(retry);
  }

  next(world: World): { path: string; step: Step; what: string } {
    const { random } = this;
    const path = random.pick(paths.slice(0, random.chance(0.7) ? 1 : 3));
    const agent = random.pick(agents.slice(0, random.chance(0.7) ? 1 : 3));
    const before = world.files.text(path);
    if (before !== null && random.chance(0.2)) this.olds.get(path)?.push(before);
    const chance = random.next();
    const [what, step] =
      this.calls.length > 0 && chance < 0.35
        ? (["again", random.pick(this.calls.slice(-4))] as const)
        : this.any(path, agent, before);
    if (what !== "rude") this.calls.push(step);
    return { path, step, what };
  }

  private any(path: string, agent: string, before: string | null): readonly [string, Step] {
    const { random } = this;
    const chance = random.next();
    if (chance < 0.35) return this.read(path, agent);
    if (chance < 0.45) return this.observe(path, agent, before);
    if (chance < 0.57) return this.rude(path, before);
    if (chance < 0.75) return this.edit(path, agent);
    if (chance < 0.83) return this.foreign(path, agent, before);
    return this.rest(path, agent);
  }

  /** A look that may be answered without a lock, once it was made. */
  look(): Step {
    const { random } = this;
    const path = paths[0] as string;
    return random.chance(0.7)
      ? (world) => world.session("one").read({ path })
      : (world) => world.session("one").observe({ path, rows: [], whole: true });
  }

  private read(path: string, agent: string): readonly [string, Step] {
    const { random } = this;
    const range = () => {
      const start = random.between(1, 8);
      return { start, end: start + random.below(5) };
    };
    const shape = random.pick([
      {},
      {},
      {},
      { ranges: [range()] },
      { ranges: [range(), range()] },
      { offset: random.between(1, 6) },
      { offset: random.between(1, 6), limit: random.between(1, 4) },
      { delta: true },
    ]);
    const anchors = random.pick(["hex6", "hex6", "hex6", "hex6", "hex4", "lean", "none"] as const);
    return [`read ${path}`, (world) => world.session(agent).read({ path, anchors, ...shape })];
  }

  private observe(path: string, agent: string, before: string | null): readonly [string, Step] {
    const { random } = this;
    const shown = random.chance(0.8) ? before : random.pick([...(this.olds.get(path) as string[]), before]);
    const lines = (shown ?? "").split("\n");
    const start = random.below(4);
    const rows = lines
      .map((text, at) => ({ line: at + 1, text: random.chance(0.03) ? "garbled" : text }))
      .slice(start, random.chance(0.5) ? undefined : start + random.between(1, 5));
    const whole = random.chance(0.05);
    return [
      `observe ${path}`,
      (world) => world.session(agent).observe({ path, rows: start === 0 ? rows.slice(0, -1) : rows, whole }),
    ];
  }

  private rude(path: string, before: string | null): readonly [string, Step] {
    const { random } = this;
    const lines = (before ?? "").split("\n");
    lines.splice(random.below(lines.length), random.below(2), ...this.text(random.below(3)).split("\n"));
    const content = random.pick([lines.join("\n"), lines.join("\n"), this.text(), null]);
    const old = random.chance(0.4) ? random.pick(this.olds.get(path) as string[]) : undefined;
    const next = old ?? content;
    const codec = random.pick([utf8Codec, utf8Codec, latin1Codec]);
    return [
      "rude",
      async ({ files }) => {
        if (next === null) files.files.delete(path);
        else files.set(path, codec.encode(next) ?? next);
      },
    ];
  }

  private edit(path: string, agent: string): readonly [string, Step] {
    const { random } = this;
    const anchor = () => random.pick(this.anchors.get(path) as string[]);
    const text = random.pick(texts);
    const edits = [
      random.pick<Edit>([
        { op: "set_line", anchor: anchor(), text },
        { op: "replace_lines", start: anchor(), end: anchor(), text },
        { op: "insert_after", anchor: anchor(), text },
        { op: "delete_lines", start: anchor() },
        { op: "replace_text", old: text || "}", new: "new text", all: random.chance(0.5) },
        { op: "append", text },
        { op: "set_line", anchor: "12", text },
      ]),
    ];
    const handle = this.handles.at(-1);
    if (handle && random.chance(0.2))
      return ["retry", (world) => world.session(agent).edit({ path, retry: handle })];
    const dryRun = random.chance(0.1);
    return [`edit ${path}`, (world) => world.session(agent).edit({ path, edits, dryRun })];
  }

  private foreign(path: string, agent: string, before: string | null): readonly [string, Step] {
    const { random } = this;
    const old = random.pick([...texts, ...(before ?? "x").split("\n")]) || "}";
    const change = random.pick([
      { kind: "quotes" as const, quotes: [{ old, new: "n", all: random.chance(0.3) }] },
      { kind: "whole" as const, content: "x\n" },
      { kind: "delete" as const },
    ]);
    return [`judge ${path}`, (world) => world.judge(agent, { path, tool: "Edit", change })];
  }

  private rest(path: string, agent: string): readonly [string, Step] {
    const { random } = this;
    const content = this.text();
    const to = random.pick(paths);
    const pattern = random.pick(["x", "}", "é"]);
    return random.pick<readonly [string, Step]>([
      ["fold", (world) => world.session(agent).fold()],
      ["grep", (world) => world.session(agent).grep({ pattern, literal: true })],
      ["news", (world) => world.session(agent).news(path)],
      ["formatted", (world) => world.session(agent).formatted(path)],
      ["observeWrite", (world) => world.session(agent).observeWrite(path, { tool: "Edit" })],
      ["write", (world) => world.session(agent).write({ path, content })],
      ["undo", (world) => world.session(agent).undo({ path, anyone: true })],
      [
        "delete",
        (world) => world.session(agent).multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] }),
      ],
      [
        "move",
        (world) => world.session(agent).multiEdit({ files: [{ path, edits: [{ op: "move_file", to }] }] }),
      ],
      [
        "prune",
        async (world) => {
          world.isPruned = !world.isPruned;
        },
      ],
    ]);
  }
}

/** Histories that once failed: memory reached less far back where a reading was written down again and again. */
const examples = [704900061, 561553459];

describe("looking without a lock", () => {
  it("answers what a locked look answers, and leaves the same record", async () => {
    let saved = 0;
    const fresh = Array.from({ length: Math.ceil(runs / 4) }, (_, round) => seed + round);
    for (const one of [...examples, ...fresh]) {
      const course = new Course(new Random(one));
      const initial = Object.fromEntries(paths.map((path) => [path, course.text()]));
      const options = {
        gate: course.random.pick(["lines", "lines", "lines", "file", "off"] as const),
        onStale: course.random.pick(["relocate", "relocate", "refuse"] as const),
      };
      const short = new World(initial, "short", options);
      const long = new World(initial, "locked", options);
      const written = new World(initial, "written", options);
      for (let at = 0; at < 60; at++) {
        const { path, step, what } = course.next(short);
        for (const world of [short, long, written]) world.now += 1000;
        const [answer, locked] = [await done(step(short)), await done(step(long))];
        const where = `KEDGE_SEED=${one} KEDGE_RUNS=1, step ${at}: ${what}`;
        expect(JSON.stringify(answer), where).toBe(JSON.stringify(locked));
        expect(await short.record(), where).toBe(await long.record());
        expect(plain(await done(step(written))), where).toBe(plain(answer));
        if (typeof answer === "object" && answer !== null && "text" in answer)
          course.learn(path, answer as Result);
      }
      saved += long.locks - short.locks;
    }
    expect(saved).toBeGreaterThan(runs / 4);
  });

  it("answers as if what happens meanwhile had happened before or after", async () => {
    let cases = 0;
    for (let round = 0; round < runs / 4; round++) {
      const course = new Course(new Random(seed + round));
      const initial = Object.fromEntries(paths.map((path) => [path, course.text()]));
      const options = { gate: "lines", onStale: "relocate" } as const;
      const worlds = Array.from(
        { length: 8 },
        (_, at) => new World(initial, at > 1 ? "short" : "locked", options),
      );
      const everywhere = async (step: Step): Promise<unknown> => {
        for (const world of worlds) world.now += 1000;
        const answers = [];
        for (const world of worlds) answers.push(await done(step(world)));
        return answers[0];
      };
      for (let at = 0; at < 10; at++) {
        const { path, step } = course.next(worlds[0] as World);
        const answer = await everywhere(step);
        if (typeof answer === "object" && answer !== null && "text" in answer)
          course.learn(path, answer as Result);
      }
      const look = course.look();
      await everywhere(look);
      const { step: other, what } = course.next(worlds[0] as World);
      const [before, after, ...others] = worlds as [World, World, ...World[]];
      const told = async (world: World, answer: unknown, between: unknown) =>
        JSON.stringify([answer, between, await world.record()]);
      const first = await done(other(before));
      const serial = [await told(before, await done(look(before)), first)];
      const answer = await done(look(after));
      serial.push(await told(after, answer, await done(other(after))));
      for (const [at, world] of others.entries()) {
        let between: unknown;
        const run = async (): Promise<void> => {
          between = await done(other(world));
        };
        world.meanwhile = { at, run };
        const found = await done(look(world));
        if (world.meanwhile) continue;
        cases++;
        expect(serial, `seed ${seed}, round ${round}, look ${at}: ${what}`).toContain(
          await told(world, found, between),
        );
      }
    }
    expect(cases).toBeGreaterThan(runs / 2);
  });
});
