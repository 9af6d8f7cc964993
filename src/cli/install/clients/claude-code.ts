import { join } from "node:path";
import { hookArguments, isGuardStart, serverCommand } from "../command.js";
import { jsonFile } from "../config/config-file.js";
import { element, type Hook, type HookGroup, hookGroups, hooksIn, member } from "../config/entries.js";
import type { Client, ConfigFile, Off, Setup } from "../types.js";
import { isTrue, switchedOff, systemFolder, variablesOff } from "./scopes.js";

const name = "claude-code";
const title = "Claude Code";
const strict = { title, comments: false };
const editing = ["Edit", "Write", "NotebookEdit"];

/** The events and matchers are those of the plugin; only what is started differs. */
function groups(setup: Setup): Record<string, HookGroup> {
  const [command, ...args] = hookArguments(setup, name);
  const onFailure = setup.failClosed ? { onFailure: "block" } : {};
  const { hooks } = JSON.parse(setup.plugin("claude-code/hooks/hooks.json")) as {
    hooks: Record<string, [HookGroup]>;
  };
  const own = ([group]: [HookGroup], event: string): HookGroup => ({
    ...group,
    hooks: group.hooks.map((hook) => ({
      ...{ ...hook, command, args },
      ...(event === "PreToolUse" ? onFailure : {}),
    })),
  });
  return Object.fromEntries(Object.entries(hooks).map(([event, list]) => [event, own(list, event)]));
}

function isOurs({ command, args }: Hook): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return isGuardStart(words.join(" "), name);
}

function hasPlugin({ env, home, read }: Setup): boolean {
  const settings = read(join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), "settings.json")) ?? "";
  return /"kedge@[^"]*"\s*:\s*true/.test(settings);
}

/**
 * In a project the file that Claude Code keeps out of git: the paths in it are those of this machine. Its own servers
 * for one person in one project are in the same file as everything else it remembers.
 */
function files(setup: Setup): ConfigFile[] {
  const { scope, env, home, project } = setup;
  const folder = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  const memory = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json");
  const settings =
    scope === "user" ? join(folder, "settings.json") : join(project, ".claude", "settings.local.json");
  const server = { type: "stdio", ...serverCommand(setup), alwaysLoad: true };
  const servers = scope === "user" ? ["mcpServers"] : ["projects", project, "mcpServers"];
  const entries = [
    hookGroups({ path: ["hooks"], groups: groups(setup), isOurs }),
    ...editing.map((tool) => element("exclusive", ["permissions", "deny"], tool)),
  ];
  return [
    jsonFile(settings, entries, strict),
    jsonFile(memory, [member("tools", [...servers, "kedge"], server)], strict),
  ];
}

/** Settings of the organisation: one file, and a folder of more. */
function managed({ list }: Setup): string[] {
  const names = { linux: "claude-code", mac: "ClaudeCode", windows: "C:\\Program Files\\ClaudeCode" };
  const folder = systemFolder(names);
  const more = join(folder, "managed-settings.d");
  const parts = list(more).filter((file) => file.endsWith(".json"));
  return [join(folder, "managed-settings.json"), ...parts.map((file) => join(more, file))];
}

/** The person's settings have no file for one machine; a project's have. */
function settings(setup: Setup): string[] {
  const ofProject = setup.folders.flatMap((at) =>
    ["settings.json", "settings.local.json"].map((file) => join(at, ".claude", file)),
  );
  return [...managed(setup), ofPerson(setup), ...ofProject];
}

const ofPerson = ({ env, home }: Setup): string =>
  join(env.CLAUDE_CONFIG_DIR || join(home, ".claude"), "settings.json");

/** Claude Code leaves out a whole file of which one value has the wrong type, and the guard with it. */
const isNoSwitch = (value: unknown): boolean => value !== undefined && typeof value !== "boolean";

/** A project cannot set these for Claude Code. */
const hookless = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];

function disabled(_: string, setup: Setup): Off | null {
  const [{ path: own }] = files(setup) as [ConfigFile];
  return (
    switchedOff(settings(setup), setup, [[["disableAllHooks"], isTrue]]) ??
    switchedOff([own], setup, [[["disableAllHooks"], isNoSwitch]]) ??
    switchedOff(managed(setup), setup, [
      [["allowManagedHooksOnly"], isTrue],
      [["strictPluginOnlyCustomization"], hasHooksLocked],
    ]) ??
    variablesOff(hookless, [...managed(setup), ofPerson(setup)], setup)
  );
}

/** `strictPluginOnlyCustomization` locks all that is named, or everything. */
const hasHooksLocked = (value: unknown): boolean =>
  value === true || (Array.isArray(value) && value.includes("hooks"));

export const claudeCode: Client = {
  ...{ name, title, program: "claude" },
  refuses: () => null,
  files,
  started(text) {
    const found = hooksIn(text, ["hooks"]).find(
      ({ hook, place }) => place[0] === "PreToolUse" && isOurs(hook),
    );
    return found ? { argv: [String(found.hook.command), ...(found.hook.args as string[])] } : null;
  },
  settings,
  disabled,
  notes: (wanted, setup) => [
    ...(setup.scope === "project"
      ? ["The paths in .claude/settings.local.json are those of this machine: keep it out of git."]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: Claude Code shows no diff for them, its permission rules for Edit do not cover them, and /rewind does not take their edits back (kedge undo does).",
        ]
      : []),
    ...(wanted.has("exclusive") ? [`${editing.join(", ")} are turned off.`] : []),
    ...(hasPlugin(setup)
      ? ["The plugin kedge guards as well, and one is enough: claude plugin disable kedge"]
      : []),
    "Conversations that are already open get the guard when they are started again.",
  ],
};
