import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadDetails } from "../../calls/index.js";
import { findWorkspace } from "../../host/index.js";
import { Session } from "../../session/index.js";
import { nodeStore } from "../../store/index.js";
import { nodeFiles } from "../../workspace/index.js";

/** Runs the body in a folder of its own, which is gone afterwards, also when the process is interrupted meanwhile. */
export async function inScratch<T>(name: string, body: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `kedge-${name}-`));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clear);
  try {
    return await body(folder);
  } finally {
    process.off("exit", clear);
    clear();
  }
}

/** Does the real thing in a scratch folder: read, an edit that moves, one that is refused, undo. null if all went well. */
export function selfTest(): Promise<string | null> {
  return inScratch("doctor", (scratch) =>
    trial(scratch).catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
  );
}

async function trial(scratch: string): Promise<string | null> {
  const state = join(scratch, "state");
  const path = join(scratch, "a.txt");
  const files = nodeFiles({ roots: [scratch], state });
  const store = nodeStore({ state, workspace: findWorkspace(scratch) });
  const session = new Session({ files, store, agent: "doctor", clock: Date.now });
  writeFileSync(path, "one\ntwo\nthree\nfour\n");
  const { rows } = (await session.read({ path })).details as ReadDetails;
  const set = (line: number, text: string) =>
    session.edit({ path, edits: [{ op: "set_line", anchor: rows[line - 1]?.anchor ?? "", text }] });
  writeFileSync(path, "zero\none\ntwo\nthree\nfour\n");
  const moved = await set(2, "TWO");
  if (moved.isError) return `an edit whose line moved was refused: ${moved.text}`;
  if (readFileSync(path, "utf8") !== "zero\none\nTWO\nthree\nfour\n")
    return "an edit went to the wrong place";
  writeFileSync(path, "zero\none\nTWO\nthree\nchanged\n");
  const stale = await set(4, "FOUR");
  if (!stale.isError) return "an edit of a line that had changed was not refused";
  const undone = await session.undo();
  if (undone.isError) return `an edit could not be undone: ${undone.text}`;
  return readFileSync(path, "utf8") === "zero\none\ntwo\nthree\nchanged\n"
    ? null
    : "undo did not restore the line";
}
