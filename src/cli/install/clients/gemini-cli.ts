import { join } from "node:path";
import { hookLine, isGuardHook, serverCommand, startedLine } from "../command.js";
import { jsonFile } from "../config/config-file.js";
import { element, type HookGroup, hookGroups, hooksIn, member } from "../config/entries.js";
import type { Client, ConfigFile, Off, Setup } from "../types.js";
import { isDistrusted, isFalse, switchedOff, systemFolder } from "./scopes.js";

const name = "gemini-cli";
const title = "Gemini CLI";
const editing = ["replace", "write_file"];
const shown = ["read_file", "read_many_files", "run_shell_command", "grep_search", "search_file_content"];

/**
 * Gemini CLI takes the status of a missing program for a refusal, so every edit would be refused. There is no
 * hook for its PreCompress, which comes before every request and says nothing.
 */
function groups(setup: Setup): Record<string, HookGroup> {
  const otherwise = process.platform === "win32" ? "" : ` || exit ${setup.failClosed ? 2 : 1}`;
  const command = hookLine(setup, name) + otherwise;
  const hooks = [{ name: "kedge", type: "command", command, timeout: 10_000 }];
  return {
    BeforeTool: { matcher: `^(${["run_shell_command", ...editing].join("|")})$`, hooks },
    AfterTool: { matcher: `^(${[...shown, ...editing].join("|")})$`, hooks },
    SessionStart: { hooks },
    BeforeAgent: { hooks },
  };
}

/** By their classes: the name `write_file` would turn off our own tool of that name as well. */
const classes = ["EditTool", "WriteFileTool"];

const own = [".gemini", "settings.json"];

function files(setup: Setup): ConfigFile[] {
  const { scope, env, home, project } = setup;
  const file = join(scope === "user" ? env.GEMINI_CLI_HOME || home : project, ...own);
  const entries = [
    hookGroups({ path: ["hooks"], groups: groups(setup), isOurs: isGuardHook(name) }),
    member("tools", ["mcpServers", "kedge"], serverCommand(setup)),
    ...classes.map((tool) => element("exclusive", ["tools", "exclude"], tool)),
  ];
  return [jsonFile(file, entries, { title, comments: true })];
}

function settings({ env, home, folders }: Setup): string[] {
  const names = { linux: "gemini-cli", mac: "GeminiCli", windows: "C:\\ProgramData\\gemini-cli" };
  const folder = systemFolder(names);
  return [
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(folder, "settings.json"),
    env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(folder, "system-defaults.json"),
    ...[env.GEMINI_CLI_HOME || home, ...folders].map((at) => join(at, ...own)),
  ];
}

/** In a folder that it does not trust, Gemini CLI runs no hooks at all, unless trust is switched off as a whole. */
function distrusted(setup: Setup): Off | null {
  const { env, home } = setup;
  const file =
    env.GEMINI_CLI_TRUSTED_FOLDERS_PATH ||
    join(env.GEMINI_CLI_HOME || home, ".gemini", "trustedFolders.json");
  if (env.GEMINI_CLI_TRUST_WORKSPACE === "true" || !isDistrusted(file, setup)) return null;
  if (switchedOff(settings(setup), setup, [[["security", "folderTrust", "enabled"], isFalse]])) return null;
  return { why: "this folder is not trusted, says", file, todo: "type /permissions in Gemini CLI" };
}

export const geminiCli: Client = {
  ...{ name, title, program: "gemini" },
  refuses: () => null,
  files,
  started(text) {
    const found = hooksIn(text, ["hooks"]).find(
      ({ hook, place }) => place[0] === "BeforeTool" && isGuardHook(name)(hook),
    );
    return found ? startedLine(String(found.hook.command)) : null;
  },
  settings,
  disabled: (_, setup) =>
    switchedOff(settings(setup), setup, [
      [["hooksConfig", "enabled"], isFalse],
      [["hooksConfig", "disabled"], (value) => Array.isArray(value) && value.includes("kedge")],
    ]) ?? distrusted(setup),
  notes: (wanted, { scope }) => [
    "Gemini CLI runs hooks only in folders that it trusts (/permissions).",
    ...(scope === "project"
      ? ["The paths in .gemini/settings.json are those of this machine: keep the change out of git."]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: Gemini CLI shows no diff for them, asks by other rules than for replace, and /restore does not know them (kedge undo does).",
        ]
      : []),
    ...(wanted.has("exclusive") ? [`${editing.join(" and ")} are turned off.`] : []),
  ],
};
