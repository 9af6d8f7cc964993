/** An agent at ordinary work: it looks before it changes, and never quotes what it cannot be sure of. */
import { existsSync } from "node:fs";
import type { Random } from "../../support/random.js";
import type { Driver } from "../drivers/driver.js";
import type { Agent, Outcome, Stage } from "../stage.js";
import { linesOf, Memory } from "./memory.js";

export interface Step {
  readonly what: string;
  readonly outcome: Outcome;
  /** A formatter had something to do: the agent is told. */
  readonly formatted?: boolean;
}

export class Worker {
  private readonly memory = new Memory();
  /** Files of which the guard may know nothing but a text that was sent before their last change: it opens no whole-file write. */
  private readonly sent = new Set<string>();
  private count = 0;

  constructor(
    private readonly stage: Stage,
    private readonly agent: Agent,
    private readonly dice: Random,
    private readonly name: string,
  ) {}

  private get driver(): Driver {
    return this.stage.driver;
  }

  private path(file: string): string {
    return this.dice.chance(0.5) ? this.stage.path(file) : file;
  }

  private fresh(): string {
    this.count += 1;
    return `${this.name}${this.count}`;
  }

  /** The way to all lines, whichever the client has. */
  async read(file: string): Promise<Step> {
    const text = this.stage.text(file);
    const ways: (() => Promise<Outcome>)[] = [
      () => this.agent.read(this.path(file)),
      () => this.agent.shell(`cat ${file}`),
      () => this.agent.shell(`cat -n ${file}`),
    ];
    const outcome = await this.dice.pick(ways)();
    this.memory.see(file, text);
    this.sent.delete(file);
    return { what: `${this.name} reads ${file}`, outcome };
  }

  /** In a way that names no file, and then an edit. */
  async readWidely(file: string): Promise<Step[]> {
    const text = this.stage.text(file);
    const { transcript } = this.agent;
    const name = file.endsWith(".js") ? "*.js" : `${file.slice(0, 2)}*`;
    const ways: (() => unknown)[] = [
      () => this.agent.shell(`cat ${name} lib/*.js`),
      () => this.agent.shell(`find . -name '${name}' | xargs cat`),
      () => this.agent.shell(`for f in ${name} lib/*.js; do echo "== $f"; cat "$f"; done`),
      () => this.agent.shell(`bash -c 'cat {.,lib}/${name}'`),
      () => this.agent.shell("grep -h '' $(git ls-files)"),
      () => this.agent.shell(`node -p "require('fs').readFileSync('${file}', 'utf8')"`),
      () => transcript.prompt(`Look at this:\n\n${text}`),
      () => transcript.result("mcp__files__read", { uri: file }, text),
      () => transcript.report(`It is\n\n${text}`),
    ];
    await this.dice.pick(ways)();
    this.memory.see(file, text);
    this.sent.add(file);
    const index = this.memory.quotable(file, text)[0];
    return index === undefined ? [] : [await this.edit(file)];
  }

  async readSome(file: string): Promise<Step> {
    const text = this.stage.text(file);
    const all = linesOf(text).length;
    const first = 1 + this.dice.below(all);
    const last = Math.min(all, first + 3 + this.dice.below(8));
    const outcome = this.dice.chance(0.6)
      ? await this.agent.read(this.path(file), { first, last })
      : await this.agent.shell(`sed -n '${first},${last}p' ${file}`);
    if (last - first >= 3) this.memory.see(file, text, [first, last]);
    return { what: `${this.name} reads ${file} ${first}-${last}`, outcome };
  }

  async search(file: string): Promise<Step> {
    const text = this.stage.text(file);
    const lines = linesOf(text);
    const unique = lines.flatMap((line, at) =>
      /value\d/.test(line) && lines.filter((other) => other === line).length === 1 ? [at] : [],
    );
    if (unique.length === 0) return this.read(file);
    const at = this.dice.pick(unique);
    const word = /\w*value\d+\w*/.exec(lines[at] ?? "")?.[0] ?? "value";
    const outcome =
      this.driver.can.has("grep") && this.dice.chance(0.5)
        ? await this.agent.grep(word, this.stage.path(file))
        : await this.agent.shell(`grep -n ${word} ${file}`);
    for (const [index, line] of lines.entries())
      if (line.includes(word) && unique.includes(index)) this.memory.see(file, text, [index + 1, index + 1]);
    return { what: `${this.name} searches ${file} for ${word}`, outcome };
  }

