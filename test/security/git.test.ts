/** A repository that was cloned or unpacked runs nothing, whatever is in it: neither in the guard nor in a command. */
import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { anchorsIn, Place } from "../cli/support.js";
import { drivers } from "../guard/drivers/index.js";
import { Stage } from "../guard/stage.js";
import { bareLooking, fakePrograms, git, hostileConfiguration, Marks, plainGit, promise } from "./hostile.js";

const text = `${Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n")}\n`;

/** Edits a file and puts it back, so that the edit looks lost and git is asked. */
async function lose(place: Place, name: string): Promise<void> {
  const before = place.text(name);
  const anchor = anchorsIn(await place.before(["read", name])).get(9) as string;
  await place.before(["edit", name, anchor, "mine"]);
  expect(place.text(name)).toContain("mine\n");
  place.put(name, before);
}

/** Every command that looks at a workspace. */
const commands: readonly (readonly string[])[] = [
  ["lost"],
  ["lost", "--all"],
  ["restore", "--all"],
  ["log"],
  ["log", "-p"],
  ["stats"],
  ["undo", "--list"],
  ["undo", "--dry-run"],
  ["session", "list"],
  ["grep", "line 1"],
  ["doctor"],
  ["install", "claude-code", "--dry-run"],
  ["replay"],
  ["replay", "."],
];

function withoutRunning(marks: Marks): void {
  expect(marks.all()).toEqual([]);
}

describe("a committed folder that looks like a bare repository", () => {
  function planted(
    place: Pick<Place, "folder" | "path" | "put">,
    marks: Marks,
  ): { missing: string; folder: string } {
    place.put("docs/a.txt", text);
    place.put("top.txt", text);
    const { missing } = bareLooking(place.path("docs"), "a.txt", marks.command("bare"));
    git(place.folder, "init", "-q", "-b", "main");
    git(place.folder, "add", "-A");
    git(place.folder, "commit", "-q", "-m", "all");
    return { missing, folder: place.path("docs") };
  }

  test("runs in plain git: else this would test nothing", () => {
    const place = new Place();
    const marks = new Marks(join(place.scratch, "marks"));
    const { missing, folder } = planted(place, marks);
    plainGit(folder, "cat-file", "blob", missing);
    expect(marks.all()).toEqual(["bare"]);
  });

  test.each(commands.map((command) => [command.join(" "), command] as const))(
    "kedge %s",
    async (_, command) => {
      const place = new Place();
      const marks = new Marks(join(place.scratch, "marks"));
      planted(place, marks);
      await lose(place, "docs/a.txt");
      await place.before(command);
      withoutRunning(marks);
    },
  );

  test("kedge in that very folder", async () => {
    const place = new Place();
    const marks = new Marks(join(place.scratch, "marks"));
    planted(place, marks);
    await lose(place, "docs/a.txt");
    for (const command of commands) place.run(command, { cwd: "docs" });
    withoutRunning(marks);
  });

  test.each(drivers.map((driver) => [driver.client, driver] as const))(
    "the guard of %s",
    async (_, driver) => {
      const stage = new Stage(driver);
      const marks = new Marks(join(stage.scratch, "marks"));
      planted(stage, marks);
      const agent = stage.agent();
      await agent.read("docs/a.txt");
      await agent.edit("docs/a.txt", { old: "line 8", new: "mine" });
      stage.put("docs/a.txt", text);
      await agent.read("docs/a.txt");
      await agent.edit("docs/a.txt", { old: "line 9", new: "mine too" });
      await agent.shell("git checkout -- docs/a.txt");
      await agent.shell("true");
      withoutRunning(marks);
    },
  );
});

describe.each([
  ["a repository whose own configuration runs commands", false],
  ["the same, with a blob left to be fetched by a command", true],
])("%s", (_, isPartial) => {
  function planted(place: Pick<Place, "folder" | "path" | "put">, marks: Marks): { missing: string } {
    place.put("a.txt", text);
    git(place.folder, "init", "-q", "-b", "main");
    git(place.folder, "add", "-A");
    git(place.folder, "commit", "-q", "-m", "one");
    return hostileConfiguration(place.folder, marks, isPartial);
  }

  test("runs them in plain git: else this would test nothing", () => {
    const place = new Place();
    const marks = new Marks(join(place.scratch, "marks"));
    const { missing } = planted(place, marks);
    // Else git need not look into the file.
    utimesSync(place.path("a.txt"), 1, 1);
    for (const args of [
      ["cat-file", "blob", missing],
      ["status"],
      ["log", "-m", "--raw"],
      ["diff", "main", "side"],
      ["-c", "diff.external=", "log", "-p", "--no-ext-diff", "-c"],
      ["checkout", "-q", "-B", "other"],
      ["evil"],
    ])
      plainGit(place.folder, ...args);
    const expected = isPartial
      ? ["alias", "clean", "fsmonitor", "gpg", "lazy"]
      : ["alias", "clean", "command", "fsmonitor", "gpg", "hook", "merge", "textconv"];
    expect(marks.all()).toEqual(expect.arrayContaining(expected));
  });

  test.each(commands.map((command) => [command.join(" "), command] as const))(
    "kedge %s",
    async (_, command) => {
      const place = new Place();
      const marks = new Marks(join(place.scratch, "marks"));
      planted(place, marks);
      await lose(place, "a.txt");
      await place.before(command);
      withoutRunning(marks);
    },
  );

  test.each(drivers.map((driver) => [driver.client, driver] as const))(
    "the guard of %s",
    async (_, driver) => {
      const stage = new Stage(driver);
      const marks = new Marks(join(stage.scratch, "marks"));
      planted(stage, marks);
      const agent = stage.agent();
      await agent.read("a.txt");
      await agent.edit("a.txt", { old: "line 8", new: "mine" });
      expect(stage.text("a.txt")).toContain("mine\n");
      stage.put("a.txt", text);
      await agent.shell("true");
      withoutRunning(marks);
    },
  );
});

