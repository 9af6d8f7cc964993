/** What must hold at every moment of a history, and how often authors are named. */
import { relative } from "node:path";
import { expect } from "vitest";
import type { JournalEntry } from "../../../src/ports/store.js";
import { nodeStore } from "../../../src/store/store.js";
import { workspaceFor } from "../../../src/workspace/index.js";
import { asks } from "./actors.js";
import { identitiesIn, type World } from "./world.js";

export interface Score {
  changes: number;
  /** Its author is among those that are named. */
  named: number;
  /** Nobody else is. */
  alone: number;
  wrong: string[];
}

interface Lost {
  readonly id: string;
  readonly path: string;
  readonly diff: string;
  readonly gone: number;
  readonly what: string;
  readonly stash?: string;
  readonly overwritten?: boolean;
}

export class Judge {
  private mark: string | null = null;
  /** Lines that an entry of the journal added. */
  private readonly journaled = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly score: Score,
  ) {}

  private get store() {
    const { stage } = this.world;
    return nodeStore({ state: stage.state, workspace: workspaceFor(stage.folder, []), brief: true });
  }

  /** Every change that was journaled since has its author named. */
  async authors(): Promise<void> {
    const { store } = this;
    const { entries, mark } = await store.journalSince(this.mark);
    this.mark = mark;
    for (const entry of entries) if (entry.kind === "commit") await this.author(entry, store);
  }

  private async author(entry: JournalEntry, store: Judge["store"]): Promise<void> {
    const { world, score } = this;
    const name = relative(world.stage.folder, entry.path);
    const to = entry.to === undefined ? null : relative(world.stage.folder, entry.to);
    const ids = [entry.before, entry.after].filter((id) => id !== null);
    const texts = await store.versions(ids);
    const textOf = (id: string | null): string | null =>
      id === null ? null : new TextDecoder().decode(texts.get(id) ?? new Uint8Array());
    const linesOf = (id: string | null): Set<string> => identitiesIn(textOf(id));
    const [before, after] = [linesOf(entry.before), linesOf(entry.after)];
    for (const line of after) if (!before.has(line)) this.journaled.add(line);
    const did = new Set<string>();
    const add = (key: string): void => {
      const by = world.deeds.get(key)?.by;
      if (by !== undefined) did.add(by);
    };
    for (const line of after) if (!before.has(line)) add(`+ ${name} ${line}`);
    for (const line of before) if (!after.has(line)) add(`- ${name} ${line}`);
    if (to !== null) for (const line of after) add(`+ ${to} ${line}`);
    else if (did.size === 0) add(`laid out ${name} ${textOf(entry.after)}`);
    if (did.size === 0) return;
    const said = (entry.authors ?? [entry.agent]).map((one) => one.replace(/^claude-code:/, ""));
    score.changes++;
    const isNamed = [...did].every((one) => said.includes(one));
    if (isNamed) score.named++;
    if (isNamed && said.length === did.size) score.alone++;
    if (!isNamed && said.length === 1)
      score.wrong.push(
        `${entry.tool} ${name}: said ${said}, was ${[...did]}; ${entry.cause ?? ""}\n  ${world.past.slice(-14).join("\n  ")}`,
      );
  }

  private async listed(...more: string[]): Promise<Lost[]> {
    const printed = await this.world.stage.kedge("lost", "--json", ...more);
    return printed
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Lost);
  }

  /** Each line that is gone and that nobody replaced knowingly is in one of the lists, and no other is in the first. */
  async lines(): Promise<void> {
    const { world } = this;
    if (world.isUnderWay) return;
    // What nobody has looked at yet is in no list.
    await asks(world, "one");
    await this.authors();
    const committed = world.gone.size > 0 ? world.committed() : new Set<string>();
    const gone = [...world.gone].filter(
      ([line, deed]) => world.seen.has(line) && !committed.has(line) && !this.isKnowing(line, deed),
    );
    const once = gone.length > 0 ? world.onceCommitted() : new Set<string>();
    // What went into a commit before it was in any entry is git's, whose reflog has it.
    const missing = gone.filter(([line]) => this.journaled.has(line) || !once.has(line));
    const all = await this.listed("--all");
    const first = all.filter(({ overwritten = false }) => !overwritten);
    const writtenIn = (entries: readonly Lost[]): Set<string> =>
      identitiesIn(
        entries.flatMap(({ diff }) => diff.split("\n").filter((row) => row.startsWith("+"))).join("\n"),
      );
    const [told, known] = [writtenIn(first), writtenIn(all)];
    const standing = identitiesIn([...world.texts.values()].join("\n"));
    for (const [line, deed] of missing) {
      const text = `${line} of ${world.authors.get(line)}, taken by ${deed.by}: ${deed.what}`;
      expect(known.has(line), `in no list: ${text}`).toBe(true);
      // A line that was committed when its file was removed, and is in no commit now, is in one of the lists.
      const isTold = deed.how === "swept" || (deed.how === "removed" && !once.has(line));
      if (isTold && deed.by !== "outside") expect(told.has(line), `only overwritten: ${text}`).toBe(true);
    }
    for (const { what, path, diff, stash } of first) {
      const [written, removed] = ["+", "-"].map((sign) =>
        identitiesIn(
          diff
            .split("\n")
            .filter((row) => row.startsWith(sign))
            .join("\n"),
        ),
      ) as [Set<string>, Set<string>];
      const isGone = [...written].some(
        (line) =>
          world.copied.has(line) || (!standing.has(line) && (stash !== undefined || !committed.has(line))),
      );
      // What an edit took out is back, or it took it out of what is lost itself, or of a file that is gone.
      const isBack =
        !world.texts.has(path) || [...removed].some((line) => standing.has(line) || known.has(line));
      expect(isGone || isBack || what !== "lines", `not lost: ${path}\n${diff}`).toBe(true);
    }
  }

  /** Lines that a call named, and those that their author took away without a sweep. */
  private isKnowing(line: string, { by, how }: { readonly by: string; readonly how: string }): boolean {
    const author = this.world.authors.get(line);
    if (how === "quoted" || author === "git") return true;
    return author === by && (how !== "swept" || by === "outside");
  }
}
