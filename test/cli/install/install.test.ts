import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { setAt } from "../../../src/cli/install/config/json-edit.js";
import { Machine } from "./support.js";

interface Target {
  readonly client: string;
  /** The file that gets the guard, for the user and in the project. */
  readonly user: string;
  readonly project: string;
  /** The file that gets the tools. */
  readonly tools?: string;
}

const targets: readonly Target[] = [
  {
    client: "claude-code",
    user: ".claude/settings.json",
    project: "project/.claude/settings.local.json",
    tools: ".claude.json",
  },
  {
    client: "opencode",
    user: ".config/opencode/plugin/kedge.js",
    project: "project/.opencode/plugin/kedge.js",
    tools: ".config/opencode/opencode.json",
  },
  {
    client: "codex",
    user: ".codex/hooks.json",
    project: "project/.codex/hooks.json",
    tools: ".codex/config.toml",
  },
  {
    client: "gemini-cli",
    user: ".gemini/settings.json",
    project: "project/.gemini/settings.json",
    tools: ".gemini/settings.json",
  },
  {
    client: "qwen-code",
    user: ".qwen/settings.json",
    project: "project/.qwen/settings.json",
    tools: ".qwen/settings.json",
  },
  {
    client: "copilot",
    user: ".copilot/hooks/kedge.json",
    project: "project/.github/hooks/kedge.json",
    tools: ".copilot/mcp-config.json",
  },
  { client: "pi", user: ".pi/agent/extensions/kedge.js", project: "project/.pi/extensions/kedge.js" },
];

/** A file that holds nothing but the guard. */
const isOwn = (name: string): boolean => /\bkedge\.js(?:on)?$/.test(name);

const foreignHooks = {
  model: "x",
  hooks: {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "mine" }] }],
    BeforeTool: [{ matcher: "x", hooks: [{ type: "command", command: "mine" }] }],
  },
  mcpServers: { other: { command: "o" } },
};

/** Bytes that stood there before, for files of JSON. */
const plainJson: Readonly<Record<string, string>> = {
  "an empty file": "",
  "an empty object": "{}",
  "blanks in it": "{\n}\n",
  "one line": JSON.stringify(foreignHooks),
  "foreign hooks": `${JSON.stringify(foreignHooks, null, 2)}\n`,
  "no final newline": JSON.stringify(foreignHooks, null, 2),
  tabs: `${JSON.stringify(foreignHooks, null, "\t")}\n`,
  CRLF: `${JSON.stringify(foreignHooks, null, 2)}\n`.replaceAll("\n", "\r\n"),
  "a BOM": `\ufeff${JSON.stringify(foreignHooks, null, 4)}\n`,
};
const withComments: Readonly<Record<string, string>> = {
  "a comment": '{\r\n\t"theme": "dark", // best\r\n\t/* none */ "hooks": {}\r\n\t// last\r\n}',
};
const withCommas: Readonly<Record<string, string>> = {
  comments: '{\n  // mine\n  "theme": "dark", // best\n  "hooks": {\n    /* none */\n  }, // yet\n}\n// end',
  "a comment and CRLF": '{\r\n\t"a": [1, 2,],\r\n\t// last\r\n}\r\n',
};
const toml: Readonly<Record<string, string>> = {
  "an empty file": "",
  tables: 'model = "x" # best\n\n[mcp_servers.other]\ncommand = "o"\n',
  "no final newline": 'model = "x"',
  CRLF: "[a]\r\nb = 1\r\n",
  "all kinds of values": [
    ...["\ufeff# best", 'a = """x', '"quoted" \\""" y""""', "b = '''z", "''' # c", 'c.d = ""', "e = ''"],
    ...[
      "f = 1979-05-27 07:32:00Z",
      "g = [1, 2,",
      "  # more",
      "  -3.1e5, inf,]",
      'h = { i = true, "j k" = 0xff }',
    ],
    ...["[[l]]", "[l.m]", "[[l]]", "[l.m]", '[hooks.state."/x:pre_tool_use:0:0"]', "[ n . o ] # p", ""],
  ].join("\n"),
};

