/** Tells an agent once that its commit takes lines of other agents along, and never holds the commit up. */
import { resolve } from "node:path";
import { withoutSecrets } from "../text/index.js";
import { takenByGit } from "../tree/index.js";
import type { GuardContext } from "./context.js";
import type { Answer, Event } from "./event.js";
import { takesAlong } from "./messages.js";

type Command = Extract<Event, { kind: "command" }>;

export async function commitNote({ command, where }: Command, place: GuardContext): Promise<Answer> {
  const { store, agent, cwd, log } = place;
  if (!command.includes("git") || store.notes.all("commit", agent).length > 0) return {};
  try {
    const takings = takenByGit(command, resolve(cwd, where ?? "."));
    const others = takings.length === 0 ? [] : await othersIn(takings, place);
    if (others.length === 0) return {};
    store.notes.add("commit", agent, true);
    const note = takesAlong(others, withoutSecrets(command));
    if (place.tellsBefore) return { tell: note };
    store.notes.add("told", agent, note);
  } catch (error) {
    log(`lines of others in a commit were not looked for: ${error instanceof Error ? error.message : error}`);
  }
  return {};
}

/** Files with uncommitted lines of other agents, and theirs. */
async function othersIn(
  takings: ReturnType<typeof takenByGit>,
  { files, store, agent, root }: GuardContext,
): Promise<{ path: string; agents: string[] }[]> {
  // Loaded for such a command alone: a hook starts with every call.
  const { agentsIn, repositoryOf } = await import("../authors/index.js");
  const repository = repositoryOf(root);
  return repository ? agentsIn({ repository, files, store }, takings, agent) : [];
}
