/**
 * What is known from the last call is what would be read again. Two worlds live through the same history, on disk, with
 * several processes and agents; in one of them every record and every text is read anew each time.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import { nameOf } from "../../src/host/checksums.js";
import { ledgerFrom } from "../../src/ledger/file-ledger.js";
import { type NodeFiles, type NodeStore, nodeStore } from "../../src/node.js";
import { type FileId, type Files, PortError } from "../../src/ports/files.js";
import type { LedgerStore } from "../../src/ports/store.js";
import { Session } from "../../src/session/session.js";
import { latin1Codec, utf8Codec, utf16beCodec, utf16leCodec } from "../../src/text/codec.js";
import { type Ground, newGround } from "../support/node.js";
import { Random } from "../support/random.js";
import { altered } from "../support/store.js";

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);

const paths = ["a.txt", "b.txt", "sub/c.txt", ".env"];
const common = [
  "}",
  "",
  "x",
  "return;",
  "é",
  "é è",
  "unique line of text",
  "ends in a return\r",
  "z".repeat(99),
];
/** At the head of a file, some of them are a byte order mark, or pass for one. */
const texts = [...common, ...common, "日本", "\ufeffmarked", "ï»¿looks marked", "ÿþ", "nul\0"];
/** Byte order marks and encodings that others give a file. */
const encodings = [
  ...[utf8Codec, utf8Codec, utf8Codec].map((codec) => ({ codec, mark: "" })),
  ...[utf8Codec, utf16leCodec, utf16beCodec].map((codec) => ({ codec, mark: "\ufeff" })),
  ...[latin1Codec, latin1Codec].map((codec) => ({ codec, mark: "" })),
];

/** One process: what its sessions share. */
interface Process {
  readonly disk: NodeStore;
  /** The same as its sessions have it. */
  readonly store: LedgerStore;
  readonly sessions: readonly Session[];
}

/** The port without what it says of its bytes, and other bytes every time. */
function forgetful(files: NodeFiles, root: string): Files {
  const read = async ({ path }: FileId): Promise<Uint8Array | null> => bytesAt(join(root, path));
  return {
    identify: (path) => files.identify(path),
    read,
    search: (query) => files.search(query),
    codec: (bytes, last) => files.codec?.(bytes, last) ?? Promise.resolve(null),
    hold: (ids, body) => files.hold(ids, (held) => body({ ...held, read })),
  };
}

/** A store that remembers nothing from one question to the next. */
function anew(open: () => NodeStore): LedgerStore {
  return {
    look: (file, agent) => open().look(file, agent),
    versions: (ids) => open().versions(ids),
    journal: (query) => open().journal(query),
    journalSince: (mark) => open().journalSince(mark),
    record: (name) => open().record(name),
    unit: (files, agent, body) =>
      open().unit(files, agent, () =>
        body({
          look: (file, other) => open().look(file, other),
          versions: (ids) => open().versions(ids),
          journal: (query) => open().journal(query),
          journalSince: (mark) => open().journalSince(mark),
          record: (name) => open().record(name),
          finish: (outcome) => open().unit(files, agent, (unit) => unit.finish(outcome)),
        }),
      ),
    append: (entries) => open().append(entries),
    putRecord: (name, value, was) => open().putRecord(name, value, was),
    ledgers: () => open().ledgers(),
  };
}

