import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ifThere } from "../../../host/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { decodeText, readInput } from "../../input.js";
import { open } from "../../open-workspace.js";
import { showEdit } from "../../print/result.js";
import { quoted } from "../../print/shell-wording.js";

export const run: Run = async (context) => {
  const { args } = context;
  const path = args.positionals[0] as string;
  const from = args.text("from") ?? "-";
  const content = decodeText(await readInput(from, context), from);
  if (content === "" && !args.has("from")) checkMeant(path, context);
  const opened = await open(context, [path]);
  return showEdit(context, opened, await opened.editor.write({ path, content, dryRun: args.has("dry-run") }));
};

/** Refuses to empty a file by an empty stdin: a command that failed pipes in nothing. A new file may be empty. */
function checkMeant(path: string, { cwd }: Context): void {
  const now = ifThere(() => statSync(resolve(cwd, path)));
  if (!now?.isFile() || now.size === 0) return;
  throw new UsageError(
    `stdin is empty: that would empty ${path}`,
    `if that is meant: kedge write --from /dev/null -- ${quoted(path)}`,
  );
}
