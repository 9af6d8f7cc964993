import { createHash } from "node:crypto";
import { join } from "node:path";
import { hookLine, isGuardHook, serverCommand, startedLine } from "../command.js";
import { blockFile, jsonFile } from "../config/config-file.js";
import { type HookGroup, hookGroups, hooksIn, type PlacedHook } from "../config/entries.js";
import { valueAt } from "../config/json-edit.js";
import { JsonProblem, positionOf } from "../config/jsonc.js";
import { checkToml } from "../config/toml.js";
import type { Client, ConfigFile, Setup } from "../types.js";

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
function unreadable(path: string, text: string): string | null {
  try {
    checkToml(text);
    return null;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return `it cannot read ${path}, ${positionOf(text, error.offset)}: ${error.message}`;
  }
}

/** Hooks that nobody has looked at are passed over, and in `codex exec` without a word. */
function disabled(text: string, setup: Setup): string | null {
  const placed = beforeEdit(text);
  for (const path of new Set([userFolder(setup), folder(setup)].map((one) => join(one, "config.toml")))) {
    const wrong = unreadable(path, setup.read(path) ?? "");
    if (wrong !== null) return wrong;
  }
  const config = setup.read(join(userFolder(setup), "config.toml")) ?? "";
  if (!placed) return null;
  const key = JSON.stringify(`${hooksFile(setup)}:pre_tool_use:${placed.place[1]}:${placed.place[3]}`);
  const [, entry = ""] = config.split(`[hooks.state.${key}]`);
  const [own = ""] = entry.split(/^\s*\[/m);
  if (/^\s*enabled\s*=\s*false/m.test(own)) return "it is switched off in Codex (/hooks)";
  if (own.includes(trustedHash(placed, text))) return null;
  return "it is not trusted yet; start codex and choose to trust the hooks, or type /hooks";
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
