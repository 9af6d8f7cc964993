import type { Door } from "../core/index.js";
import { type NodeStore, StateError } from "../node/index.js";
import { type Files, type Json, PortError, type Session } from "../session/index.js";
import type { QuoteNames, Recalled } from "./event.js";

/** What a guard works with: one agent's session in one workspace. */
export interface Workplace {
  readonly session: Session;
  /** The session of the workspace that a file belongs to. */
  readonly sessionFor: (path: string) => Session;
  readonly files: Files;
  readonly store: NodeStore;
  readonly agent: string;
  readonly cwd: string;
  /** The client's name for the call that the event is about. */
  readonly call?: string;
  /** The top of the workspace. */
  readonly root: string;
  readonly clock: () => number;
  readonly door: Door;
  readonly names?: QuoteNames;
  readonly tellsBefore: boolean;
  /** Calls of one answer run at the same time. */
  readonly parallel: boolean;
  /** Arguments can be rewritten. */
  readonly rewrites: boolean;
  /** What the model was sent since the last compaction. */
  readonly recall: (isLate: () => boolean) => Recalled | "later";
  /** A name for what the conversation has left behind, if it was taken back; absent where that cannot be told. */
  readonly takenBack?: () => string | null;
  /** What cannot be checked of a file is not let through. */
  readonly failsClosed: (path: string) => boolean;
  /** Characters of notes that still reach the model with this answer. */
  readonly room: { left: number };
  /** What is not as it should be, though it works. */
  readonly troubles: readonly string[];
  /** What the person should know of the project's configuration. */
  readonly asides: readonly string[];
  readonly log: (line: string) => void;
}

/** Files the agent has seen are those that shell output may show more of. */
export function seen({ store, agent }: Workplace, path: string): void {
  const known = store.notes.all("seen", agent);
  if (!known.includes(path as Json)) store.notes.add("seen", agent, path);
}

/** What only observes never stands in the way: a file that cannot be looked at is not counted as seen. */
export async function attempt(place: Workplace, path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof PortError) || error instanceof StateError) throw error;
    if (error.code !== "not_found") place.log(`${path}: ${error.code}: ${error.message}`);
  }
}
