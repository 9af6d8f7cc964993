import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { agentIdentity, type Identity, stateFolder, type Workspace } from "../host/index.js";
import { type Files, type JournalEntry, memoryStore, PortError } from "../ports/index.js";
import { Session, type SessionOptions } from "../session/index.js";
import { type NodeStore, nodeStore } from "../store/index.js";
import {
  boundsOf,
  isWithin,
  loadConfig,
  openFiles,
  type Settings,
  workspaceFor,
} from "../workspace/index.js";
import { type Args, UsageError } from "./args.js";
import type { Context } from "./context.js";
import { shellDoor } from "./print/shell-wording.js";
import { type Editor, statelessEditor, withAdvice } from "./stateless.js";

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

/** Where somebody is, and the workspace around it. */
interface Here {
  readonly cwd: string;
  readonly root: string;
}

/** A path as somebody here would write it: relative inside the workspace, else absolute. */
function pathFrom({ cwd, root }: Here, path: string): string {
  const isNear = isWithin(path, cwd) || (isWithin(path, root) && isWithin(cwd, root));
  return isNear ? relative(cwd, path) || "." : path;
}

/**
 * The same store with journal entries that mean the same file from every folder: a call names files from where it is
 * made, and the next one may be made elsewhere. Written absolute, read as they are named from here.
 */
export function placedStore(store: NodeStore, here: Here): NodeStore {
  const { cwd } = here;
  const append: NodeStore["append"] = (entry) => {
    const to = entry.to === undefined ? {} : { to: resolve(cwd, entry.to) };
    return store.append({ ...entry, path: resolve(cwd, entry.path), ...to });
  };
  const journal: NodeStore["journal"] = async (filter) =>
    (await store.journal(filter)).map((entry) => placed(entry, here));
  return new Proxy(store, {
    get(target, key) {
      if (key === "append") return append;
      if (key === "journal") return journal;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Entries of other doors name files from their own folder; the key, which is the real path, leads back to it. */
function placed(entry: JournalEntry, here: Here): JournalEntry {
  const { path, file, to } = entry;
  if (isAbsolute(path))
    return { ...entry, path: pathFrom(here, path), ...(to === undefined ? {} : { to: pathFrom(here, to) }) };
  const tail = path.replace(/^(\.[\\/])+/, "");
  const isTail = file.toLowerCase().endsWith(tail.toLowerCase());
  const folder = isTail ? file.slice(0, file.length - tail.length) : null;
  const real = folder === null ? file : folder + tail;
  const moved = to === undefined || folder === null ? {} : { to: pathFrom(here, resolve(folder, to)) };
  return { ...entry, path: pathFrom(here, real), ...moved };
}

/** Who makes the edits: with --unmoved, one that lets no edit through whose lines have moved. */
export function editorFor(args: Args, { editor, options }: Opened): Pick<Editor, "edit" | "multiEdit"> {
  if (!args.has("unmoved")) return editor;
  if (args.has("stateless")) throw new UsageError("--unmoved needs the record that --stateless goes without");
  const session = new Session({ ...options, unmoved: true });
  return {
    edit: async (request) => withAdvice(await session.edit(request)),
    multiEdit: async (request) => withAdvice(await session.multiEdit(request)),
  };
}
