import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { findProgram, findWorkspace, stateFolder } from "../../host/index.js";
import { failsClosed, loadConfig } from "../../workspace/index.js";
import type { Context } from "../context.js";
import { allClients } from "../install/clients/all.js";
import { JsonProblem, positionOf } from "../install/config/jsonc.js";
import { homeOf, setupFor, shortened } from "../install/prepare.js";
import { copyState, hookPath } from "../install/program.js";
import { Records } from "../install/record.js";
import type { Client, ConfigFile, Setup, Started } from "../install/types.js";
import { tryGuard } from "./trial.js";

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** Advice, or a remark. */
  readonly advice?: string;
}

const check = "clients";
const outdated = "not as this kedge installs it: of another version, with other settings, or changed by hand";

/** Every client that is guarded here, for the user or in this project, each tried with a real decision. */
export async function guardedClients(context: Context): Promise<Finding[]> {
  const findings: Finding[] = [];
  const state = stateFolder({ env: context.env, home: homeOf(context.env) });
  const failClosed = isClosed(context);
  for (const client of allClients)
    for (const scope of ["user", "project"] as const)
      findings.push(
        ...(await clientFindings({
          context,
          client,
          setup: setupFor(context, scope, { state, failClosed }),
          state,
        })),
      );
  if (findings.length > 0) return findings;
  return [nobody(context), ...leftover(state)];
}

function isClosed({ env, cwd }: Context): boolean {
  return failsClosed({ env, workspace: findWorkspace(cwd).root, home: homeOf(env) });
}

function nobody({ env }: Context): Finding {
  const here = allClients
    .filter(({ program }) => findProgram(program, { searchPath: env.PATH }))
    .map(({ name }) => name);
  const found =
    here.length > 0
      ? `none is guarded by an installation; on the PATH: ${here.join(", ")}`
      : "none is guarded by an installation";
  const advice = `kedge install ${here[0] ?? "CLIENT"} guards a client's own editing tools; a plugin of Kedge is not tried here`;
  return { check, ok: true, found, advice };
}

function leftover(state: string): Finding[] {
  const elsewhere = new Records(state).all().map(({ client, root }) => `${client} in ${root}`);
  if (elsewhere.length > 0) return [{ check, ok: true, found: `guarded elsewhere: ${elsewhere.join(", ")}` }];
  if (!existsSync(hookPath(state))) return [];
  return [
    { check, ok: true, found: `${hookPath(state)} is left over`, advice: "nothing starts it: delete it" },
  ];
}

interface Looked {
  readonly context: Context;
  readonly client: Client;
  readonly setup: Setup;
  readonly state: string;
}

async function clientFindings(looked: Looked): Promise<Finding[]> {
  const { client, setup } = looked;
  const [config] = client.files(setup) as [ConfigFile];
  const text = setup.read(config.path);
  const where = shortened(config.path, setup);
  const name = `${client.name} (${setup.scope})`;
  const again = `kedge install ${client.name}${setup.scope === "project" ? " --scope project" : ""}`;
  const wrong = (found: string, advice: string): Finding[] => [
    { check, ok: false, found: `${name}: not guarding: ${found}`, advice },
  ];
  try {
    if (text === null || !config.has(text).includes("guard"))
      return isOnRecord(looked)
        ? wrong(
            `it was installed, and is gone from ${where}`,
            `run ${again}, or ${again.replace("install", "uninstall")} to forget it`,
          )
        : [];
    const opened = openedBy(looked.context);
    if (opened !== null) return wrong(`gate is off in ${shortened(opened, setup)}`, "take that out");
    const fault = await faultOf(looked, config, text);
    if (fault !== null) return wrong(fault, `run ${again}`);
    const off = client.disabled?.(text, setup);
    if (off) return wrong(off.why + (off.file ? ` in ${shortened(off.file, setup)}` : ""), off.todo);
    if (isOutdated(looked, config, text))
      return [{ check, ok: false, found: `${name}: ${outdated}`, advice: `run ${again}` }];
  } catch (error) {
    if (!(error instanceof JsonProblem) || text === null) throw error;
    if (!text.includes("hook.cjs") && !isOnRecord(looked)) return [];
    const place = `${where}, ${positionOf(text, error.offset)}`;
    return wrong(`${place}: ${error.message}`, "repair the file: the client cannot read it either");
  }
  return [
    { check, ok: true, found: `${name}: guarding; it refused an unread edit and let a read one through` },
  ];
}

