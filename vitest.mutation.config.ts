import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

// Only what can kill a mutant of the rules, and no build: each mutant runs it anew.
const chosen = ["anchor", "edit", "engine", "quote", "report", "resolve", "stateless"];
const settings = mergeConfig(base, defineConfig({ test: { pool: "forks" } }));
const sessions = ["anchors", "gate", "refusal", "retry"];
settings.test.include = [
  ...chosen.map((name) => `test/core/${name}.test.ts`),
  ...sessions.map((name) => `test/session/${name}.test.ts`),
  "test/core/overlap.test.ts",
  "test/laws/change.test.ts",
];
settings.test.globalSetup = [];
export default settings;
