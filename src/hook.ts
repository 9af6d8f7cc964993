/**
 * The guard's hook: one file that needs nothing beside it, started by clients for every call of a tool. The guard
 * stands behind the starter, in the comment of an empty function: Node passes over comments, and it is run with the
 * machine code of an earlier run.
 */

import { readFileSync, writeSync } from "node:fs";
import { startProgram } from "./host/index.js";

/** Hash of the guard's text, put here by the build, like the function. */
declare const PROGRAM_ID: string;
declare function guardProgram(): void;
declare const __filename: string;
declare const require: NodeJS.Require;

interface Guard {
  answer(client: string, input: string, env: NodeJS.ProcessEnv): Promise<number>;
  attend(client: string, env: NodeJS.ProcessEnv): Promise<number>;
}

function commentOf(carrier: () => void): string {
  const text = carrier.toString();
  return text.slice(text.indexOf("/*") + 2, -3);
}

/** Nothing on stdin is no event. */
function standardInput(): string {
  try {
    return readFileSync(0, "utf8");
  } catch {
    return "";
  }
}

/**
 * The part of the environment that the guard reads. A repository's client settings can set variables of it: where the
 * record is
 * kept and for whom is said by the command line that was installed, and by the person's own configuration, alone.
 */
function environment(state: string | undefined): NodeJS.ProcessEnv {
  const { KEDGE_STATE: _, KEDGE_SESSION: __, KEDGE_STORE: ___, KEDGE_TREE: ____, ...env } = process.env;
  return state === undefined ? env : { ...env, KEDGE_STATE: state };
}

function start(client: string, env: NodeJS.ProcessEnv): Promise<number> {
  const input = stays ? "" : standardInput();
  const told = /"(?:hook_event_name|k)"\s*:\s*"(\w{1,30})"/.exec(input.slice(0, 4096))?.[1];
  const event = stays ? "all" : (told ?? "other");
  // Text that would have ended the comment was split.
  const source = commentOf(guardProgram).replaceAll("*\u0001/", "*/");
  const program = startProgram({
    ...{ file: __filename, source, id: PROGRAM_ID, require, env },
    use: `${client.replace(/\W/g, "").slice(0, 20)}-${event}`,
  });
  const guard = program as Guard;
  return stays ? guard.attend(client, env) : guard.answer(client, input, env);
}

const words = process.argv.slice(2).filter((word) => word !== "hook");
const [client = "", flag, state] = words;
/** A plugin asks one process about all events of its client. */
const stays = words.at(-1) === "--stay";

// At once: all is written, and what Node clears up before it ends by itself takes a millisecond.
export const done: Promise<number> = start(client, environment(flag === "--state" ? state : undefined)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    writeSync(2, `kedge hook: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
