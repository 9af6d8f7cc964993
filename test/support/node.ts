import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type NodeFiles, type NodeFilesOptions, nodeFiles } from "../../src/node.js";
import type { Write } from "../../src/ports/files.js";

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes);

/** A workspace and a state folder beside it, gone after the test. */
export interface Ground {
  readonly root: string;
  readonly state: string;
  put(path: string, content: string | Uint8Array): string;
  get(path: string): string | null;
  /** Every file below the root, by its path, but for empty folders everything that is there. */
  tree(): Record<string, string>;
  files(options?: Partial<NodeFilesOptions>): NodeFiles;
}

export function ground(folder = tmpdir()): Ground & { dispose(): void } {
  const base = realpathSync(mkdtempSync(join(folder, "kedge-test-")));
  const root = join(base, "work");
  const state = join(base, "state");
  mkdirSync(root);
  return {
    root,
    state,
    put(path, content) {
      const target = join(root, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
    get(path) {
      try {
        return readFileSync(join(root, path), "utf8");
      } catch {
        return null;
      }
    },
    tree: () => treeOf(root),
    files: (options) => nodeFiles({ roots: [root], state, ...options }),
    dispose: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The same, for use within a test. */
export function newGround(folder?: string): Ground {
  const made = ground(folder);
  onTestFinished(() => made.dispose());
  return made;
}

/** What is in a folder of the state folder, but for the files that processes keep to make locks of. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.endsWith(".slot"));
}

export function treeOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  const found = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    found.sort().map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );
}

/** Reads each file under the lock, and commits the new contents together. */
export async function commit(files: NodeFiles, changes: Record<string, string | null>): Promise<boolean> {
  const ids = await Promise.all(Object.keys(changes).map((path) => files.identify(path)));
  return files.hold(ids, async (held) => {
    const writes: Write[] = [];
    for (const file of ids) {
      const after = changes[file.path];
      writes.push({
        file,
        before: await held.read(file),
        after: typeof after === "string" ? utf8(after) : null,
      });
    }
    return held.commit(writes);
  });
}

/** Deletes or moves a file by its size and hash, as one that is too large to be read. */
export async function withMeasured(files: NodeFiles, path: string, to?: string): Promise<boolean> {
  const file = await files.identify(path);
  const target = to === undefined ? null : await files.identify(to);
  return files.hold(target ? [file, target] : [file], async (held) => {
    const measure = (await held.measure?.(file)) ?? null;
    const gone: Write = { file, before: measure, after: null };
    return held.commit(target ? [{ file: target, before: null, after: measure, from: file }, gone] : [gone]);
  });
}
