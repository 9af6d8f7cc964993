/** Work that went away without anybody's edit: told to who ran the command, and to whose it was. */
import { withoutSecrets } from "../core/index.js";
import { gitCommits } from "../node/index.js";
import type { LostEdit } from "../session/index.js";
import type { Workplace } from "./place.js";
import * as words from "./words.js";

/** Looks, and says what the agent is to know; the owners hear of it with their next call. */
export async function lossNotes(
  { tool, command: given }: { readonly tool: string; readonly command?: string },
  place: Workplace,
): Promise<string[]> {
  // Notes for others are kept until their next call.
  const command = given === undefined ? undefined : withoutSecrets(given);
  const { session, store, agent, cwd, root } = place;
  const cause = {
    tool,
    commits: gitCommits({ base: cwd, root }),
    ...(command === undefined ? {} : { command }),
  };
  const lost = await session.lostBy(cause);
  if (lost.length === 0) return [];
  for (const [owner, edits] of byOwner(lost))
    if (owner !== agent)
      store.notes.add("told", owner, words.lostNote(edits, { command, agent, isOwner: true }));
  return [words.lostNote(lost, { command, agent, isOwner: false })];
}

function byOwner(lost: readonly LostEdit[]): Map<string, LostEdit[]> {
  const owners = new Map<string, LostEdit[]>();
  for (const edit of lost) owners.set(edit.agent, [...(owners.get(edit.agent) ?? []), edit]);
  return owners;
}
