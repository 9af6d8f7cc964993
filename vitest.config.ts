import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Chosen once for the whole run, so that one number repeats it: KEDGE_SEED=… npx vitest run test/…
const seed = process.env.KEDGE_SEED ?? String(Math.trunc(Math.random() * 2 ** 31));
const runs = process.env.KEDGE_RUNS ?? "100";

const source = (path: string) => join(import.meta.dirname, "src", path);

/**
 * Chooses where the tests make their folders: in memory, where the system has room for them and runs programs there. Thousands
 * of small durable writes wait for no disk then.
 */
function scratch(memory = "/dev/shm"): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const folder = mkdtempSync(join(memory, "kedge-"));
    try {
      const program = join(folder, "program");
      writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
      return bavail * bsize > 2 ** 31 && spawnSync(program).status === 0 ? memory : tmpdir();
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch {
    return tmpdir();
  }
}

/** Begins with the files of a minute each, so that no worker ends alone with one of them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes("/test/guard/clients/");
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

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
    env: { KEDGE_SEED: seed, KEDGE_RUNS: runs, TMPDIR: scratch() },
    sequence: { sequencer: LongestFirst },
    // A busy machine is no failure; speed is judged in bench/, as ratios.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
