import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.KEDGE_SEED), numRuns: Number(process.env.KEDGE_RUNS) });
