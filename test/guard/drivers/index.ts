import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import type { Driver } from "./driver.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwenCode } from "./qwen-code.js";

export const drivers: readonly Driver[] = [claudeCode, opencode, codex, geminiCli, pi, qwenCode, copilot];
