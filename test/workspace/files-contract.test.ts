import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type NodeFilesOptions, nodeStore } from "../../src/node.js";
import { filesContract } from "../contract/files.js";
import { storeContract } from "../contract/store.js";
import { faultyIo } from "../support/faulty.js";
import { ground } from "../support/node.js";

const noLinks = { at: 1, error: "EPERM", forGood: true, only: (call: string) => call.startsWith("link ") };
const ways: [string, Partial<NodeFilesOptions>][] = [
  ["on disk, with ripgrep if there", {}],
  ["on disk, without ripgrep", { ripgrep: false }],
  ["on a disk that gives a file one name only", { io: faultyIo(noLinks).io }],
];

for (const [name, options] of ways) {
  filesContract(name, () => {
    const made = ground();
    return {
      files: made.files(options),
      put: (path, content) => void made.put(path, content),
      get: (path) => {
        try {
          return readFileSync(join(made.root, path));
        } catch {
          return null;
        }
      },
      dispose: made.dispose,
    };
  });
}

storeContract("on disk", () => {
  const made = ground();
  return { store: nodeStore({ state: made.state, workspace: { key: made.root } }), dispose: made.dispose };
});
