/** Counts played sessions, newest first: a call that was resumed or copied into another file counts once, in the newest. */
import { callKey, isOld } from "./play/play-session.js";
import { Recoveries } from "./recoveries.js";
import { type Audit, type Extent, type PlayedSession, Tally } from "./report.js";
import type { SessionFile } from "./sessions/steps.js";

interface Reading extends Pick<Extent, "files" | "bytes" | "damagedLines"> {
  readonly unreadableFiles: string[];
}

export class Counting {
  private readonly tally = new Tally();
  private readonly counted = new Set<string>();

  /** `since`: older calls are played, not counted. `read`: the files, and how far they have been read. */
  constructor(
    private readonly since: number,
    private readonly read: Reading,
  ) {}

  hasCounted(key: string): boolean {
    return this.counted.has(key);
  }

  take(file: SessionFile, { calls, failure }: PlayedSession): void {
    const recoveries = new Recoveries(this.tally.recovery);
    for (const call of calls) {
      const key = callKey(file.client, call);
      if (isOld(call, this.since) || this.counted.has(key)) continue;
      this.counted.add(key);
      this.tally.add(file, call, recoveries.isRecovery(call));
    }
    if (failure !== null) this.read.unreadableFiles.push(failure);
  }

  audit(): Audit {
    const { tally, read } = this;
    return { report: tally.report(), extent: tally.extent(read), details: tally.details };
  }
}
