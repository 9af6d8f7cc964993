import { writeSync } from "node:fs";
import { adapters, hook } from "./guard/index.js";

/** The program that `hook.cjs` runs: answers one event of a client. The exit status. */
export async function answer(client: string, input: string, env: NodeJS.ProcessEnv): Promise<number> {
  const adapter = adapters[client];
  if (!adapter) {
    const known = Object.keys(adapters).join(", ");
    process.stderr.write(`kedge hook: there is no client ${JSON.stringify(client)}; it is one of ${known}\n`);
    return 2;
  }
  const output = await hook({ adapter, input, env, clock: Date.now });
  if (output !== null) print(output);
  return 0;
}

/** All of it, now: a process that ends before a stream is flushed loses what is beyond 64 KiB. */
function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
    }
  }
}
