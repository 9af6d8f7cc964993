import { patchOfPlan, planWork } from "../../../authors/index.js";
import { visible } from "../../../text/index.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { paintDiff } from "../../print/result.js";
import {
  answering,
  needSentence,
  noLinesOf,
  openWork,
  partyOf,
  tellUncertain,
  uncertainLines,
} from "./open-work.js";

export const run: Run = (context) => answering(context, () => showDiff(context));

async function showDiff(context: Context): Promise<number> {
  const { args, output } = context;
  const opened = await openWork(context, args.positionals);
  const party = await partyOf(context, opened);
  const plan = await planWork(opened, { party, companions: [], paths: opened.paths });
  const patch = await patchOfPlan(opened.repository, plan.files);
  if (args.has("json")) {
    const files = plan.files.map(({ work: { path } }) => path);
    const unknown = uncertainLines(plan.works);
    const told = { author: party.agent, files, patch: String(patch), needs: plan.missing, unknown };
    output.out.line(JSON.stringify(told));
    return done;
  }
  if (output.out.isTerminal) output.out.raw(paintDiff(String(patch), output.out));
  else output.out.raw(patch);
  if (patch.length === 0) output.err.line(`kedge: ${visible(noLinesOf(party))}`);
  for (const need of plan.missing) output.err.line(`kedge: ${needSentence(need)} in kedge commit`);
  tellUncertain(plan.works, context);
  return done;
}
