import { isAbsolute, relative, resolve } from "node:path";
import { isWithin, type NodeStore } from "../node/index.js";
import type { JournalEntry } from "../session/index.js";

/** A path as somebody in this folder would write it. */
export function pathFrom(cwd: string, path: string): string {
  return isWithin(path, cwd) ? relative(cwd, path) || "." : path;
}

/**
 * The same store with journal entries that mean the same file from every folder: a call names files from where it is
 * made, and the next one may be made elsewhere. Written absolute, read as they are named from here.
 */
export function placedStore(store: NodeStore, cwd: string): NodeStore {
  const append: NodeStore["append"] = (entry) => {
    const to = entry.to === undefined ? {} : { to: resolve(cwd, entry.to) };
    return store.append({ ...entry, path: resolve(cwd, entry.path), ...to });
  };
  const journal: NodeStore["journal"] = async (filter) =>
    (await store.journal(filter)).map((entry) => placed(entry, cwd));
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
function placed(entry: JournalEntry, cwd: string): JournalEntry {
  const { path, file, to } = entry;
  if (isAbsolute(path))
    return { ...entry, path: pathFrom(cwd, path), ...(to === undefined ? {} : { to: pathFrom(cwd, to) }) };
  const tail = path.replace(/^(\.[\\/])+/, "");
  const isTail = file.toLowerCase().endsWith(tail.toLowerCase());
  const folder = isTail ? file.slice(0, file.length - tail.length) : null;
  const real = folder === null ? file : folder + tail;
  const moved = to === undefined || folder === null ? {} : { to: pathFrom(cwd, resolve(folder, to)) };
  return { ...entry, path: pathFrom(cwd, real), ...moved };
}
