import { resolve } from "node:path";
import { findWorkspace, stateFolder } from "../host/index.js";
import { Session, type SessionOptions } from "../session/index.js";
import { recording, watchTree } from "../tree/index.js";
import { loadConfig, openFiles, openStore, policiesOf } from "../workspace/index.js";

/** Where a session works, and for whom. Every other option of a session may be given too. */
export interface OpenOptions extends Omit<Partial<SessionOptions>, "files" | "store" | "agent"> {
  /** The folder that the agent works in: relative paths start there, and nothing outside is touched. */
  readonly root: string;
  /** The id of the agent. Two agents need two ids; one agent keeps its id as long as its conversation lasts. */
  readonly agent: string;
  /** The environment, for `KEDGE_STATE` and the settings. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Gets a line for the person about everything that is wrong with the record. Default: nobody hears it. */
  readonly report?: (line: string) => void;
}

/**
 * Returns the options of a session on the disk, for tools that take options: files under `root`, the record that the
 * command line, the MCP server and the guard share, and the settings of environment and configuration files.
 *
 * @example
 * const { files } = sessionOptions({ root, agent: "main" });
 * console.log(await files.read(await files.identify("a.ts")) !== null); // → true
 */
export function sessionOptions(options: OpenOptions): SessionOptions {
  const { root: given, agent, env = process.env, report = () => {}, ...own } = options;
  const root = resolve(given);
  const workspace = findWorkspace(root);
  const { settings } = loadConfig({ flags: { roots: [root] }, env, workspace: workspace.root });
  const state = stateFolder({ env, report });
  const files = openFiles({ settings, root, base: root, state, report });
  const here = { cwd: root, root };
  const store = openStore({ settings, state, workspace, report, here });
  const { clock = Date.now } = own;
  const watch = watchTree({
    ...{ root: workspace.root, files, store, clock, env, mode: settings.tree, agent, log: report },
    first: (recorded) => {
      report(recording(recorded));
      store.notes.add("recording", "first", { ...recorded });
    },
  });
  return { clock, ...policiesOf(settings), ...(watch ? { watch } : {}), ...own, files, store, agent };
}

/**
 * Opens a session on the disk with every default. Its showings and writes are in the same record as those of the command
 * line, the MCP server and the guard: whoever works on the folder, all of them know.
 *
 * @example
 * const session = openSession({ root, agent: "main" });
 * const shown = await session.read({ path: "a.ts" });
 * console.log(shown.text); // → 1#20200e|const a = 1;\n2#6e8a35|const b = 2;
 */
export function openSession(options: OpenOptions): Session {
  return new Session(sessionOptions(options));
}
