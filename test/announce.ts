import type { TestProject } from "vitest/node";

export default function announce({ config }: TestProject): void {
  const { KEDGE_SEED, KEDGE_RUNS } = config.env;
  console.log(`laws: KEDGE_SEED=${KEDGE_SEED} KEDGE_RUNS=${KEDGE_RUNS}`);
}
