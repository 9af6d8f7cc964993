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

/**
 * Answers event after event, a line each, until there are no more: for a plugin, which lives as long as its client. A line is
 * empty where there is nothing to say.
 */
export async function attend(client: string, env: NodeJS.ProcessEnv): Promise<number> {
  const adapter = adapters[client];
  if (!adapter) return answer(client, "", env);
  process.stdin.setEncoding("utf8");
  let pieces: string[] = [];
  for await (const piece of process.stdin as AsyncIterable<string>) {
    const lines = piece.split("\n");
    if (lines.length === 1) {
      pieces.push(piece);
      continue;
    }
    lines[0] = [...pieces, lines[0]].join("");
    pieces = [lines.pop() ?? ""];
    for (const input of lines) print(`${(await hook({ adapter, input, env, clock: Date.now })) ?? ""}\n`);
  }
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
