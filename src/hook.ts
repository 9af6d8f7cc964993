/**
 * The guard's hook: one file that needs nothing beside it, started by clients for every call of a tool. The program
 * stands behind the starter in a comment, which Node passes over: it is run with the machine code of an earlier run.
 */
import { readFileSync } from "node:fs";
import { startProgram } from "./node/index.js";

/** Of the program's text, and what stands before it; put here by the build. */
declare const PROGRAM_ID: string;
declare const PROGRAM_MARK: string;
declare const __filename: string;

interface Program {
  answer(client: string, input: string): Promise<number>;
}

/** Nothing on stdin is no event. */
function standardInput(): string {
  try {
    return readFileSync(0, "utf8");
  } catch {
    return "";
  }
}

function start(client: string): Promise<number> {
  const input = standardInput();
  const event = /"(?:hook_event_name|k)"\s*:\s*"(\w{1,30})"/.exec(input.slice(0, 4096))?.[1] ?? "other";
  const text = readFileSync(__filename, "utf8");
  const source = text
    .slice(text.lastIndexOf(PROGRAM_MARK) + PROGRAM_MARK.length, -3)
    .replaceAll("*\u0001/", "*/");
  const program = startProgram({
    file: __filename,
    source,
    id: PROGRAM_ID,
    use: `${client.replace(/\W/g, "").slice(0, 20)}-${event}`,
    env: process.env,
  });
  return (program as Program).answer(client, input);
}

const [client = ""] = process.argv.slice(2).filter((word) => word !== "hook");

export const done = start(client).then(
  (status) => {
    process.exitCode = status;
    return status;
  },
  (error: unknown) => {
    process.stderr.write(`kedge hook: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return 1;
  },
);
