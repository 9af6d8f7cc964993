import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { flagsOf, general, shells } from "../../src/cli/flag-types.js";
import { makeStream } from "../../src/cli/print/output.js";
import { commands } from "../../src/cli/table/command-table.js";
import { completionScript } from "../../src/cli/table/completion.js";
import { commandHelp, overview } from "../../src/cli/table/help.js";
import { jsonLines, Place } from "./support.js";

const plain = makeStream({ env: { NO_COLOR: "1" }, write: () => {}, isTerminal: true, columns: 80 });
const setup = { stream: plain, has: () => true };

describe("help", () => {
  test("the overview is one screen, with examples first and every command", () => {
    const lines = overview(setup).split("\n");
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[2]).toContain("kedge read src/a.ts");
    for (const { name } of commands) expect(lines.join("\n")).toMatch(new RegExp(`\\b${name}\\b`));
  });

  test.each(commands.map((command) => [command.name, command] as const))(
    "of %s is one screen",
    (_, command) => {
      const text = commandHelp(command, setup);
      const lines = text.split("\n");
      expect(lines.length).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      for (const { name } of flagsOf(command)) expect(text).toContain(`--${name}`);
      for (const { name, choices } of command.positionals)
        if (choices) expect(text.replace(/\s+/g, " ")).toContain(`${name} is ${choices.join(", ")}.`);
      expect(text.indexOf(command.examples[0]?.[0] as string)).toBeLessThan(text.indexOf("Usage:"));
    },
  );

  test("is asked for in several ways, and goes to stdout", () => {
    const place = new Place();
    const { status, stdout, stderr } = place.run(["edit", "--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(place.run(["help", "edit"]).stdout).toBe(stdout);
    expect(place.run([]).stdout).toContain("kedge: edit files by line anchors");
    expect(place.ok("help", "flags")).toContain("--on-stale");
    expect(place.ok("help", "exit")).toContain("130  interrupted");
    expect(place.ok("help", "json")).toContain("totalLines");
    expect(jsonLines<unknown[]>(place.ok("help", "--json"))[0]).toHaveLength(commands.length);
    for (const [topic, some] of Object.entries({
      edit: "delete",
      flags: "on-stale",
      exit: "130",
      json: "rows",
    }))
      expect(JSON.stringify(jsonLines(place.ok("help", topic, "--json"))[0])).toContain(some);
    expect(place.run(["help", "raed", "--json"])).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("bad_request"),
    });
    expect(place.run(["help", "raed"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("kedge read"),
    });
  });

  test("marks what a build does not have", () => {
    const text = overview({ stream: plain, has: (name) => name !== "lost" && name !== "restore" });
    expect(text).toMatch(/^ {2}lost restore \* /m);
    expect(text).toContain("* not in this build");
  });

  test("is coloured on a terminal only", () => {
    let printed = "";
    const write = (bytes: Uint8Array): void => {
      printed += new TextDecoder().decode(bytes);
    };
    const terminal = makeStream({ env: {}, write, isTerminal: true, columns: 80 });
    terminal.line(overview({ ...setup, stream: terminal }));
    expect(printed).toContain("\x1b[1mkedge\x1b[22m");
    expect(new Place().ok("--help")).not.toContain("\x1b");
  });

  test("the version is that of the package", () => {
    const place = new Place();
    expect(place.ok("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(jsonLines(place.ok("--version", "--json"))).toEqual([{ version: place.ok("-V").trim() }]);
  });
});

test.each(["lost", "restore", "hook claude-code", "install pi", "uninstall pi", "replay"])(
  "kedge %s answers that this build does not have it, if it does not",
  (line) => {
    const { status, stdout, stderr } = new Place().run(line.split(" "));
    const name = line.split(" ")[0];
    if (!stderr.includes("this build does not have")) return;
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(`kedge: this build does not have \`kedge ${name}\` yet\n`);
  },
);

describe("completions", () => {
  test.each(shells)("for %s have every command and flag", (shell) => {
    const script = completionScript(shell);
    expect(new Place().ok("completion", shell)).toBe(script);
    for (const command of commands) expect(script).toContain(command.name);
    for (const flag of [...commands.flatMap(flagsOf), ...general])
      expect(script).toContain(
        shell === "fish" ? `-l ${flag.name}` : flag.name === "help" ? "help" : `--${flag.name}`,
      );
  });

  const [, , fish] = shells as [string, string, string];
  const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;
  for (const shell of shells)
    test.skipIf(!has(shell))(`${shell} takes its script`, () => {
      const place = new Place({ script: completionScript(shell) });
      const { status, stderr } = spawnSync(shell, ["-n", place.path("script")], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    });

  test.skipIf(!has("bash")).each<[string, string]>([
    ["re", "read retry restore replay"],
    ["read --anc", "--anchors"],
    ["read --anchors h", "hex6 hex4"],
    ["session f", "fold"],
    ["install co", "codex copilot"],
    ["--session me edit --af", "--after"],
    ["help fl", "flags"],
  ])("bash completes %j to %j", (line, expected) => {
    const words = ["kedge", ...line.split(" ")];
    const script = `${completionScript("bash")}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
      _kedge; echo "\${COMPREPLY[*]}"`;
    const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stdout.trim()).toBe(expected);
  });

  test.skipIf(!has(fish)).each<[string, string]>([
    ["re", "read replay restore retry"],
    ["read --anc", "--anchors"],
    ["read --anchors h", "hex4 hex6"],
    ["session f", "fold"],
  ])("fish completes %j to %j", (line, expected) => {
    const place = new Place({ script: completionScript("fish") });
    const script = `source '${place.path("script")}'; complete -C 'kedge ${line}'`;
    const { stdout } = spawnSync(fish, ["--no-config", "-c", script], {
      encoding: "utf8",
      env: place.env(),
    });
    const words = stdout
      .trim()
      .split("\n")
      .map((row) => row.split("\t")[0] as string);
    expect(words.sort().join(" ")).toBe(expected);
  });

  test.skipIf(!has("zsh"))("zsh loads its script", () => {
    const place = new Place({ _kedge: completionScript("zsh") });
    const script = `fpath=('${place.folder}' $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[kedge]
      autoload +X _kedge; whence -w _kedge`;
    const { stdout, stderr } = spawnSync("zsh", ["-fc", script], { encoding: "utf8", env: place.env() });
    expect([stdout, stderr]).toEqual(["_kedge\n_kedge: function\n", ""]);
  });
});
