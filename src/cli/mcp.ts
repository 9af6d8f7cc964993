import { resolve } from "node:path";
import {
  agentIdentity,
  boundsOf,
  findWorkspace,
  loadConfig,
  nodeStore,
  openFiles,
  type Settings,
  stateFolder,
} from "../node/index.js";
import type { Files, LedgerStore, SessionOptions } from "../session/index.js";
import type { Context, Run } from "./context.js";
import { done } from "./exit.js";
import { settingsOf } from "./open.js";
import { placedStore } from "./places.js";

interface Ports {
  readonly files: Files;
  readonly store: LedgerStore;
}

/** The MCP server, as far as it is started from here: this folder may not know it. */
export interface McpServer {
  serveMcp(
    options: Ports &
      Pick<SessionOptions, "gate" | "onStale" | "anchors" | "keepOnFold"> & {
        readonly version: string;
        readonly agent: string;
        readonly readOnly: boolean;
        readonly ceiling: readonly string[];
        readonly reopen: (roots: readonly string[]) => Ports;
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
  const { settings } = loadConfig({ flags: settingsOf(args, cwd), env, workspace: findWorkspace(cwd).root });
  const ceiling = (settings.roots ?? []).map((root) => resolve(cwd, root));
  const state = stateFolder({ env, report: log });
  const openRoots = (roots: readonly string[]): Ports => ports({ roots, settings, state, log }, context);
  const explicit = args.text("session");
  const identity = await agentIdentity({
    ...{ env, connection: `${process.pid}-${Date.now().toString(36)}` },
    ...(explicit === undefined ? {} : { explicit }),
  });
  const { closed } = serveMcp({
    ...openRoots(ceiling.length > 0 ? ceiling : [cwd]),
    ...{ version: version(), agent: identity.id, readOnly: args.has("read-only"), ceiling, log },
    reopen: openRoots,
    ...(settings.gate ? { gate: settings.gate } : {}),
    ...(settings.onStale ? { onStale: settings.onStale } : {}),
    ...(settings.anchors && settings.anchors !== "none" ? { anchors: settings.anchors } : {}),
    ...(settings.keepOnFold ? { keepOnFold: true } : {}),
  });
  if (process.stdin.isTTY)
    log("waiting for an MCP client on stdin; `kedge install CLIENT --tools` sets one up, Ctrl-C ends this");
  await closed;
  return done;
}

interface Setup {
  readonly roots: readonly string[];
  readonly settings: Settings;
  readonly state: string;
  readonly log: (line: string) => void;
}

/** Unlike at a shell, a path is no permission here: nothing outside the roots is touched. */
function ports({ roots, settings, state, log }: Setup, { interrupt }: Context): Ports {
  const [base] = roots as [string];
  const files = openFiles({ settings: { ...settings, roots }, root: base, base, state, report: log });
  const store = nodeStore({ state, workspace: findWorkspace(base), bounds: boundsOf(settings), report: log });
  return { files: interrupt.guard(files), store: placedStore(store, { cwd: base, root: base }) };
}
