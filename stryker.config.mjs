const home = "./node_modules/.cache/kedge/stryker/node_modules/@stryker-mutator";

export default {
  testRunner: "vitest",
  plugins: [`${home}/vitest-runner/dist/src/index.js`],
  vitest: { configFile: "vitest.mutation.config.ts" },
  mutate: [
    "src/merge/resolve.ts",
    "src/edits/locate-anchor.ts",
    "src/changes/line-change.ts",
    "src/anchors/anchor.ts",
  ],
  reporters: ["clear-text", "progress", "html", "json"],
  htmlReporter: { fileName: "reports/mutation.html" },
  jsonReporter: { fileName: "reports/mutation.json" },
  concurrency: 2,
  ignorePatterns: ["dist", "reports"],
  // Stryker rewrites the compiler settings with TypeScript's JavaScript interface, which TypeScript 7 does not have.
  // A name that no file has keeps it from trying; nothing in the settings needs rewriting.
  tsconfigFile: "none",
};
