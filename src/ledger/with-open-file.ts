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
} from "../ports/index.js";
import type { Codec, Document } from "../text/index.js";
import { type AgentLedger, hasSeen, isCurrent } from "./agent-ledger.js";
import { epochOf } from "./epochs.js";
import { agentLedger, loadLedger, type StateRecord } from "./file-ledger.js";
import { parse } from "./file-texts.js";
import type { GatePolicy } from "./gate.js";
import { type FileContext, OpenFile } from "./open-file.js";

export async function contextOf(env: Env): Promise<FileContext> {
  const epoch = await epochOf(env);
  const { files, store, agent, clock, codec } = env;
  return { files, store, agent, epoch, clock, now: clock(), codec };
}

/** Opens one file while nobody else holds it. */
export async function withOpen<T>(path: string, env: Env, use: (opened: OpenFile) => Promise<T>): Promise<T> {
  return withFile(await env.files.identify(path), env, use);
}

export async function withFile<T>(file: FileId, env: Env, use: (opened: OpenFile) => Promise<T>): Promise<T> {
  const context = await contextOf(env);
  const body = async (held: Held): Promise<T> => use(await OpenFile.open(held, file, context));
  return env.files.hold([file], body, env.signal);
}

/** A file that is as the agent saw it last. */
interface Peek {
  readonly agent: AgentLedger;
  /** The newest one recorded, which is the text now. */
  readonly state: number;
  readonly document: Document;
}

/**
 * Looks without a lock, and writes nothing down: most files are as the agent saw them last. What is seen of a file while
 * somebody writes it is no version that was recorded, and is not clear. What the ledger makes not worth a look is not
 * read.
 */
export async function peek(
  file: FileId,
  env: Env,
  isWorth: (agent: AgentLedger, newest: StateRecord) => boolean = () => true,
): Promise<"missing" | "unseen" | "unclear" | Peek> {
  const context = await contextOf(env);
  const ledger = await loadLedger(env.store, file.key);
  const agent = agentLedger(ledger, context);
  const state = ledger.states.length - 1;
  const newest = ledger.states[state];
  if (!hasSeen(agent)) return "unseen";
  if (!newest || !isCurrent(agent, state) || !isWorth(agent, newest)) return "unclear";
  const bytes = await env.files.read(file);
  if (!bytes) return "missing";
  const document = await parse(bytes, newest.encoding, context);
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

/** What a call needs of its surroundings. */
export interface Env {
  readonly files: Files;
  readonly store: LedgerStore;
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
