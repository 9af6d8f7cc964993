/** Tells an agent once that its commit takes lines of other agents along, and never holds the commit up. */
import { resolve } from "node:path";
import { withoutSecrets } from "../text/index.js";
import type { GuardContext } from "./context.js";
import type { Answer, Event } from "./event.js";
import { takesAlong } from "./messages.js";

/** `git add FILE`, `git add .`, `git commit -a`: all lines of the files, whosever. */
const adding = /\bgit\b(?:\s+-[cC]\s+\S+)*\s+(?:add|stage)\s+([^;&|<>\n]+)/;
const committing = /\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b([^;&|<>\n]*)/;
const everything = /^(?:-[a-zA-Z]*[Aua]|--all|--update|\.|\*|:\/)$/;

/** The words whose lines a command takes; [] for the whole tree; null if it takes none. */
function namedIn(command: string): string[] | null {
  const [, added] = adding.exec(command) ?? [];
  if (added !== undefined) {
    const words = added
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
    if (words.some((word) => /^(-[a-zA-Z]*[pien]|--patch|--interactive|--dry-run)$/.test(word))) return null;
    return words.some((word) => everything.test(word)) ? [] : words.filter((word) => !word.startsWith("-"));
  }
  const [, flags] = committing.exec(command) ?? [];
  return flags !== undefined && /\s(?:-[b-zB-Z]*a[a-zA-Z]*|--all)(?=\s|$)/.test(flags) ? [] : null;
}

type Command = Extract<Event, { kind: "command" }>;

export async function commitNote({ command, where }: Command, place: GuardContext): Promise<Answer> {
  const { store, agent, cwd, log } = place;
  const words = namedIn(command);
  if (words === null || store.notes.all("commit", agent).length > 0) return {};
  try {
    const others = await othersIn(words, resolve(cwd, where ?? "."), place);
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
  words: readonly string[],
  folder: string,
  { files, store, agent, root }: GuardContext,
): Promise<{ path: string; agents: string[] }[]> {
  // Loaded for such a command alone: a hook starts with every call.
  const { agentsIn, repositoryOf } = await import("../authors/index.js");
  const repository = repositoryOf(root);
  if (!repository) return [];
  const paths = words.map((word) => resolve(folder, word));
  return agentsIn({ repository, files, store }, paths, agent);
}
