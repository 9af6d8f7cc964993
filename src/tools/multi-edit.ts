import type { FileRequest } from "../calls/index.js";
import { editsFromJson, isFields } from "../edits/index.js";
import { promptRules } from "../ledger/index.js";
import { type Arguments, parsed, shown } from "./arguments.js";
import { exampleEdit } from "./edit-file.js";
import { fileEdits, isEdit } from "./edits.js";
import { defineTool } from "./tool.js";

export const multiEdit = defineTool({
  name: "multi_edit",
  title: "Edit several files",
  description:
    "edit_file for several files, all of them or none; also create_file text, delete_file, move_file to.\n" +
    promptRules,
  properties: {
    files: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, edits: fileEdits },
        required: ["path", "edits"],
      },
    },
    retry: { type: "string" },
    dry_run: { type: "boolean" },
  },
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  example: {
    files: [
      { path: "src/a.ts", edits: [exampleEdit] },
      { path: "src/b.ts", edits: [{ op: "create_file", text: "the first line\n" }] },
    ],
  },
  call(session, args, { signal }) {
    const beside = args.stray(["path", "file_path", "edits"]);
    const given = args.raw("files") ?? beside;
    if (beside && given !== beside) throw args.bad("send files alone, each with its own path and edits");
    const retry = args.text("retry");
    const dryRun = args.flag("dry_run") ?? false;
    if (given !== undefined && retry !== undefined) throw args.bad("send files or retry, not both");
    if (retry !== undefined) return session.multiEdit({ retry, dryRun, signal });
    if (given === undefined) throw args.bad("files is missing");
    return session.multiEdit({ files: filesOf(given, args), dryRun, signal });
  },
});

function filesOf(given: unknown, args: Arguments): FileRequest[] {
  const value = parsed(given);
  const list = Array.isArray(value) ? value : isFields(value) ? [value] : null;
  if (!list || list.length === 0) throw args.bad(`files must be a list of files; got ${shown(given)}`);
  return list.map((item, at) => fileOf(parsed(item), at, args));
}

function fileOf(item: unknown, at: number, args: Arguments): FileRequest {
  if (!isFields(item)) throw args.bad(`files[${at}] must be an object; got ${shown(item)}`);
  const { path = item.file_path, edits, ...rest } = item;
  if (typeof path !== "string" || path === "") throw args.bad(`files[${at}]: path is missing`);
  // A dry run that is ignored here would be written.
  const dry = Object.keys(rest).find((name) => /^dry[_-]?run$/i.test(name) && rest[name]);
  if (dry) throw args.bad(`files[${at}]: ${dry} stands beside files, not in one of them`);
  if (edits !== undefined) return { path, edits: editsFromJson(edits) };
  if (isEdit(rest)) return { path, edits: editsFromJson([rest]) };
  throw args.bad(`files[${at}]: edits is missing`);
}