function bytesAt(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

class World {
  readonly processes: readonly Process[];
  now = 1_000_000;
  /** The next record that is saved fails, before or after it was written. */
  failing: "before" | "after" | null = null;
  readonly olds: (readonly [string, Uint8Array])[] = [];

  constructor(
    readonly at: Ground,
    readonly isForgetful: boolean,
  ) {
    for (const folder of [at.root, at.state]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(at.root);
    this.processes = [false, false, true].map((brief) => this.process(brief));
  }

  private process(brief: boolean): Process {
    const files = this.at.files({ brief });
    const open = (): NodeStore =>
      nodeStore({ state: this.at.state, workspace: { key: "w" }, brief, clock: () => this.now });
    const disk = open();
    const store = altered(this.isForgetful ? anew(open) : disk, {
      finish: async (outcome, write) => {
        const { failing } = this;
        this.failing = null;
        if (failing !== "before") await write(outcome);
        if (failing) throw new PortError("io", "the disk is full");
      },
    });
    const common = {
      files: this.isForgetful ? forgetful(files, this.at.root) : files,
      store,
      clock: () => this.now,
    };
    const sessions = ["one", "two", "one"].map((agent) => new Session({ ...common, agent }));
    const forced = new Session({ ...common, agent: "one", codec: latin1Codec });
    const refusing = new Session({ ...common, agent: "10", onStale: "refuse", gate: "file" });
    return { disk, store, sessions: [...sessions, forced, refusing] };
  }

  bytes(path: string): Uint8Array | null {
    return bytesAt(join(this.at.root, path));
  }

  put(path: string, bytes: Uint8Array | null): void {
    const before = this.bytes(path);
    if (before) this.olds.push([path, before]);
    if (bytes) this.at.put(path, bytes);
    else rmSync(join(this.at.root, path), { force: true });
  }

  /** Of one process: what all of them find on the disk. */
  async record(): Promise<string> {
    const { store } = this.processes[0] as Process;
    const ledgers = (await store.ledgers()).map((one) => JSON.stringify(one)).toSorted();
    const keys = [...new Set((await store.ledgers()).map(({ file }) => file))].toSorted();
    const records = [ledgers, await Promise.all(keys.map((key) => store.look(key, "nobody")))];
    return JSON.stringify([records, await store.journal(), paths.map((path) => this.bytes(path))]);
  }

  /** Every process knows of a file what is recorded of it. */
  async known(path: string): Promise<void> {
    for (const { store } of this.processes) {
      const { key } = await this.at.files().identify(path);
      const anew = nodeStore({ state: this.at.state, workspace: { key: "w" } });
      for (const agent of ["one", "two", "10"]) {
        const [known, read] = [await store.look(key, agent), await anew.look(key, agent)];
        expect(known).toEqual(read);
        expect(ledgerFrom(known, 0)).toEqual(ledgerFrom(read, 0));
      }
    }
  }
}

type Step = (world: World) => Promise<unknown>;

/** What a port throws is an answer too. */
async function answerOf(world: World, step: Step): Promise<unknown> {
  try {
    return (await step(world)) ?? null;
  } catch (error) {
    if (error instanceof PortError) return error.message;
    throw error;
  }
}

function anchorsIn({ text }: Pick<Result, "text">): string[] {
  const printed = text.matchAll(/^(?:>>> | {4})?(\d+#[0-9a-f]{4,6}|[a-z]{3}\d+)(?:[|\t]|$)/gm);
  return [...printed].map(([, anchor]) => anchor as string);
}

/** Makes the next step of a history; what it names comes from what was printed before. */
class Course {
  private readonly anchors = new Map<string, string[]>(paths.map((path) => [path, ["1#0f0dd9"]]));
  private readonly calls: (readonly [string, string, Step])[] = [];
  private readonly handles: string[] = [];
  private path = paths[0] as string;
  private who: readonly [process: number, session: number] = [0, 0];

  constructor(readonly random: Random) {}

  content(lines = this.random.below(10)): Uint8Array {
    const { random } = this;
    const { codec, mark } = random.pick(encodings);
    const body = Array.from({ length: lines }, () => random.pick(random.chance(0.9) ? common : texts)).join(
      random.pick(["\n", "\n", "\r\n"]),
    );
    const text = mark + body + (random.chance(0.8) ? "\n" : "");
    return codec.encode(text) ?? utf8Codec.encode(text) ?? new Uint8Array(0);
  }

  learn(path: string, { text, details }: Result): void {
    const known = this.anchors.get(path) as string[];
    known.push(...anchorsIn({ text }));
    known.splice(0, Math.max(0, known.length - 60));
    const { retry } = details as { retry?: string };
    if (retry) this.handles.push(retry);
  }

  /** Mostly somebody goes on with what they did last. */
  next(): readonly [path: string, what: string, Step] {
    const { random } = this;
    if (this.calls.length > 0 && random.chance(0.15)) return random.pick(this.calls.slice(-4));
    if (random.chance(0.2)) this.path = random.pick(paths);
    if (random.chance(0.3))
      this.who = [random.pick([0, 0, 0, 1, 1, 2]), random.pick([0, 0, 0, 1, 2, 3, 3, 4])];
    const { path } = this;
    const [process, who] = this.who;
    const use = (run: (session: Session) => Promise<unknown>): Step => {
      return (world) => run(world.processes[process]?.sessions[who] as Session);
    };
    const chance = random.next();
    const [what, step]: readonly [string, Step] =
      chance < 0.3
        ? ["read", use(this.read(path))]
        : chance < 0.7
          ? ["edit", use(this.edit(path))]
          : chance < 0.82
            ? this.foreign(path)
            : this.rest(path, process, use);
    const made = [path, `${process}.${who} ${what} ${path}`, step] as const;
    this.calls.push(made);
    return made;
  }

  private read(path: string) {
    const { random } = this;
    const start = random.between(1, 6);
    const shape = random.pick([
      ...[{}, {}, {}, {}, { delta: true }, { delta: true }],
      { ranges: [{ start, end: start + random.below(4) }] },
      { offset: start, limit: random.between(1, 4) },
    ]);
    const anchors = random.pick(["hex6", "hex6", "hex6", "hex6", "hex4", "lean", "none"] as const);
    return (session: Session) => session.read({ path, anchors, ...shape });
  }

  /** By anchors that were printed before, or after one more look. */
  private edit(path: string): (session: Session) => Promise<Result> {
    const { random } = this;
    const text = random.pick(texts);
    const dryRun = random.chance(0.1);
    const handle = this.handles.at(-1);
    if (handle && random.chance(0.1)) return (session) => session.edit({ path, retry: handle });
    const chances = [random.next(), random.next()] as const;
    const op = random.pick([
      ...(["set_line", "set_line", "replace", "insert_after", "insert_before"] as const),
      ...(["delete", "quote"] as const),
    ]);
    const [old, all] = [random.pick(texts) || "}", random.chance(0.5)];
    const end = random.pick(["append", "prepend"] as const);
    const isEnd = random.chance(0.15);
    const edits = (known: readonly string[]): readonly Edit[] => {
      const [one, two] = chances.map((chance) => known[Math.floor(chance * known.length)] ?? "1#0f0dd9") as [
        string,
        string,
      ];
      if (isEnd) return [{ op: end, text }];
      if (op === "quote") return [{ op: "replace_text", old, new: text, all }];
      if (op === "delete") return [{ op: "delete_lines", start: one }];
      return [
        op === "replace" ? { op: "replace_lines", start: one, end: two, text } : { op, anchor: one, text },
      ];
    };
    if (random.chance(0.4)) {
      const known = [...(this.anchors.get(path) as string[])].slice(random.pick([-8, -60]));
      return (session) => session.edit({ path, edits: edits(known), dryRun });
    }
    return async (session) => {
      const read = await session.read({ path });
      const made = await session.edit({ path, edits: edits(anchorsIn(read)), dryRun });
      return { ...made, text: `${read.text}\n${made.text}` };
    };
  }

  /** Somebody who asks nobody. */
  private foreign(path: string): readonly [string, Step] {
    const { random } = this;
    const content = this.content();
    const [at, to] = [random.next(), random.pick([65, 10, 0xe9, 0xef, 0xff])];
    return random.pick<readonly [string, Step]>([
      ["put", async (world) => world.put(path, content)],
      ["gone", async (world) => world.put(path, null)],
      [
        "same length",
        async (world) => {
          const bytes = Uint8Array.from(world.bytes(path) ?? []);
          if (bytes.length === 0) return;
          bytes[Math.floor(at * bytes.length)] = to;
          world.put(path, bytes);
        },
      ],
      [
        "append",
        async (world) => world.put(path, Buffer.concat([world.bytes(path) ?? Buffer.of(), content])),
      ],
      [
        "over",
        async (world) => {
          const before = world.bytes(path);
          if (before) world.olds.push([path, before]);
          const there = join(world.at.root, path);
          mkdirSync(dirname(there), { recursive: true });
          writeFileSync(`${there}~`, content);
          renameSync(`${there}~`, there);
        },
      ],
      [
        "back",
        async (world) => world.put(...(world.olds[Math.floor(at * world.olds.length)] ?? [path, content])),
      ],
      ["again", async (world) => world.put(path, world.bytes(path))],
      [
        "touch",
        async (world) => {
          if (world.bytes(path)) utimesSync(join(world.at.root, path), 1, at * 1e9);
        },
      ],
    ]);
  }

  private rest(
    path: string,
    process: number,
    use: (run: (session: Session) => Promise<unknown>) => Step,
  ): readonly [string, Step] {
    const { random } = this;
    const lines = Array.from({ length: random.below(6) }, () => random.pick(texts));
    const content = random.pick([lines, lines.join("\n"), `${lines.join("\n")}\n`]);
    const [to, pattern] = [random.pick(paths), random.pick(["x", "}", "é"])];
    const anyone = random.chance(0.7);
    const batch = [this.edit(path), this.edit(to)];
    return random.pick<readonly [string, Step]>([
      ["try", use((session) => session.write({ path, content, dryRun: true }))],
      ["write", use((session) => session.write({ path, content }))],
      ["undo", use((session) => session.undo({ path, anyone }))],
      ["undo", use((session) => session.undo({ anyone, last: 2 }))],
      ["lost", use((session) => session.lost())],
      ["restore", use((session) => session.restore({ all: true }))],
      ["fold", use((session) => session.fold())],
      ["grep", use((session) => session.grep({ pattern, literal: true, context: 1 }))],
      ["news", use((session) => session.news(path))],
      ["observe", use((session) => session.observe({ path, rows: [], whole: true }))],
      ["observeWrite", use((session) => session.observeWrite(path, { tool: "Edit" }))],
      ["formatted", use((session) => session.formatted(path))],
      ["follow", use((session) => session.follow(path, to))],
      ["both", use(async (session) => [await batch[0]?.(session), await batch[1]?.(session)])],
      ["move", use((session) => session.multiEdit({ files: [{ path, edits: [{ op: "move_file", to }] }] }))],
      ["delete", use((session) => session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] }))],
      [
        "judge",
        use((session) =>
          session.consider({
            path,
            tool: "Edit",
            change: { kind: "quotes", quotes: [{ old: "x", new: "y", all: false }] },
          }),
        ),
      ],
      ["purge", async (world) => world.processes[process]?.disk.purge()],
      [
        "no versions",
        async ({ at }) =>
          rmSync(join(at.state, "v2", nameOf("w"), "versions"), { recursive: true, force: true }),
      ],
      ...(["before", "after"] as const).map((when): readonly [string, Step] => [
        `failing ${when}`,
        async (world) => {
          world.failing = when;
        },
      ]),
    ]);
  }
}

/** What a step was answered, and what is recorded after it. */
async function played(world: World, step: Step): Promise<readonly [unknown, string, string]> {
  world.now += 1000;
  const answer = await answerOf(world, step);
  return [answer, JSON.stringify(answer), await world.record()];
}

describe("what is known from the last call", () => {
  it("is what would be read again", async () => {
    // One after the other in the same place: keys of files, and what is made of them, are the same.
    const at = newGround();
    for (let round = 0; round < runs / 8; round++) {
      const course = new Course(new Random(seed + round));
      const contents = paths.map(() => course.content());
      const begun = (isForgetful: boolean): World => {
        const world = new World(at, isForgetful);
        for (const [index, path] of paths.entries()) world.put(path, contents[index] as Uint8Array);
        return world;
      };
      const steps: (readonly [what: string, Step, answer: string, record: string])[] = [];
      const first = begun(false);
      for (let count = 0; count < 60; count++) {
        const [path, what, step] = course.next();
        const [answer, ...told] = await played(first, step);
        steps.push([`KEDGE_SEED=${seed + round} KEDGE_RUNS=1, step ${count}: ${what}`, step, ...told]);
        if (typeof answer === "object" && answer !== null && "text" in answer)
          course.learn(path, answer as Result);
        await first.known(path);
      }
      const second = begun(true);
      for (const [where, step, ...told] of steps) {
        const [, ...anew] = await played(second, step);
        expect(told, where).toEqual(anew);
      }
    }
  });
});
