import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { findWorkspace, homeFolder, stateFolder, wantedFolder } from "../../host/index.js";
import { loadConfig, type NodeFiles, nodeFiles } from "../../workspace/index.js";
import type { Context, Environment } from "../context.js";
import { InputError } from "../input.js";
import { clientNamed } from "./clients/all.js";
import { hookPath, lastingNode } from "./program.js";
import { type Installation, namesIn, type Place, Records } from "./record.js";
import type { Client, Part, Scope, Setup } from "./types.js";

/** Everything that installing and uninstalling have in common. */
export interface Prepared {
  readonly client: Client;
  readonly setup: Setup;
  readonly state: string;
  readonly files: NodeFiles;
  readonly records: Records;
  readonly place: Place;
  readonly record: Installation | null;
}

export function prepare(context: Context, name: string): Prepared {
  const { args, env, cwd, interrupt } = context;
  const state = usableState(context);
  const scope = (args.text("scope") ?? "user") as Scope;
  const { settings } = loadConfig({ env, workspace: findWorkspace(cwd).root, home: homeOf(env) });
  const setup = setupFor(context, scope, { state, failClosed: settings.failClosed === true });
  const client = clientNamed(name);
  const files = interrupt.finishing(nodeFiles({ roots: [cwd], confine: false, state, signal: interrupt }));
  const records = new Records(state);
  const place = { client: client.name, scope, root: scope === "user" ? setup.home : setup.project };
  return { client, setup, state, files, records, place, record: records.find(place) };
}

/** A substitute in the temporary folder would be gone with the next start of the machine, and the guard with it. */
function usableState({ env }: Context): string {
  return stateFolder({
    ...{ env, home: homeOf(env) },
    report: (line) => {
      const why = "the guard's program has to be kept there; make it writable, or set KEDGE_STATE";
      throw new InputError(`${line.split("; using")[0]}: ${why}`);
    },
  });
}

export function homeOf(env: Environment): string {
  const named = env.HOME || env.USERPROFILE;
  return named && isAbsolute(named) ? named : homeFolder(env);
}

export function setupFor(
  context: Pick<Context, "env" | "cwd" | "program">,
  scope: Scope,
  { state, failClosed }: { readonly state: string; readonly failClosed: boolean },
): Setup {
  const { env, cwd, program } = context;
  const home = homeOf(env);
  const project = findWorkspace(cwd).root;
  const found = wantedFolder({ env: { LOCALAPPDATA: env.LOCALAPPDATA }, home });
  return {
    ...{ scope, home, project, env, program },
    folders: foldersFrom(project, cwd),
    node: lastingNode(process.execPath),
    hook: hookPath(state),
    state: found === state ? null : state,
    failClosed,
    plugin: (name) => readFileSync(join(dirname(program), "..", "plugins", name), "utf8"),
    read: textAt,
    list: namesIn,
  };
}

function foldersFrom(top: string, folder: string): string[] {
  const above = dirname(folder);
  return folder === top || above === folder ? [top] : [...foldersFrom(top, above), folder];
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** `--exclusive` without our tools would leave the client with none. */
export function wantedParts({ args }: Context): Set<Part> {
  const wanted = new Set<Part>(["guard"]);
  if (args.has("tools") || args.has("exclusive")) wanted.add("tools");
  if (args.has("exclusive")) wanted.add("exclusive");
  return wanted;
}

/** Returns the parts to remove; null: all. If our tools go, the client's own have to come back. */
export function unwantedParts({ args }: Context): Set<Part> | null {
  if (args.has("tools")) return new Set<Part>(["tools", "exclusive"]);
  return args.has("exclusive") ? new Set<Part>(["exclusive"]) : null;
}

/** As people write it. */
export function shortened(path: string, { home }: Setup): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
