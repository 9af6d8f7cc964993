import { isAbsolute, join } from "node:path";
import { serverCommand, shimFile, startedBy } from "../command.js";
import { jsonFile } from "../config/config-file.js";
import { member } from "../config/entries.js";
import type { Client, ConfigFile, Setup } from "../types.js";
import { variablesOff } from "./scopes.js";

const title = "opencode";

/**
 * A plugin file of our own, since lists of plugins in several configuration files do not add up. The server goes where
 * the configuration is.
 */
function files(setup: Setup): ConfigFile[] {
  const { scope, project } = setup;
  const folder = scope === "user" ? userFolder(setup) : join(project, ".opencode");
  const { command, args, env } = serverCommand(setup);
  const server = {
    ...{ type: "local", command: [command, ...args], enabled: true },
    ...(env ? { environment: env } : {}),
  };
  return [
    shimFile(join(folder, "plugin", "kedge.js"), "opencode/kedge.js", setup),
    jsonFile(configuration(setup), [
      member("tools", ["mcp", "kedge"], server),
      member("exclusive", ["permission", "edit"], "deny"),
    ]),
  ];
}

function userFolder({ env, home }: Setup): string {
  const given = env.XDG_CONFIG_HOME;
  return join(given && isAbsolute(given) ? given : join(home, ".config"), "opencode");
}

/** The one that has our server; else the one that decides, of those that are there. */
function configuration(setup: Setup): string {
  const { scope, project, read } = setup;
  const names = ["opencode.jsonc", "opencode.json"];
  const own = scope === "user" ? [...names, "config.json"] : [...names, ".opencode/opencode.json"];
  const candidates = own.map((name) => join(scope === "user" ? userFolder(setup) : project, name));
  const there = candidates.filter((path) => read(path) !== null);
  const ours = there.find((path) => /"kedge"\s*:/.test(read(path) ?? ""));
  return ours ?? there[0] ?? (candidates[1] as string);
}

export const opencode: Client = {
  ...{ name: "opencode", title, program: "opencode", startsTwice: true },
  refuses: () => null,
  files,
  settings: () => [],
  started: (text) => startedBy(text, "opencode"),
  disabled: (_, setup) => variablesOff(["OPENCODE_PURE"], [], setup),
  notes: (wanted, { scope }) => [
    ...(scope === "project"
      ? ["The paths in .opencode/plugin/kedge.js are those of this machine: keep it out of git."]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: opencode shows no diff for them, asks by other rules than for edit, and its undo does not know them (kedge undo does).",
        ]
      : []),
    ...(wanted.has("exclusive") ? ["edit, write and apply_patch are turned off."] : []),
    "An opencode that is running gets the guard when it is started again.",
  ],
};
