import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { Result } from "../../src/calls/result.js";
import { compare } from "../../src/changes/compare.js";
import { LineChange } from "../../src/changes/line-change.js";
import type { Edit } from "../../src/edits/index.js";
import { Document } from "../../src/text/document.js";
import { Random } from "../support/random.js";
import { type Bench, bench, outcome, path } from "../support/session.js";

const runs = Number(process.env.KEDGE_RUNS);
const seed = Number(process.env.KEDGE_SEED);
const row = /^(?:>>> | {4})?\d+#[0-9a-f]{6}\|(.*)$/gm;
const bareRow = /^(\d+)\t(.*)$/gm;

/** An agent that edits by anchors, by quotes and with another program's tool, and all text that it was ever given. */
class Course {
  readonly bench: Bench = bench({});
  /** Lines as they were printed whole, and whole lines that the agent sent. */
  readonly had = new Set<string>();
  applied = 0;

  constructor(readonly random: Random) {
    this.write(Array.from({ length: random.between(4, 30) }, () => this.line()));
  }

  private line(): string {
    const words = Array.from({ length: this.random.between(1, 4) }, () => this.word());
    return `${"  ".repeat(this.random.below(3))}${words.join(" ")}`;
  }

  private word(): string {
    return `${this.random.pick(["ab", "cd", "ef", "gh"])}${this.random.below(this.random.pick([3, 90]))}`;
  }

  get lines(): string[] {
    return (this.bench.files.text(path) ?? "").split("\n").slice(0, -1);
  }

  private write(lines: readonly string[]): void {
    this.bench.files.set(path, lines.map((line) => `${line}\n`).join(""));
  }

  private took({ text }: Pick<Result, "text">): void {
    for (const [, printed] of text.matchAll(row)) this.had.add(printed as string);
  }

  async step(): Promise<void> {
    const { random } = this;
    if (this.lines.length === 0) this.write([this.line(), this.line()]);
    const chance = random.next();
    if (chance < 0.1) return this.rude();
    if (chance < 0.25) return this.read();
    if (chance < 0.45) return this.quote();
    if (chance < 0.55) return this.tool();
    if (chance < 0.65) return this.whole();
    return this.anchored();
  }

  private rude(): void {
    const { lines, random } = this;
    const at = random.below(lines.length + 1);
    this.write(lines.toSpliced(at, random.below(3), ...(random.chance(0.6) ? [this.line()] : [])));
  }

  private async read(): Promise<void> {
    const start = this.random.between(1, this.lines.length);
    this.took(
      await this.bench.session.read({ path, ranges: [{ start, end: start + this.random.below(5) }] }),
    );
  }

  /** A part of a line, some lines, or parts of two; sent for one place or for all. */
  private quoted() {
    const { random, lines } = this;
    const first = random.below(lines.length);
    const text = lines.slice(first, first + random.between(1, 3)).join("\n");
    const [from, to] = random.chance(0.3)
      ? [0, text.length]
      : [random.below(text.length), random.between(1, text.length)];
    const old = text.slice(Math.min(from, to), Math.max(from, to)) || text;
    const by = random.pick([this.word(), this.line(), `${this.word()}\n${this.line()}`, ""]);
    return { old, new: by, all: random.chance(0.4) };
  }

  private async quote(): Promise<void> {
    const one = this.quoted();
    if (one.old === "") return;
    const before = this.lines;
    const result = await this.bench.session.edit({ path, edits: [{ op: "replace_text", ...one }] });
    if (!result.isError) this.sent(one, before);
    this.took(result);
  }

  /** The agent can work out what became of lines that it had. */
  private sent(one: { readonly old: string; readonly new: string }, before: readonly string[]): void {
    for (const line of [...this.had]) this.had.add(line.split(one.old).join(one.new));
    const [old, now] = [before, this.lines].map((lines) => Document.fromText(`${lines.join("\n")}\n`));
    for (const { aStart, aEnd, bStart, bEnd } of compare(old as Document, now as Document).regions)
      if (before.slice(aStart, aEnd).every((line) => this.had.has(line)))
        for (const line of this.lines.slice(bStart, bEnd)) this.had.add(line);
    for (const line of one.new.split("\n")) this.had.add(line);
  }

  /** As a client's own tool does it, after the guard let it through. */
  private async tool(): Promise<void> {
    const { session, files } = this.bench;
    const one = this.quoted();
    const text = files.text(path) ?? "";
    const places = text.split(one.old).length - 1;
    if (one.old === "" || places === 0 || (places > 1 && !one.all)) return;
    const change = { kind: "quotes" as const, quotes: [one] };
    const found = await session.consider({ path, tool: "Edit", change });
    if (found.kind === "refused") return this.tookBare(found.result.text);
    const before = this.lines;
    files.set(path, text.split(one.old).join(one.new));
    this.sent(one, before);
    const touched = await session.observeWrite(path, { tool: "Edit", change });
    for (const told of touched?.rows ?? []) this.had.add(told.text);
  }

  private tookBare(text: string): void {
    this.took({ text });
    for (const [, , printed] of text.matchAll(bareRow)) this.had.add(printed as string);
  }

  private async whole(): Promise<void> {
    const before = this.lines;
    const result = await this.bench.session.write({ path, content: [this.line(), this.line(), this.line()] });
    this.took(result);
    if (result.isError) return;
    for (const line of before) this.expectHad(line, "write_file");
    for (const line of this.lines) this.had.add(line);
  }

  /** With anchors that are right, whether they were printed or not. */
  private async anchored(): Promise<void> {
    const { random, lines } = this;
    const start = random.between(1, lines.length);
    const end = Math.min(lines.length, start + random.below(4));
    const anchor = (line: number) => `${line}#${computeLineHash(lines[line - 1] as string)}`;
    const text = Array.from({ length: random.between(1, 3) }, () => this.line());
    const edit: Edit = { op: "replace_lines", start: anchor(start), end: anchor(end), text };
    const result = await this.bench.session.edit({ path, edits: [edit] });
    this.took(result);
    const done = (await this.bench.store.journal()).findLast(({ kind }) => kind === "commit");
    if (!done || outcome(result) !== "applied") return;
    for (const { aStart, aEnd } of LineChange.fromJSON(done.change ?? []).regions)
      for (const line of lines.slice(aStart, aEnd)) this.expectHad(line, `lines ${start} to ${end}`);
    for (const line of text) this.had.add(line);
  }

  private expectHad(line: string, what: string): void {
    this.applied++;
    expect(this.had.has(line), `${what}: ${JSON.stringify(line)} was overwritten unseen`).toBe(true);
  }
}

describe("quotes", () => {
  it("open no line that was not printed: what is overwritten was printed or sent before", async () => {
    let applied = 0;
    for (let round = 0; round < runs / 2; round++) {
      const course = new Course(new Random(seed + round));
      try {
        for (let step = 0; step < 30; step++) await course.step();
      } catch (error) {
        throw new Error(`KEDGE_SEED=${seed + round} KEDGE_RUNS=1: ${(error as Error).message}`, {
          cause: error,
        });
      }
      applied += course.applied;
    }
    expect(applied).toBeGreaterThan(runs / 2);
  });
});
