/** Files while they are held. */
import type { SchemeName } from "../anchors/index.js";
import type { Voice } from "../answers/index.js";
import type { OnStale } from "../merge/index.js";
import {
  type Cancellation,
  type Clock,
  type FileId,
  type Files,
  type Held,
  type LedgerStore,
  type Measure,
  PortError,
  type StoreReader,
  type TreeWatch,
  type Unit,
} from "../ports/index.js";
import type { Codec, Document } from "../text/index.js";
import { type AgentLedger, hasSeen, isCurrent } from "./agent-ledger.js";
import { epochOf } from "./agents.js";
import { ledgerFrom, type StateRecord } from "./file-ledger.js";
import { parse } from "./file-texts.js";
import type { GatePolicy } from "./gate.js";
import { type FileContext, OpenFile } from "./open-file.js";
import { Recorder } from "./recorder.js";

/**
 * Runs the body while nobody else holds the files. The body is given an environment of its own: inside, only the unit
 * is asked. The records of a call are written when it ends, if they were not written before.
 */
export async function withFiles<T>(
  files: readonly FileId[],
  env: CallEnv,
  body: (held: Held, env: UnitEnv) => Promise<T>,
  isWriting = false,
): Promise<T> {
  const { store, agent, signal } = env;
  const begin = (held: Held): Promise<T> => {
    const run = async (unit: Unit): Promise<T> => {
      const recorder = new Recorder(unit);
      const { fence } = unit;
      const fenced: Held = fence ? { ...held, commit: (writes) => held.commit(writes, fence) } : held;
      try {
        return await body(fenced, { ...env, store: recorder });
      } finally {
        await recorder.finish();
      }
    };
    return store.unit(files, agent, run, isWriting ? held.intent : undefined);
  };
  return env.files.hold(files, begin, signal);
}

export async function contextOf(env: Look & Pick<UnitEnv, "store">): Promise<FileContext> {
  const epoch = await epochOf(env);
  const { files, store, agent, clock, codec } = env;
  return { files, store, agent, epoch, clock, now: clock(), codec };
}

/** The options of a look at a file. */
export type Look = Pick<Env, "files" | "store" | "agent" | "clock" | "codec">;

/** For a look without a lock, of which nothing is recorded. */
export async function lookingContext(env: Look): Promise<FileContext> {
  const { store } = env;
  const reading: Unit = {
    look: (file, agent) => store.look(file, agent),
    versions: (ids) => store.versions(ids),
    journal: (query) => store.journal(query),
    journalSince: (mark) => store.journalSince(mark),
    record: (name) => store.record(name),
    finish: async () => {},
  };
  return contextOf({ ...env, store: new Recorder(reading) });
}

type Use<T> = (opened: OpenFile, env: UnitEnv, held: Held) => Promise<T>;

/** Opens one file while nobody else holds it. */
export async function withOpen<T>(path: string, env: CallEnv, use: Use<T>): Promise<T> {
  return withFile(await env.files.identify(path), env, use);
}

export async function withFile<T>(file: FileId, env: CallEnv, use: Use<T>): Promise<T> {
  return withFiles([file], env, async (held, inner) =>
    use(await OpenFile.open(held, file, await contextOf(inner)), inner, held),
  );
}

/** A file that is as the agent saw it last. */
interface Peek {
  readonly agent: AgentLedger;
  /** The newest one recorded, which is the text now. */
  readonly state: number;
  readonly document: Document;
}

/**
 * Looks without a lock, and writes nothing down: most files are as the agent saw them last. A file that is read while
 * somebody writes it shows no recorded version, and proves nothing. Records that make a look useless are not read.
 */
export async function peek(
  file: FileId,
  env: Env,
  isWorth: (agent: AgentLedger, newest: StateRecord) => boolean = () => true,
): Promise<"missing" | "unseen" | "unclear" | Peek> {
  const ledger = ledgerFrom(await env.store.look(file.key, env.agent), await epochOf(env));
  const { agent } = ledger;
  const state = ledger.states.length - 1;
  const newest = ledger.states[state];
  if (!hasSeen(agent)) return "unseen";
  if (!newest || !isCurrent(agent, state) || !isWorth(agent, newest)) return "unclear";
  const bytes = await env.files.read(file);
  if (!bytes) return "missing";
  const document = await parse(bytes, newest.encoding, env);
  return document.version === newest.version ? { agent, state, document } : "unclear";
}

const olderStates = 8;

/** Texts of the last few states before the file now, the newest first, as far as they are kept. */
export async function* olderTexts(
  opened: OpenFile,
): AsyncGenerator<{ readonly at: number; readonly text: Document }> {
  const newest = opened.states.length - 1;
  for (let at = newest - 1; at >= Math.max(0, newest - olderStates); at--) {
    const text = await opened.textAt(at);
    if (text) yield { at, text };
  }
}
/** Files that are too large to be read: they are known by their size and hash, and can be deleted or moved. */

export function isTooLarge(error: unknown): error is PortError {
  return error instanceof PortError && error.code === "too_large";
}

/** Opens a file for what needs none of its text. */
export async function openAny(held: Held, file: FileId, context: FileContext): Promise<OpenFile> {
  try {
    return await OpenFile.open(held, file, context);
  } catch (error) {
    const measure = isTooLarge(error) ? await held.measure?.(file) : null;
    if (!measure) throw error;
    const opened = await OpenFile.of(standIn(measure), file, context);
    opened.measure = measure;
    return opened;
  }
}

/** One line in the place of its text; with NUL, so that nobody takes it for that. */
function standIn({ size, hash }: Measure): Uint8Array {
  return new TextEncoder().encode(`\0${size} bytes, hash ${hash}`);
}

/** Nothing is kept under the name for a measure: what stands in for a text must never be brought back as one. */
export function versionOf({ document, measure }: OpenFile): string | null {
  return measure ? `${measure.hash}-${measure.size}` : (document?.version ?? null);
}

/** The surroundings of a call. */
export interface Env {
  readonly files: Files;
  readonly store: StoreReader;
  readonly agent: string;
  readonly clock: Clock;
  readonly gate: GatePolicy;
  readonly onStale: OnStale;
  readonly unmoved: boolean;
  /** Nothing is recorded of what was shown: how far from its number a line may have moved that only its hash tells. */
  readonly within?: number | undefined;
  readonly anchors: SchemeName;
  readonly voice: Voice;
  readonly codec: Codec | null;
  /** Ends the call while nothing is written yet. */
  readonly signal?: Cancellation | undefined;
}

/** The surroundings of a call that holds no file yet. */
export interface CallEnv extends Env {
  readonly store: LedgerStore;
  readonly watch?: TreeWatch;
}

/** The surroundings of a call while it holds files. */
export interface UnitEnv extends Env {
  readonly store: Recorder;
}
