import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/cli/install/clients/claude-code.js";
import { codex } from "../../../src/cli/install/clients/codex.js";
import { copilot } from "../../../src/cli/install/clients/copilot.js";
import { geminiCli } from "../../../src/cli/install/clients/gemini-cli.js";
import { opencode } from "../../../src/cli/install/clients/opencode.js";
import { pi } from "../../../src/cli/install/clients/pi.js";
import { qwenCode } from "../../../src/cli/install/clients/qwen-code.js";
import { appendAt, setAt, valueAt } from "../../../src/cli/install/config/json-edit.js";
import type { Client, ConfigFile, Setup } from "../../../src/cli/install/types.js";

const home = "/home/user";

/** A machine with some files. */
const machine = (files: Readonly<Record<string, string>>): Setup => ({
  ...{ scope: "user", home, project: "/p", env: {}, program: "", state: null, failClosed: false },
  folders: ["/p", "/p/sub"],
  ...{ node: "/usr/bin/node", hook: `${home}/.local/state/kedge/hook/hook.cjs` },
  plugin: (name) => readFileSync(join("plugins", name), "utf8"),
  read: (path) => files[path] ?? null,
  list: (folder) =>
    Object.keys(files)
      .filter((path) => dirname(path) === folder)
      .map((path) => basename(path)),
});

