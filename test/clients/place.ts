/** A fresh project with a home and a state folder of its own, and the few variables a client may see. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./root.js";

export class Place {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-client-")));
  readonly home = join(this.folder, "home");
  readonly project = join(this.folder, "project");
  readonly state = join(this.folder, "state");
  /** Variables that the client and what it starts see besides. */
  readonly variables: Record<string, string> = {};

  constructor(files: Readonly<Record<string, string>>) {
    for (const one of [this.home, this.project, this.state]) mkdirSync(one, { mode: 0o700 });
    this.putHome(".gitconfig", "[user]\n\tname = Somebody\n\temail = somebody@example.invalid\n");
    for (const [path, text] of Object.entries(files)) this.put(path, text);
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message=first");
  }

  /** Nothing of the caller's environment but where programs are: its keys and settings are not ours. */
  get env(): Record<string, string> {
    return {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
      HOME: this.home,
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      TERM: "dumb",
      TMPDIR: tmpdir(),
      XDG_CONFIG_HOME: join(this.home, ".config"),
      XDG_DATA_HOME: join(this.home, ".local/share"),
      XDG_STATE_HOME: join(this.home, ".local/state"),
      XDG_CACHE_HOME: join(this.home, ".cache"),
      KEDGE_STATE: this.state,
      ...this.variables,
    };
  }

  path(path: string): string {
    return join(this.project, path);
  }

  text(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  put(path: string, text: string): void {
    write(this.path(path), text);
  }

  putHome(path: string, text: string): void {
    write(join(this.home, path), text);
  }

  git(...args: string[]): void {
    execFileSync("git", args, { cwd: this.project, env: this.env, stdio: "pipe" });
  }

  /** The built program, as a person at a terminal would call it. */
  kedge(...args: string[]): string {
    const command = [join(root, "dist/bin.cjs"), ...args];
    const options = { cwd: this.project, env: this.env, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync(process.execPath, command, options);
  }

  remove(): void {
    if (process.env.KEDGE_CLIENTS_KEEP) console.log(`kept: ${this.folder}`);
    else removeOnceQuiet(this.folder);
  }
}

/** A guard that a plugin has started keeps its machine code when it ends, a moment after its client. */
function removeOnceQuiet(folder: string): void {
  for (let left = 50; ; left--)
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