const cases = targets.flatMap(({ client, user, tools }) => {
  const files = [...new Set([user, ...(tools ? [tools] : [])])].filter((name) => !isOwn(name));
  return files.flatMap((file) => {
    const lenient: Readonly<Record<string, object>> = {
      opencode: { ...withComments, ...withCommas },
      "gemini-cli": withComments,
      "qwen-code": withComments,
    };
    const contents = file.endsWith(".toml") ? toml : { ...plainJson, ...lenient[client] };
    return Object.entries(contents).map(([what, content]) => ({ client, file, what, content }));
  });
});

describe("install and uninstall", () => {
  test.each(cases)(
    "$client: $file with $what comes back byte for byte",
    async ({ client, file, content }) => {
      const machine = new Machine();
      machine.put(file, content);
      const before = machine.files();
      const installed = await machine.run(`install ${client} --tools`);
      expect(installed).toMatchObject({ status: 0 });
      expect(machine.text(file)).not.toBe(content);
      expect(machine.text(file)).toContain("kedge");
      const first = machine.files();
      const again = await machine.run(`install ${client} --tools`);
      expect(again).toMatchObject({ status: 0, out: expect.stringContaining("already") });
      expect(machine.files()).toEqual(first);
      expect(await machine.run(`uninstall ${client}`)).toMatchObject({ status: 0 });
      expect(machine.files()).toEqual(before);
      expect(readdirSync(machine.state)).not.toContain("hook");
    },
  );

  test.each(targets)(
    "$client: where there was nothing, nothing is left",
    async ({ client, user, project }) => {
      const machine = new Machine();
      const before = machine.files();
      for (const [scope, file] of [
        ["user", user],
        ["project", project],
      ] as const) {
        expect(await machine.run(`install ${client} --scope ${scope}`)).toMatchObject({ status: 0 });
        expect(machine.text(file)).toContain(machine.hook);
        expect(machine.text(file)).toContain(client);
        expect(await machine.run(`uninstall ${client} --scope ${scope}`)).toMatchObject({ status: 0 });
        expect(machine.files()).toEqual(before);
      }
      const none = await machine.run(`uninstall ${client}`);
      expect(none).toMatchObject({ status: 0, out: expect.stringContaining("nothing to take out") });
    },
  );

  test.each(targets)("$client: a dry run shows the diff and writes nothing", async ({ client, user }) => {
    const machine = new Machine();
    const before = machine.files();
    const { status, out } = await machine.run(`install ${client} --dry-run`);
    expect(status).toBe(0);
    expect(out).toContain(`+++ ~/${user}`);
    expect(out).toMatch(/^\+.*hook\.cjs/m);
    expect(machine.files()).toEqual(before);
    expect(readdirSync(machine.state)).not.toContain("hook");
    await machine.run(`install ${client}`);
    const installed = machine.files();
    expect((await machine.run(`uninstall ${client} --dry-run`)).out).toMatch(/^-.*hook\.cjs/m);
    expect(machine.files()).toEqual(installed);
  });
});

const jsonTargets = targets.filter(({ user }) => user.endsWith(".json") && !isOwn(user));

describe("a configuration that somebody else changed since", () => {
  test.each(jsonTargets)("$client: only ours is taken out", async ({ client, user }) => {
    const machine = new Machine();
    const content = `${JSON.stringify(foreignHooks, null, 2)}\n`;
    machine.put(user, content);
    await machine.run(`install ${client}`);
    const change = (text: string): string => setAt(text, ["theirs"], { a: [1] });
    machine.put(user, change(machine.text(user) as string));
    await machine.run(`uninstall ${client}`);
    expect(machine.text(user)).toBe(change(content));
  });

  test.each(jsonTargets)("$client: installed once more, then taken out", async ({ client, user }) => {
    const machine = new Machine();
    await machine.run(`install ${client}`);
    const change = (text: string): string => setAt(text, ["theirs"], 1);
    machine.put(user, change(machine.text(user) as string));
    machine.build("second");
    await machine.run(`install ${client} --scope user`);
    await machine.run(`uninstall ${client}`);
    expect(JSON.parse(machine.text(user) as string)).toEqual({ theirs: 1 });
  });

  test.each(jsonTargets)(
    "$client: without a record the entries are known by what they start",
    async (target) => {
      const { client, user } = target;
      const machine = new Machine();
      machine.put(user, JSON.stringify(foreignHooks, null, 2));
      await machine.run(`install ${client}`);
      rmSync(machine.state, { recursive: true });
      await machine.run(`uninstall ${client}`);
      expect(JSON.parse(machine.text(user) as string)).toEqual(foreignHooks);
    },
  );

  test("a file that only held ours, and something else now, stays", async () => {
    const machine = new Machine();
    await machine.run("install codex --tools");
    machine.put(".codex/config.toml", `model = "x"\n${machine.text(".codex/config.toml")}`);
    await machine.run("uninstall codex");
    expect(machine.text(".codex/config.toml")).toBe('model = "x"\n');
    expect(machine.text(".codex/hooks.json")).toBe(null);
  });
});

