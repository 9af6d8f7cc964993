/** Files while they are held. */
import type { Document } from "../core/index.js";
import { epochOf } from "./agent.js";
import { type AgentLedger, hasSeen, isCurrent } from "./ledger.js";
import { loadLedger } from "./ledgers.js";
import { type Context, OpenFile } from "./open.js";
import type { FileId, Held } from "./ports.js";
import { agentLedger, type StateRecord } from "./record.js";
import type { Env } from "./result.js";
import { parse } from "./texts.js";

export async function contextOf(env: Env): Promise<Context> {
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