test("what a partial clone lacks is left out; the rest still counts as committed", async () => {
  const place = new Place({ "a.txt": text });
  const marks = new Marks(join(place.scratch, "marks"));
  git(place.folder, "init", "-q", "-b", "main");
  const commit = (message: string): void => {
    git(place.folder, "add", "-A");
    git(place.folder, "commit", "-q", "-m", message);
  };
  commit("first");
  await lose(place, "a.txt");
  place.put("a.txt", text.replace("line 8", "mine"));
  commit("kept");
  place.put("a.txt", text.replace("line 20", "other"));
  commit("other");
  promise(
    join(place.folder, ".git"),
    git(place.folder, "rev-parse", "HEAD:a.txt").trim(),
    marks.command("lazy"),
  );
  expect(await place.before(["lost", "--json"])).toBe("");
  withoutRunning(marks);
});

describe("a project's configuration of a client", () => {
  const hooks = (command: string, args?: readonly string[]): string =>
    JSON.stringify({
      hooks: Object.fromEntries(
        ["PreToolUse", "BeforeTool"].map((event) => [
          event,
          [{ matcher: "*", hooks: [{ type: "command", command, ...(args ? { args } : {}) }] }],
        ]),
      ),
    });

  test("is no command of ours, so doctor does not start it", () => {
    const place = new Place();
    const marks = new Marks(join(place.scratch, "marks"));
    const evil = marks.command("evil");
    mkdirSync(place.path("hook"));
    writeFileSync(
      place.path("hook/hook.cjs"),
      `require("node:fs").writeFileSync(${JSON.stringify(`${evil}.mark`)}, "")`,
    );
    const hook = place.path("hook/hook.cjs");
    place.put(".claude/settings.local.json", hooks(process.execPath, [hook, "claude-code"]));
    place.put(".codex/hooks.json", hooks(`${evil}; node ${hook} codex`));
    place.put(".gemini/settings.json", hooks(`${evil}; node ${hook} gemini-cli`));
    const installed = JSON.stringify({ node: process.execPath, hook, args: [], failClosed: false }, null, 2);
    for (const [path, name] of [
      [".opencode/plugin/kedge.js", "opencode"],
      [".opencode/plugins/kedge.js", "opencode"],
      [".pi/extensions/kedge.js", "pi"],
    ] as const)
      place.put(path, `// Kedge's guard for ${name}\nconst installed = ${installed};\n`);
    const { stdout } = place.run(["doctor"]);
    withoutRunning(marks);
    expect(stdout).toContain("it was not tried");
    spawnSync(process.execPath, [hook, "claude-code"]);
    expect(marks.all()).toEqual(["evil"]);
  });
});

describe("programs that lie in the workspace are not started, whatever PATH says", () => {
  const names = ["git", "rg", "patch", "ps", "sh", "node"];

  function withPath(path: string): void {
    const before = process.env.PATH;
    process.env.PATH = path;
    onTestFinished(() => {
      process.env.PATH = before;
    });
  }

  const paths: readonly [string, (folder: string) => string][] = [
    ["in it", (folder) => join(folder, "bin")],
    ["relative", () => "bin"],
    ["the working directory", () => "."],
    ["empty", () => ""],
  ];
  test.each(paths)("an entry that is %s", async (_, entry) => {
    const place = new Place({ "a.txt": text });
    git(place.folder, "init", "-q", "-b", "main");
    git(place.folder, "add", "-A");
    git(place.folder, "commit", "-q", "-m", "one");
    const marks = new Marks(join(place.scratch, "marks"));
    fakePrograms(place.path("bin"), names, marks);
    fakePrograms(place.folder, names, marks);
    const path = `${entry(place.folder)}${delimiter}${process.env.PATH}`;
    await lose(place, "a.txt");
    for (const command of commands) place.run(command, { env: { PATH: path } });
    withoutRunning(marks);
    // A shell starts them: else this would test nothing.
    spawnSync("/bin/sh", ["-c", "git --version; exec git"], { cwd: place.folder, env: { PATH: path } });
    expect(marks.all()).toEqual(["fake-git"]);
    marks.clear();
    withPath(path);
    await place.before(["lost", "--all"]);
    withoutRunning(marks);
  });

  test("git outside of it is found", async () => {
    const place = new Place({ "a.txt": text });
    git(place.folder, "init", "-q", "-b", "main");
    git(place.folder, "config", "user.name", "a");
    mkdirSync(place.path("bin"));
    writeFileSync(place.path("bin/git"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await lose(place, "a.txt");
    place.put("a.txt", text.replace("line 8", "mine"));
    git(place.folder, "add", "a.txt");
    git(place.folder, "commit", "-q", "-m", "kept");
    place.put("a.txt", text);
    withPath(`${place.path("bin")}${delimiter}${process.env.PATH}`);
    expect(await place.before(["lost", "--json"])).toBe("");
  });
});
