import { exitStatus } from "../../../edits/index.js";
import { editNames, type RestoreDetails, type RestoreRefusal } from "../../../lost/index.js";
import { displayName, visible } from "../../../text/index.js";
import { UsageError } from "../../args.js";
import type { Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { open } from "../../open-workspace.js";
import type { Stream } from "../../print/output.js";
import { paintDiff, showResult, staleDiff } from "../../print/result.js";
import { lookingAt, needsRecord } from "./lost.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  const ids = args.positionals;
  const all = args.has("all");
  needsRecord(args);
  if (args.has("forget") && ids.length === 0)
    throw new UsageError("restore --forget needs the ids of edits", "`kedge lost` lists them");
  if (all && ids.length > 0) throw new UsageError("--all and IDs exclude each other");
  if (!all && ids.length === 0)
    throw new UsageError("restore needs the ids of edits, or --all", "`kedge lost` lists them");
  const opened = await open(context);
  if (args.has("forget")) {
    for (const { id, path } of await opened.session.forget(ids, lookingAt(context, opened)))
      output.out.line(`${visible(path)}: edit ${id} is listed no more`);
    return done;
  }
  const result = await opened.session.restore({ ...lookingAt(context, opened), ids, all });
  const details = result.details as RestoreDetails;
  if (!details.restored) {
    const status = showResult(context, result);
    output.err.line("kedge: `kedge lost` lists what is lost, with ids");
    return status;
  }
  if (args.has("json")) output.out.line(JSON.stringify(details));
  else show(details, output.out);
  for (const { warnings = [] } of details.restored)
    for (const warning of warnings) output.err.line(`kedge: ${warning}`);
  for (const refusal of details.refused) explain(refusal, output.err);
  return details.code ? exitStatus(details.code) : done;
};

function show({ status, restored, already }: RestoreDetails, out: Stream): void {
  for (const { path, ids, diff } of restored) {
    out.line(`${visible(path)}: ${editNames(ids)} restored`);
    if (diff !== "") out.line(paintDiff(diff, out));
  }
  for (const { path, ids } of already) out.line(`${visible(path)}: ${editNames(ids)} already there`);
  if (status === "noop" && already.length === 0) out.line("[nothing is lost]");
}

/** Says which lines are in the way, who wrote them, and what to do. */
function explain(refusal: RestoreRefusal, err: Stream): void {
  const { message, mismatches, needs, ids, code } = refusal;
  err.line(err.paint("red", `kedge: ${visible(message)}`));
  const diff = staleDiff(refusal);
  if (diff !== "") err.raw(paintDiff(diff, err));
  const writers = new Map(mismatches.flatMap(({ line, by }) => (line && by ? [[line, by] as const] : [])));
  for (const [line, by] of writers)
    err.line(`  line ${line} was written by ${by === "you" ? by : visible(displayName(by))}`);
  if (needs) err.line(`  run \`kedge restore ${[...needs, ...ids].join(" ")}\``);
  else if (code === "stale" && mismatches.length > 0)
    err.line(
      "  `kedge lost --json` has the edit's own diff: bring it in by hand, or clear the place and try again",
    );
}
