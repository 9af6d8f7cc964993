/** The lines of a transcript since the last compaction, which the guard looks through before it refuses what is unread. */
import type { Recalled, Sent } from "../../guard/index.js";

/** As far back as the guard looks, in characters. */
const most = 64 * 1024 * 1024;

export class SentLines {
  private lines: string[] = [];
  private size = 0;
  private isComplete = true;

  /** `sentIn`: what the client's own adapter makes of the lines. */
  constructor(private readonly sentIn: (lines: readonly string[]) => readonly Sent[]) {}

  add(line: string): void {
    this.lines.push(line);
    this.size += line.length;
    if (this.size <= most) return;
    // The calls so far keep the lines that they came after.
    this.lines = this.lines.slice(Math.ceil(this.lines.length / 2));
    this.size = this.lines.reduce((sum, one) => sum + one.length, 0);
    this.isComplete = false;
  }

  fold(): void {
    this.lines = [];
    this.size = 0;
    this.isComplete = true;
  }

  /** What was sent up to now, for later. */
  now(): () => Recalled {
    const { lines, isComplete, sentIn } = this;
    const count = lines.length;
    return () => ({ sent: sentIn(lines.slice(0, count)), isComplete });
  }
}
