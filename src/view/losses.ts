/** Lost work: by a survey of all edits where it is that of now, by what the journal had noticed where it is that of a moment in the past. */
import type { LostEdit } from "../lost/index.js";
import type { JournalEntry } from "../ports/index.js";
import type { LostWork } from "./contract.js";
import type { LaneSource } from "./lanes/lane-cache.js";

/** Until the long looks begin, in milliseconds: the first state is on its way by then. */
export const longLooksAfter = 400;
const lostEvery = 5000;

export interface LossSource extends LaneSource {
  lost(): Promise<readonly LostEdit[]>;
}

/** The finding of a survey, and how far the journal went then. */
interface LostSeen {
  readonly time: number;
  readonly mark: string | null;
  readonly lost: readonly LostEdit[];
}

export class Losses {
  private seen: LostSeen | null = null;
  private survey: Promise<void> | null = null;

  constructor(private readonly source: LossSource) {}

  async settled(): Promise<void> {
    await this.survey;
  }

  /**
   * A survey of all edits takes a while in a long journal, so the state never waits for one: until the first is done, the
   * losses that the journal has are told.
   */
  now(entries: readonly JournalEntry[], mark: string | null): LostWork[] {
    const { clock } = this.source.look;
    const known = this.seen;
    const isFresh = known !== null && known.mark === mark && clock() - known.time < lostEvery;
    if (!isFresh && this.survey === null) {
      this.survey = later(known ? 0 : longLooksAfter)
        .then(() => this.source.lost())
        .then(
          (lost) => this.surveyed({ time: clock(), mark, lost }),
          () => this.surveyed(known),
        );
    }
    return known ? known.lost.map(lostWork) : this.noted(entries);
  }

  private surveyed(seen: LostSeen | null): void {
    this.seen = seen;
    this.survey = null;
  }

  /** Past losses that were noticed and not restored yet are told, as far as the journal says. */
  noted(entries: readonly JournalEntry[]): LostWork[] {
    const restored = new Set(entries.flatMap(({ kind, edits }) => (kind === "commit" ? (edits ?? []) : [])));
    const losses = entries.filter(({ kind }) => kind === "lost");
    const lost = new Set(losses.flatMap(({ edits = [] }) => edits));
    const made = new Map(entries.flatMap((entry) => (lost.has(entry.id) ? [[entry.id, entry]] : [])));
    return losses.flatMap((entry) =>
      (entry.edits ?? []).flatMap((id): LostWork[] => {
        const edit = made.get(id);
        return edit && !restored.has(id) ? [this.noticed(edit, entry)] : [];
      }),
    );
  }

  private noticed({ id, agent, file, lines, time }: JournalEntry, loss: JournalEntry): LostWork {
    return {
      ...{ id, agent, path: this.source.shownPath(file), lines, what: "lines" },
      ...{ gone: 0, time, kept: false, diff: "" },
      lost: { time: loss.time, agent: loss.agent, command: loss.cause ?? null },
    };
  }
}

function lostWork(edit: LostEdit): LostWork {
  const { id, agent, path, lines, what, gone, time, kept, diff, lost } = edit;
  return {
    ...{ id, agent, path, lines, what, gone, time, kept, diff },
    lost: lost && { time: lost.time, agent: lost.agent, command: lost.command },
  };
}

export function later(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
