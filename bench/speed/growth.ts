/**
 * Measures what a long journal, a long session and many agents cost: processor time as ratios in one run, and bytes.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type NodeStore, nodeFiles, nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { doorRows } from "./growth-doors.js";
import { type Curve, type Grown, median, ratioRow, type Times } from "./growth-row.js";
import type { Row } from "./harness.js";
import { sourceText } from "./text.js";

const lines = 2000;
/** Entries of the journals. */
const journals = [1000, 10_000, 100_000];
const path = "a.ts";

interface Place {
  readonly store: NodeStore;
  readonly state: string;
  session(agent: string): Session;
}

function place(folder: string, name: string, count = lines): Place {
  const [root, state] = [join(folder, name), join(folder, `${name}-state`)];
  mkdirSync(root);
  writeFileSync(join(root, path), sourceText(count));
  const store = nodeStore({ state, workspace: { key: root } });
  const files = nodeFiles({ roots: [root], state });
  return { store, state, session: (agent) => new Session({ files, store, agent, clock: Date.now }) };
}

async function processor(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function anchorsOf(session: Session, first = 1, last = lines): Promise<string[]> {
  const { text } = await session.read({ path, ranges: [{ start: first, end: last }] });
  return text.split("\n").map((row) => row.split("|")[0] as string);
}

async function edit(session: Session, anchor: string | undefined, turn: number): Promise<void> {
  const { isError, text } = await session.edit({
    path,
    edits: [{ op: "set_line", anchor: anchor ?? "", text: `edited(${turn});` }],
  });
  if (isError) throw new Error(text);
}

/** Entries of other files, as a long time of work leaves them. */
async function lengthen(store: NodeStore, count: number): Promise<void> {
  const entry = (number: number): JournalEntry => ({
    ...{
      id: `old${number}`,
      time: Date.now() - 1000,
      agent: `agent${number % 20}`,
      tool: "edit",
      kind: "commit",
    },
    ...{
      path: `src/${number % 200}.ts`,
      file: `/work/src/${number % 200}.ts`,
      lines: [{ start: 1, end: 1 }],
    },
    ...{ before: "1".repeat(16), after: "2".repeat(16), change: [100, 100, 0, 1, 0, 1] },
  });
  for (let at = 0; at < count; at += 500)
    await store.append(Array.from({ length: Math.min(500, count - at) }, (_, number) => entry(at + number)));
}

async function journalRows(folder: string): Promise<Grown> {
  const places = journals.map((count) => ({ count, ...place(folder, `journal-${count}`) }));
  for (const { store, count } of places) await lengthen(store, count);
  const works: Readonly<Record<string, (at: Place, session: Session, turn: number) => Promise<unknown>>> = {
    edit: async (_, session, turn) => {
      const [anchor] = await anchorsOf(session, turn + 1, turn + 1);
      await edit(session, anchor, turn);
    },
    "journal: the last 5 entries": ({ store }) => store.journal({ last: 5 }),
    "journal: the entries of a file": ({ store }, _, turn) =>
      store.journal({ files: [`/work/src/${turn}.ts`], last: 5 }),
    "undo, tried out": (_, session) => session.undo({ dryRun: true }),
  };
  const rows: Row[] = [];
  const curves: Curve[] = [];
  const sessions = places.map(({ session }) => session("one"));
  for (const [name, work] of Object.entries(works)) {
    const times = places.map((): number[] => []);
    for (let turn = 0; turn < 60; turn++)
      for (const [at, where] of places.entries()) {
        const time = await processor(() => work(where, sessions[at] as Session, turn));
        if (turn >= 20) times[at]?.push(time);
      }
    // A look into each of the segments that are full; all of it is a tenth of a millisecond.
    const goal = name.includes("of a file") ? 2 : 1.3;
    rows.push(ratioRow(`${name}, 100,000 journal entries`, "1,000", goal, ends(times)));
    curves.push({ name, values: times.map(median) });
  }
  return { rows, curves };
}

/** The edits at which a long session is looked at. */
const looks = [50, 100, 200, 400, 600, 800, 1000];

async function sessionRows(folder: string): Promise<Grown & { readonly bytes: number }> {
  const begun = async (name: string, count: number) => {
    const { session: open, state } = place(folder, name);
    const session = open("one");
    const anchors = await anchorsOf(session);
    const times: number[] = [];
    const next = async () => {
      const turn = times.length;
      times.push(await processor(() => edit(session, anchors[(turn * 613) % lines], turn)));
    };
    for (let turn = 0; turn < count; turn++) await next();
    return { session, state, times, next };
  };
  // Compiled before it is measured.
  await begun("warm", 100);
  const [long, short] = [await begun("long", 960), await begun("short", 30)];
  for (let turn = 0; turn < 40; turn++) for (const one of [long, short]) await one.next();
  const rows = [
    ratioRow("the last of 1,000 edits by the anchors of one read", "the 50th", 1.3, [
      long.times.slice(960),
      short.times.slice(30),
    ]),
  ];
  const undone = await long.session.undo({ last: 1000, dryRun: true });
  if (undone.isError) throw new Error(undone.text);
  const values = looks.map((end) => median(long.times.slice(end - 40, end)));
  return { rows, curves: [{ name: "an edit", values }], bytes: sizeOf(long.state) / 1000 };
}

/** Bytes that an edit of a file of 50,000 lines leaves. */
async function largeBytes(folder: string): Promise<number> {
  const { session: open, state } = place(folder, "large", 50_000);
  const session = open("one");
  const edits = 100;
  for (let turn = 0; turn < edits; turn++) {
    const line = 1 + ((turn * 613) % 50_000);
    const [anchor] = await anchorsOf(session, line, line);
    await edit(session, anchor, turn);
  }
  const undone = await session.undo({ last: edits, dryRun: true });
  if (undone.isError) throw new Error(undone.text);
  return sizeOf(state) / edits;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const at = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(at) : statSync(at).size);
  }, 0);
}

