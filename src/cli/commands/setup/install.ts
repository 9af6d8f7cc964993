import { findProgram } from "../../../host/index.js";
import { visible } from "../../../text/index.js";
import type { Context, Run } from "../../context.js";
import { done, failed } from "../../flag-types.js";
import { InputError, isTerminal } from "../../input.js";
import { carryOutInstall, outcomeOf } from "../../install/carry-out.js";
import { allClients } from "../../install/clients/all.js";
import { serverCommand } from "../../install/command.js";
import { type Planned, planInstall } from "../../install/plan.js";
import { type Prepared, prepare, shortened, wantedParts } from "../../install/prepare.js";
import { type CopyState, copyHook, copyState } from "../../install/program.js";
import { agrees, dryRunSentence, fileReports, notesOn, say, showDiffs } from "../../install/show.js";
import { type Part, parts } from "../../install/types.js";

/** Guards the named clients, or those that are here: their configuration gets our hooks, and on request our tools. */
export const run: Run = async (context) => {
  const { args, env } = context;
  const named = [...new Set(args.positionals)];
  if (named.length > 0) return each(named, context, false);
  const here = allClients.filter(({ program }) => findProgram(program, { searchPath: env.PATH }));
  if (here.length === 0) {
    say(
      `No client was found on the PATH. Name one: ${allClients.map(({ name }) => name).join(", ")}.`,
      context,
    );
    return failed;
  }
  const isAsked = args.has("yes") || isTerminal(context);
  say(`Found here: ${here.map(({ title }) => title).join(", ")}.`, context);
  const names = here.map(({ name }) => name);
  const status = await each(names, context, !isAsked);
  if (isAsked || args.has("dry-run")) return status;
  say("Nothing was changed, since nobody is there to be asked: add --yes, or name the clients.", context);
  return failed;
};

async function each(names: readonly string[], context: Context, isDry: boolean): Promise<number> {
  let worst: number = done;
  for (const name of names) {
    const installing = name === "cursor" ? explainCursor(context) : install(name, context, isDry);
    worst = Math.max(worst, names.length === 1 ? await installing : await orSaid(installing, context));
  }
  return worst;
}

/** A configuration that cannot be changed keeps no other client from its guard. */
async function orSaid(installing: number | Promise<number>, context: Context): Promise<number> {
  try {
    return await installing;
  } catch (error) {
    if (error instanceof InputError) return refused(error.message, context);
    throw error;
  }
}

function refused(message: string, context: Context): number {
  if (context.args.has("json")) context.output.out.line(JSON.stringify({ status: "failed", message }));
  say(`kedge: ${message}`, context);
  return failed;
}

/** Cursor cannot be run without its service, so no guard for it was ever tried. */
function explainCursor(context: Context): number {
  const { setup } = prepare(context, "claude-code");
  const entry = JSON.stringify({ mcpServers: { kedge: serverCommand(setup) } });
  const message = `Cursor's own tools are not guarded: no guard was tried there. Kedge's tools are an MCP server, and ~/.cursor/mcp.json takes it as ${entry}`;
  return refused(message, context);
}

async function install(name: string, context: Context, isDry: boolean): Promise<number> {
  const { args, program } = context;
  const prepared = prepare(context, name);
  const { client, setup, state, files, record } = prepared;
  const asked = wantedParts(context);
  const refusal = client.refuses(asked, setup);
  if (refusal !== null) return refused(refusal, context);
  const wanted = new Set(parts.filter((part) => asked.has(part) || record?.parts.includes(part)));
  const plan = await planInstall({ files, configs: client.files(setup), record }, wanted);
  const copy = copyState(state, program);
  const isChange = copy !== "current" || plan.some((one) => outcomeOf(one) !== "unchanged");
  const job: Job = { context, prepared, plan, copy, wanted };
  if (!isChange && record) return report(job, "already installed");
  showDiffs(plan, setup, context);
  if (isDry || args.has("dry-run")) return report(job, "dry run");
  if (isChange && !(await agrees(context, "Write this?"))) {
    say("nothing was changed", context);
    return failed;
  }
  return carryOut(job);
}

interface Job {
  readonly context: Context;
  readonly prepared: Prepared;
  readonly plan: readonly Planned[];
  readonly copy: CopyState;
  readonly wanted: ReadonlySet<Part>;
}

async function carryOut(job: Job): Promise<number> {
  const { context, prepared, plan, copy, wanted } = job;
  const { files, records, place, state } = prepared;
  const time = Date.now();
  if (copy !== "current") copyHook(state, context.program);
  const about = { ...place, parts: [...wanted], version: context.version(), time };
  const backups = await carryOutInstall({ files, records, plan, time }, about);
  return report(job, "installed", backups);
}

type Status = "installed" | "already installed" | "dry run";

function report(job: Job, status: Status, backups: ReadonlyMap<string, string> = new Map()): number {
  const { context, prepared, plan, wanted } = job;
  const { client, setup } = prepared;
  const { args, output } = context;
  const notes = status === "already installed" ? [] : notesOn(prepared, wanted, context);
  if (args.has("json")) {
    const what = { client: client.name, scope: setup.scope, parts: [...wanted], status };
    output.out.line(JSON.stringify({ ...what, hook: setup.hook, files: fileReports(plan, backups), notes }));
    return done;
  }
  const what = parts.filter((part) => wanted.has(part) && part !== "exclusive").join(" and ");
  // A file may be there that holds nothing of ours.
  const configs = client.files(setup);
  const isOurs = ({ after }: Planned, at: number) =>
    after !== null && configs[at]?.has(new TextDecoder().decode(after)).length !== 0;
  const paths = plan.filter(isOurs).map(({ path }) => shortened(path, setup));
  const where = `installed in ${visible(paths.join(" and "))}`;
  const sentences: Readonly<Record<Status, string>> = {
    "dry run": dryRunSentence,
    installed: `${client.title}: ${what} ${where}`,
    "already installed": `${client.title}: ${what} already ${where}`,
  };
  output.out.line(sentences[status]);
  for (const [path, backup] of backups) say(`backup of ${shortened(path, setup)}: ${backup}`, context);
  for (const note of notes) say(note, context);
  const scope = setup.scope === "user" ? "" : ` --scope ${setup.scope}`;
  const undoing = `kedge uninstall ${client.name}${scope}`;
  if (status === "installed") say(`kedge doctor tries it; ${undoing} takes it out again`, context);
  return done;
}
