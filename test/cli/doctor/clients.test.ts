import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { setAt } from "../../../src/cli/install/config/json-edit.js";
import { jsonLines, Place, program } from "../support.js";

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  readonly advice?: string;
}

function clientsOf(place: Place): Finding[] {
  const { stdout } = place.run(["doctor", "--json"]);
  return jsonLines<Finding>(stdout).filter(({ check }) => check === "clients");
}

const settings = (place: Place): string => join(place.scratch, "home/.claude/settings.json");
const hook = (place: Place): string => join(place.state, "hook/hook.cjs");

describe("kedge doctor", () => {
  test("tries what each client starts, for the user and in the project", () => {
    const place = new Place({ ".git/HEAD": "ref: refs/heads/main\n" });
    for (const client of ["claude-code", "opencode", "gemini-cli"]) place.ok("install", client);
    for (const client of ["claude-code", "pi"]) place.ok("install", client, "--scope", "project");
    const names = ["claude-code (user)", "claude-code (project)", "opencode (user)", "gemini-cli (user)"];
    expect(clientsOf(place)).toEqual(
      [...names, "pi (project)"].map((name) => ({
        ...{ check: "clients", ok: true },
        found: `${name}: guarding; it refused an unread edit and let a read one through`,
      })),
    );
    expect(place.ok("doctor")).toContain("all is well");
  });

  test("leaves nothing of the trial behind", () => {
    const place = new Place();
    place.ok("install", "codex");
    clientsOf(place);
    const workspaces = place.run(["session", "list", "--json"]);
    expect(workspaces.stdout).not.toContain("doctor");
    expect(place.ok("log", "--json")).toBe("");
  });

  test("the settings of the folder where it is run count, and those above it", () => {
    const place = new Place({
      ".git/HEAD": "ref: x\n",
      "sub/.claude/settings.json": '{"disableAllHooks": true}',
    });
    place.ok("install", "claude-code");
    const found = (cwd: string) => place.run(["doctor", "--json"], { cwd }).stdout;
    expect(found("sub")).toContain("not guarding: disableAllHooks is true in");
    expect(found(".")).toContain("claude-code (user): guarding");
  });

  test("nobody guarded is no fault", () => {
    const place = new Place();
    expect(clientsOf(place)).toEqual([
      expect.objectContaining({ ok: true, advice: expect.stringContaining("kedge install") }),
    ]);
  });

  test("a client that is guarded in another project, and a program that nothing starts", () => {
    const place = new Place({ "one/.git/HEAD": "ref: x\n", "two/.git/HEAD": "ref: x\n" });
    const found = (cwd: string) => place.run(["doctor", "--json"], { cwd }).stdout;
    expect(place.run(["install", "pi", "--scope", "project"], { cwd: "one" }).status).toBe(0);
    expect(found("two")).toContain(`guarded elsewhere: pi in ${place.path("one")}`);
    rmSync(join(place.state, "install"), { recursive: true });
    expect(found("two")).toContain("hook.cjs is left over");
  });

  const guarded = (): Place => {
    const place = new Place();
    place.ok("install", "claude-code");
    return place;
  };
  const again = "run kedge install claude-code";

  const change = (place: Place, path: readonly (string | number)[], value: unknown): void =>
    writeFileSync(settings(place), setAt(readFileSync(settings(place), "utf8"), path, value));

  const faults: readonly (readonly [string, (place: Place) => void, string, string])[] = [
    ["the program is gone", (place) => rmSync(hook(place)), "hook.cjs is gone", again],
    [
      "it lets everything through",
      (place) => writeFileSync(hook(place), "process.stdin.resume();"),
      "an edit of a file that was not read went through",
      again,
    ],
    ["it crashes", (place) => writeFileSync(hook(place), "throw new Error('broken');"), "broken", again],
    [
      "it is of another version",
      (place) => writeFileSync(hook(place), `// Older.\n${readFileSync(hook(place), "utf8")}`),
      "not as this kedge installs it: of another version",
      again,
    ],
    [
      "Node is gone",
      (place) =>
        writeFileSync(
          settings(place),
          readFileSync(settings(place), "utf8").replaceAll(/"[^"]*\/bin\/node"/g, '"/gone/node"'),
        ),
      "/gone/node is gone",
      again,
    ],
    [
      "hooks are switched off",
      (place) => change(place, ["disableAllHooks"], true),
      "not guarding: disableAllHooks is true in ~/.claude/settings.json",
      "take that out",
    ],
    [
      "hooks are turned off by the project",
      (place) => place.put(".claude/settings.json", '{"disableAllHooks": true}'),
      "/.claude/settings.json",
      "take that out",
    ],
    [
      "hooks are turned off in the project by one person",
      (place) => place.put(".claude/settings.local.json", '{"disableAllHooks": true}'),
      "/.claude/settings.local.json",
      "take that out",
    ],
    [
      "the person's own configuration lets everything through",
      (place) => {
        mkdirSync(join(place.scratch, "home/config/kedge"), { recursive: true });
        writeFileSync(join(place.scratch, "home/config/kedge/config.json"), '{"gate": "off"}');
      },
      "not guarding: gate is off in ~/config/kedge/config.json",
      "take that out",
    ],
    [
      "the matcher was changed",
      (place) => change(place, ["hooks", "PreToolUse", 0, "matcher"], "Bash"),
      "not guarding: the matcher of its hook for PreToolUse was changed",
      again,
    ],
    [
      "the hook runs behind the edit",
      (place) => change(place, ["hooks", "PreToolUse", 0, "hooks", 0, "async"], true),
      "not guarding: its hook for PreToolUse was changed",
      again,
    ],
    [
      "an event is missing",
      (place) => change(place, ["hooks", "PostToolBatch"], []),
      "not guarding: its hook for PostToolBatch is missing",
      again,
    ],
    [
      "the event before an edit is missing",
      (place) => change(place, ["hooks", "PreToolUse"], []),
      "not guarding: its hook for PreToolUse is missing",
      again,
    ],
    [
      "the configuration was written anew",
      (place) => writeFileSync(settings(place), "{}"),
      "claude-code (user): not guarding: it was installed, and is gone from ~/.claude/settings.json",
      `${again}, or kedge uninstall claude-code to forget it`,
    ],
    ["the configuration was removed", (place) => rmSync(settings(place)), "is gone from ~/.claude", again],
    [
      "it was written anew, and wrongly",
      (place) => writeFileSync(settings(place), "{"),
      "the text ends too early",
      "repair the file",
    ],
    [
      "the configuration is broken",
      (place) => appendFileSync(settings(place), "}"),
      "nothing may follow here",
      "repair the file",
    ],
  ];

  test.each(faults)("%s: said, with what to do", (_, breakIt, found, advice) => {
    const place = guarded();
    breakIt(place);
    expect(clientsOf(place)).toEqual([
      {
        ...{ check: "clients", ok: false },
        found: expect.stringContaining(found),
        advice: expect.stringContaining(advice),
      },
    ]);
    expect(place.run(["doctor"]).status).toBe(1);
  });

  test("what was taken out by hand and is forgotten is no fault", () => {
    const place = guarded();
    writeFileSync(settings(place), "{}");
    place.ok("uninstall", "claude-code");
    expect(clientsOf(place)).toEqual([expect.objectContaining({ ok: true })]);
    expect(readFileSync(settings(place), "utf8")).toBe("{}");
  });

  test("what is broken is whole again after another install", () => {
    const place = guarded();
    writeFileSync(hook(place), "");
    expect(clientsOf(place)[0]?.ok).toBe(false);
    place.ok("install", "claude-code");
    expect(clientsOf(place)[0]?.ok).toBe(true);
  });
});

