import { filesOfRetry } from "../../../calls/index.js";
import { nodeStore, recordedWorkspaces } from "../../../store/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { editorFor, type Opened, open } from "../../open-workspace.js";
import { showEdit } from "../../print/result.js";

export const run: Run = async (context) => {
  const { args } = context;
  const [handle] = args.positionals as [string];
  if (args.has("stateless"))
    throw new UsageError("retry needs the record, and --stateless keeps none", "leave out --stateless");
  const opened = await openFor(handle, context);
  const editor = editorFor(args, opened);
  return showEdit(context, opened, await editor.multiEdit({ retry: handle, dryRun: args.has("dry-run") }));
};

/** The workspace in which the handle was given to this agent; that of the working directory if none is known. */
async function openFor(handle: string, context: Context): Promise<Opened> {
  const here = await open(context);
  const { state, identity } = here;
  const { id: agent } = identity;
  if (await filesOfRetry({ store: here.store, agent }, handle)) return here;
  for (const workspace of recordedWorkspaces({ state })) {
    const store = nodeStore({ state, workspace, brief: true });
    const files = await filesOfRetry({ store, agent }, handle);
    if (files) return open(context, files, workspace);
  }
  return here;
}