describe("an installation that is there already", () => {
  test.each(jsonTargets)(
    "$client: of another path it is replaced where it stands",
    async ({ client, user }) => {
      const machine = new Machine();
      await machine.run(`install ${client}`, { KEDGE_STATE: join(machine.home, "old state") });
      const old = machine.text(user) as string;
      expect(old).toContain("old state/hook/hook.cjs");
      expect(old).toContain("--state");
      await machine.run(`install ${client}`);
      expect(machine.text(user)).not.toContain("old state");
      expect((machine.text(user) as string).match(/hook\.cjs/g)?.length).toBe(
        old.match(/hook\.cjs/g)?.length,
      );
    },
  );

  test("a new version replaces the program, and no configuration has to change", async () => {
    const machine = new Machine();
    await machine.run("install codex");
    const configuration = machine.files();
    machine.build("second");
    expect(await machine.run("install codex")).toMatchObject({ status: 0 });
    expect(readFileSync(machine.hook, "utf8")).toBe("// second\n");
    expect(machine.files()).toEqual(configuration);
    if (process.platform === "win32") return;
    expect(statSync(machine.hook).mode & 0o777).toBe(0o600);
    expect(statSync(join(machine.hook, "..")).mode & 0o777).toBe(0o700);
  });

  test("the program goes with the last client that starts it", async () => {
    const machine = new Machine();
    await machine.run("install codex");
    await machine.run("install pi --scope project");
    await machine.run("uninstall codex");
    expect(readFileSync(machine.hook, "utf8")).toBe("// first\n");
    await machine.run("uninstall pi --scope project");
    expect(readdirSync(machine.state)).not.toContain("hook");
  });

  test("more is added to it, and taken out by itself", async () => {
    const machine = new Machine();
    const deny = () => JSON.parse(machine.text(".claude/settings.json") as string).permissions?.deny;
    machine.put(".claude/settings.json", '{ "permissions": { "deny": ["Write"] } }\n');
    await machine.run("install claude-code");
    expect(machine.text(".claude.json")).toBe(null);
    await machine.run("install claude-code --exclusive");
    expect(machine.text(".claude.json")).toContain("alwaysLoad");
    expect(deny()).toEqual(["Write", "Edit", "NotebookEdit"]);
    await machine.run("install claude-code");
    expect(deny()).toEqual(["Write", "Edit", "NotebookEdit"]);
    await machine.run("uninstall claude-code --exclusive");
    expect(deny()).toEqual(["Write"]);
    expect(machine.text(".claude.json")).toContain("alwaysLoad");
    await machine.run("uninstall claude-code --tools");
    expect(machine.text(".claude.json")).toBe(null);
    expect(machine.text(".claude/settings.json")).toContain("hook.cjs");
    await machine.run("uninstall claude-code");
    expect(machine.text(".claude/settings.json")).toBe('{ "permissions": { "deny": ["Write"] } }\n');
  });
});

