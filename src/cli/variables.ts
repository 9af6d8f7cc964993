/** Variables of ours that a client's settings set for everything it starts: a repository can bring such settings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./context.js";
import { homeOf } from "./install/prepare.js";

export interface SetVariable {
  readonly name: string;
  /** The file that sets it. */
  readonly where: string;
}

/** Where Claude Code reads what an organisation has set. */
const managed: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
  win32: "C:\\Program Files\\ClaudeCode\\managed-settings.json",
  linux: "/etc/claude-code/managed-settings.json",
};

/** Finds such variables in the settings of every scope that clients read: the person's, the project's, the organisation's. */
export function variablesInSettings(env: Environment, project: string): SetVariable[] {
  const home = homeOf(env);
  const claude = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  const settings = [
    join(claude, "settings.json"),
    join(claude, "settings.local.json"),
    join(project, ".claude", "settings.json"),
    join(project, ".claude", "settings.local.json"),
    managed[process.platform] ?? (managed.linux as string),
  ];
  const dotenv = [home, project].flatMap((folder) => [join(folder, ".gemini", ".env"), join(folder, ".env")]);
  return [
    ...settings.flatMap((where) => namesIn(where, /"(KEDGE_[A-Z_]+)"\s*:/g)),
    ...dotenv.flatMap((where) => namesIn(where, /^\s*(?:export\s+)?(KEDGE_[A-Z_]+)\s*=/gm)),
  ];
}

function namesIn(where: string, pattern: RegExp): SetVariable[] {
  try {
    const names = [...readFileSync(where, "utf8").matchAll(pattern)].map(([, name]) => name as string);
    return [...new Set(names)].map((name) => ({ name, where }));
  } catch {
    // It is not there, or not for us to read.
    return [];
  }
}
