import type { Driver } from "../driver.js";
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwenCode } from "./qwen-code.js";

/** Every build that the course is run with; of each client the newest that was tried comes first. */
export const drivers: readonly Driver[] = [
  claudeCode("2.1.328"),
  claudeCode("2.1.325"),
  claudeCode("2.1.197"),
  opencode,
  codex("0.169.0"),
  codex("0.166.0"),
  geminiCli,
  pi("1.5.2"),
  pi("0.73.1"),
  qwenCode,
  copilot,
];
