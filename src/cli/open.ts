import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  agentIdentity,
  boundsOf,
  type Identity,
  loadConfig,
  type NodeStore,
  nodeStore,
  openFiles,
  type Settings,
  stateFolder,
  type Workspace,
  workspaceFor,
} from "../node/index.js";
import { type Files, memoryStore, PortError, Session, type SessionOptions } from "../session/index.js";
import type { Args } from "./args.js";
import type { Context } from "./context.js";
import { shellDoor } from "./door.js";
import { placedStore } from "./places.js";
import { type Editor, statelessEditor } from "./stateless.js";

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
  readonly editor: Editor;
}

/** Opens the workspace of these paths, or of the working directory. */
export async function open(context: Context, paths: readonly string[] = []): Promise<Opened> {
  const { args, env, cwd, output, interrupt } = context;
  const report = (line: string): void => output.err.line(`kedge: ${line}`);
  const workspace = workspaceFor(cwd, paths);
  const { settings } = loadConfig({ flags: settingsOf(args, cwd), env, workspace: workspace.root });
  const state = stateFolder({ env, report });
  const files = interrupt.guard(openFiles({ settings, root: workspace.root, base: cwd, state, report }));
  const bounds = boundsOf(settings);
  const store = placedStore(nodeStore({ state, workspace, bounds, report }), { cwd, root: workspace.root });
  const explicit = args.text("session");
  const identity = await agentIdentity({ env, ...(explicit === undefined ? {} : { explicit }) });
  const options: SessionOptions = {
    ...{ files, store, agent: identity.id, clock: Date.now, door: shellDoor(args) },
    ...policiesOf(settings),
  };
  const session = new Session(options);
  const editor = args.has("stateless")
    ? statelessEditor({ ...options, store: memoryStore(), gate: "off" })
    : session;
  return { files, store, workspace, state, settings, identity, options, session, editor };
}

export type Policies = Pick<SessionOptions, "gate" | "onStale" | "anchors" | "keepOnFold">;

/** What of the settings is a session's. */
export function policiesOf({ gate, onStale, keepOnFold, anchors }: Settings): Policies {
  return {
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(keepOnFold ? { keepOnFold } : {}),
    ...(anchors && anchors !== "none" ? { anchors } : {}),
  };
}

export function settingsOf(args: Args, cwd: string): Settings {
  const anchors = args.text("anchors") as NonNullable<Settings["anchors"]> | undefined;
  const gate = args.text("gate") as NonNullable<Settings["gate"]> | undefined;
  const onStale = args.text("on-stale") as NonNullable<Settings["onStale"]> | undefined;
  const encoding = args.text("encoding");
  const roots = args.texts("root").map((root) => resolve(cwd, root));
  const missing = roots.find((root) => !statSync(root, { throwIfNoEntry: false })?.isDirectory());
  if (missing !== undefined) throw new PortError("bad_request", `--root ${missing} is not a folder`);
  return {
    ...(anchors ? { anchors } : {}),
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(encoding ? { encoding } : {}),
    ...(roots.length > 0 ? { roots } : {}),
  };
}
