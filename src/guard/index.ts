// What does a client's hook answer? Events of a client, judged, observed and worded in its own form.
import { claudeCode } from "./clients/claude-code.js";
import { codex } from "./clients/codex.js";
import { copilot } from "./clients/copilot.js";
import { geminiCli } from "./clients/gemini-cli.js";
import { opencode } from "./clients/opencode.js";
import { pi } from "./clients/pi.js";
import { qwenCode } from "./clients/qwen-code.js";
import type { Adapter } from "./event.js";

/** By the name that `kedge hook` is given. Adding a client is one file and a line here. */
export const adapters: Readonly<Record<string, Adapter>> = Object.fromEntries(
  [claudeCode, opencode, codex, geminiCli, pi, qwenCode, copilot].map((adapter) => [adapter.client, adapter]),
);
export type { GuardContext } from "./context.js";
export type { Adapter, Answer, Event, Payload, Recalled, Sent, Write } from "./event.js";
export { answer } from "./guard.js";
export { isRefusal } from "./messages.js";
export { isRecord, list, number, plain, record, text, textIn } from "./payload.js";
export { hook, placed } from "./run.js";
