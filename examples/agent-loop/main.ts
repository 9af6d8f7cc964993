// node main.js "rename the function go to run in src/a.ts"
import Anthropic from "@anthropic-ai/sdk";
import { findWorkspace, nodeFiles, nodeStore, stateFolder } from "../../src/node.js";
import { runAgent } from "./loop.js";

const root = process.cwd();
const state = stateFolder({ env: process.env });
const answer = await runAgent({
  client: new Anthropic(),
  model: process.env.MODEL ?? "claude-opus-4-8",
  prompt: process.argv[2] ?? "Which files are here? Read one of them.",
  workplace: {
    files: nodeFiles({ roots: [root], state }),
    store: nodeStore({ state, workspace: findWorkspace(root) }),
    agent: `example-${process.pid}`,
    clock: Date.now,
  },
});
console.log(answer);
