import { visible, visibleText } from "../text/index.js";
import { type Args, type Parsed, parseCommandLine, UsageError, unknownCommand } from "./args.js";
import type { Context, Doors, Environment, Run } from "./context.js";
import { failed, interrupted, usage } from "./flag-types.js";
import { InputError } from "./input.js";
import { Interrupt } from "./interrupt.js";
import { type Output, processOutput } from "./print/output.js";
import { isPortError, portRefusal, showResult } from "./print/result.js";
import { commandNamed } from "./table/command-table.js";

/** The process, as a run of the program sees it. */
export interface Start {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly doors: Doors;
  readonly program: string;
  readonly version: () => string;
  readonly exit: (status: number) => void;
  /** Replaces the process's own streams and signals. */
  readonly output?: Output;
}

/** Each is loaded when it is called: a read does not pay for a search. */
const own: Doors = {
  read: () => import("./commands/editing/read.js"),
  grep: () => import("./commands/editing/grep.js"),
  edit: () => import("./commands/editing/edit.js"),
  apply: () => import("./commands/editing/apply.js"),
  write: () => import("./commands/editing/write.js"),
  retry: () => import("./commands/editing/retry.js"),
  undo: () => import("./commands/history/undo.js"),
  log: () => import("./commands/history/log.js"),
  show: () => import("./commands/history/show.js"),
  stats: () => import("./commands/history/stats.js"),
  session: () => import("./commands/history/session.js"),
  lost: () => import("./commands/history/lost.js"),
  restore: () => import("./commands/history/restore.js"),
  blame: () => import("./commands/authors/blame.js"),
  diff: () => import("./commands/authors/diff.js"),
  commit: () => import("./commands/authors/commit.js"),
  install: () => import("./commands/setup/install.js"),
  uninstall: () => import("./commands/setup/uninstall.js"),
  doctor: () => import("./commands/setup/doctor.js"),
  demo: () => import("./commands/setup/demo.js"),
  token: () => import("./commands/fleet/token.js"),
  ui: () => import("./commands/view/ui.js"),
  watch: () => import("./commands/view/watch.js"),
  audit: () => import("./commands/history/audit.js"),
  replay: () => import("./commands/history/replay.js"),
  completion: () => import("./commands/setup/completion.js"),
};

export async function main(start: Start): Promise<number> {
  const output = start.output ?? processOutput(start.env);
  try {
    const parsed = parseCommandLine(start.argv);
    if (parsed.kind === "version") return showVersion(parsed, start, output);
    if (parsed.kind === "help") return await showHelp(parsed, start, output);
    return await runCommand(parsed.args, start, output);
  } catch (error) {
    return complain(error, output, start);
  }
}

async function runCommand(args: Args, start: Start, output: Output): Promise<number> {
  const { name } = args.command;
  const load = own[name] ?? start.doors[name];
  if (!load) throw new Absent(`this build does not have \`kedge ${name}\` yet`);
  const interrupt = new Interrupt(start.exit);
  if (!start.output) interrupt.listen();
  const afterwards: Context["afterwards"] = [];
  const context: Context = { ...start, args, output, interrupt, afterwards };
  try {
    const { run } = (await load()) as { run: Run };
    const status = await run(context);
    for (const one of afterwards) await one();
    return status;
  } catch (error) {
    if (isPortError(error)) return showResult(context, portRefusal(error, context));
    throw error;
  }
}

function showVersion({ json }: Extract<Parsed, { kind: "version" }>, start: Start, { out }: Output): number {
  const version = start.version();
  out.line(json ? JSON.stringify({ version }) : version);
  return 0;
}

async function showHelp(
  { topic, json }: Extract<Parsed, { kind: "help" }>,
  { doors }: Start,
  { out }: Output,
): Promise<number> {
  const { commandHelp, exitHelp, flagsHelp, helpData, jsonHelp, overview } = await import("./table/help.js");
  const setup = { stream: out, has: (name: string) => name in own || name in doors };
  const command = topic === null ? undefined : commandNamed(topic);
  if (json && helpData(topic) !== undefined) out.line(JSON.stringify(helpData(topic)));
  else if (topic === null || topic === "help") out.line(overview(setup));
  else if (topic === "flags") out.line(flagsHelp(setup));
  else if (topic === "exit") out.line(exitHelp(setup));
  else if (topic === "json") out.line(jsonHelp(setup));
  else if (command) out.line(commandHelp(command, setup));
  else throw unknownCommand(topic);
  return 0;
}

/** Says on stderr what was wrong; with `--json` on stdout as well. */
function complain(error: unknown, { out, err }: Output, { argv, env }: Start): number {
  // The person said so themselves.
  if ((error as Error | null)?.name === "AbortError") return interrupted;
  const { status, code, message, hint } = complaint(error, env);
  try {
    if (argv.includes("--json")) out.line(JSON.stringify({ status: "failed", code, message }));
  } catch {
    // It may be the very output that cannot be written.
  }
  err.line(`kedge: ${visible(message)}`);
  if (hint) err.line(`  ${env.KEDGE_DEBUG ? visibleText(hint) : visible(hint)}`);
  return status;
}

interface Complaint {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

function complaint(error: unknown, env: Environment): Complaint {
  if (error instanceof UsageError)
    return { status: usage, code: "bad_request", message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InputError) return { status: failed, code: "io", message };
  if (error instanceof Absent) return { status: failed, code: "absent", message };
  if ((error as NodeJS.ErrnoException)?.syscall === "write")
    return { status: failed, code: "io", message: `cannot write the output: ${message}` };
  const stack = error instanceof Error ? error.stack : undefined;
  const hint = env.KEDGE_DEBUG ? stack : "this should not happen; KEDGE_DEBUG=1 shows where it did";
  return { status: failed, code: "internal", message, hint };
}

/** A command of the table that this build does not have. */
class Absent extends Error {}
