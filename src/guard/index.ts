import { claudeCode } from "./clients/claude-code.js";
import { codex } from "./clients/codex.js";
import { geminiCli } from "./clients/gemini-cli.js";
import { opencode } from "./clients/opencode.js";
import { pi } from "./clients/pi.js";
import type { Adapter } from "./event.js";

/** By the name that `kedge hook` is given. Adding a client is one file and a line here. */
export const adapters: Readonly<Record<string, Adapter>> = Object.fromEntries(
  [claudeCode, opencode, codex, geminiCli, pi].map((adapter) => [adapter.client, adapter]),
);
export { hook } from "./run.js";
