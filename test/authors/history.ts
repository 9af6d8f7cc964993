import { readdirSync, rmSync } from "node:fs";
import type { Random } from "../support/random.js";
import { TestRepository } from "./repository.js";

export const people = ["ada", "bob", "eve", "person"] as const;

/** Lines by path. */
export type Texts = Map<string, string[]>;

const split = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
export const bare = (line: string): string => line.replace(/\r?\n$/, "");

/** What agents and a person do in one tree, by tools, with editors and with git; each line names its author. */
export class History {
  readonly tree: TestRepository;
  readonly told: string[] = [];
  private counter = 0;
  /** Whoever may have removed a line: who did, and who wrote in the file since. */
  readonly removers = new Map<string, Set<string>>();

  constructor(readonly random: Random) {
    const lines = (name: string): string =>
      Array.from({ length: 6 }, (_, at) => `head ${name}${at}\n`).join("");
    this.tree = new TestRepository({ "a.txt": lines("a"), "b.txt": lines("b"), "z.txt": "head z\n" });
  }

  files(): string[] {
    return readdirSync(this.tree.folder).filter((name) => name.endsWith(".txt"));
  }

  now(): Texts {
    return new Map(this.files().map((name) => [name, split(this.tree.text(name))]));
  }

  at(place: "HEAD" | ""): Texts {
    const names =
      place === "HEAD" ? this.tree.git("ls-tree", "-r", "--name-only", "HEAD") : this.tree.git("ls-files");
    return new Map(
      names
        .split("\n")
        .filter((name) => name !== "")
        .map((name) => [name, split(this.tree.git("show", `${place}:${name}`))]),
    );
  }

  private removed(before: readonly string[], after: readonly string[], name: string): void {
    for (const line of before)
      if (!after.includes(line) && !this.removers.has(line)) this.removers.set(line, new Set());
    for (const [line, names] of this.removers) if (!after.includes(line)) names.add(name);
  }

  /** One edit of a file. */
  private async edit(): Promise<void> {
    const { random, tree } = this;
    const name = random.pick(people);
    const path = random.pick(this.files());
    const lines = split(tree.text(path));
    const start = random.below(lines.length + 1);
    const count = random.chance(0.5) ? 0 : random.between(1, 3);
    const end = Math.min(lines.length, start + count);
    const made = Array.from(
      { length: end === start ? random.between(1, 3) : random.below(4) },
      () => `${name} ${this.counter++}\n`,
    );
    const next = [...lines.slice(0, start), ...made, ...lines.slice(end)];
    if (random.chance(0.05) && next.length > 0) next.push(bare(next.pop() as string));
    else if (next.length > 1)
      for (const [at, line] of next.entries())
        if (!line.endsWith("\n") && at < next.length - 1) next[at] = `${line}\n`;
    this.told.push(`${name} edits ${path} ${start}-${end} ${made.map(bare).join()}`);
    this.removed(lines.map(bare), next.map(bare), name);
    if (name === "person") tree.put(path, next.join(""));
    else await tree.write(name, path, next.join(""));
  }

  private async make(): Promise<void> {
    const name = this.random.pick(people);
    const path = `n${this.counter}.txt`;
    const text = Array.from({ length: 3 }, () => `${name} ${this.counter++}\n`).join("");
    this.told.push(`${name} makes ${path}`);
    if (name === "person") this.tree.put(path, text);
    else await this.tree.write(name, path, text);
  }

  private async remove(): Promise<void> {
    const name = this.random.pick(people);
    const path = this.random.pick(this.files());
    if (this.files().length < 3) return;
    this.told.push(`${name} deletes ${path}`);
    this.removed(split(this.tree.text(path)).map(bare), [], name);
    if (name === "person") rmSync(this.tree.path(path));
    else await this.tree.remove(name, path);
  }

  private async move(): Promise<void> {
    const name = this.random.pick(["ada", "bob", "eve"] as const);
    const path = this.random.pick(this.files());
    const to = `m${this.counter++}.txt`;
    this.told.push(`${name} moves ${path} to ${to}`);
    this.removed(split(this.tree.text(path)).map(bare), [], name);
    await this.tree.move(name, path, to);
  }

  private stageSome(): void {
    const { random, tree } = this;
    const kind = random.below(3);
    if (kind === 0) {
      this.told.push("git add -A");
      tree.git("add", "-A");
    } else if (kind === 1) {
      const path = random.pick(this.files());
      this.told.push(`git add ${path}`);
      tree.git("add", path);
    } else {
      const path = random.pick(this.files());
      const patch = tree.git("diff", "-U0", "--", path);
      const [head = "", ...hunks] = patch.split(/^(?=@@ )/m);
      const chosen = hunks.filter(() => random.chance(0.5));
      if (chosen.length === 0) return;
      const { status } = tree.tryGit(
        ["apply", "--cached", "--unidiff-zero", "--recount"],
        head + chosen.join(""),
      );
      this.told.push(`git add -p ${path}: ${chosen.length} of ${hunks.length} hunks: ${status}`);
    }
  }

  private git(...args: string[]): boolean {
    const { status } = this.tree.tryGit(args);
    this.told.push(`git ${args.join(" ")}: ${status}`);
    return status === 0;
  }

  private byHand(): void {
    const { random } = this;
    const kind = random.below(7);
    if (kind === 0) this.git("commit", "-q", "-a", "-m", "all by hand");
    else if (kind === 1) this.git("commit", "-q", "-m", "staged by hand");
    else if (kind === 2) this.git("commit", "-q", "--amend", "--no-edit");
    else if (kind === 3) this.git("reset", "-q", random.chance(0.5) ? "--soft" : "--mixed", "HEAD~");
    else if (kind === 4) {
      if (this.git("stash", "-q", ...(random.chance(0.5) ? ["-u"] : []))) {
        if (random.chance(0.5)) {
          const path = random.pick(this.files());
          const lines = split(this.tree.text(path));
          this.tree.put(path, `person ${this.counter++}\n${lines.join("")}`);
          this.git("commit", "-q", "-a", "-m", "between");
        }
        if (
          !this.git("stash", "pop", "-q", ...(random.chance(0.5) ? ["--index"] : [])) &&
          !this.git("stash", "pop", "-q")
        ) {
          this.git("checkout", "-q", "-f", "HEAD");
          this.git("clean", "-qfd");
          this.git("stash", "drop", "-q");
        }
      }
    } else if (kind === 5) {
      this.git("checkout", "-q", "-b", `side${this.counter++}`);
    } else this.git("reset", "-q");
  }

  /** Any one of these. */
  async step(): Promise<void> {
    const dice = this.random.below(84);
    if (dice < 55) await this.edit();
    else if (dice < 60) await this.make();
    else if (dice < 63) await this.remove();
    else if (dice < 66) await this.move();
    else if (dice < 76) this.stageSome();
    else this.byHand();
  }
}
