import { Document, isSameBytes } from "../text/index.js";
import {
  type FileId,
  type Files,
  type Held,
  PortError,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
} from "./files.js";
import { asAsked, expressionOf, globbed } from "./search-pattern.js";

/** Files in memory. `files` is open to the tests and to embedders that play the foreign writer. */
export interface MemoryFiles extends Files {
  readonly files: Map<string, Uint8Array>;
  set(path: string, content: string | Uint8Array): void;
  text(path: string): string | null;
}

/**
 * An in-memory file system for a session.
 *
 * @example
 * const files = memoryFiles({ "a.ts": "const a = 1;\n" });
 * files.set("b.ts", "const b = 2;\n");
 * console.log(files.text("b.ts")); // → const b = 2;\n
 */
export function memoryFiles(
  initial: Readonly<Record<string, string | Uint8Array>> = {},
  options: { readonly ignoreCase?: boolean } = {},
): MemoryFiles {
  const files = new Map<string, Uint8Array>();
  const keyOf = (path: string): string => {
    const parts: string[] = [];
    for (const part of path.replaceAll("\\", "/").split("/")) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        if (parts.length === 0) throw new PortError("outside_roots", `${path} is outside the workspace`);
        parts.pop();
      } else parts.push(part);
    }
    const key = parts.join("/");
    return options.ignoreCase ? key.toLowerCase() : key;
  };
  const queues = new Map<string, Promise<unknown>>();
  const set = (path: string, content: string | Uint8Array): void => {
    files.set(keyOf(path), typeof content === "string" ? new TextEncoder().encode(content) : content);
  };
  for (const [path, content] of Object.entries(initial)) set(path, content);
  const identify = async (path: string): Promise<FileId> => {
    if (typeof path !== "string" || path === "")
      throw new PortError("bad_request", "a path is a text that is not empty");
    return { key: keyOf(path), path, keep: true };
  };
  const read = async (file: FileId): Promise<Uint8Array | null> => files.get(file.key) ?? null;
  const held: Held = {
    read,
    async commit(writes, fence) {
      const intended = writes.map(({ file }) => ({ path: file.key, temporary: null }));
      await fence?.intent({ token: "memory", files: intended });
      const stale = writes.some(({ file, before }, index) => {
        if (writes.findIndex((write) => write.file.key === file.key) < index) return before !== null;
        const now = files.get(file.key) ?? null;
        if (before === null || now === null) return before !== now;
        return !(before instanceof Uint8Array) || !isSameBytes(before, now);
      });
      if (stale) return false;
      fence?.check();
      for (const { file, after } of writes) {
        if (after instanceof Uint8Array) files.set(file.key, after);
        else files.delete(file.key);
      }
      return true;
    },
  };
  return {
    files,
    set,
    text: (path) => {
      const bytes = files.get(keyOf(path));
      return bytes ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) : null;
    },
    identify,
    read,
    async hold(ids, body) {
      const keys = [...new Set(ids.map(({ key }) => key))].sort();
      const before = Promise.all(keys.map((key) => queues.get(key)));
      const run = before.then(() => body(held));
      const settled = run.then(
        () => undefined,
        () => undefined,
      );
      for (const key of keys) queues.set(key, settled);
      return run;
    },
    async search(query) {
      const { path } = query;
      return searchMemory(files, path === undefined ? "" : (await identify(path)).key, query);
    },
  };
}

function searchMemory(
  files: ReadonlyMap<string, Uint8Array>,
  folder: string,
  query: SearchQuery,
): SearchResult {
  const { expression } = expressionOf(query);
  const isWanted = globbed(query.glob);
  const below = folder === "" ? "" : `${folder}/`;
  const paths = [...files.keys()].filter((path) => path === folder || path.startsWith(below)).sort();
  if (folder !== "" && paths.length === 0) throw new PortError("not_found", `${query.path} does not exist`);
  const hits: SearchHit[] = [];
  let left = query.maxResults;
  for (const path of paths) {
    const relative = path.slice(below.length);
    if (path !== folder && !isWanted(relative)) continue;
    const document = Document.parse(files.get(path) as Uint8Array);
    const lines = document.isBinary ? [] : document.lines();
    const found = lines.flatMap((line, at) => (expression.test(line) ? [at + 1] : []));
    const name = path === folder ? (query.path as string) : asAsked(query.path, relative);
    if (found.length > 0 && left > 0) hits.push({ path: name, lines: found.slice(0, left) });
    if (found.length > left) return { hits, limited: true };
    left -= found.length;
  }
  return { hits, limited: false };
}
