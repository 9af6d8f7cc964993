import type { Edit } from "../../../edits/index.js";
import { type Args, UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { decodeText, readInput } from "../../input.js";
import { editorFor, open } from "../../open-workspace.js";
import { showEdit } from "../../print/result.js";

export const run: Run = async (context) => {
  const { args } = context;
  const [path, anchor] = args.positionals as [string, string];
  const edit = await editOf(anchor, context);
  const opened = await open(context, [path]);
  const request = { path, edits: [edit], dryRun: args.has("dry-run") };
  return showEdit(context, opened, await editorFor(args, opened).edit(request));
};

async function editOf(anchor: string, context: Context): Promise<Edit> {
  const { args } = context;
  const end = args.text("end");
  const chosen = ["after", "before", "delete"].filter((flag) => args.has(flag));
  const [kind] = chosen;
  if (chosen.length > 1)
    throw new UsageError(`${chosen.map((flag) => `--${flag}`).join(" and ")} exclude each other`);
  if (end !== undefined && (kind === "after" || kind === "before"))
    throw new UsageError(`--end goes with a range, not with --${kind}`);
  if (kind === "delete") {
    if (args.positionals[2] !== undefined || args.has("from"))
      throw new UsageError("--delete takes no new text");
    return { op: "delete_lines", start: anchor, ...(end === undefined ? {} : { end }) };
  }
  const text = await textOf(args, context);
  if (kind !== undefined) return { op: kind === "after" ? "insert_after" : "insert_before", anchor, text };
  return end === undefined
    ? { op: "set_line", anchor, text }
    : { op: "replace_lines", start: anchor, end, text };
}

async function textOf(args: Args, context: Context): Promise<string> {
  const given = args.positionals[2];
  const from = args.text("from") ?? (given === "-" ? "-" : undefined);
  if (given !== undefined && given !== "-" && from !== undefined)
    throw new UsageError("the new text is given twice: as CONTENT and by --from");
  if (from !== undefined) return inputText(from, context);
  if (given !== undefined) return given;
  throw new UsageError(
    "the new text is missing",
    "give it as CONTENT, by --from FILE, by --from - (stdin), or use --delete",
  );
}

/** Refuses an empty input: a command that failed pipes in nothing, and an empty line would replace the text. */
async function inputText(from: string, context: Context): Promise<string> {
  const text = decodeText(await readInput(from, context), from).replace(/^\ufeff/, "");
  if (text !== "") return text;
  throw new UsageError(
    `${from === "-" ? "stdin" : from} is empty`,
    "an empty line is '' as CONTENT, or a line break; to delete, --delete",
  );
}
