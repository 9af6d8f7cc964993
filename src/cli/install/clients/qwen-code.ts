import { join } from "node:path";
import { hookLine, isGuardHook, serverCommand, startedLine } from "../command.js";
import { jsonFile } from "../config/config-file.js";
import { element, type HookGroup, hookGroups, hooksIn, member } from "../config/entries.js";
import type { Client, ConfigFile, Setup } from "../types.js";
import { switchedOff, systemFolder, variablesOff } from "./scopes.js";

const name = "qwen-code";
const title = "Qwen Code";
const editing = ["edit", "write_file", "notebook_edit"];

/**
 * PostToolBatch tells of all calls of an answer together. There is no hook for its UserPromptSubmit, which comes before
 * every request of the model: prompts stand in the transcript.
 */
function groups(setup: Setup): Record<string, HookGroup> {
  const line = hookLine(setup, name);
  const command = setup.failClosed && process.platform !== "win32" ? `${line} || exit 2` : line;
  const hooks = [{ name: "kedge", type: "command", command, timeout: 10 }];
  return {
    PreToolUse: { matcher: `^(${["run_shell_command", ...editing].join("|")})$`, hooks },
    ...{ PostToolBatch: { hooks }, SessionStart: { hooks }, PostCompact: { hooks } },
  };
}

/** By their classes: the name `edit` would turn off our own tool of that name as well. */
const classes = ["EditTool", "WriteFileTool", "NotebookEditTool"];

function files(setup: Setup): ConfigFile[] {
  const { scope, env, home, project } = setup;
  const folder = scope === "user" ? env.QWEN_HOME || join(home, ".qwen") : join(project, ".qwen");
  const entries = [
    hookGroups({ path: ["hooks"], groups: groups(setup), isOurs: isGuardHook(name) }),
    member("tools", ["mcpServers", "kedge"], serverCommand(setup)),
    ...classes.map((tool) => element("exclusive", ["permissions", "deny"], tool)),
  ];
  return [jsonFile(join(folder, "settings.json"), entries, { title, comments: true })];
}

function settings({ env, home, folders }: Setup): string[] {
  const names = { linux: "qwen-code", mac: "QwenCode", windows: "C:\\ProgramData\\qwen-code" };
  const folder = systemFolder(names);
  return [
    env.QWEN_CODE_SYSTEM_SETTINGS_PATH || join(folder, "settings.json"),
    env.QWEN_CODE_SYSTEM_DEFAULTS_PATH || join(folder, "system-defaults.json"),
    ...[env.QWEN_HOME || join(home, ".qwen"), ...folders.map((at) => join(at, ".qwen"))].map((at) =>
      join(at, "settings.json"),
    ),
  ];
}

export const qwenCode: Client = {
  ...{ name, title, program: "qwen" },
  refuses: () => null,
  files,
  started(text) {
    const found = hooksIn(text, ["hooks"]).find(
      ({ hook, place }) => place[0] === "PreToolUse" && isGuardHook(name)(hook),
    );
    return found ? startedLine(String(found.hook.command)) : null;
  },
  settings,
  disabled: (_, setup) =>
    switchedOff(settings(setup), setup, [[["disableAllHooks"], Boolean]]) ??
    variablesOff(["QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"], settings(setup), setup),
  notes: (wanted, { scope }) => [
    ...(scope === "project"
      ? [
          "Qwen Code runs a project's hooks only in folders that it trusts.",
          "The paths in .qwen/settings.json are those of this machine: keep the change out of git.",
        ]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: Qwen Code shows no diff for them, asks by other rules than for edit, and /restore does not know them (kedge undo does).",
        ]
      : []),
    ...(wanted.has("exclusive") ? [`${editing.join(", ")} are turned off.`] : []),
    "Conversations that are already open get the guard when they are started again.",
  ],
};
