/** Files while they are held. */
import type { Document } from "../core/index.js";
import { epochOf } from "./agent.js";
import { type Context, OpenFile } from "./open.js";
import type { Env } from "./result.js";

export async function contextOf(env: Env): Promise<Context> {
  const epoch = await epochOf(env);
  return { files: env.files, store: env.store, agent: env.agent, epoch, now: env.clock(), codec: env.codec };
}

/** Opens one file while nobody else holds it. */
export async function withOpen<T>(path: string, env: Env, use: (opened: OpenFile) => Promise<T>): Promise<T> {
  const file = await env.files.identify(path);
  const context = await contextOf(env);
  return env.files.hold([file], async (held) => use(await OpenFile.open(held, file, context)));
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
