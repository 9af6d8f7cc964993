import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.js";

// Only what can kill a mutant of the rules, and no build: each mutant runs it anew.
const settings = mergeConfig(base, defineConfig({ test: { pool: "forks" } }));
const chosen = [
  ...[
    "anchors/anchor",
    "answers/refusal-text",
    "answers/result-text",
    "calls/refuse",
    "calls/retry-handles",
    "edits/edit",
  ],
  ...["edits/locate-anchor", "edits/locate-quote", "edits/unprinted-anchor", "laws/change", "ledger/gate"],
  ...["merge/meeting", "merge/resolve", "merge/run-edits"],
];
settings.test.include = chosen.map((name) => `test/${name}.test.ts`);
settings.test.globalSetup = [];
export default settings;
