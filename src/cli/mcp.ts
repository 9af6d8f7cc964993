import { realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { agentIdentity, findWorkspace, stateFolder } from "../host/index.js";
import type { Files, LedgerStore } from "../ports/index.js";
import {
  type Config,
  isWithin,
  loadConfig,
  openFiles,
  openStore,
  type Policies,
  policiesOf,
  type Settings,
} from "../workspace/index.js";
import type { Context, Run } from "./context.js";
import { done } from "./flag-types.js";
import { settingsOf } from "./open-workspace.js";

interface Workplace extends Policies {
  readonly files: Files;
  readonly store: LedgerStore;
}

/** The MCP server, as far as it is started from here: this folder may not know it. */
interface McpServer {
  serveMcp(
    options: Workplace & {
      readonly version: string;
      readonly agent: string;
      readonly readOnly: boolean;
      readonly reopen: (roots: readonly string[]) => Workplace;
      readonly log: (line: string) => void;
    },
  ): { readonly closed: Promise<void> };
}

/** `kedge mcp`, for a server that the program brings. */
export function mcpRun({ serveMcp }: McpServer): Run {
  return (context) => serve(context, serveMcp);
}

async function serve(context: Context, serveMcp: McpServer["serveMcp"]): Promise<number> {
  const { args, env, cwd, output, version } = context;
  const log = (line: string): void => output.err.line(`kedge: ${line}`);
  const flags = settingsOf(args, cwd);
  const config = (folder: string): Config =>
    loadConfig({ flags, env, workspace: findWorkspace(folder).root });
  const state = stateFolder({ env, report: log });
  const open = (served: readonly Served[]): Workplace => workplace({ served, state, log }, context);
  const explicit = args.text("session");
  const identity = await agentIdentity({
    ...{ env, connection: `${process.pid}-${Date.now().toString(36)}` },
    ...(explicit === undefined ? {} : { explicit }),
  });
  const start = flags.roots?.[0] ?? cwd;
  const configured = limitsOf(start, { config, cwd });
  const { closed } = serveMcp({
    ...open(configured.length > 0 ? configured : servedOf([start], { config, cwd })),
    ...{ version: version(), agent: identity.id, readOnly: args.has("read-only"), log },
    reopen: (roots) => open(servedOf(roots, { config, cwd })),
  });
  if (process.stdin.isTTY)
    log("waiting for an MCP client on stdin; `kedge install CLIENT --tools` sets one up, Ctrl-C ends this");
  await closed;
  return done;
}

interface Setup {
  readonly served: readonly Served[];
  readonly state: string;
  readonly log: (line: string) => void;
}

/** Unlike at a shell, a path is no permission here: nothing outside the roots is touched. */
function workplace({ served, state, log }: Setup, { interrupt }: Context): Workplace {
  const roots = served.map(({ root }) => root);
  const [base] = roots as [string];
  const settings = settingsOfAll(served);
  const common = { state, report: log };
  const files = openFiles({
    ...{ ...common, settings: { ...settings, roots }, root: base, base, signal: interrupt },
  });
  const here = { cwd: base, root: base };
  const workspace = findWorkspace(base);
  const store = openStore({ ...common, settings, workspace, here });
  return {
    ...{ files: interrupt.finishing(files), store },
    ...policiesOf(settings),
  };
}

/** A folder that is worked on, and the settings that count there. */
interface Served {
  readonly root: string;
  readonly settings: Settings;
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
function servedOf(named: readonly string[], ceiling: Ceiling): readonly Served[] {
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
function limitsOf(folder: string, { config, cwd }: Ceiling): Served[] {
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
