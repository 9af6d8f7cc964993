import type { Result } from "../../src/calls/result.js";
import { memoryFiles, memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import type { SessionOptions } from "../../src/session/session-options.js";
import { type Extra, toolDoor, tools } from "../../src/tools/index.js";

/** An agent with the tools, on files in memory. */
export function bench(content: Readonly<Record<string, string>> = {}, options: Partial<SessionOptions> = {}) {
  const files = memoryFiles(content);
  let time = 0;
  const clock = () => ++time;
  const store = memoryStore();
  const session = new Session({ files, store, agent: "tester", clock, door: toolDoor, ...options });
  const call = (name: string, args: unknown, extra?: Extra): Promise<Result> => {
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw new Error(`there is no tool ${name}`);
    return tool.run(session, args, extra);
  };
  return { files, store, session, call };
}

export const code = (result: Result): string | undefined => (result.details as { code?: string }).code;
