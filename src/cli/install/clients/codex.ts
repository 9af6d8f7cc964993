import { createHash } from "node:crypto";
import { join } from "node:path";
import { hookLine, isGuardHook, serverCommand, startedLine } from "../command.js";
import { blockFile, jsonFile } from "../config/config-file.js";
import { type HookGroup, hookGroups, hooksIn, type PlacedHook } from "../config/entries.js";
import { valueAt } from "../config/json-edit.js";
import { JsonProblem, positionOf } from "../config/jsonc.js";
import { checkToml } from "../config/toml.js";
import type { Client, ConfigFile, Off, Setup } from "../types.js";
import { switchedOffIn } from "./scopes.js";

const name = "codex";
const title = "Codex";

/** A patch may also come through the shell. */
function groups(setup: Setup): Record<string, HookGroup> {
  const hook = { type: "command", command: hookLine(setup, name), timeout: 10, additionalContextLimit: 0 };
  const tools = { matcher: "^(apply_patch|Bash)$", hooks: [hook] };
  const always = { hooks: [hook] };
  return {
    ...{ PreToolUse: tools, PostToolUse: tools },
    ...{ SessionStart: always, UserPromptSubmit: always, PostCompact: always },
  };
}

const userFolder = ({ env, home }: Setup): string => env.CODEX_HOME || join(home, ".codex");
const folder = (setup: Setup): string =>
  setup.scope === "user" ? userFolder(setup) : join(setup.project, ".codex");
const hooksFile = (setup: Setup): string => join(folder(setup), "hooks.json");

