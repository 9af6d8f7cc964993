/** Two hundred ordinary steps: nothing is refused, and nobody is spoken to but where a formatter was at work. */
import { expect, test } from "vitest";
import { Random } from "../../support/random.js";
import type { Driver } from "../drivers/driver.js";
import { Stage, withoutNews } from "../stage.js";
import { type Step, Worker } from "./worker.js";

const steps = 200;
const seed = Number(process.env.KEDGE_SEED ?? 1);

const isTabbed = (name: string): boolean => /^(Makefile|maingo)$/.test(name);

function content(name: string, dice: Random): string {
  const parts = Array.from({ length: 3 + dice.below(4) }, (_, at) => {
    const value = `${name}value${at}`;
    return `export function ${name}${at}(input) {\n  const ${value} = input;\n  return ${value} + ${at};\n}\n`;
  });
  const text = `import { use } from './use.js';\n\n${parts.join("\n")}`;
  return isTabbed(name) ? text.replace(/^ {2}/gm, "\t") : text;
}

/** A project with a branch, one agent, and a helper of it where the client has such. */
class Course {
  readonly stage: Stage;
  private readonly main: Worker;
  private readonly helper: Worker;
  private readonly others: readonly Worker[];
  private files = ["alpha.js", "beta.js", "gamma.js", "delta.js", "lib/epsilon.js", "Makefile", "main.go"];
  private made = 0;

  constructor(
    driver: Driver,
    private readonly dice: Random,
  ) {
    const names = this.files.map((file) => [file, content(file.replace(/\W|lib|js/g, ""), dice)] as const);
    this.stage = new Stage(driver, Object.fromEntries(names), { git: true, keeps: true });
    const inside = driver.can.has("subagents") ? { subagent: "helper" } : {};
    this.main = new Worker(this.stage, this.stage.agent("main"), dice, "m");
    this.helper = new Worker(
      this.stage,
      this.stage.agent(inside.subagent ? "main" : "second", inside),
      dice,
      "h",
    );
    this.others = [this.main, this.helper];
  }

  private format(file: string): void {
    this.stage.put(file, this.stage.text(file).replaceAll("'", '"'));
  }

  async step(): Promise<readonly Step[]> {
    const { dice } = this;
    const worker = dice.chance(0.8) ? this.main : this.helper;
    const file = dice.pick(this.files);
    this.stage.formatter = dice.chance(0.3) ? () => this.format(file) : null;
    const roll = dice.next();
    if (roll < 0.07) return [await worker.read(file)];
    if (roll < 0.12) return worker.readWidely(file);
    if (roll < 0.2) return [await worker.readSome(file)];
    if (roll < 0.27) return [await worker.search(file)];
    if (roll < 0.7) return [await worker.edit(file)];
    if (roll < 0.75) return [await worker.rewrite(file)];
    if (roll < 0.79) return [await this.create(worker)];
    if (roll < 0.83) return worker.replaceAll(file);
    if (roll < 0.87) return [await this.rename(worker, file)];
    if (roll < 0.93) return this.commit();
    return this.branch();
  }

  private async create(worker: Worker): Promise<Step> {
    const file = `new${++this.made}.js`;
    this.stage.formatter = this.stage.formatter && (() => this.format(file));
    const done = await worker.create(file);
    this.files = [...this.files, file];
    return done;
  }

  private async rename(worker: Worker, file: string): Promise<Step> {
    const to = `lib/moved${++this.made}.js`;
    await this.main.run("git add -A");
    const done = await worker.rename(file, to, this.dice.chance(0.5));
    this.files = this.files.map((one) => (one === file ? to : one));
    for (const other of this.others) if (other !== worker) other.lose(file);
    return done;
  }

  private async commit(): Promise<Step[]> {
    const looks = this.dice.pick(["git status --short", "git diff --stat", "git log --oneline | head -3"]);
    return [await this.main.run(looks), await this.main.run("git add -A && git commit -q -m work || true")];
  }

  /** Away with everything committed, and back: the work is as it was. */
  private async branch(): Promise<Step[]> {
    const name = `side${++this.made}`;
    return [
      await this.main.run("git add -A && git commit -q -m before || true"),
      await this.main.run(`git checkout -q -b ${name} HEAD~0 && git checkout -q main~1 2>/dev/null || true`),
      await this.main.run("ls"),
      await this.main.run("git checkout -q main"),
    ];
  }
}

/** Hundreds of processes, one after the other: on a busy machine a minute and a half. */
const patient = { timeout: 1_200_000 };

export function ordinaryCourse(driver: Driver): void {
  const { client } = driver;
  test(`${steps} ordinary steps, KEDGE_SEED=${seed}`, patient, async () => {
    const course = new Course(driver, new Random(seed));
    const past: string[] = [];
    while (past.length < steps)
      for (const { what, outcome, formatted = false } of await course.step()) {
        past.push(what);
        const told = formatted ? { deny: null, say: null, failed: null } : { ...outcomeOf(), silent: true };
        expect(withoutNews(outcome), latest(past)).toMatchObject(told);
        if (formatted) expect(outcome.tell, latest(past)).toMatch(formatting(client));
      }
    expect(course.stage.log()).toBe("");
  });
}

/**
 * GitHub Copilot CLI tells of a write only after the formatter has run, and not what the file was before: the change is told as
 * another program's.
 */
function formatting(client: string): RegExp {
  return client === "copilot" ? /formatter|another program changed/ : /formatter/;
}

/** The step that failed, and what went before it with the same file. */
function latest(past: readonly string[]): string {
  const last = past.at(-1) ?? "";
  const file = /Makefile|[\w/]+\.(?:js|go)/.exec(last)?.[0];
  const same = past.filter((what) => file === undefined || what.includes(file) || what.includes(" git "));
  return [`step ${past.length}: ${last}`, ...same.slice(-25)].join("\n  ");
}

const outcomeOf = () => ({ deny: null, rewritten: null, tell: null, say: null, failed: null });
