import type { Context, Run } from "../../context.js";
import { done, failed } from "../../flag-types.js";
import { carryOutInstall, carryOutUninstall, outcomeOf } from "../../install/carry-out.js";
import { type Planned, planUninstall } from "../../install/plan.js";
import { type Prepared, prepare, unwantedParts } from "../../install/prepare.js";
import { removeHook } from "../../install/program.js";
import { agrees, dryRunSentence, fileReports, say, showDiffs } from "../../install/show.js";

/** Takes out what `kedge install` has put in, and nothing else. */
export const run: Run = async (context) => {
  const { args } = context;
  const prepared = prepare(context, context.args.positionals[0] as string);
  const { client, setup, files, record, records, state } = prepared;
  const unwanted = unwantedParts(context);
  const plan = await planUninstall({ files, configs: client.files(setup), record }, unwanted);
  const isChange = plan.some((one) => outcomeOf(one) !== "unchanged");
  if (!isChange && !record) return report(context, prepared, plan, "nothing to take out");
  showDiffs(plan, setup, context);
  if (args.has("dry-run")) return report(context, prepared, plan, "dry run");
  if (isChange && !(await agrees(context, "Write this?"))) {
    say("nothing was changed", context);
    return failed;
  }
  const work = { files, records, plan, time: Date.now() };
  const kept = unwanted ? (record?.parts ?? []).filter((part) => !unwanted.has(part)) : [];
  if (record && kept.length > 0) await carryOutInstall(work, { ...record, parts: kept });
  else await carryOutUninstall(work, record);
  if (records.all().length === 0) removeHook(state);
  return report(context, prepared, plan, "taken out");
};

function only(context: Context): string {
  const unwanted = unwantedParts(context);
  return unwanted ? `: ${[...unwanted].join(", ")}` : "";
}

type Status = "taken out" | "nothing to take out" | "dry run";

function report(context: Context, prepared: Prepared, plan: readonly Planned[], status: Status): number {
  const { client, setup } = prepared;
  const { args, output } = context;
  if (args.has("json")) {
    const what = { client: client.name, scope: setup.scope, status };
    output.out.line(JSON.stringify({ ...what, files: fileReports(plan) }));
    return done;
  }
  const where = setup.scope === "user" ? "" : ` in ${setup.project}`;
  if (status === "dry run") output.out.line(dryRunSentence);
  else output.out.line(`${client.title}${where}: ${status}${only(context)}`);
  if (status === "nothing to take out") for (const line of elsewhere(prepared)) say(line, context);
  return done;
}

/** Names the other places where this client is guarded, and how to remove the guard there. */
function elsewhere({ client, records, place }: Prepared): string[] {
  const others = records.all().filter((one) => one.client === client.name && one.root !== place.root);
  const command = `kedge uninstall ${client.name}`;
  return others.map(({ scope, root }) =>
    scope === "user"
      ? `it is installed for you: ${command}`
      : `it is installed in ${root}: ${command} --scope project, in that folder`,
  );
}
