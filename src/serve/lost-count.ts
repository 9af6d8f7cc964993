import type { LedgerStore } from "../ports/index.js";
import type { Metrics } from "./metrics.js";

/** Counts the edits that were found lost, by whatever process, since this one began. */
export class LostCount {
  private mark: string | null = null;

  constructor(
    private readonly store: Pick<LedgerStore, "journalSince">,
    private readonly metrics: Metrics,
  ) {}

  async update(): Promise<void> {
    const { entries, mark } = await this.store.journalSince(this.mark);
    this.mark = mark;
    for (const { kind, edits = [] } of entries)
      if (kind === "lost") this.metrics.count("kedge_lost_edits_total", {}, edits.length);
  }
}
