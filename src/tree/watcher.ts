/** Looks at the tree around the calls of our own tools: before a change at its files, and at all of it when there is time. */
import { reason } from "../host/index.js";
import type { FileId, TreeWatch } from "../ports/index.js";
import type { Moment, Observed, Tree } from "./tree.js";

interface WatcherSetup {
  readonly tree: Pick<Tree, "observe" | "rested">;
  readonly agent: string;
  /** The top of the tree. */
  readonly root: string;
  readonly clock: () => number;
  readonly log: (line: string) => void;
  /** Is told of the first recording in a workspace. */
  readonly first: (recorded: Pick<Observed, "kept" | "left">) => void;
}

/** Milliseconds after a call: the next one may come at once. */
const quiet = 50;
/** Milliseconds that a program has to itself when it starts. */
const settling = 250;

export class TreeWatcher implements TreeWatch {
  private readonly read = new Set<string>();
  private timer: NodeJS.Timeout | null = null;
  private isOpening = false;
  private isAsked = false;

  constructor(private readonly setup: WatcherSetup) {}

  /** The first look of a program that goes on, when it has started. */
  begin(): void {
    this.isAsked = true;
    this.isOpening = true;
    this.later(settling);
  }

  async before(files: readonly FileId[]): Promise<void> {
    if (files.length === 0) await this.whole();
    else await this.look({ kind: "call", paths: files.map(({ key }) => key) });
  }

  reads({ key }: FileId): void {
    this.read.add(key);
  }

  answered(): void {
    this.isAsked = true;
    this.later(quiet);
  }

  /** For a program that ends now: what a program that goes on does in its idle time. */
  async end(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.isAsked) await this.idle();
  }

  private later(wait: number): void {
    if (this.timer) return;
    // A program that has nothing else to do ends.
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.again();
    }, wait).unref();
  }

  private async again(): Promise<void> {
    const wait = await this.idle();
    if (wait > 0) this.later(wait);
  }

  /** Answers how long to wait where all of the tree cannot be looked at yet: then it is the files that were read. */
  private async idle(): Promise<number> {
    const { tree, clock } = this.setup;
    const wait = (await tree.rested().catch(() => 0)) - clock();
    if (wait <= 0) await this.whole();
    else if (this.read.size > 0) await this.look({ kind: "read", paths: this.taken() });
    return wait;
  }

  private async whole(): Promise<void> {
    const kind = this.isOpening ? "open" : "tool";
    this.isOpening = false;
    this.isAsked = false;
    await this.look({ kind, paths: this.taken() });
  }

  private taken(): string[] {
    const paths = [...this.read];
    this.read.clear();
    return paths;
  }

  /** A tree that cannot be looked at stands in nobody's way. */
  private async look(moment: Pick<Moment, "kind" | "paths">): Promise<void> {
    const { tree, agent, root, log, first } = this.setup;
    try {
      const { isFirst, kept, left } = await tree.observe({ ...moment, agent, cwd: root });
      if (isFirst && kept + left > 0) first({ kept, left });
    } catch (error) {
      log(`the tree was not looked at: ${reason(error)}`);
    }
  }
}
