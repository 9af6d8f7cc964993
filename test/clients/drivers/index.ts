import type { Driver } from "../driver.js";
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwenCode } from "./qwen-code.js";

/** Every build that the course is run with. */
export const drivers: readonly Driver[] = [
  claudeCode("2.1.325"),
  claudeCode("2.1.197"),
  opencode,
  codex,
  geminiCli,
  pi,
  qwenCode,
  copilot,
];
