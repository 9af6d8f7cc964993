/** A scratch repository with agents, a person, and looks at its tree. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { findRepository } from "../../src/host/find-workspace.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { type NodeStore, nodeStore } from "../../src/store/store.js";
import { type Observed, Tree } from "../../src/tree/tree.js";
import type { TreeMode } from "../../src/tree/tree-text.js";
import { nodeFiles } from "../../src/workspace/files.js";

const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"];
const people = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "a"],
    [`GIT_${who}_EMAIL`, "a@b.example"],
  ]),
);

interface GroundOptions {
  readonly git?: boolean;
  readonly mode?: TreeMode;
}

export class TreeGround {
  readonly scratch: string = realpathSync(mkdtempSync(join(tmpdir(), "kedge-tree-")));
  readonly root: string = join(this.scratch, "work");
  readonly store: NodeStore;
  /** Is added to the clock: time passes without waiting. */
  later = 0;
  private readonly mode: TreeMode;

  constructor(
    files: Readonly<Record<string, string>> = {},
    { git = true, mode = "dirty" }: GroundOptions = {},
  ) {
    mkdirSync(this.root);
    for (const [name, text] of Object.entries(files)) this.put(name, text);
    this.mode = mode;
    if (git) this.git("init", "-q", "-b", "main");
    if (git && Object.keys(files).length > 0) this.commit("first");
    this.store = nodeStore({
      state: join(this.scratch, "state"),
      workspace: { key: this.root },
      brief: true,
    });
    onTestFinished(() => rmSync(this.scratch, { recursive: true, force: true }));
  }

  /** As each process makes its own. */
  get tree(): Tree {
    const { root, store, mode } = this;
    const files = nodeFiles({ roots: [root], state: join(this.scratch, "state"), foreign: true });
    const clock = (): number => Date.now() + this.later;
    const where = { root, repository: findRepository(root), isHome: false };
    return new Tree({ ...where, files, store, clock, mode, patience: Number.POSITIVE_INFINITY });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  put(name: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  text(name: string): string | null {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : null;
  }

  git(...args: string[]): string {
    return execFileSync("git", [...identity, ...args], { cwd: this.root, encoding: "utf8", stdio: "pipe" });
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  begin(agent = "one"): Promise<Observed> {
    return this.tree.observe({ kind: "begin", agent, cwd: this.root });
  }

  prompt(agent = "one"): Promise<Observed> {
    return this.tree.observe({ kind: "prompt", agent, cwd: this.root });
  }

  before(command: string, agent = "one"): Promise<Observed> {
    return this.tree.observe({ kind: "before", agent, cwd: this.root, command });
  }

  after(command: string, agent = "one"): Promise<Observed> {
    return this.tree.observe({ kind: "after", agent, cwd: this.root, command });
  }

  run(command: string): void {
    const env = { ...process.env, ...people };
    const { status, stderr } = spawnSync("bash", ["-c", command], { cwd: this.root, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${command}: ${stderr}`);
  }

  /** As a client does it. */
  async shell(command: string, agent = "one", meanwhile?: () => void): Promise<readonly JournalEntry[]> {
    const first = await this.before(command, agent);
    this.run(command);
    meanwhile?.();
    const { entries } = await this.after(command, agent);
    return [...first.entries, ...entries];
  }

  async kept(version: string | null): Promise<string | null> {
    const bytes = version === null ? null : ((await this.store.versions([version])).get(version) ?? null);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** Entries in words: who, with what, which file. */
  told(entries: readonly JournalEntry[]): string[] {
    return entries.map(({ agent, tool, path, swept, to }) => {
      const moved = to === undefined ? "" : ` to ${relative(this.root, to)}`;
      return `${agent} ${tool} ${relative(this.root, path)}${moved}${swept ? " swept" : ""}`;
    });
  }
}