test("doctor says that Codex was not told to trust the guard", () => {
  const place = new Place();
  place.ok("install", "codex");
  mkdirSync(join(place.scratch, "home/.codex"), { recursive: true });
  expect(clientsOf(place)).toEqual([
    expect.objectContaining({
      ok: false,
      found: "codex (user): not guarding: Codex has not been told to trust it yet",
      advice: "start codex and choose to trust the hooks, or type /hooks",
    }),
  ]);
});

const hasTerminal = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

/** With a terminal, and somebody who types. */
describe.skipIf(!hasTerminal)("on a terminal", () => {
  const typed = (place: Place, answer: string) => {
    const command = `"${process.execPath}" "${program}" install codex`;
    const env = place.env();
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      ...{ cwd: place.folder, env, input: answer, encoding: "utf8" },
    });
    return { status, stdout, installed: existsSync(join(place.scratch, "home/.codex/hooks.json")) };
  };

  test.each([
    ["Enter is yes", "\n", 0, true],
    ["y", "y\n", 0, true],
    ["n", "n\n", 1, false],
    ["anything else is no", "what?\n", 1, false],
    ["the end of the input is no", "\x04", 1, false],
  ])("it shows the diff and asks: %s", (_, answer, status, installed) => {
    const place = new Place();
    const result = typed(place, answer);
    expect(result).toMatchObject({ status, installed });
    expect(result.stdout).toMatch(/hooks\.json[\s\S]*hook\.cjs[\s\S]*Write this\?/);
  });
});
