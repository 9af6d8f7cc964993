import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { geminiCli } from "./gemini-cli.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import type { SessionReader } from "./reader.js";

/** A file belongs to the first that knows it. */
export const readers: readonly SessionReader[] = [opencode, codex, geminiCli, pi, claudeCode];