function files(setup: Setup): ConfigFile[] {
  const { command, args, env = {} } = serverCommand(setup);
  const variables = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const lines = [
    ...["[mcp_servers.kedge]", `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`],
    ...(variables.length > 0 ? [`env = { ${variables.join(", ")} }`] : []),
  ];
  const rival = /^\s*\[\s*mcp_servers\s*\.\s*["']?kedge["']?\s*\]/m;
  const hooks = hookGroups({ path: ["hooks"], groups: groups(setup), isOurs: isGuardHook(name) });
  return [
    jsonFile(hooksFile(setup), [hooks], { title, comments: false }),
    blockFile(join(folder(setup), "config.toml"), {
      ...{ part: "tools", comment: "#", lines, rival },
      check: checkToml,
    }),
  ];
}

function beforeEdit(text: string): PlacedHook | undefined {
  return hooksIn(text, ["hooks"]).find(
    ({ hook, place }) => place[0] === "PreToolUse" && isGuardHook(name)(hook),
  );
}

/** As Codex itself tells one version of a hook from another. */
function trustedHash({ hook, place }: PlacedHook, text: string): string {
  const matcher = valueAt(text, ["hooks", place[0] as string, place[1] as number, "matcher"]);
  const { additionalContextLimit, command, timeout, type } = hook;
  const handler = { additionalContextLimit, async: false, command, timeout, type };
  const known = JSON.stringify({ event_name: "pre_tool_use", hooks: [handler], matcher });
  return `sha256:${createHash("sha256").update(known).digest("hex")}`;
}

/** A file that Codex stops at: then it starts nothing at all. */
function unreadable(path: string, text: string): Off | null {
  try {
    checkToml(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const place = `${path}, ${positionOf(text, error.offset)}`;
    return { why: `Codex cannot read ${place}: ${error.message}`, todo: "repair the file" };
  }
}

const system = (): string => (process.platform === "win32" ? "C:\\ProgramData\\OpenAI\\Codex" : "/etc/codex");

function settings(setup: Setup): string[] {
  const ofSystem = ["config.toml", "managed_config.toml", "requirements.toml"];
  return [
    ...ofSystem.map((file) => join(system(), file)),
    ...[userFolder(setup), join(setup.project, ".codex")].map((at) => join(at, "config.toml")),
  ];
}

/** `[features] hooks = false` in the ways that TOML has for it. */
const featureOff =
  /^\s*features\s*\.\s*(?:codex_)?hooks\s*=\s*false|^\s*features\s*=\s*\{[^}]*\b(?:codex_)?hooks\s*=\s*false|^\s*\[\s*features\s*\](?:(?!\n\s*\[)[\s\S])*?\n\s*(?:codex_)?hooks\s*=\s*false/m;

function switchedOffInAny(setup: Setup): Off | null {
  for (const file of settings(setup)) {
    const text = setup.read(file) ?? "";
    if (featureOff.test(text)) return switchedOffIn(file, "hooks is false in [features]");
    if (file.endsWith("requirements.toml") && /^\s*allow_managed_hooks_only\s*=\s*true/m.test(text))
      return switchedOffIn(file, "allow_managed_hooks_only is true");
  }
  return null;
}

/** Returns the entry in which Codex keeps whether one hook is trusted, and whether it is on. */
function stateOf({ place: [event, group, , hook] }: PlacedHook, setup: Setup): string {
  const config = setup.read(join(userFolder(setup), "config.toml")) ?? "";
  const label = String(event)
    .replace(/(?!^)[A-Z]/g, "_$&")
    .toLowerCase();
  const [, entry = ""] = config.split(
    `[hooks.state.${JSON.stringify(`${hooksFile(setup)}:${label}:${group}:${hook}`)}]`,
  );
  const [own = ""] = entry.split(/^\s*\[/m);
  return own;
}

/** Codex asks once for each project, and writes the answer into the person's configuration. */
function isTrusted(setup: Setup): boolean {
  const config = setup.read(join(userFolder(setup), "config.toml")) ?? "";
  const quoted = [`"${setup.project}"`, `'${setup.project}'`].find((one) =>
    config.includes(`projects.${one}`),
  );
  const [, entry = ""] = config.split(`projects.${quoted}`);
  const [own = ""] = entry.split(/^\s*\[/m);
  return /\btrust_level\s*=\s*["']trusted["']/.test(own);
}

/** Hooks that nobody has looked at are passed over, and in `codex exec` without a word. */
function disabled(text: string, setup: Setup): Off | null {
  const placed = beforeEdit(text);
  for (const path of new Set([userFolder(setup), folder(setup)].map((one) => join(one, "config.toml")))) {
    const wrong = unreadable(path, setup.read(path) ?? "");
    if (wrong !== null) return wrong;
  }
  const off = switchedOffInAny(setup);
  if (off !== null || !placed) return off;
  if (setup.scope === "project" && !isTrusted(setup))
    return { why: "Codex has not been told to trust this project", todo: "start codex here and trust it" };
  const ours = hooksIn(text, ["hooks"]).filter(({ hook }) => isGuardHook(name)(hook));
  const out = ours.find((one) => /^\s*enabled\s*=\s*false/m.test(stateOf(one, setup)));
  if (out) return { why: `its hook for ${out.place[0]} is switched off`, todo: "type /hooks in Codex" };
  if (stateOf(placed, setup).includes(trustedHash(placed, text))) return null;
  const todo = "start codex and choose to trust the hooks, or type /hooks";
  return { why: "Codex has not been told to trust it yet", todo };
}

export const codex: Client = {
  ...{ name, title, program: "codex", startsTwice: true },
  refuses: (wanted) =>
    wanted.has("exclusive")
      ? "Codex has no setting that turns apply_patch off; kedge install codex --tools installs our tools beside it"
      : null,
  files,
  started(text) {
    const placed = beforeEdit(text);
    return placed ? startedLine(String(placed.hook.command)) : null;
  },
  settings,
  disabled,
  notes: (wanted, { scope, project }) => [
    "Codex runs no hook that it was not told to trust: start codex once and choose to trust the hooks (or type /hooks). Until then nothing is guarded.",
    ...(scope === "project"
      ? [
          `Codex loads the files of a project only if it trusts ${project}.`,
          "The paths in .codex/hooks.json are those of this machine: keep it out of git.",
        ]
      : []),
    ...(wanted.has("tools")
      ? [
          "Kedge's tools are tools of an MCP server: Codex shows no diff for them, and its sandbox does not bind them. Their edits are taken back with kedge undo.",
        ]
      : []),
  ],
};
