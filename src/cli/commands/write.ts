import type { Run } from "../context.js";
import { decodeText, readInput } from "../input.js";
import { open } from "../open.js";
import { showEdit } from "../sent.js";

export const run: Run = async (context) => {
  const { args } = context;
  const path = args.positionals[0] as string;
  const from = args.text("from") ?? "-";
  const content = decodeText(await readInput(from, context), from);
  const opened = await open(context, [path]);
  return showEdit(context, opened, await opened.editor.write({ path, content, dryRun: args.has("dry-run") }));
};
