import { statSync } from "node:fs";
import { resolve } from "node:path";
import { recoveryWindow } from "../edits/index.js";
import { agentIdentity, type Identity, ifThere, stateFolder, type Workspace } from "../host/index.js";
import { type Files, PortError, type TreeWatch } from "../ports/index.js";
import { Session, type SessionOptions } from "../session/index.js";
import type { NodeStore } from "../store/index.js";
import { watchTree } from "../tree/index.js";
import {
  loadConfig,
  openFiles,
  openStore,
  policiesOf,
  type Settings,
  workspaceFor,
} from "../workspace/index.js";
import { type Args, UsageError } from "./args.js";
import type { Context } from "./context.js";
import { tellRecording } from "./print/recording.js";
import { shellDoor } from "./print/shell-wording.js";

/** The ports of a workspace, opened by flags, environment and configuration. */
export interface Opened {
  readonly files: Files;
  readonly store: NodeStore;
  readonly workspace: Workspace;
  /** The state folder. */
  readonly state: string;
  readonly settings: Settings;
  readonly identity: Identity;
  readonly options: SessionOptions;
  readonly session: Session;
  /** Reads, searches and writes: the session, or with --stateless one of which nothing is recorded. */
  readonly editor: Session;
}

/** Opens the workspace of these paths, or of the working directory. */
export async function open(
  context: Context,
  paths: readonly string[] = [],
  workspace = workspaceFor(context.cwd, paths),
  { isOnlooker = false } = {},
): Promise<Opened> {
  const { args, env, cwd, output, interrupt } = context;
  const report = (line: string): void => output.err.line(`kedge: ${line}`);
  const { settings } = loadConfig({ flags: settingsOf(args, cwd), env, workspace: workspace.root });
  const state = stateFolder({ env, report });
  const { root } = workspace;
  const files = interrupt.finishing(
    openFiles({ settings, root, base: cwd, state, report, signal: interrupt }),
  );
  const store = openStore({ settings, state, workspace, report, isOnlooker, here: { cwd, root } });
  const explicit = args.text("session");
  const identity = await agentIdentity({ env, ...(explicit === undefined ? {} : { explicit }) });
  const watch = isOnlooker ? null : watchOf({ settings, root, files, store, agent: identity.id }, context);
  const options: SessionOptions = {
    ...{ files, store, agent: identity.id, clock: Date.now, door: shellDoor(args) },
    ...policiesOf(settings),
    ...(watch ? { watch } : {}),
  };
  const session = new Session(options);
  const relocateWithin = options.onStale === "refuse" ? 0 : recoveryWindow;
  const editor = args.has("stateless") ? session.with({ relocateWithin }) : session;
  return { files, store, workspace, state, settings, identity, options, session, editor };
}

interface Watched {
  readonly settings: Settings;
  readonly root: string;
  readonly files: Files;
  readonly store: NodeStore;
  readonly agent: string;
}

/** Looks at the tree around the calls of a command, and once more when it has its answer. */
function watchOf({ settings, ...where }: Watched, context: Context): TreeWatch | null {
  const { args, env, output, afterwards } = context;
  if (args.has("stateless")) return null;
  const watch = watchTree({
    ...{ ...where, env, mode: settings.tree, clock: Date.now, log: () => {} },
    first: (recorded) => where.store.notes.add("recording", "first", { ...recorded }),
  });
  if (!watch) return null;
  afterwards.push(async () => {
    await watch.end();
    if (output.err.isTerminal) tellRecording(where.store, output.err);
  });
  return watch;
}

/** Opens a workspace whose record alone is of interest: its files may be on another host. */
export function openRecord(context: Context, paths: readonly string[] = []): Promise<Opened> {
  return open(context, paths, workspaceFor(context.cwd, paths), { isOnlooker: true });
}

export function settingsOf(args: Args, cwd: string): Settings {
  const anchors = args.text("anchors") as NonNullable<Settings["anchors"]> | undefined;
  const gate = args.text("gate") as NonNullable<Settings["gate"]> | undefined;
  const onStale = args.text("on-stale") as NonNullable<Settings["onStale"]> | undefined;
  const encoding = args.text("encoding");
  const store = storeOf(args);
  const roots = args.texts("root").map((root) => resolve(cwd, root));
  const missing = roots.find((root) => !ifThere(() => statSync(root))?.isDirectory());
  if (missing !== undefined) throw new PortError("bad_request", `--root ${missing} is not a folder`);
  return {
    ...(anchors ? { anchors } : {}),
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(encoding ? { encoding } : {}),
    ...(roots.length > 0 ? { roots } : {}),
    ...(store ? { store } : {}),
  };
}

function storeOf(args: Args): Settings["store"] | null {
  const [url, tree] = [args.text("store"), args.text("tree")];
  const lease = args.number("lease");
  if (url === undefined && tree === undefined && lease === undefined) return null;
  return {
    ...(url === undefined ? {} : { url }),
    ...(tree === undefined ? {} : { tree }),
    ...(lease === undefined ? {} : { lease }),
  };
}

/** Returns the editor of the call: with --unmoved, one that lets no edit through whose lines have moved. */
export function editorFor(args: Args, { editor }: Opened): Session {
  if (!args.has("unmoved")) return editor;
  if (args.has("stateless")) throw new UsageError("--unmoved needs the record, and --stateless keeps none");
  return editor.with({ unmoved: true });
}
