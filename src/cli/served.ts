/** Which folders a server works on, by which settings, and where that is recorded. */
import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { findWorkspace, stateFolder, type Workspace } from "../host/index.js";
import type { Files, TreeWatch } from "../ports/index.js";
import type { NodeStore } from "../store/index.js";
import { recording, watchTree } from "../tree/index.js";
import { type Config, isWithin, loadConfig, openStore, type Settings } from "../workspace/index.js";
import type { Context, Environment } from "./context.js";
import { settingsOf } from "./open-workspace.js";

/** A folder that is worked on, and the settings that count there. */
export interface Served {
  readonly root: string;
  readonly settings: Settings;
}

/** Folders that are worked on as one tree, with its record. */
export interface ServedTree {
  readonly roots: readonly string[];
  /** Where relative paths start. */
  readonly base: string;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly store: NodeStore;
  /** The state folder. */
  readonly state: string;
}

export interface ServedSetup {
  readonly served: readonly Served[];
  readonly state: string;
  readonly report: (line: string) => void;
}

export function openServed({ served, state, report }: ServedSetup): ServedTree {
  const roots = served.map(({ root }) => root);
  const [base] = roots as [string];
  const settings = settingsOfAll(served);
  const workspace = findWorkspace(base);
  const store = openStore({ settings, state, workspace, report, here: { cwd: base, root: base } });
  return { roots, base, settings: { ...settings, roots }, workspace, store, state };
}

interface ServedWatch {
  readonly files: Files;
  readonly report: (line: string) => void;
  readonly env: Environment;
}

/** Looks at the tree around the calls of a server that has begun, and in its idle time. */
export function watchServed(
  { workspace, settings, store }: ServedTree,
  { files, report, env }: ServedWatch,
): TreeWatch | null {
  const watch = watchTree({
    ...{ root: workspace.root, files, store, clock: Date.now, env, mode: settings.tree },
    ...{ agent: "server", log: report },
    first: (recorded) => {
      report(recording(recorded));
      // Clients show nobody what a server says there.
      store.notes.add("recording", "first", { ...recorded });
    },
  });
  watch?.begin();
  return watch;
}

/** The tree of `--root`, or of the working directory: whoever names the same folder finds the same record. */
export function servedTree({ args, env, cwd, output }: Context): ServedTree {
  const report = (line: string): void => output.err.line(`kedge: ${line}`);
  const flags = settingsOf(args, cwd);
  const config = (folder: string): Config =>
    loadConfig({ flags, env, workspace: findWorkspace(folder).root });
  const start = flags.roots?.[0] ?? cwd;
  const configured = limitsOf(start, { config, cwd });
  const served = configured.length > 0 ? configured : servedOf([start], { config, cwd });
  return openServed({ served, state: stateFolder({ env, report }), report });
}

interface Ceiling {
  /** The configuration of a folder. */
  readonly config: (folder: string) => Config;
  /** The folder that relative roots start from. */
  readonly cwd: string;
}

/**
 * Returns the client's folders that are served: those inside the configured roots, if any are. One that is wider
 * is cut down to them, one beside them does not count. None left: the configured roots themselves.
 */
export function servedOf(named: readonly string[], ceiling: Ceiling): readonly Served[] {
  const found = named.flatMap((folder) => {
    const limits = limitsOf(folder, ceiling);
    if (limits.length === 0) return at(folder, ceiling);
    const own = real(folder);
    if (limits.some(({ root }) => isWithin(own, root))) return at(own, ceiling);
    return limits.filter(({ root }) => isWithin(root, own));
  });
  const served = found.length > 0 ? found : named.flatMap((folder) => limitsOf(folder, ceiling));
  return [...new Map(served.map((one) => [one.root, one])).values()];
}

const at = (root: string, { config }: Ceiling): Served[] => [{ root, settings: config(root).settings }];

/** Returns the roots that are configured for a folder. Roots of its own `.kedge.json` get the settings of that file. */
export function limitsOf(folder: string, { config, cwd }: Ceiling): Served[] {
  const { settings, sources } = config(folder);
  const isOwn = basename(sources.roots ?? "") === ".kedge.json";
  return (settings.roots ?? []).map((given) => {
    const root = real(resolve(cwd, given));
    return { root, settings: isOwn ? settings : config(root).settings };
  });
}

/** The first root's settings. A path that one root denies or keeps secret is denied or secret in all. */
function settingsOfAll([first, ...others]: readonly Served[]): Settings {
  const settings = first?.settings ?? {};
  const added = (key: "deny" | "secrets"): readonly string[] => {
    const own = settings[key] ?? [];
    const more = others.flatMap((other) => other.settings[key] ?? []);
    return [...own, ...more.filter((pattern) => !pattern.startsWith("!") && !own.includes(pattern))];
  };
  return { ...settings, deny: added("deny"), secrets: added("secrets") };
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
