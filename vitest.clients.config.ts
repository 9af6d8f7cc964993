import { defineConfig } from "vitest/config";

// The real clients: `npm run test:clients`. Their files do not end in .test.ts, so that the plain run leaves them alone.
export default defineConfig({
  test: {
    include: ["test/clients/**/*.client.ts"],
    testTimeout: 240_000,
    hookTimeout: 600_000,
    // The work is done in the clients' processes; this one only waits for them.
    maxConcurrency: Number(process.env.KEDGE_CLIENTS_JOBS ?? 2),
    fileParallelism: false,
  },
});
