/** Many agents for a long time, while two servers are killed in turn. */
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../src/fleet/database/connection.js";
import type { Served, Told } from "../serve/support.js";
import { Random } from "../support/random.js";

export interface SoakSetup {
  readonly seconds: number;
  readonly names: readonly string[];
  /** One for each agent. */
  readonly tokens: readonly string[];
  /** Never killed: its memory is measured. */
  readonly steady: Served;
  readonly killed: readonly Served[];
  /** Starts a server again where it was. */
  readonly restart: (address: string) => Promise<Served>;
  /** The database. */
  readonly url: string;
}

interface Sample {
  readonly second: number;
  /** Bytes of the server that is never killed. */
  readonly memory: number;
  /** Connections to the database, of everybody. */
  readonly connections: number;
  /** Calls and locks that the database knows of. */
  readonly units: number;
}

export interface Soaked {
  readonly accepted: readonly string[];
  /** Nobody heard what became of these: the server was gone. */
  readonly unknown: readonly string[];
  readonly batches: readonly (readonly [string, string])[];
  readonly kills: number;
  readonly samples: readonly Sample[];
  readonly figures: Readonly<Record<string, unknown>>;
}

export async function soak(setup: SoakSetup): Promise<Soaked> {
  const { seconds, names, tokens, steady } = setup;
  const end = Date.now() + seconds * 1000;
  const servers: (Served | null)[] = [steady, ...setup.killed];
  const accepted: string[] = [];
  const unknown: string[] = [];
  const batches: [string, string][] = [];
  const refusals = new Map<string, number>();
  const refuse = (code: string): void => void refusals.set(code, (refusals.get(code) ?? 0) + 1);
  const agents = tokens.map(async (token, at) => {
    const random = new Random(at + 1);
    const pick = <T>(from: readonly T[]): T => from[random.below(from.length)] as T;
    const ask = async (tool: string, args: object): Promise<Told | null> => {
      const server = pick(servers);
      return server ? server.call(token, tool, args).catch(() => null) : null;
    };
    for (let round = 0; Date.now() < end; round++) {
      const isBatch = round % 5 === 4;
      const paths = isBatch ? [pick(names.slice(0, 12)), pick(names.slice(12))] : [pick(names)];
      const shown = await Promise.all(
        paths.map((path) => ask("read_file", { path, ranges: [{ start: 1, end: 3 }] })),
      );
      if (shown.some((one) => one === null || one.isError || one.error)) {
        await sleep(100);
        continue;
      }
      const texts = paths.map((_, part) => `${at}-${round}-${part}.`);
      const edits = shown.map((one, part) => [
        { op: "insert_after", anchor: (one as Told).text.split("|")[0], text: texts[part] },
      ]);
      const files = paths.map((path, part) => ({ path, edits: edits[part] }));
      const done = await (isBatch ? ask("multi_edit", { files }) : ask("edit_file", files[0] as object));
      if (isBatch) batches.push(texts as [string, string]);
      if (done === null || done.status >= 500) unknown.push(...texts);
      else if (done.error) refuse(`HTTP ${done.status}`);
      else if (done.isError) refuse(done.details?.code ?? String(done.status));
      else accepted.push(...texts);
    }
  });
  const samples: Sample[] = [];
  const sampling = sample(setup, end, samples);
  const kills = await killInTurn(setup, end, servers);
  await Promise.all([...agents, sampling]);
  // What a killed server left is finished or taken back by the next call on the file.
  const [token = ""] = tokens;
  for (const path of names) {
    const shown = await steady.call(token, "read_file", { path });
    const edits = [{ op: "set_line", anchor: shown.text.split("|")[0], text: "one" }];
    for (let tries = 0; tries < 10; tries++) {
      const done = await steady.call(token, "edit_file", { path, edits });
      if (!done.isError || done.details?.code !== "busy") break;
    }
  }
  const figures = {
    ...{ seconds, agents: tokens.length, accepted: accepted.length, batches: batches.length, kills },
    ...{
      unknown: unknown.length,
      refusals: Object.fromEntries(refusals),
      aSecond: accepted.length / seconds,
    },
    samples: [0, 0.25, 0.5, 0.75, 1].map((part) => samples[Math.round(part * (samples.length - 1))]),
  };
  return { accepted, unknown, batches, kills, samples, figures };
}

/** One after the other, every few seconds: SIGKILL, and started again at the same address. */
async function killInTurn(
  { restart, killed }: SoakSetup,
  end: number,
  servers: (Served | null)[],
): Promise<number> {
  const every = 4000;
  let kills = 0;
  for (let turn = 0; Date.now() + every < end; turn++) {
    await sleep(every);
    const at = 1 + (turn % killed.length);
    const server = servers[at];
    if (!server) continue;
    const { port } = new URL(server.url);
    server.child.kill("SIGKILL");
    await server.exited;
    kills += 1;
    servers[at] = null;
    servers[at] = await restart(`127.0.0.1:${port}`);
  }
  return kills;
}

async function sample(
  { steady, tokens, url, seconds }: SoakSetup,
  end: number,
  samples: Sample[],
): Promise<void> {
  const began = Date.now();
  const database = await connect({ url, most: 1, patience: 30_000 });
  const count = async (text: string): Promise<number> => Number((await database.query(text, []))[0]?.count);
  // The first calls load the program.
  await sleep(Math.min(5000, seconds * 250));
  try {
    while (Date.now() < end) {
      const { body } = await steady.ask({ path: "/metrics", token: tokens[0] as string });
      samples.push({
        second: Math.round((Date.now() - began) / 1000),
        memory: Number(/^kedge_memory_bytes (\d+)/m.exec(body)?.[1]),
        connections: await count("select count(*) from pg_stat_activity where application_name = 'kedge'"),
        units: await count("select count(*) from kedge.units"),
      });
      await sleep(Math.max(1000, seconds * 20));
    }
  } finally {
    await database.end();
  }
}