describe.skipIf(process.platform !== "linux")("hooks are off, whichever scope says so", () => {
  const off = '{ "disableAllHooks": true }';
  const cases: readonly (readonly [Client, string, string])[] = [
    [claudeCode, "/etc/claude-code/managed-settings.json", off],
    [claudeCode, "/etc/claude-code/managed-settings.json", '{ "allowManagedHooksOnly": true }'],
    [claudeCode, "/etc/claude-code/managed-settings.json", '{ "strictPluginOnlyCustomization": ["hooks"] }'],
    [claudeCode, "/etc/claude-code/managed-settings.d/10-hooks.json", off],
    [claudeCode, `${home}/.claude/settings.json`, off],
    [claudeCode, "/p/.claude/settings.json", off],
    [claudeCode, "/p/.claude/settings.local.json", off],
    [codex, `${home}/.codex/config.toml`, 'model = "x"\n[features]\n# none\nhooks = false\n'],
    [codex, "/p/.codex/config.toml", "features.hooks = false\n"],
    [codex, "/etc/codex/config.toml", "features = { codex_hooks = false }\n"],
    [codex, "/etc/codex/requirements.toml", "allow_managed_hooks_only = true\n"],
    [geminiCli, "/etc/gemini-cli/settings.json", '{ "hooksConfig": { "enabled": false } }'],
    [geminiCli, `${home}/.gemini/settings.json`, '{ "hooksConfig": { "disabled": ["kedge"] } }'],
    [geminiCli, "/p/.gemini/settings.json", '{ /* no */ "hooksConfig": { "enabled": false } }'],
    [qwenCode, "/etc/qwen-code/settings.json", off],
    [qwenCode, `${home}/.qwen/settings.json`, off],
    [qwenCode, "/p/.qwen/settings.json", off],
    [qwenCode, "/p/.qwen/settings.json", '{ "disableAllHooks": "true" }'],
    [qwenCode, "/p/.qwen/settings.json", '{ "env": { "QWEN_CODE_SAFE_MODE": "1" } }'],
    [copilot, "/p/.github/copilot/settings.local.json", off],
    [copilot, "/p/.claude/settings.json", off],
    [copilot, "/p/.claude/settings.local.json", off],
    [claudeCode, "/p/sub/.claude/settings.json", off],
    [claudeCode, `${home}/.claude/settings.json`, '{ "disableAllHooks": "true" }'],
    [claudeCode, `${home}/.claude/settings.json`, '{ "env": { "CLAUDE_CODE_SIMPLE": "1" } }'],
    [claudeCode, `${home}/.claude/settings.json`, '{ "env": { "CLAUDE_CODE_SAFE_MODE": "yes" } }'],
    [geminiCli, "/p/sub/.gemini/settings.json", '{ "hooksConfig": { "enabled": false } }'],
    [geminiCli, `${home}/.gemini/trustedFolders.json`, '{ "/": "TRUST_FOLDER", "/p": "DO_NOT_TRUST" }'],
    [pi, `${home}/.pi/agent/settings.json`, '{ "extensions": ["-extensions/kedge.js"] }'],
    [pi, `${home}/.pi/agent/settings.json`, '{ "extensions": ["!**/kedge.*"] }'],
    [
      pi,
      `${home}/.pi/agent/settings.json`,
      '{ "extensions": ["+extensions/kedge.js", "-./extensions/kedge.js"] }',
    ],
  ];

  test.each(cases.map(([client, ...rest]) => [client.name, ...rest, client] as const))(
    "%s: %s says %s",
    (_, path, content, client) => {
      const setup = machine({ [path]: content });
      const installed = client.files(setup)[0]?.put(null, new Set(["guard"])) as string;
      expect(client.disabled?.(installed, setup)).toMatchObject({ file: path });
    },
  );

  const on: readonly (readonly [Client, string, string])[] = [
    [claudeCode, "/p/.claude/settings.json", '{ "allowManagedHooksOnly": true }'],
    [claudeCode, "/p/.claude/settings.json", '{ "disableAllHooks": false, "x": "disableAllHooks" }'],
    [claudeCode, "/p/.claude/settings.json", "{ broken"],
    [codex, "/p/.codex/config.toml", "[features]\nx = true\n[other]\nhooks = false\n"],
    [codex, "/p/.codex/config.toml", "allow_managed_hooks_only = true\n"],
    [claudeCode, "/p/.claude/settings.json", '{ "disableAllHooks": "true" }'],
    [claudeCode, "/p/.claude/settings.json", '{ "env": { "CLAUDE_CODE_SAFE_MODE": "1" } }'],
    [claudeCode, `${home}/.claude/settings.json`, '{ "env": { "CLAUDE_CODE_SAFE_MODE": "0" } }'],
    [claudeCode, `${home}/.claude/settings.local.json`, off],
    [copilot, `${home}/.copilot/settings.json`, off],
    [copilot, "/p/.claude/settings.json", '{ "disableAllHooks": "true" }'],
    [geminiCli, "/p/.gemini/settings.json", '{ "hooksConfig": { "disabled": ["other"] } }'],
    [geminiCli, `${home}/.gemini/trustedFolders.json`, '{ "/p": "TRUST_FOLDER", "/": "DO_NOT_TRUST" }'],
    [pi, `${home}/.pi/agent/settings.json`, '{ "extensions": ["-extensions/other.js", "extensions/x.js"] }'],
    [pi, `${home}/.pi/agent/settings.json`, '{ "extensions": ["!**/kedge.js", "+extensions/kedge.js"] }'],
    [pi, "/p/.pi/settings.json", '{ "extensions": ["-extensions/kedge.js"] }'],
  ];
  test.each(on.map(([client, ...rest]) => [client.name, ...rest, client] as const))(
    "but not where it says nothing: %s, %s, %s",
    (_, path, content, client) => {
      const setup = machine({ [path]: content });
      const installed = client.files(setup)[0]?.put(null, new Set(["guard"])) as string;
      expect(client.disabled?.(installed, setup)?.file).toBe(undefined);
    },
  );
});

describe("a client that starts without hooks in this shell", () => {
  test.each([
    [claudeCode, "CLAUDE_CODE_SIMPLE", "1"],
    [claudeCode, "CLAUDE_CODE_SAFE_MODE", "true"],
    [qwenCode, "QWEN_CODE_SIMPLE", "on"],
    [opencode, "OPENCODE_PURE", "1"],
  ] as const)("$name: %s=%s", (client, name, value) => {
    const off = client.disabled?.("{}", { ...machine({}), env: { [name]: value } });
    expect(off).toEqual({ why: `${name} is set here`, todo: `unset ${name}` });
    expect(client.disabled?.("{}", { ...machine({}), env: { [name]: "0" } })).toBe(null);
  });
});

