/** Dismisses lost edits: they are listed no more, and stay in the journal. */
import { type CallEnv, journalLoss } from "../ledger/index.js";
import { PortError } from "../ports/index.js";
import { forgetTool, type LostRequest } from "./find-lost.js";
import { type LostEdit, lost } from "./lost.js";

export async function forget(
  ids: readonly string[],
  request: LostRequest,
  env: CallEnv,
): Promise<readonly LostEdit[]> {
  const all = await lost({ ...request, overwritten: true }, env);
  const isNamed = ({ id, batch }: LostEdit, name: string): boolean => id === name || batch === name;
  const unknown = ids.find((name) => !all.some((edit) => isNamed(edit, name)));
  if (unknown !== undefined)
    throw new PortError("not_found", `edit ${unknown} is not lost; nothing was dismissed`);
  const named = all.filter((edit) => ids.some((name) => isNamed(edit, name)));
  for (const { id, path, lines } of named) {
    const file = await env.files.identify(path);
    await journalLoss(file, { tool: forgetTool, before: null, after: null, lines, edits: [id] }, env);
  }
  return named;
}
