import type { Client } from "../types.js";
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwenCode } from "./qwen-code.js";

export const allClients: readonly Client[] = [claudeCode, opencode, codex, geminiCli, pi, qwenCode, copilot];

export function clientNamed(name: string): Client {
  return allClients.find((client) => client.name === name) as Client;
}
