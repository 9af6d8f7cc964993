/** Repositories that try to run something, and the plain git that lets them. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Where a command that should never run leaves its mark. */
export class Marks {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
  }

  /** A program that leaves the mark of this name. */
  command(name: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, `#!/bin/sh\n: > "${path}.mark"\nexit 1\n`, { mode: 0o755 });
    return path;
  }

  /** What ran. */
  all(): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".mark"))
      .map((name) => name.slice(0, -".mark".length))
      .sort();
  }

  clear(): void {
    for (const name of this.all()) rmSync(join(this.folder, `${name}.mark`));
  }
}

const environment = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

export function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"];
  const dates = { GIT_AUTHOR_DATE: "2090-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2090-01-01T00:00:00Z" };
  const env = { ...process.env, ...environment, ...dates };
  return execFileSync("git", [...who, ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** Git as anybody starts it, whatever comes of it. */
export function plainGit(cwd: string, ...args: string[]): void {
  spawnSync("git", args, { cwd, env: { ...process.env, ...environment }, timeout: 20_000 });
}

function looseObject(gitDir: string, id: string): string {
  return join(gitDir, "objects", id.slice(0, 2), id.slice(2));
}

/** Makes git fetch a blob from a remote whose other end is a command. */
export function promise(gitDir: string, blob: string, command: string): void {
  rmSync(looseObject(gitDir, blob), { force: true });
  const remote = `[remote "r"]\n\turl = /\n\tpromisor = true\n\tuploadpack = "${command};false"\n`;
  appendFileSync(
    join(gitDir, "config"),
    `${remote}[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = r\n[protocol]\n\tallow = always\n[protocol "file"]\n\tallow = always\n`,
  );
}

/** Turns a folder with the file `name` into what looks like a bare repository with that file in its history. */
export function bareLooking(folder: string, name: string, command: string): { readonly missing: string } {
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "one");
  const missing = git(folder, "rev-parse", `HEAD:${name}`).trim();
  const own = join(folder, ".git");
  git(folder, "config", "core.bare", "true");
  promise(own, missing, command);
  for (const entry of readdirSync(own)) execFileSync("mv", [join(own, entry), join(folder, entry)]);
  rmSync(own, { recursive: true });
  return { missing };
}

/** A repository of a merge and a commit with a signature, whose own configuration runs a command wherever git lets it. */
export function hostileConfiguration(
  folder: string,
  marks: Marks,
  isPartial: boolean,
): { readonly missing: string } {
  const own = join(folder, ".git");
  const name = readdirSync(folder).find((one) => one.endsWith(".txt")) as string;
  const text = readFileSync(join(folder, name), "utf8");
  const change = (line: number, by: string): void => {
    const lines = text.split("\n");
    lines[line] = by;
    writeFileSync(join(folder, name), lines.join("\n"));
    git(folder, "commit", "-q", "-a", "-m", by);
  };
  git(folder, "checkout", "-q", "-b", "side");
  change(3, "side");
  git(folder, "checkout", "-q", "main");
  change(3, "main");
  const both = git(folder, "write-tree").trim();
  const merge = git(folder, "commit-tree", both, "-p", "main", "-p", "side", "-m", "merge").trim();
  git(folder, "update-ref", "refs/heads/main", merge);
  const plain = git(folder, "cat-file", "commit", "main");
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n";
  const signed = plain
    .replace("\n\n", `\n${signature}\n`)
    .replace(/parent .*\n/g, "")
    .replace(/^(tree .*\n)/, `$1parent ${merge}\n`);
  const id = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: folder,
    input: signed,
    encoding: "utf8",
  }).trim();
  git(folder, "update-ref", "refs/heads/main", id);
  const missing = git(folder, "rev-parse", `side:${name}`).trim();
  const run = (what: string): string => marks.command(what);
  mkdirSync(join(own, "info"), { recursive: true });
  writeFileSync(join(own, "info", "attributes"), "* diff=evil filter=evil merge=evil\n");
  mkdirSync(join(own, "evil-hooks"), { recursive: true });
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"])
    writeFileSync(join(own, "evil-hooks", hook), `#!/bin/sh\n${run("hook")}\n`, { mode: 0o755 });
  writeFileSync(
    join(own, "included"),
    `[core]
	fsmonitor = "${run("fsmonitor")}"
	pager = "${run("pager")}"
	hooksPath = ${join(own, "evil-hooks")}
	sshCommand = "${run("ssh")}"
	askPass = "${run("askpass")}"
	alternateRefsCommand = "${run("alternates")}"
[diff]
	external = "${run("external")}"
[diff "evil"]
	textconv = "${run("textconv")}"
	command = "${run("command")}"
[filter "evil"]
	clean = "${run("clean")}"
	smudge = "${run("smudge")}"
[merge "evil"]
	driver = "${run("merge")}"
[log]
	showSignature = true
	diffMerges = remerge
[gpg]
	program = "${run("gpg")}"
[credential]
	helper = "!${run("credential")}"
[alias]
	evil = "!${run("alias")}"
	log = "!${run("alias")}"
	cat-file = "!${run("alias")}"
[pager]
	log = "${run("pager")}"
[submodule "evil"]
	update = "!${run("submodule")}"
[sequence]
	editor = "${run("editor")}"
`,
  );
  appendFileSync(join(own, "config"), "[include]\n\tpath = included\n");
  // Where a blob is missing git ends before it merges.
  if (isPartial) promise(own, missing, run("lazy"));
  return { missing };
}

/** A folder with a program of this name that leaves a mark. */
export function fakePrograms(folder: string, names: readonly string[], marks: Marks): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const path = join(folder, name);
    if (!existsSync(path))
      writeFileSync(path, `#!/bin/sh\n${marks.command(`fake-${name}`)}\n`, { mode: 0o755 });
  }
  return folder;
}
