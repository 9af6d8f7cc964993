import { claudeCode } from "./claude-code.js";
import type { SessionReader } from "./reader.js";

export const readers: readonly SessionReader[] = [claudeCode];
