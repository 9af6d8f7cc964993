/** The lines of a transcript since the last compaction, which the guard looks through before it refuses what is unread. */
import type { Payload, Recalled, Sent } from "../../guard/index.js";
import { type LineSpan, linesAt } from "../sessions/lines.js";

/** The guard looks back this far, in characters. */
const most = 64 * 1024 * 1024;

/** A line as it is, or where it stands in the file: most are never asked for. */
type Line = string | LineSpan;

export class SentLines {
  private lines: Line[] = [];
  private size = 0;
  private isComplete = true;

  /** `sentIn`: what the client's own adapter makes of the lines. */
  constructor(
    private readonly sentIn: (lines: readonly string[], input?: Payload) => readonly Sent[],
    private readonly path: string | null = null,
  ) {}

  add(line: Line): void {
    this.lines.push(line);
    this.size += sizeOf(line);
    if (this.size <= most) return;
    // The calls so far keep the lines that they came after.
    this.lines = this.lines.slice(Math.ceil(this.lines.length / 2));
    this.size = this.lines.reduce((sum, one) => sum + sizeOf(one), 0);
    this.isComplete = false;
  }

  /** The newest lines that the client kept may stay. */
  fold(kept = 0): void {
    this.lines = kept === 0 ? [] : this.lines.slice(-kept);
    this.size = this.lines.reduce((sum, one) => sum + sizeOf(one), 0);
    this.isComplete = true;
  }

  /** The texts that were sent up to now, for later. `input`: the arguments of the call that asks. */
  now(input?: Payload): () => Recalled {
    const { lines, isComplete, sentIn, path } = this;
    const count = lines.length;
    return () => ({ sent: sentIn(textsOf(lines.slice(0, count), path), input), isComplete });
  }
}

const sizeOf = (line: Line): number => (typeof line === "string" ? line.length : line.end - line.start);

function textsOf(lines: readonly Line[], path: string | null): readonly string[] {
  const spans = lines.filter((line) => typeof line !== "string");
  const read = path === null ? [] : linesAt(path, spans);
  let next = 0;
  return lines.map((line) => (typeof line === "string" ? line : (read[next++] ?? "")));
}
