import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, posix, win32 } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { configFolder, homeFolder, nodeIo, wantedFolder } from "../../src/host/index.js";
import { findWorkspace, stateFolder } from "../../src/node.js";
import { faultyIo } from "../support/faulty.js";
import { newGround } from "../support/node.js";

function git(folder: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@y", ...args], {
    cwd: folder,
    stdio: "ignore",
  });
}

describe("workspaces", () => {
  test("without git, the folder itself", () => {
    const at = newGround();
    expect(findWorkspace(at.root)).toEqual({ root: at.root, key: at.root });
  });
  test("work trees of one repository are one workspace with different roots", () => {
    const at = newGround();
    git(at.root, "init", "-q");
    at.put("sub/deep/a.txt", "a");
    git(at.root, "add", ".");
    git(at.root, "commit", "-q", "-m", "x");
    const tree = join(at.root, "../tree");
    git(at.root, "worktree", "add", "-q", tree, "-b", "other");
    const main = findWorkspace(join(at.root, "sub/deep"));
    const other = findWorkspace(join(tree, "sub"));
    expect(main).toEqual({ root: at.root, key: join(at.root, ".git") });
    expect(other).toEqual({ root: tree, key: main.key });
    symlinkSync(at.root, join(at.root, "../alias"));
    expect(findWorkspace(join(at.root, "../alias/sub"))).toEqual(main);
  });
  test("a folder or a file called .git that is no repository", () => {
    const at = newGround();
    mkdirSync(join(at.root, "a/.git"), { recursive: true });
    expect(findWorkspace(join(at.root, "a"))).toEqual({ root: join(at.root, "a"), key: join(at.root, "a") });
    mkdirSync(join(at.root, "b"));
    writeFileSync(join(at.root, "b/.git"), "nonsense");
    expect(findWorkspace(join(at.root, "b")).key).toBe(join(at.root, "b"));
  });
  test("a submodule is a workspace of its own", () => {
    const at = newGround();
    mkdirSync(join(at.root, ".git/modules/sub"), { recursive: true });
    writeFileSync(join(at.root, ".git/HEAD"), "ref: x");
    mkdirSync(join(at.root, "sub"));
    writeFileSync(join(at.root, "sub/.git"), "gitdir: ../.git/modules/sub\n");
    expect(findWorkspace(join(at.root, "sub")).key).toBe(join(at.root, ".git/modules/sub"));
  });
});

describe("the state folder", () => {
  const linux = { name: "linux", path: posix };
  const nothing = { ...nodeIo, mkdir: () => {}, access: () => {}, stat: () => nodeIo.stat("/") };
  test.each([
    [{ KEDGE_STATE: "/s", XDG_STATE_HOME: "/x" }, linux, "/s"],
    [{ XDG_STATE_HOME: "/x" }, linux, "/x/kedge"],
    [{ XDG_STATE_HOME: "relative" }, linux, "/home/u/.local/state/kedge"],
    [{}, linux, "/home/u/.local/state/kedge"],
    [{}, { name: "darwin", path: posix }, "/home/u/Library/Application Support/kedge"],
    [{ LOCALAPPDATA: "C:\\L" }, { name: "win32", path: win32 }, "C:\\L\\kedge"],
  ])("%j", (env, platform, folder) => {
    expect(stateFolder({ env, platform, home: "/home/u", io: nothing })).toBe(folder);
  });
  test.each([
    ["state", linux],
    ["./state", linux],
    ["~/state", linux],
    ["state", { name: "win32", path: win32 }],
  ])(
    "a relative one, %j, would be another for every caller, and in the workspace: refused",
    (given, platform) => {
      const at = { env: { KEDGE_STATE: given }, platform, home: "/home/u", io: nothing };
      expect(() => stateFolder(at)).toThrow(
        `KEDGE_STATE has to be an absolute path; it is ${JSON.stringify(given)}`,
      );
      expect(() => wantedFolder(at)).toThrow(expect.objectContaining({ code: "bad_request" }));
    },
  );
  test.skipIf(process.platform === "win32").each(["", "home", "./home"])(
    "HOME %j names no folder: the system knows the user's, and nothing is put into the workspace",
    (HOME) => {
      vi.stubEnv("HOME", HOME);
      onTestFinished(() => {
        vi.unstubAllEnvs();
      });
      expect(homeFolder({ HOME })).toBe(userInfo().homedir);
      expect(homeFolder({ HOME: "/h" })).toBe("/h");
    },
  );

  test("the configuration folder", () => {
    expect(configFolder({ env: { XDG_CONFIG_HOME: "/c" }, platform: linux, home: "/h" })).toBe("/c/kedge");
    expect(configFolder({ env: {}, platform: linux, home: "/h" })).toBe("/h/.config/kedge");
    const windows = { name: "win32", path: win32 };
    expect(configFolder({ env: { APPDATA: "C:\\R" }, platform: windows, home: "/h" })).toBe("C:\\R\\kedge");
  });

  test("in a sandbox that permits only the temporary folder, one there, and it is said", () => {
    const at = newGround();
    const reports: string[] = [];
    const wanted = join(at.root, "not permitted");
    const only = (_: string, args: readonly unknown[]): boolean => String(args[0]).startsWith(wanted);
    const { io } = faultyIo({ at: 1, error: "EROFS", forGood: true, only });
    const options = {
      env: { KEDGE_STATE: wanted },
      io,
      temporary: at.root,
      report: (line: string) => reports.push(line),
    };
    const found = stateFolder(options);
    expect(found.startsWith(join(at.root, "kedge-"))).toBe(true);
    expect(reports).toEqual([`${wanted} cannot be written; using ${found} instead`]);
    // Not one that somebody else can look into.
    chmodSync(found, 0o777);
    expect(stateFolder(options)).toBe(wanted);
    rmSync(found, { recursive: true });
    mkdirSync(join(at.root, "theirs"), { mode: 0o700 });
    symlinkSync(join(at.root, "theirs"), found);
    expect(stateFolder(options)).toBe(wanted);
  });
});
