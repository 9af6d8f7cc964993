import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { UsageError } from "./args.js";
import type { Context } from "./context.js";

/** Read as it comes, so that Ctrl-C is heard meanwhile. */
export function stdin({ output }: Pick<Context, "output">): AsyncIterable<Uint8Array> {
  if (process.stdin.isTTY) output.err.line("kedge: reading from the terminal; end with Ctrl-D");
  return process.stdin;
}

/** The bytes of stdin, to its end. */
export async function readStdin(context: Pick<Context, "output">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin(context)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Whether a person is there to be asked. */
export function isTerminal({ output }: Pick<Context, "output">): boolean {
  return output.out.isTerminal && process.stdin.isTTY;
}

/** Asks a person for a line; null if there is none. */
export async function ask(
  question: string,
  { output: { err } }: Pick<Context, "output">,
): Promise<string | null> {
  err.raw(`\n${err.paint("bold", question)} `);
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once("line", (line) => resolve(line.trim()));
      lines.once("close", () => resolve(null));
    });
  } finally {
    lines.close();
  }
}

/** The bytes of a file that the caller names as input, or of stdin for "-". */
export async function readInput(name: string, context: Pick<Context, "output" | "cwd">): Promise<Uint8Array> {
  if (name === "-") return readStdin(context);
  try {
    return readFileSync(resolve(context.cwd, name));
  } catch (error) {
    throw new InputError(reasonOf(name, error));
  }
}

/** Input that is named and cannot be had. Exit status 1. */
export class InputError extends Error {}

function reasonOf(name: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return `${name} does not exist`;
  if (code === "EISDIR") return `${name} is a folder; name a file in it`;
  if (code === "EACCES") return `cannot read ${name}: permission denied`;
  return `cannot read ${name}: ${error instanceof Error ? error.message : error}`;
}

/** Text of the caller, which has to be UTF-8: anything else would be written wrongly and silently. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const shown = name === "-" ? "stdin" : name;
    throw new UsageError(`${shown} is not UTF-8 text`, "convert it first, for example with iconv");
  }
}
