import fc from "fast-check";
import { afterEach } from "vitest";

const { KEDGE_SEED, KEDGE_RUNS } = process.env;
fc.configureGlobal({ seed: Number(KEDGE_SEED), numRuns: Number(KEDGE_RUNS) });

// The head of a long run is gone when somebody looks at its end.
afterEach(({ task }) => {
  if (task.result?.state === "fail")
    console.error(`to repeat "${task.name}": KEDGE_SEED=${KEDGE_SEED} KEDGE_RUNS=${KEDGE_RUNS}`);
});
