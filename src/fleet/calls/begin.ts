import { type Holder, ticks } from "../../host/index.js";
import { type FileId, type FileRecord, type NamedRecord, PortError } from "../../ports/index.js";
import type { Ground } from "../ground.js";
import type { LoadedFile, RecordQuestion } from "../known/known-records.js";
import { columnOf } from "../tree-names.js";
import { type Claimed, putRight } from "./intents.js";
import { type Lease, thisMoment } from "./lease.js";

/** The records that a unit is begun with. */
export interface Begun {
  readonly files: ReadonlyMap<string, FileRecord>;
  readonly records: ReadonlyMap<string, NamedRecord | null>;
}

export interface Beginning {
  readonly files: readonly FileId[];
  readonly agent: string;
  readonly lease: Lease;
  readonly records: readonly string[];
  /** The intent, as the store has it; null: the call reads, or its intent follows. */
  readonly intent: string | null;
}

interface Loaded {
  readonly files: readonly LoadedFile[];
  readonly records: readonly (NamedRecord | null)[];
}

/** Somebody else has one of the files, or is before us in the line. */
interface Waiting {
  readonly ticket: string;
  readonly ahead: number;
  readonly token: string | null;
  readonly holder: (Holder & { readonly since: number }) | null;
  /** Its holder is not heard of, but may be writing in place: time alone proves nothing then. */
  readonly bound: boolean;
}

type Answer = Loaded | Waiting | { readonly claimed: readonly Claimed[] };

const longestTurn = 40;

/** Takes the files and loads their records, in one round trip if nobody else has them. */
export async function beginUnit(ground: Ground, beginning: Beginning): Promise<Begun> {
  const { lease, files } = beginning;
  const started = ticks();
  const dead = new Set<string>();
  let ticket: string | null = null;
  for (;;) {
    const now = thisMoment();
    const question = questionFor(ground, beginning);
    const answer = await ask(ground, beginning, { question, ticket, dead });
    if ("files" in answer) {
      lease.extend(now);
      return begunBy(ground, beginning, question, answer);
    }
    if ("claimed" in answer) {
      for (const claimed of answer.claimed) await takeOver(ground, claimed, lease);
      continue;
    }
    if (answer.token !== null && answer.holder && isDead(ground, answer.token, answer.holder)) {
      if (!dead.has(answer.token)) {
        dead.add(answer.token);
        continue;
      }
    }
    ticket = answer.ticket;
    if (ticks() - started >= ground.wait) throw busy(files, answer, ticks() - started);
    const pause = Math.min(longestTurn, 2 + 4 * answer.ahead + (ticks() - started) / 50);
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random() / 2)));
  }
}

function questionFor(ground: Ground, { files, agent }: Beginning): RecordQuestion[] {
  return ground.columns(files).map((file) => ground.records.question(file, columnOf(agent)));
}

async function ask(
  { database, tree, lease: length, processes, clock }: Ground,
  { agent, lease, records, intent }: Beginning,
  {
    question,
    ticket,
    dead,
  }: { question: readonly RecordQuestion[]; ticket: string | null; dead: ReadonlySet<string> },
): Promise<Answer> {
  const holder = JSON.stringify({ ...processes.self(), since: clock() });
  const values = [
    ...[tree, lease.token, columnOf(agent), holder, length, ticket, [...dead], intent],
    ...[question.map(({ file }) => file), question.map(({ mark }) => mark), records.map(columnOf)],
  ];
  const text = "select kedge.begin_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as answer";
  const [row] = await database.ask(text, values);
  return JSON.parse(row?.answer as string) as Answer;
}

function begunBy(
  { records: known, columns, names }: Ground,
  { files, records }: Beginning,
  question: readonly RecordQuestion[],
  answer: Loaded,
): Begun {
  const taken = new Map(
    question.map((one, at) => [one.file, known.take(one, answer.files[at] as LoadedFile)] as const),
  );
  return {
    files: new Map(files.map((file) => [file.key, taken.get(columns([file])[0] as string) as FileRecord])),
    records: new Map(
      records.map((name, at) => {
        const found = answer.records[at] ?? null;
        return [name, found && { ...found, value: names.value(name, found.value) }];
      }),
    ),
  };
}

async function takeOver({ database, names, disk }: Ground, claimed: Claimed, lease: Lease): Promise<void> {
  putRight(claimed, names, disk);
  await database.ask("select kedge.settle_1($1, $2)", [claimed.token, lease.token]);
}

/** Known from here: a process of this machine that is gone, or a call of this process that ended. */
function isDead({ processes, leases }: Ground, token: string, holder: Holder): boolean {
  if (holder.copy === processes.self().copy) return !leases.has(token);
  return processes.isAlive(holder) === false;
}

function busy(files: readonly FileId[], { holder, bound }: Waiting, waited: number): PortError {
  const paths = files.map(({ path }) => path).join(", ");
  const seconds = Math.max(1, Math.round(waited / 1000));
  if (holder === null) return new PortError("busy", `${paths}: others have waited longer; try again`);
  const who = `process ${holder.pid} on ${holder.host}`;
  if (bound)
    return new PortError(
      "busy",
      `${paths}: ${who} is not heard of, and may be writing in place; a Kedge on that host puts it right, else it is taken over after an hour`,
    );
  return new PortError("busy", `${paths} is held by ${who}; waited ${seconds} s; try again`);
}
