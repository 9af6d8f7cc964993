import { handleFor } from "./agent.js";
import type { JournalEntry, PortError } from "./ports.js";
import type { Env } from "./result.js";

/** A refusal that did not get as far as a file's ledger. */
export interface Thrown extends Pick<PortError, "code" | "message"> {
  readonly tool: string;
  readonly path: string;
  readonly lines?: JournalEntry["lines"];
}

/** What cannot be journaled is refused all the same. */
export async function journalThrown(
  { tool, path, code, message, lines = [] }: Thrown,
  env: Env,
): Promise<void> {
  const { agent, store, files } = env;
  const time = env.clock();
  const id = `${time.toString(36)}-${handleFor(path, [message]).slice(1)}`;
  const file = await files.identify(path).then(
    ({ key }) => key,
    () => path,
  );
  const entry = { id, time, agent, tool, kind: "refusal", path, file, code, lines } as const;
  await store.append({ ...entry, before: null, after: null, cause: message.slice(0, 200) }).catch(() => {});
}

/** Somebody else was there first: an anchor that is wrong in itself is no collision, nor is an edit that cannot be taken back. */
export function isCollision({ kind, code, tool }: JournalEntry): boolean {
  return kind === "refusal" && (code === "stale" || code === "deleted") && !isTakingBack(tool);
}

/** Whether what was refused is no edit of its own. */
export function isTakingBack(tool: string): boolean {
  return tool === "undo" || tool === "restore";
}