  /** One line, or a block around it of which only that one changes. */
  async edit(file: string): Promise<Step> {
    const text = this.stage.text(file);
    const at = this.memory.knows(file) ? this.memory.quotable(file, text) : [];
    if (at.length === 0) return this.read(file);
    const index = this.dice.pick(at);
    const lines = linesOf(text);
    const known = this.memory.follow(file, text);
    const wide = this.dice.chance(0.4) && known[index - 1]?.known && known[index + 1]?.known;
    const [start, stop] = wide ? [index - 1, index + 2] : [index, index + 1];
    const old = lines.slice(start, stop);
    const changed = this.changed(lines[index] ?? "");
    const made = old.flatMap((line, offset) => (start + offset === index ? changed : [line]));
    const outcome = await this.agent.edit(this.path(file), { old: old.join("\n"), new: made.join("\n") });
    const now = this.stage.text(file);
    const formatted = now !== text.replace(old.join("\n"), () => made.join("\n"));
    this.memory.follow(
      file,
      text.replace(old.join("\n"), () => made.join("\n")),
    );
    this.memory.see(file, now, [start + 1, start + made.length]);
    return { what: `${this.name} edits ${file} at ${index + 1}`, outcome, formatted };
  }

  private changed(line: string): string[] {
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    const fresh = `${indent}const ${this.fresh()}value${this.count} = '${this.count}';`;
    const roll = this.dice.next();
    if (roll < 0.5) return [fresh];
    return roll < 0.8 ? [line, fresh] : [fresh, `${indent}use(${this.name}${this.count}value);`];
  }

  async rewrite(file: string): Promise<Step> {
    const text = this.stage.text(file);
    if (this.sent.has(file) || !this.memory.knowsAll(file, text)) return this.read(file);
    const content = `${text}export const ${this.fresh()}value${this.count} = "all";\n`;
    const outcome = await this.agent.write(this.path(file), content);
    const now = this.stage.text(file);
    this.memory.see(file, now);
    return { what: `${this.name} writes all of ${file}`, outcome, formatted: now !== content };
  }

  async create(file: string): Promise<Step> {
    const name = this.fresh();
    const content = `// ${name}\nexport function ${name}(input) {\n  const ${name}value1 = input;\n  return ${name}value1;\n}\n`;
    const outcome = this.dice.chance(0.5)
      ? await this.agent.write(this.path(file), content)
      : await this.agent.shell(`cat > ${file} <<'EOF'\n${content}EOF`);
    this.memory.see(file, this.stage.text(file));
    return { what: `${this.name} makes ${file}`, outcome, formatted: this.stage.text(file) !== content };
  }

  /** A change by a command, and another look at what it made. */
  async replaceAll(file: string): Promise<Step[]> {
    const outcome = await this.agent.shell(`sed -i 's/input/given/g' ${file}`);
    return [{ what: `${this.name} runs sed -i on ${file}`, outcome }, await this.read(file)];
  }

  async rename(from: string, to: string, git: boolean): Promise<Step> {
    const outcome = await this.agent.shell(`${git ? "git mv" : "mv"} ${from} ${to}`);
    if (existsSync(this.stage.path(to))) this.memory.rename(from, to);
    if (this.sent.delete(from)) this.sent.add(to);
    return { what: `${this.name} moves ${from} to ${to}`, outcome };
  }

  async run(command: string): Promise<Step> {
    return { what: `${this.name} runs ${command}`, outcome: await this.agent.shell(command) };
  }

  /** Another agent moved or took it. */
  lose(file: string): void {
    this.memory.forget(file);
  }
}
