/**
 * Measures what a long journal, a long session and many agents cost: processor time as ratios in one run, and bytes.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type NodeStore, nodeFiles, nodeStore } from "../../src/node.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { doorRows } from "./growth-doors.js";
import { ratioRow, type Times } from "./growth-row.js";
import type { Row } from "./harness.js";
import { sourceText } from "./text.js";

const lines = 2000;
const path = "a.ts";

interface Place {
  readonly store: NodeStore;
  readonly state: string;
  session(agent: string): Session;
}

function place(folder: string, name: string): Place {
  const [root, state] = [join(folder, name), join(folder, `${name}-state`)];
  mkdirSync(root);
  writeFileSync(join(root, path), sourceText(lines));
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

async function anchorsOf(session: Session): Promise<string[]> {
  const { text } = await session.read({ path, ranges: [{ start: 1, end: lines }] });
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

async function journalRows(folder: string): Promise<Row[]> {
  const [few, many] = [place(folder, "few"), place(folder, "many")];
  await lengthen(few.store, 1000);
  await lengthen(many.store, 100_000);
  const works: Readonly<Record<string, (at: Place, session: Session, turn: number) => Promise<unknown>>> = {
    edit: async (_, session, turn) => {
      const [anchor] = (
        await session.read({ path, ranges: [{ start: turn + 1, end: turn + 1 }] })
      ).text.split("|");
      await edit(session, anchor, turn);
    },
    "journal: the last 5 entries": ({ store }) => store.journal({ last: 5 }),
    "journal: the entries of a file": ({ store }, _, turn) =>
      store.journal({ files: [`/work/src/${turn}.ts`], last: 5 }),
    "undo, tried out": (_, session) => session.undo({ dryRun: true }),
  };
  const rows: Row[] = [];
  for (const [name, work] of Object.entries(works)) {
    const times: Times = [[], []];
    const sessions = [many.session("one"), few.session("one")] as const;
    for (let turn = 0; turn < 60; turn++)
      for (const [at, where] of ([many, few] as const).entries()) {
        const time = await processor(() => work(where, sessions[at] as Session, turn));
        if (turn >= 20) times[at as 0 | 1].push(time);
      }
    // A look into each of the segments that are full; all of it is a tenth of a millisecond.
    const goal = name.includes("of a file") ? 2 : 1.3;
    rows.push(ratioRow(`${name}, 100,000 journal entries`, "1,000", goal, times));
  }
  return rows;
}

async function sessionRows(folder: string): Promise<{ rows: Row[]; bytes: number }> {
  // Compiled before it is measured.
  const warm = place(folder, "warm");
  const warming = warm.session("one");
  const first = await anchorsOf(warming);
  for (let turn = 0; turn < 100; turn++) await edit(warming, first[(turn * 613) % lines], turn);
  const long = place(folder, "long");
  const session = long.session("one");
  const anchors = await anchorsOf(session);
  const times: number[] = [];
  for (let turn = 0; turn < 1000; turn++)
    times.push(await processor(() => edit(session, anchors[(turn * 613) % lines], turn)));
  const rows = [
    ratioRow("the last of 1,000 edits by the anchors of one read", "the 50th", 1.3, [
      times.slice(960),
      times.slice(30, 70),
    ]),
  ];
  const undone = await session.undo({ last: 1000, dryRun: true });
  if (undone.isError) throw new Error(undone.text);
  return { rows, bytes: sizeOf(long.state) / 1000 };
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const at = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(at) : statSync(at).size);
  }, 0);
}

async function agentRows(folder: string): Promise<Row> {
  const [one, many] = [place(folder, "one"), place(folder, "all")];
  const times: Times = [[], []];
  const alone = one.session("one");
  const own = await anchorsOf(alone);
  const sessions: { session: Session; anchors: string[] }[] = [];
  for (let agent = 0; agent < 256; agent++) {
    const session = many.session(`agent${agent}`);
    sessions.push({ session, anchors: await anchorsOf(session) });
  }
  for (let turn = 0; turn < 256 * 4; turn++) {
    const { session, anchors } = sessions[turn % 256] as (typeof sessions)[number];
    const line = (turn * 613) % lines;
    const time = await processor(() => edit(session, anchors[line], turn));
    if (turn >= 256 * 3) times[0].push(time);
    if (turn % 4 === 3) times[1].push(await processor(() => edit(alone, own[line], turn)));
  }
  return ratioRow("an edit of one file by 256 agents, the fourth of each", "by one agent", 2, times);
}

/** The growth rows of the speed table, and the bytes that an edit of a 2,000-line file leaves. */
export async function growthRows(): Promise<{ rows: Row[]; bytes: number }> {
  const cache = resolve("node_modules/.cache/kedge");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "growth-"));
  try {
    const { rows, bytes } = await sessionRows(folder);
    return {
      rows: [...(await journalRows(folder)), ...(await doorRows(folder)), ...rows, await agentRows(folder)],
      bytes,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
