import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
