/**
 * Random histories of agents, a person, formatters and sweeps over one file, with line identities: every uncommitted line has the
 * author who wrote it, and each line that a sweep takes away is counted as lost, or stands.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { compare } from "../../src/changes/compare.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { outside } from "../../src/text/agent-name.js";
import { Document } from "../../src/text/document.js";
import { ownersOf } from "../../src/tree/looks/file-work.js";
import { lostLines } from "../../src/tree/looks/losses.js";

interface Line {
  readonly text: string;
  /** null: committed. */
  readonly by: string | null;
}

type Step =
  | {
      readonly do: "write";
      readonly who: number;
      readonly at: number;
      readonly remove: number;
      readonly add: number;
    }
  | { readonly do: "format" }
  | { readonly do: "commit" }
  | { readonly do: "sweep"; readonly who: number };

const agents = ["one", "two", outside] as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      who: fc.nat(2),
      at: fc.nat(30),
      remove: fc.nat(3),
      add: fc.nat(4),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("format" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("commit" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const), who: fc.nat(1) }) },
);

class History {
  lines: Line[] = Array.from({ length: 8 }, (_, at) => ({ text: `committed ${at}`, by: null }));
  private base = this.document;
  private readonly committed = new Map<string, Line[]>();
  private readonly entries: JournalEntry[] = [];
  private readonly texts = new Map<string, Document>();
  private count = 0;

  constructor() {
    this.keep();
  }

  get document(): Document {
    return Document.fromText(this.lines.map(({ text }) => `${text}\n`).join(""));
  }

  private keep(): Document {
    const { document } = this;
    this.texts.set(document.version, document);
    return document;
  }

  private owners() {
    return ownersOf(
      this.document,
      this.base,
      this.entries,
      async (version) => this.texts.get(version) ?? null,
    );
  }

  async play(one: Step): Promise<void> {
    const before = this.keep();
    if (one.do === "write") this.write(one);
    else if (one.do === "format")
      this.lines = this.lines.map(({ text, by }) => ({ text: `${text.replace(/;*$/, "")};`, by }));
    else if (one.do === "commit") this.commit();
    else await this.sweep(agents[one.who] as string, before);
    const after = this.keep();
    if (one.do === "write" && agents[one.who] !== outside)
      this.journal(agents[one.who] as string, before, after, false);
    if (one.do === "format") this.journal("one", before, after, true);
    await this.check();
  }

  /** A person's edits are in no journal until somebody looks: what is new there is theirs. */
  private journal(agent: string, before: Document, after: Document, reformat: boolean): void {
    const change = compare(before, after);
    if (change.isIdentity) return;
    this.entries.push({
      ...{
        id: `e${this.entries.length}`,
        time: this.entries.length,
        agent,
        tool: "edit",
        kind: "commit",
        path: "a",
        file: "a",
      },
      ...{ before: before.version, after: after.version, lines: [], change: change.toJSON() },
      ...(reformat ? { reformat } : {}),
    });
  }

  private write({ who, at, remove, add }: Extract<Step, { do: "write" }>): void {
    const by = agents[who] as string;
    const made = Array.from({ length: add }, () => ({ text: `${by} wrote word${++this.count}`, by }));
    this.lines.splice(Math.min(at, this.lines.length), remove, ...made);
  }

  private commit(): void {
    this.lines = this.lines.map(({ text }) => ({ text, by: null }));
    this.base = this.keep();
    this.committed.set(this.base.version, this.lines);
  }

  private async sweep(agent: string, before: Document): Promise<void> {
    const owners = await this.owners();
    const uncommitted = this.lines.flatMap(({ by }, at) => (by === null ? [] : [at]));
    const left = this.base.lines();
    const lost = lostLines({
      ...{ path: "/w/a", before, after: this.base, owners, authors: [agent], isBack: true, isCommand: true },
      ...{ sweeps: [{ of: "all", within: [] }], writers: ["git"], writersOf: () => [] },
    });
    const bare = (text: string): string => text.replace(/;$/, "");
    const standing = new Set(left.map(bare));
    const gone = uncommitted.filter((at) => !standing.has(bare(this.lines[at]?.text ?? "")));
    expect(lost.indexes()).toEqual(gone);
    const change = compare(before, this.base);
    this.lines = left.map((text) => ({ text, by: null }));
    if (change.isIdentity) return;
    this.entries.push({
      ...{
        id: `e${this.entries.length}`,
        time: this.entries.length,
        agent,
        tool: "shell",
        kind: "commit",
        path: "a",
        file: "a",
      },
      ...{
        before: before.version,
        after: this.base.version,
        lines: [],
        change: change.toJSON(),
        clean: true,
      },
    });
  }

  private async check(): Promise<void> {
    const owners = await this.owners();
    for (const [at, { by }] of this.lines.entries()) {
      if (by === null) continue;
      const found = owners[at]?.authors ?? [];
      expect(found, `line ${at + 1}: ${this.lines[at]?.text}`).toEqual([by]);
    }
  }
}

test("every uncommitted line has the author who wrote it, and a sweep loses none of them silently", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const history = new History();
      for (const one of steps) await history.play(one);
    }),
  );
});
