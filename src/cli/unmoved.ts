import type { EditToolDetails } from "../core/index.js";
import { type Result, Session } from "../session/index.js";
import { type Args, UsageError } from "./args.js";
import type { Opened } from "./open.js";
import type { Editor } from "./stateless.js";

/** Who makes the edits: with --unmoved, one that lets no edit through whose lines have moved. */
export function editorFor(args: Args, { editor, options }: Opened): Pick<Editor, "edit" | "multiEdit"> {
  if (!args.has("unmoved")) return editor;
  if (args.has("stateless")) throw new UsageError("--unmoved needs the record that --stateless goes without");
  const session = new Session({ ...options, unmoved: true });
  return {
    edit: async (request) => withAdvice(await session.edit(request)),
    multiEdit: async (request) => withAdvice(await session.multiEdit(request)),
  };
}

const usualAdvice = "; keep using the anchors you were shown";

/** Where lines do not relocate, anchors below an edit that added or removed lines are of no use. */
function withAdvice<Done extends Result>(result: Done): Done {
  if (result.isError) return result;
  const moved = filesOf(result).some(({ diff }) => {
    const rows = diff.split("\n").slice(2);
    // A cut diff does not tell the balance.
    if (rows.at(-2)?.startsWith("[diff cut")) return true;
    return (
      rows.filter((row) => row.startsWith("+")).length !== rows.filter((row) => row.startsWith("-")).length
    );
  });
  const advice = moved ? "; lines below it have moved: read them again before you name them" : "";
  return { ...result, text: result.text.replaceAll(usualAdvice, advice) };
}

function filesOf({ details }: Result): readonly EditToolDetails[] {
  const { files } = details as { readonly files?: readonly EditToolDetails[] };
  return files ?? [details as EditToolDetails];
}