describe("nothing is changed", () => {
  test.each([
    ["claude-code", ".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"],
    [
      "claude-code",
      ".claude/settings.json",
      "{\n  // x\n}",
      "line 2, column 3: Claude Code does not read a file with a comment",
    ],
    [
      "claude-code",
      ".claude/settings.json",
      '{"a": [1,]}',
      "line 1, column 9: Claude Code does not read a file with a comma",
    ],
    ["gemini-cli", ".gemini/settings.json", '{"hooks": []}', "line 1, column 11: hooks is not an object"],
    ["gemini-cli", ".gemini/settings.json", '{"hooks": {"BeforeTool": {}}}', "is not a list"],
    ["gemini-cli", ".gemini/settings.json", '{"a": 1,}', "does not read a file with a comma"],
    ["codex", ".codex/hooks.json", "[]", "line 1, column 1: an object is wanted"],
    ["codex", ".codex/config.toml", 'a = "x\n', "config.toml, line 1, column 5: a text has no closing quote"],
    ["pi", ".pi/agent/extensions/kedge.js", "export default 1;", "is in the way"],
  ])("%s: %s is %j", async (client, file, content, message) => {
    const machine = new Machine();
    machine.put(file, content);
    const before = machine.files();
    const { status, err } = await machine.run(`install ${client}`);
    expect(status).toBe(1);
    expect(err).toContain(message);
    expect(machine.files()).toEqual(before);
    expect(readdirSync(machine.state)).not.toContain("hook");
  });

  test("by a server of our name that somebody else has put there", async () => {
    const machine = new Machine();
    machine.put(".codex/config.toml", '[mcp_servers.kedge]\ncommand = "mine"\n');
    const before = machine.files();
    const { status, err } = await machine.run("install codex --tools");
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringContaining("[mcp_servers.kedge] already"),
    });
    expect(machine.files()).toEqual(before);
    expect((await machine.run("install codex")).status).toBe(0);
  });

  test("by a file that is not UTF-8", async () => {
    const machine = new Machine();
    machine.put(".gemini/settings.json", "");
    const { writeFileSync } = await import("node:fs");
    writeFileSync(machine.path(".gemini/settings.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await machine.run("install gemini-cli")).err).toContain("not UTF-8");
  });

  test.each([
    ["pi --tools", "pi has no MCP servers"],
    ["pi --exclusive", "pi has no MCP servers"],
    ["codex --exclusive", "turns apply_patch off"],
  ])("by install %s, which cannot be", async (args, message) => {
    const machine = new Machine();
    const before = machine.files();
    const { status, err } = await machine.run(`install ${args}`);
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) });
    expect(machine.files()).toEqual(before);
  });
});

