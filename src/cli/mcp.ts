import { agentIdentity, findWorkspace, stateFolder } from "../host/index.js";
import type { Files, LedgerStore, TreeWatch } from "../ports/index.js";
import { type Config, loadConfig, openFiles, type Policies, policiesOf } from "../workspace/index.js";
import type { Context, Run } from "./context.js";
import { done } from "./flag-types.js";
import { settingsOf } from "./open-workspace.js";
import { limitsOf, openServed, type Served, type ServedSetup, servedOf, watchServed } from "./served.js";

interface Workplace extends Policies {
  readonly files: Files;
  readonly store: LedgerStore;
  readonly watch?: TreeWatch;
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
  const open = (served: readonly Served[]): Workplace => workplace({ served, state, report: log }, context);
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

/** Unlike at a shell, a path is no permission here: nothing outside the roots is touched. */
function workplace(setup: ServedSetup, { interrupt, env }: Context): Workplace {
  const tree = openServed(setup);
  const { base, settings, state, store } = tree;
  const { report } = setup;
  const files = openFiles({ settings, root: base, base, state, report, signal: interrupt });
  const watch = watchServed(tree, { files, report, env });
  return { files: interrupt.finishing(files), store, ...policiesOf(settings), ...(watch ? { watch } : {}) };
}