const crowds = [1, 4, 16, 64, 256];

/** As many edits of one file, by few agents or by many. */
async function agentRows(folder: string): Promise<Grown> {
  const [before, measured] = [512, 128];
  const crowded = await Promise.all(
    crowds.map(async (count) => {
      const at = place(folder, `agents-${count}`);
      const agents: { session: Session; anchors: string[] }[] = [];
      for (let agent = 0; agent < count; agent++) {
        const session = at.session(`agent${agent}`);
        agents.push({ session, anchors: await anchorsOf(session) });
      }
      return { agents, times: [] as number[] };
    }),
  );
  for (let turn = 0; turn < before + measured; turn++)
    for (const { agents, times } of crowded) {
      const { session, anchors } = agents[turn % agents.length] as (typeof agents)[number];
      const time = await processor(() => edit(session, anchors[(turn * 613) % lines], turn));
      if (turn >= before) times.push(time);
    }
  const times = crowded.map((one) => one.times);
  return {
    rows: [ratioRow("an edit of one file by 256 agents", "by one agent", 2, ends(times))],
    curves: [{ name: "an edit", values: times.map(median) }],
  };
}

/** The most beside the fewest. */
function ends(times: readonly number[][]): Times {
  return [times.at(-1) as number[], times[0] as number[]];
}

export interface Growth {
  readonly rows: Row[];
  /** Milliseconds of processor time by entries of the journal, edits of a session, and agents on one file. */
  readonly curves: Readonly<
    Record<"journal" | "session" | "agents", { xs: readonly number[]; series: Curve[] }>
  >;
}

/** A row for bytes: they are judged like a time, as a share of what is allowed. */
function stateRow(work: string, bytes: number, allowed: number): Row {
  const ratio = bytes / allowed;
  return {
    ...{ work, baseline: `${allowed / 1024} KiB`, goal: 1, ratio, milliseconds: 0 },
    spread: [ratio, ratio],
  };
}

/** The growth rows of the speed table, and the curves behind them. */
export async function growth(): Promise<Growth> {
  const cache = resolve("node_modules/.cache/kedge");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "growth-"));
  try {
    const session = await sessionRows(folder);
    const journal = await journalRows(folder);
    const doors = await doorRows(folder, journals);
    const agents = await agentRows(folder);
    const left = "state that an edit of a";
    const rows = [
      ...[...journal.rows, ...doors.rows, ...session.rows, ...agents.rows],
      stateRow(`${left} 2,000-line file leaves, undo of the first of 1,000 possible`, session.bytes, 4096),
      stateRow(
        `${left} 50,000-line file leaves, undo of the first of 100 possible`,
        await largeBytes(folder),
        25 * 4096,
      ),
    ];
    return {
      rows,
      curves: {
        journal: { xs: journals, series: [...journal.curves, ...doors.curves] },
        session: { xs: looks, series: session.curves },
        agents: { xs: crowds, series: agents.curves },
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
