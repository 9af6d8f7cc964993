import {
  CommitRefusal,
  commit,
  type Party,
  patchOfPlan,
  planWork,
  refuseUnfinished,
  type Work,
} from "../../../authors/index.js";
import { visible } from "../../../text/index.js";
import { UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { agentNamed } from "../../print/log-rows.js";
import { paintDiff } from "../../print/result.js";
import {
  answering,
  needSentence,
  noLinesOf,
  type OpenedWork,
  openWork,
  partyOf,
  tellUncertain,
  uncertainLines,
  whoIs,
} from "./open-work.js";

export const run: Run = (context) => answering(context, () => make(context));

async function make(context: Context): Promise<number> {
  const { args } = context;
  if (!["mine", "agent", "person"].some((flag) => args.has(flag)))
    throw new UsageError("commit needs --mine, --agent A or --person", "see: kedge commit --help");
  const isDry = args.has("dry-run");
  const messages = args.texts("message");
  if (messages.length === 0 && !args.has("stage") && !isDry)
    throw new UsageError("commit needs a message: -m MESSAGE", "--stage only stages");
  if (messages.length > 0 && args.has("stage")) throw new UsageError("--stage makes no commit: leave out -m");
  const opened = await openWork(context, args.positionals);
  const party = await partyOf(context, opened, args.has("with-unknown"));
  const companions: Party[] = [];
  for (const name of args.texts("with"))
    companions.push({ agent: await agentNamed(name, opened.store), isClaiming: false });
  const wanted = { party, companions, paths: opened.paths };
  const check = (plan: Work): void => refuse(plan, party);
  if (isDry) return preview(context, opened, wanted, check);
  const message = args.has("stage") ? null : messages.join("\n\n");
  const { commit: made, plan } = await commit({ ...opened, interrupt: context.interrupt }, wanted, {
    message,
    check,
  });
  tell(context, { made, plan, message, party });
  return done;
}

type Wanted = Parameters<typeof planWork>[1];

async function preview(
  context: Context,
  opened: OpenedWork,
  wanted: Wanted,
  check: (plan: Work) => void,
): Promise<number> {
  const { args, output } = context;
  refuseUnfinished(opened.repository);
  const plan = await planWork(opened, wanted);
  check(plan);
  const patch = await patchOfPlan(opened.repository, plan.files);
  if (args.has("json")) {
    const files = plan.files.map(({ work: { path } }) => path);
    const told = { status: "dry_run", author: wanted.party.agent, files, patch: String(patch) };
    output.out.line(JSON.stringify({ ...told, unknown: uncertainLines(plan.works) }));
    return done;
  }
  if (output.out.isTerminal) output.out.raw(paintDiff(String(patch), output.out));
  else output.out.raw(patch);
  tellUncertain(plan.works, context);
  return done;
}

function refuse(plan: Work, party: Party): void {
  if (plan.missing.length > 0)
    throw new CommitRefusal("needs", plan.missing.map(needSentence).join("\n"), plan.missing);
  if (plan.files.length > 0) return;
  const unknown = uncertainLines(plan.works).map(
    ({ path, authors }) => `${path} is of ${authors}; --with-unknown claims it`,
  );
  throw new CommitRefusal("nothing", [noLinesOf(party), ...unknown].join("\n"));
}

interface Made {
  readonly made: string | null;
  readonly plan: Work;
  readonly message: string | null;
  readonly party: Party;
}

function tell(context: Context, { made, plan, message, party }: Made): void {
  const { args, output } = context;
  const files = plan.files.map(({ work: { path } }) => path);
  const claimed = uncertainLines(plan.works);
  if (args.has("json")) {
    const status = made === null ? "staged" : "committed";
    output.out.line(JSON.stringify({ status, commit: made, author: party.agent, files, unknown: claimed }));
    return;
  }
  const what = `${files.length} file${files.length === 1 ? "" : "s"} of ${whoIs({ authors: [party.agent] })}`;
  const subject = (message ?? "").split("\n")[0] ?? "";
  output.out.line(visible(made === null ? `staged ${what}` : `${made.slice(0, 10)} ${subject}: ${what}`));
  if (!party.isClaiming) tellUncertain(plan.works, context);
}