describe("a hook that was changed by hand", () => {
  const clients = [claudeCode, codex, geminiCli, qwenCode, copilot];
  test.each(clients)("$name: every event that is taken out is named", (client) => {
    const setup = machine({});
    const [file] = client.files(setup) as [ConfigFile];
    const text = file.put(null, new Set(["guard"])) as string;
    expect(file.gaps?.(text)).toEqual([]);
    const events = Object.keys(valueAt(text, ["hooks"]) as object);
    expect(events.length).toBeGreaterThan(2);
    for (const event of events)
      expect(file.gaps?.(setAt(text, ["hooks", event], []))).toEqual([`its hook for ${event} is missing`]);
  });

  test("a longer time limit, or hooks of others beside it, are no fault", () => {
    const setup = machine({});
    const [file] = claudeCode.files(setup) as [ConfigFile];
    const text = file.put(null, new Set(["guard"])) as string;
    const longer = setAt(text, ["hooks", "PreToolUse", 0, "hooks", 0, "timeout"], 60);
    const beside = appendAt(longer, ["hooks", "PreToolUse"], {
      matcher: "Bash",
      hooks: [{ type: "command", command: "x" }],
    });
    expect(file.gaps?.(beside)).toEqual([]);
  });
});

describe("Codex's trust", () => {
  const file = `${home}/.codex/hooks.json`;
  const hash = "sha256:86018d0db01c7649fe459ea7452fc21682e8a9aed945809f556886e59382e1bf";
  const setup = (config: string): Setup => machine({ [`${home}/.codex/config.toml`]: config });
  const installed = codex.files(setup(""))[0]?.put(null, new Set(["guard"])) as string;
  const state = (rest: string): string => `model = "x"\n[hooks.state."${file}:pre_tool_use:0:0"]\n${rest}\n`;

  test.each([
    ["as Codex 0.166.0 writes it", state(`trusted_hash = "${hash}"`), null],
    ["nothing", 'model = "x"', "not been told to trust"],
    ["of another hook", state(`trusted_hash = "sha256:00"\n[x]\ny = "${hash}"`), "not been told to trust"],
    ["switched off", state(`trusted_hash = "${hash}"\nenabled = false`), "switched off"],
  ])("%s", (_, config, expected) => {
    const off = codex.disabled?.(installed, setup(config)) ?? null;
    expect(off?.why ?? null).toEqual(expected === null ? null : expect.stringContaining(expected));
  });

  test.each([
    ["", "trust this project"],
    [
      '[projects."/p"]\ntrust_level = "untrusted"\n[projects."/q"]\ntrust_level = "trusted"',
      "trust this project",
    ],
    ['[projects."/q"]\ntrust_level = "trusted"', "trust this project"],
    ['[projects."/p"]\ntrust_level = "trusted"', "trust it yet"],
    [`projects.'/p'.trust_level = "trusted"`, "trust it yet"],
  ])("a project's hooks, where config.toml says %j", (config, why) => {
    const inProject: Setup = { ...setup(config), scope: "project" };
    const hooks = codex.files(inProject)[0]?.put(null, new Set(["guard"])) as string;
    expect(codex.disabled?.(hooks, inProject)?.why).toContain(why);
  });

  test.each([
    ["model = gpt-5\n", 9, "a value is wanted; text stands in quotes"],
    ["[a\n", 1, "a table is wanted, like [name]"],
    ["[a]]\n", 1, "a table is wanted, like [name]"],
    ["<<<<<<< HEAD\n", 1, "a line like key = value is wanted"],
    ["a = [1 2]\n", 8, "a comma or ] is wanted"],
    ["a = [1, 2,", 5, "its ] is missing"],
    ["a = 1 b = 2\n", 6, "something else follows in this line"],
    ["a = '''x\n", 5, "a text has no closing quote"],
  ])("a config.toml that Codex cannot read: %j", (config, column, message) => {
    const why = `Codex cannot read ${home}/.codex/config.toml, line 1, column ${column}: ${message}`;
    expect(codex.disabled?.(installed, setup(config))).toEqual({ why, todo: "repair the file" });
  });

  test.each([
    ["[a]\n[b]\n[a]\n", "line 3, column 1: the table [a] is there twice"],
    ["[[a]]\nb = 1\n[c]\nb = 1\nb = 1\n", "line 5, column 1: b is there twice"],
  ])("is not given where it is said twice: %j", (config, message) => {
    expect(codex.disabled?.(installed, setup(config))?.why).toContain(message);
  });
});
