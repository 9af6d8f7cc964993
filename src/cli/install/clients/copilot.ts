import { join } from "node:path";
import { hookLine, serverCommand, startedLine } from "../command.js";
import { jsonFile, ownFile } from "../config/config-file.js";
import { member } from "../config/entries.js";
import { valueAt } from "../config/json-edit.js";
import type { Client, ConfigFile, Setup } from "../types.js";
import { isTrue, switchedOff } from "./scopes.js";

const name = "copilot";
const title = "Copilot CLI";
const events = ["sessionStart", "preToolUse", "postToolUse", "postToolUseFailure", "preCompact"];

/** Copilot CLI takes a hook that fails before a call for a refusal, so a missing program would refuse every call. */
function hooksText(setup: Setup): string {
  const bash = `${hookLine(setup, name)} || exit ${setup.failClosed ? 2 : 0}`;
  const hooks = [{ type: "command", bash, timeoutSec: 10 }];
  const all = Object.fromEntries(events.map((event) => [event, hooks]));
  return `${JSON.stringify({ version: 1, hooks: all }, null, 2)}\n`;
}

const gaps = (text: string): string[] =>
  events
    .filter((event) => !String(valueAt(text, ["hooks", event, 0, "bash"])).includes("hook.cjs"))
    .map((event) => `its hook for ${event} is missing`);

const userFolder = ({ env, home }: Setup): string => env.COPILOT_HOME || join(home, ".copilot");

/** A file of our own in the folder of hooks; those of a project lie in the folder of its host. */
function files(setup: Setup): ConfigFile[] {
  const { scope, project } = setup;
  const folder = scope === "user" ? userFolder(setup) : join(project, ".github");
  const server = { type: "local", ...serverCommand(setup), tools: ["*"] };
  return [
    { ...ownFile(join(folder, "hooks", "kedge.json"), hooksText(setup), "hook.cjs"), gaps },
    ...(scope === "user"
      ? [jsonFile(join(folder, "mcp-config.json"), [member("tools", ["mcpServers", "kedge"], server)])]
      : []),
  ];
}

/** Those of a project and of one person in it lie beside what its host reads; those of Claude Code count as well. */
function ofProject({ folders }: Setup): string[] {
  const names = ["settings.json", "settings.local.json"];
  const within = [join(".github", "copilot"), ".claude"];
  return folders.flatMap((at) => within.flatMap((folder) => names.map((file) => join(at, folder, file))));
}

const settings = (setup: Setup): string[] => [join(userFolder(setup), "settings.json"), ...ofProject(setup)];

export const copilot: Client = {
  ...{ name, title, program: "copilot", startsTwice: true },
  refuses(wanted, { scope }) {
    if (wanted.has("exclusive"))
      return "Copilot CLI has no setting that turns its own tools off; kedge install copilot --tools installs our tools beside them";
    return wanted.has("tools") && scope === "project"
      ? "Copilot CLI's MCP servers are installed for the user: kedge install copilot --tools"
      : null;
  },
  files,
  started(text) {
    const line = valueAt(text, ["hooks", "preToolUse", 0, "bash"]);
    return typeof line === "string" ? startedLine(line) : null;
  },
  settings,
  // The person's own settings have no such switch: hooks of the same folder run all the same.
  disabled: (_, setup) => switchedOff(ofProject(setup), setup, [[["disableAllHooks"], isTrue]]),
  notes: (wanted, { scope }) => [
    ...(scope === "project"
      ? [
          "Copilot CLI runs a project's hooks only in folders that it trusts.",
          "The paths in .github/hooks/kedge.json are those of this machine: keep it out of git.",
        ]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: Copilot CLI shows no diff for them, and asks by other rules than for edit. Their edits are taken back with kedge undo.",
        ]
      : []),
    "Conversations that are already open get the guard when they are started again.",
  ],
};
