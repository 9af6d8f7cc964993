/** An agent's own edits that are gone because the text came back: it is told once. */
import { takenBackText } from "../core/index.js";
import type { OpenFile } from "./open.js";
import type { Env } from "./result.js";

/** At most one. */
export async function takenBackNotes(opened: OpenFile, env: Env): Promise<string[]> {
  const { agent, file } = opened;
  if (agent.takenBack.length === 0) return [];
  opened.update({ ...agent, takenBack: [] });
  // An edit that was made again since stands.
  const gone = new Set(agent.takenBack.filter((version) => version !== opened.document?.version));
  if (gone.size === 0) return [];
  const entries = await env.store.journal({ file: file.key });
  const ids = entries
    .filter(({ kind, agent, after }) => kind === "commit" && agent === env.agent && gone.has(after ?? ""))
    .map(({ id }) => id);
  return [takenBackText(file.path, ids)];
}
