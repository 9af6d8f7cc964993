import { join } from "node:path";
import type { TestProject } from "vitest/node";

/** Says how to repeat the laws, and builds the program, so that no test runs one of other sources. */
export default async function announce({ config }: TestProject): Promise<void> {
  const { KEDGE_SEED, KEDGE_RUNS } = config.env;
  console.log(`laws: KEDGE_SEED=${KEDGE_SEED} KEDGE_RUNS=${KEDGE_RUNS}`);
  const script: string = join(import.meta.dirname, "../scripts/build.mjs");
  const { isFresh, build } = (await import(script)) as typeof import("../scripts/build.mjs");
  if (isFresh()) return;
  const { ok, output } = await build();
  if (!ok) throw new Error(`the program could not be built: ${output}`);
}
