import type { Result } from "../session/index.js";
import type { Context } from "./context.js";
import type { Opened } from "./open.js";
import { showResult } from "./show.js";

/** Prints what became of a call that writes; who is refused without being known is told how to say who it is. */
export function showEdit(context: Context, { identity }: Opened, result: Result): number {
  const status = showResult(context, result, withText(result));
  if (result.isError && identity.source === "shared" && !context.args.has("stateless"))
    context.output.err.line(
      "kedge: nothing tells who is calling; give --session ID in every call, or set KEDGE_SESSION",
    );
  return status;
}

/** What the answer shows counts as shown: whoever takes it as JSON has to get it, too. */
function withText({ details, text }: Result): object {
  return { ...(details as object), text };
}
