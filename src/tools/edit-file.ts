import { editsFromJson } from "../edits/index.js";
import { promptRules } from "../ledger/index.js";
import { lineEdits, strayEdit } from "./edits.js";
import { defineTool } from "./tool.js";

export const exampleEdit = { op: "set_line", anchor: "12#0f0dd9", text: "the new line" } as const;

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit a file",
  description:
    "Edit one file, all or nothing. All anchors of a call mean the text as it was before.\n" +
    "set_line anchor,text (one line becomes any number)\n" +
    "replace_lines start,end,text (both ends included)\n" +
    "insert_after, insert_before anchor,text\n" +
    "delete_lines start,end\n" +
    "append, prepend text (to the file)\n" +
    "replace_text old,new (literal; unique or all; in anchor..end if given)\n" +
    "move_lines, copy_lines start,end,after\n" +
    "text: lines joined by \\n, without anchors. retry: a refusal's handle, instead of edits.\n" +
    promptRules,
  properties: {
    path: { type: "string" },
    edits: lineEdits,
    retry: { type: "string" },
    dry_run: { type: "boolean" },
  },
  required: ["path"],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  aliases: { edit: "edits", changes: "edits" },
  example: { path: "src/a.ts", edits: [exampleEdit] },
  call(session, args, { signal }) {
    const path = args.path();
    if (args.stray(["files"])) throw args.bad("send path and edits; files go to multi_edit");
    const edits = args.raw("edits") ?? strayEdit(args);
    const retry = args.text("retry");
    const dryRun = args.flag("dry_run") ?? false;
    if (edits !== undefined && retry !== undefined) throw args.bad("send edits or retry, not both");
    if (retry !== undefined) return session.edit({ path, retry, dryRun, signal });
    if (edits === undefined) throw args.bad("edits is missing");
    return session.edit({ path, edits: editsFromJson(edits), dryRun, signal });
  },
});
