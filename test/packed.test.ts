/** The package as people get it, on the Node that runs this: `npm run test:nodes` plays it on 20, 22 and 24. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installPacked, ownVersion, type Packed, pack } from "./support/packed.js";
import { repository } from "./support/project.js";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "kedge-packed-")));
const [home, work, bin] = ["home", "work", "bin"].map((name) => join(scratch, name)) as [
  string,
  string,
  string,
];
const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
let packed: Packed;
let unreachable: string | null = null;

beforeAll(() => {
  for (const folder of [home, bin, join(work, "node_modules")]) mkdirSync(folder, { recursive: true });
  const got = installPacked(pack(scratch), scratch);
  if ("reason" in got) {
    unreachable = got.reason;
    console.log(`skipped: the packed package: ${got.reason}`);
    return;
  }
  packed = got;
  symlinkSync(packed.folder, join(work, "node_modules", "kedge"));
  // A machine with this Node, a client, and nothing else of ours.
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync(packed.kedge, join(bin, "kedge"));
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n");
  chmodSync(join(bin, "claude"), 0o755);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function run(command: string, args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: work, env, input, encoding: "utf8" });
  return { status, stdout, stderr };
}

const kedge = (...args: string[]) => run("kedge", args);

describe.skipIf(process.platform === "win32")("the packed package, installed by npm", () => {
  const it = (name: string, body: () => void) =>
    test(name, ({ skip }) => {
      skip(unreachable !== null, unreachable ?? "");
      body();
    });

  it("is this version, and its command edits a file", () => {
    writeFileSync(join(work, "a.txt"), "one\ntwo\n");
    expect(kedge("--version").stdout.trim()).toBe(ownVersion);
    const [, row = ""] = kedge("read", "a.txt", "--session", "me").stdout.split("\n");
    const edited = kedge("edit", "a.txt", row.split("|")[0] as string, "TWO", "--session", "me");
    expect(edited).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, "a.txt"), "utf8")).toBe("one\nTWO\n");
  });

  it("guards the client that is there: a bad edit is refused", () => {
    // Unattended, it shows what it would do, and does nothing.
    expect(kedge("install")).toMatchObject({ status: 1 });
    expect(existsSync(join(home, ".claude"))).toBe(false);
    const said = kedge("install", "--yes");
    expect(said.stdout + said.stderr).toContain("guard installed in ~/.claude/settings.json");
    const { hooks } = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"));
    const { command, args } = hooks.PreToolUse[0].hooks[0];
    const event = {
      ...{
        session_id: "s",
        transcript_path: "",
        cwd: work,
        hook_event_name: "PreToolUse",
        tool_name: "Edit",
      },
      ...{ permission_mode: "default", tool_use_id: "t" },
      tool_input: { file_path: join(work, "b.txt"), old_string: "one", new_string: "1", replace_all: false },
    };
    writeFileSync(join(work, "b.txt"), "one\ntwo\n");
    expect(run(command, args, JSON.stringify(event)).stdout).toContain('"permissionDecision":"deny"');
    const doctor = kedge("doctor");
    expect(doctor.stdout).toContain("all is well");
    expect(kedge("uninstall", "claude-code", "--yes").status).toBe(0);
    expect(existsSync(join(home, ".claude/settings.json"))).toBe(false);
  });

  it("is imported by an ES module and required by a CommonJS one, without any peer", () => {
    const use = `const { openSession } = node;
      const session = openSession({ root: ".", agent: "me" });
      session.read({ path: "a.txt" }).then(({ text }) => console.log(kedge.formatLineTag(1, "foo"), text.split("|")[0]));`;
    writeFileSync(
      join(work, "use.mjs"),
      `import * as kedge from "kedge";\nimport * as node from "kedge/node";\n${use}`,
    );
    writeFileSync(
      join(work, "use.cjs"),
      `const kedge = require("kedge");\nconst node = require("kedge/node");\n${use}`,
    );
    for (const name of ["use.mjs", "use.cjs"])
      expect({ name, ...run("node", [name]) }).toMatchObject({
        name,
        status: 0,
        stdout: "1#0f0dd9 1#bf5260\n",
      });
  });

  it("compiles in a strict program of both kinds, with the declarations of all libraries checked", () => {
    const source = `import { applyEdits, type Edit } from "kedge";
import { openSession } from "kedge/node";
export const edit: Edit = { op: "append", text: "x" };
export const text: Promise<string> = openSession({ root: ".", agent: "a" }).read({ path: "a" }).then((one) => one.text);
applyEdits("x", [edit]);
// @ts-expect-error there is no such operation
export const wrong: Edit = { op: "set_lien", anchor: "1#0f0dd9", text: "a" };
`;
    for (const name of ["one.mts", "two.cts"]) writeFileSync(join(work, name), source);
    const types = { types: ["node"], typeRoots: [join(repository, "node_modules/@types")] };
    const compilerOptions = { strict: true, noEmit: true, module: "NodeNext", target: "ES2022", ...types };
    writeFileSync(
      join(work, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["one.mts", "two.cts"] }),
    );
    expect(run("node", [join(repository, "node_modules/typescript/bin/tsc"), "-p", "."])).toMatchObject({
      stdout: "",
      status: 0,
    });
  });

  it("has the plugins whole, each with its programs", () => {
    for (const name of ["claude-code", "codex", "copilot", "opencode", "pi"])
      expect(dirname(realpathSync(join(packed.folder, "plugins", name, "dist/hook.cjs")))).toContain(name);
  });
});

const majors = ["20", "22", "24"].filter((major) => !process.version.startsWith(`v${major}.`));
test.skip.each(majors)("the packed package on Node %s (npm run test:nodes)", () => {});
