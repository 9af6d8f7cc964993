/** One look at the source for all pages and terminals that follow it. */
import type { ViewEvent, ViewMessage, ViewState } from "./contract.js";

/** The sources that a feed follows. */
export interface Followed {
  state(): Promise<ViewState>;
  /** Events since the mark, oldest first, and the mark after them. Costs next to nothing while nothing is new. */
  news(mark: string | null): Promise<{ readonly events: readonly ViewEvent[]; readonly mark: string }>;
}

type Listener = (message: ViewMessage) => void;

/** The state without its time, which alone is no news. */
const essence = ({ time, ...state }: ViewState): string => JSON.stringify(state);

/** Asks the source at intervals while somebody listens; nothing runs while nobody does. */
export class Feed {
  private readonly listeners = new Set<Listener>();
  private timer: NodeJS.Timeout | null = null;
  private mark: string | null = null;
  private last: { readonly essence: string; readonly state: ViewState } | null = null;

  constructor(
    private readonly source: Followed,
    private readonly pause = 700,
    private readonly report: (line: string) => void = () => {},
  ) {}

  /** The state is sent at once; returns what ends it. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.last) listener({ type: "state", state: this.last.state });
    if (this.listeners.size === 1 && this.timer === null) this.schedule(0);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      if (this.timer) clearTimeout(this.timer);
      this.timer = null;
      this.last = null;
      this.mark = null;
    };
  }

  private schedule(wait: number): void {
    this.timer = setTimeout(() => void this.turn(), wait);
  }

  private async turn(): Promise<void> {
    const started = performance.now();
    try {
      await this.look();
    } catch (error) {
      this.report(
        `the view could not be made anew: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    // A look that takes long is followed by a longer pause: the view never takes more than a third of a processor.
    const took = performance.now() - started;
    if (this.listeners.size > 0) this.schedule(Math.max(this.pause, 2 * took));
    else this.timer = null;
  }

  private async look(): Promise<void> {
    const { events, mark } = await this.source.news(this.mark);
    const isFirst = this.mark === null;
    this.mark = mark;
    if (!isFirst) for (const event of events) this.send({ type: "event", event });
    const state = await this.source.state();
    const made = essence(state);
    if (made === this.last?.essence) return;
    this.last = { essence: made, state };
    this.send({ type: "state", state });
  }

  private send(message: ViewMessage): void {
    for (const listener of this.listeners) listener(message);
  }
}