describe("the file itself", () => {
  test.skipIf(process.platform === "win32")("a link stays a link, its mode stays", async () => {
    const machine = new Machine();
    machine.put("dotfiles/settings.json", "{}\n");
    chmodSync(machine.path("dotfiles/settings.json"), 0o640);
    machine.put(".claude/x", "");
    symlinkSync("../dotfiles/settings.json", machine.path(".claude/settings.json"));
    await machine.run("install claude-code");
    expect(lstatSync(machine.path(".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(machine.text("dotfiles/settings.json")).toContain("hook.cjs");
    expect(statSync(machine.path("dotfiles/settings.json")).mode & 0o777).toBe(0o640);
    await machine.run("uninstall claude-code");
    expect(machine.text("dotfiles/settings.json")).toBe("{}\n");
    expect(lstatSync(machine.path(".claude/settings.json")).isSymbolicLink()).toBe(true);
  });

  test("what stood there is kept as a backup, and said where", async () => {
    const machine = new Machine();
    machine.put(".gemini/settings.json", '{"a":1}');
    const { err } = await machine.run("install gemini-cli");
    const backup = /^backup of ~\/\.gemini\/settings\.json: (.+)$/m.exec(err)?.[1] as string;
    expect(readFileSync(backup, "utf8")).toBe('{"a":1}');
    if (process.platform !== "win32") expect(statSync(backup).mode & 0o777).toBe(0o600);
  });

  test("opencode: the server goes where the configuration is", async () => {
    const machine = new Machine();
    machine.put(".config/opencode/opencode.jsonc", '{\n  // mine\n  "permission": { "edit": "ask" }\n}\n');
    const before = machine.files();
    await machine.run("install opencode --exclusive");
    const text = machine.text(".config/opencode/opencode.jsonc") as string;
    expect(text).toContain('"edit": "deny"');
    expect(text).toContain("// mine");
    expect(machine.text(".config/opencode/opencode.json")).toBe(null);
    machine.put(".config/opencode/opencode.jsonc", setAt(text, ["theirs"], 1));
    await machine.run("uninstall opencode");
    expect(machine.text(".config/opencode/opencode.jsonc")).toContain('"edit": "ask"');
    expect(machine.text(".config/opencode/opencode.jsonc")).not.toContain("kedge");
    expect(Object.keys(machine.files())).toEqual(Object.keys(before));
  });

  test("a state folder that is named leaves the usual one alone", async () => {
    const machine = new Machine();
    const state = join(machine.scratch, "state");
    expect((await machine.run("install pi", { KEDGE_STATE: state })).status).toBe(0);
    expect(existsSync(join(state, "hook/hook.cjs"))).toBe(true);
    expect(existsSync(machine.path(".local"))).toBe(false);
  });

  test("other folders are found where the client looks for them", async () => {
    const machine = new Machine();
    const env = {
      CLAUDE_CONFIG_DIR: machine.path("c"),
      CODEX_HOME: machine.path("x"),
      GEMINI_CLI_HOME: machine.path("g"),
      QWEN_HOME: machine.path("q"),
      COPILOT_HOME: machine.path("l"),
      XDG_CONFIG_HOME: machine.path("o"),
      PI_CODING_AGENT_DIR: machine.path("p"),
    };
    for (const { client } of targets) await machine.run(`install ${client}`, env);
    const found = [
      "c/settings.json",
      "x/hooks.json",
      "g/.gemini/settings.json",
      "q/settings.json",
      "l/hooks/kedge.json",
      "o/opencode/plugin/kedge.js",
    ];
    for (const file of [...found, "p/extensions/kedge.js"]) expect(machine.text(file)).toContain("hook.cjs");
  });
});

describe("what is said", () => {
  test("whether the client is there", async () => {
    const machine = new Machine();
    expect((await machine.run("install codex")).err).toContain("there is no codex on the PATH");
    machine.put("bin/codex", "");
    chmodSync(machine.path("bin/codex"), 0o755);
    if (process.platform === "win32") return;
    const { err } = await machine.run("install codex", { PATH: machine.path("bin") });
    expect(err).not.toContain("on the PATH");
  });

  test("without a client: those that are here, and nothing without a person or --yes", async () => {
    const machine = new Machine();
    expect(await machine.run("install")).toMatchObject({ status: 1, out: "" });
    if (process.platform === "win32") return;
    for (const program of ["claude", "pi"]) {
      machine.put(`bin/${program}`, "");
      chmodSync(machine.path(`bin/${program}`), 0o755);
    }
    const env = { PATH: machine.path("bin") };
    const before = machine.files();
    const asked = await machine.run("install", env);
    expect(asked.status).toBe(1);
    expect(asked.err).toMatch(/Found here: Claude Code, pi\.[\s\S]*Nothing was changed.*--yes/);
    expect(asked.out).toContain("+++ ~/.claude/settings.json");
    expect(machine.files()).toEqual(before);
    expect((await machine.run("install --json", env)).status).toBe(1);
    expect(machine.files()).toEqual(before);
    expect((await machine.run("install --yes", env)).status).toBe(0);
    for (const file of [".claude/settings.json", ".pi/agent/extensions/kedge.js"])
      expect(machine.text(file)).toContain("hook.cjs");
    expect(machine.text(".codex/hooks.json")).toBeNull();
  });

  test("several clients, and one that cannot be guarded", async () => {
    const machine = new Machine();
    expect((await machine.run("install codex pi")).status).toBe(0);
    expect(machine.text(".codex/hooks.json")).toContain("hook.cjs");
    expect(machine.text(".pi/agent/extensions/kedge.js")).toContain("hook.cjs");
    const { status, err } = await machine.run("install cursor");
    expect(status).toBe(1);
    expect(err).toMatch(/not guarded.*mcp\.json.*"mcpServers"/);
  });

  test("one whose configuration cannot be read keeps none of the others from the guard", async () => {
    const machine = new Machine();
    machine.put(".gemini/settings.json", '{ "model": "x", }');
    machine.put(".codex/config.toml", 'model = "x"\n');
    const { status, err, out } = await machine.run("install codex gemini-cli pi");
    expect(status).toBe(1);
    expect(err).toContain("settings.json, line 1, column 15: Gemini CLI does not read");
    expect(machine.text(".pi/agent/extensions/kedge.js")).toContain("hook.cjs");
    // A file beside it that holds nothing of ours is not said to.
    expect(out).toContain("Codex: guard installed in ~/.codex/hooks.json\n");
    expect((await machine.run("install codex")).out).toBe(
      "Codex: guard already installed in ~/.codex/hooks.json\n",
    );
  });

  test("that the guard would start twice, or comes with a plugin already", async () => {
    const machine = new Machine();
    await machine.run("install pi");
    expect((await machine.run("install pi --scope project")).err).toContain("starts the guard twice");
    await machine.run("install claude-code");
    expect((await machine.run("install claude-code --scope project")).err).not.toContain("twice");
    machine.put(".claude/settings.json", '{"enabledPlugins":{"kedge@kedge":true}}');
    expect((await machine.run("install claude-code")).err).toContain("claude plugin disable kedge");
  });

  test.each(["claude-code", "opencode", "codex", "gemini-cli", "qwen-code", "copilot"])(
    "%s: what is lost with our tools",
    async (client) => {
      const machine = new Machine();
      const { err } = await machine.run(`install ${client} --tools`);
      expect(err).toMatch(/no diff .*kedge undo/s);
    },
  );

  test("how to take it out, also when that is asked for in the wrong place", async () => {
    const machine = new Machine();
    const { err } = await machine.run("install pi --scope project");
    expect(err).toContain("; kedge uninstall pi --scope project takes it out again");
    const wrong = await machine.run("uninstall pi");
    expect(wrong).toMatchObject({ status: 0, out: "pi: nothing to take out\n" });
    expect(wrong.err).toBe(
      `it is installed in ${machine.project}: kedge uninstall pi --scope project, in that folder\n`,
    );
    await machine.run("uninstall pi --scope project");
    expect((await machine.run("uninstall pi")).err).toBe("");
    expect((await machine.run("install pi")).err).toContain("; kedge uninstall pi takes it out again");
    expect((await machine.run("uninstall pi --scope project")).err).toBe(
      "it is installed for you: kedge uninstall pi\n",
    );
  });

  test("for programs", async () => {
    const machine = new Machine();
    const { out, status } = await machine.run("install claude-code --json");
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ client: "claude-code", scope: "user", parts: ["guard"], status: "installed", hook: machine.hook },
      files: [
        { path: machine.path(".claude/settings.json"), outcome: "created" },
        { path: machine.path(".claude.json"), outcome: "unchanged" },
      ],
    });
    const taken = await machine.run("uninstall claude-code --json");
    expect(JSON.parse(taken.out)).toMatchObject({ status: "taken out", files: [{ outcome: "removed" }, {}] });
  });

  test("a build without a guard says so", async () => {
    const machine = new Machine();
    rmSync(join(machine.program, "../hook.cjs"));
    const { status, err } = await machine.run("install codex");
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining("no guard to install") });
    expect(machine.text(".codex/hooks.json")).toBe(null);
  });
});

test("somebody who wants it closed gets a client that blocks when the guard fails", async () => {
  const machine = new Machine();
  machine.put(".config/kedge/config.json", '{"failClosed": true}');
  await machine.run("install claude-code");
  const { hooks } = JSON.parse(machine.text(".claude/settings.json") as string);
  expect(hooks.PreToolUse[0].hooks[0].onFailure).toBe("block");
  // It would end the whole run of the agent there.
  expect(hooks.PostToolBatch[0].hooks[0].onFailure).toBe(undefined);
  await machine.run("install opencode");
  expect(machine.text(".config/opencode/plugin/kedge.js")).toContain('"failClosed": true');
});
