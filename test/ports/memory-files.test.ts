import { memoryFiles } from "../../src/ports/index.js";
import { filesContract } from "../contract/files.js";

filesContract("in memory", () => {
  const files = memoryFiles();
  return {
    files,
    put: (path, content) => files.set(path, content),
    get: async (path) => files.read(await files.identify(path)),
  };
});
