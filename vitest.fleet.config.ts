import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

// Fleets, on a real PostgreSQL: `npm run test:fleet`. Their files do not end in .test.ts, so that the plain run leaves them
// alone.
const settings = mergeConfig(base, defineConfig({ test: { testTimeout: 300_000, hookTimeout: 300_000 } }));
settings.test.include = ["test/fleet/**/*.fleet.ts"];
settings.test.globalSetup = ["test/announce.ts", "test/fleet/database.ts"];
settings.test.sequence = {};
export default settings;
