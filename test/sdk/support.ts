import { memoryFiles, memoryStore } from "../../src/ports/index.js";
import type { SessionOptions } from "../../src/session/session-options.js";

/** What makes a session, on files in memory. */
export function workplace(content: Readonly<Record<string, string>>, more: Partial<SessionOptions> = {}) {
  const files = memoryFiles(content);
  let time = 0;
  const options: SessionOptions = {
    files,
    store: memoryStore(),
    agent: "tester",
    clock: () => ++time,
    ...more,
  };
  return { files, options };
}
