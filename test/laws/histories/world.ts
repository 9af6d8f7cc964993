/** A real repository in which every line has an identity, and what really became of each line: who wrote it, who took it away. */
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Driver } from "../../guard/drivers/driver.js";
import { type Agent, Stage } from "../../guard/stage.js";
import type { Random } from "../../support/random.js";

/** What somebody did to the tree at one moment. */
export interface Deed {
  /** A conversation, or "outside". */
  readonly by: string;
  /** `quoted`: the call named the lines; `removed`: a command took a file away; `swept`: git took work back. */
  readonly how: "typed" | "quoted" | "written" | "command" | "removed" | "swept";
  readonly what: string;
}

const identity = /\bw\d+\b/g;

export function identitiesIn(text: string | null): Set<string> {
  return new Set(text?.match(identity) ?? []);
}

export class World {
  readonly stage: Stage;
  readonly agents: Readonly<Record<string, Agent>>;
  readonly past: string[] = [];
  /** Who wrote a line first. */
  readonly authors = new Map<string, string>();
  /** Lines that stand in no file, and the deed that took them away. */
  readonly gone = new Map<string, Deed>();
  /** The latest deed that put a line into a file, or took it out, or only laid the file out anew. */
  readonly deeds = new Map<string, Deed>();
  /** Lines that stood in the tree when it was looked at: what comes and goes while a command runs is on no record. */
  readonly seen = new Set<string>();
  /** Lines that stood in two files at once. */
  readonly copied = new Set<string>();
  texts: ReadonlyMap<string, string> = new Map();
  private count = 0;

  constructor(
    driver: Driver,
    readonly dice: Random,
  ) {
    const files = ["a.txt", "b.txt", "lib/c.txt", "d.txt"].map((name) => {
      const lines = Array.from({ length: dice.between(3, 14) }, () => this.fresh("git"));
      return [name, `${lines.join("\n")}\n`] as const;
    });
    this.stage = new Stage(driver, Object.fromEntries(files), { git: true });
    this.agents = { one: this.stage.agent("one"), two: this.stage.agent("two") };
    this.texts = this.read();
    this.pass(5_000);
    this.stage.foreign("git branch other");
  }

  get now(): number {
    return Date.now() + this.stage.later;
  }

  get names(): string[] {
    return [...this.texts.keys()];
  }

  /** A line that was never written before. */
  fresh(by: string): string {
    const name = `w${++this.count}`;
    this.authors.set(name, by);
    return `${this.dice.chance(0.5) ? "  " : ""}keep ${name} and text${this.count}${this.dice.chance(0.5) ? ";" : ""}`;
  }

  /** Time goes by; git's clock goes with it. */
  pass(milliseconds: number): void {
    this.stage.later += milliseconds;
    const date = `${Math.floor(this.now / 1000)} +0000`;
    process.env.GIT_AUTHOR_DATE = date;
    process.env.GIT_COMMITTER_DATE = date;
  }

  /** The tree is looked at, or one of its files. */
  see(name?: string): void {
    const texts = name === undefined ? [...this.texts.values()] : [this.texts.get(name) ?? ""];
    for (const line of identitiesIn(texts.join("\n"))) this.seen.add(line);
  }

  lines(name: string): string[] {
    return (this.texts.get(name) ?? "").split("\n").slice(0, -1);
  }

  private read(): Map<string, string> {
    const { folder } = this.stage;
    const found = new Map<string, string>();
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      if (entry.isFile() && !name.startsWith(".git/")) found.set(name, readFileSync(path, "utf8"));
    }
    return found;
  }

  /** What is different on the disk is this deed's. The files get times of this world's clock. */
  account(deed: Deed): void {
    const [before, after] = [this.texts, this.read()];
    const all = (texts: ReadonlyMap<string, string>): Set<string> =>
      identitiesIn([...texts.values()].join("\n"));
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name) ?? null, after.get(name) ?? null];
      if (was === is) continue;
      const [old, fresh] = [identitiesIn(was), identitiesIn(is)];
      for (const line of fresh) if (!old.has(line)) this.deeds.set(`+ ${name} ${line}`, deed);
      if (deed.what.startsWith("cp ")) for (const line of fresh) this.copied.add(line);
      for (const line of old) if (!fresh.has(line)) this.deeds.set(`- ${name} ${line}`, deed);
      if (old.size === fresh.size && [...old].every((line) => fresh.has(line)))
        this.deeds.set(`laid out ${name} ${is}`, deed);
      const time = this.now / 1000;
      if (is !== null) utimesSync(this.stage.path(name), time, time);
    }
    const standing = all(after);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (name) => before.get(name) !== after.get(name),
    );
    this.past.push(`  ${deed.by}: ${deed.what} [${changed}]`);
    for (const line of standing) this.gone.delete(line);
    for (const line of all(before)) if (!standing.has(line)) this.gone.set(line, deed);
    this.texts = after;
  }

  /** Lines in commits that a branch, a tag or HEAD leads to. */
  committed(): Set<string> {
    return identitiesIn(
      this.stage.foreign("git log --branches --tags HEAD --format= -p -m --root --no-ext-diff"),
    );
  }

  /** Lines in commits that HEAD ever was at. */
  onceCommitted(): Set<string> {
    return identitiesIn(this.stage.foreign("git log -g HEAD --format= -p -m --root --no-ext-diff"));
  }

  get isUnderWay(): boolean {
    return ["MERGE_HEAD", "rebase-merge", "rebase-apply"].some((name) =>
      existsSync(this.stage.path(`.git/${name}`)),
    );
  }

  close(): void {
    rmSync(this.stage.scratch, { recursive: true, force: true });
  }
}
