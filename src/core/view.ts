import type { History } from "./history.js";
import type { LineSet } from "./ranges.js";
import type { SchemeName } from "./scheme.js";

/** Rows printed to an agent, at one moment, of one state of the file. They name lines; retired rows are not in it. */
export interface Showing {
  readonly state: number;
  readonly rows: LineSet;
  /** null: printed without anchors. Such rows name nothing. */
  readonly scheme: SchemeName | null;
  /** A read or a search, which the agent can have seen before it wrote the call that is judged. */
  readonly isLook?: boolean;
  /** What the rows were printed with, by line index, where they are few: then no text is needed to check an anchor. */
  readonly hashes?: Readonly<Record<number, string>>;
}

/** All that resolution may know of what one agent has seen of one file. */
export interface View {
  readonly history: History;
  /** Oldest first. */
  readonly showings: readonly Showing[];
  /** The newest state any of which was shown, with anchors or without. */
  readonly newest?: number;
  /** Whether the row (0-based) may have been printed with this too, too long ago to be told apart: then it is refused. */
  readonly forgotten?: (index: number, hash: string, scheme: SchemeName) => boolean;
  /**
   * Whether others changed something in lines [start, end) of the text now, or between their neighbours, and the agent
   * was not told. Without it nothing was told.
   */
  readonly isUntold?: (start: number, end: number) => boolean;
  /** The choice that a retry handle stands for: of these anchors only the rows of this showing count. */
  readonly choice?: { readonly showing: number; readonly anchors: ReadonlySet<string> };
  /** Anchors that a retry handle decided, by `anchorKey`: each means this line of that state (-1: it is not kept). */
  readonly meant?: { readonly state: number; readonly lines: ReadonlyMap<string, number> };
  /** The lines of a state that the agent has seen, in whatever showing, or written. */
  known(state: number): LineSet;
  /** Lines of the file now that the agent knows from something else than a refusal; left out: all. */
  readonly read?: LineSet;
  /** Without a full gate, an anchor that was never printed may still name the line of the file now that carries it. */
  readonly open?: boolean;
}

/** The state that quoted text is searched in. */
export function newestShown(view: View): number | undefined {
  return view.newest ?? view.showings.at(-1)?.state;
}
