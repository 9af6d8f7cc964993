import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Chosen once for the whole run, so that one number repeats it: KEDGE_SEED=… npx vitest run test/…
const seed = process.env.KEDGE_SEED ?? String(Math.trunc(Math.random() * 2 ** 31));
const runs = process.env.KEDGE_RUNS ?? "100";

const source = (path: string) => join(import.meta.dirname, "src", path);

export default defineConfig({
  // The examples import the package by its name; here that is its sources.
  resolve: {
    alias: [
      { find: /^kedge$/, replacement: source("index.ts") },
      { find: /^kedge\/node$/, replacement: source("node.ts") },
      { find: /^kedge\/(ai-sdk|anthropic|openai)$/, replacement: source("sdk/$1.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/announce.ts"],
    env: { KEDGE_SEED: seed, KEDGE_RUNS: runs },
    // A busy machine is no failure; speed is judged in bench/, as ratios.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
