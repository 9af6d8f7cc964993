import {
  type Io,
  ifThere,
  nodeIo,
  type Platform,
  readFile,
  thisPlatform,
  type Workspace,
} from "../host/index.js";

/** In the names of folders: a later format gets folders of its own, and both programs work side by side. */
export const format = "v2";
/** The format of version 0.1.0. */
export const olderFormat = "v1";
/** Says of which workspace a folder is: its name is one-way. */
export const label = "workspace.json";

interface State {
  /** The state folder (see `stateFolder`). */
  readonly state: string;
  readonly io?: Io;
  readonly platform?: Platform;
}

/** Returns the workspaces of which something is recorded; those whose label cannot be read are left out. */
export function recordedWorkspaces({
  state,
  io = nodeIo,
  platform: { path } = thisPlatform,
}: State): Workspace[] {
  const folder = path.join(state, format);
  const names = (ifThere(() => io.readdir(folder)) ?? []).map(({ name }) => name);
  return names.flatMap((name) => {
    try {
      const bytes = ifThere(() => readFile(io, path.join(folder, name, label)));
      const found = JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as Partial<Workspace>;
      const { root, key } = found;
      return typeof root === "string" && typeof key === "string" ? [{ root, key }] : [];
    } catch {
      return [];
    }
  });
}