/** Somebody wanted it: a client or another program may have written its configuration anew. */
function isOnRecord({ client, setup, state }: Looked): boolean {
  const { scope, home, project } = setup;
  const place = { client: client.name, scope, root: scope === "user" ? home : project };
  return new Records(state).find(place)?.parts.includes("guard") === true;
}

/** The person's own configuration that lets every edit through; null if none does. */
function openedBy({ env, cwd }: Context): string | null {
  const { root } = findWorkspace(cwd);
  const { settings, sources } = loadConfig({ env, workspace: root, home: homeOf(env), hook: true });
  return settings.gate === "off" ? (sources.gate ?? "the configuration") : null;
}

async function faultOf(looked: Looked, config: ConfigFile, text: string): Promise<string | null> {
  const { context, client, setup, state } = looked;
  const gaps = config.gaps?.(text) ?? [];
  if (gaps.length > 0) return gaps.join(", and ");
  const started = client.started(text, setup);
  if (started === null) return "the hook before an edit is missing";
  const missing = pathsOf(started).find((path) => !existsSync(path));
  if (missing !== undefined) return `${missing} is gone`;
  // A project's configuration comes with the repository: a command in it that is not ours to the letter is not started.
  const isForeign = setup.scope === "project" && config.put(text, new Set(["guard"])) !== text;
  if (isForeign) return "it starts something else than this kedge installs, so it was not tried";
  return tryGuard(client.name, started, { env: context.env, state });
}

/** The guard decides rightly, but its program or its entries are not those that this kedge would install. */
function isOutdated({ context, state }: Looked, config: ConfigFile, text: string): boolean {
  if (copyState(state, context.program) !== "current") return true;
  return config.put(text, new Set(["guard"])) !== text;
}

/** Node and the guard's program. */
const pathsOf = ({ argv, words }: Started): readonly string[] =>
  (words ?? argv).filter((word) => isAbsolute(word));
/** Variables of ours that a client's settings set for everything it starts: a repository can bring such settings. */

interface SetVariable {
  readonly name: string;
  /** The file that sets it. */
  readonly where: string;
}

/** Finds such variables in the settings of every scope that clients read: the person's, the project's, the organisation's. */
export function variablesInSettings(context: Context): SetVariable[] {
  const state = stateFolder({ env: context.env, report: () => {} });
  const setup = setupFor(context, "user", { state, failClosed: false });
  const settings = allClients.flatMap((client) => client.settings(setup));
  const dotenv = [setup.home, ...setup.folders].flatMap((folder) =>
    ["", ".gemini", ".qwen"].map((name) => join(folder, name, ".env")),
  );
  return [
    ...settings.flatMap((where) => variablesIn(where, /["']?\b(KEDGE_[A-Z_]+)["']?\s*[:=]/g)),
    ...dotenv.flatMap((where) => variablesIn(where, /^\s*(?:export\s+)?(KEDGE_[A-Z_]+)\s*=/gm)),
  ];
}

function variablesIn(where: string, pattern: RegExp): SetVariable[] {
  try {
    const names = [...readFileSync(where, "utf8").matchAll(pattern)].map(([, name]) => name as string);
    return [...new Set(names)].map((name) => ({ name, where }));
  } catch {
    // The file is absent, or this user may not read it.
    return [];
  }
}
