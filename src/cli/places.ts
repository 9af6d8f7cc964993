import { isAbsolute, relative, resolve } from "node:path";
import { isWithin, type NodeStore } from "../node/index.js";
import type { JournalEntry } from "../session/index.js";

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
