/** The data of the live view: what `GET /api/state` answers, and what the stream and `kedge watch --json` send. */
import type { Range } from "../text/index.js";

export interface ViewState {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The name of the workspace's folder. */
  readonly repository: string;
  readonly branch: string | null;
  readonly agents: readonly ViewAgent[];
  /** Hot first. */
  readonly files: readonly ViewFile[];
  readonly stale: readonly StaleView[];
  readonly lost: readonly LostWork[];
  readonly counts: ViewCounts;
  /** Whether restore and undo can be asked for here. */
  readonly actions: boolean;
}

interface ViewCounts {
  readonly agents: number;
  readonly working: number;
  readonly edits: number;
  readonly editsLastHour: number;
  readonly relocated: number;
  readonly refused: number;
  readonly lost: number;
}

/** `needs` groups agents whose work was lost or whose last call was refused. */
export type AgentGroup = "needs" | "working" | "quiet";

export interface ViewAgent {
  readonly id: string;
  /** The client and a short id. */
  readonly name: string;
  /** The first words of the agent's first prompt, or a name given by the person. */
  readonly words: string | null;
  readonly client: string;
  /** Degrees on the colour circle; the same everywhere for one agent. */
  readonly hue: number;
  readonly group: AgentGroup;
  /** The agent's last step; null if it has only looked at files. */
  readonly now: AgentStep | null;
  /** When the agent was last seen. */
  readonly seen: number;
  readonly edits: number;
  readonly refusals: number;
  /** Lines that others changed since the agent was shown them, and that it was not told. */
  readonly behind: number;
}

export interface AgentStep {
  readonly tool: string;
  readonly path: string | null;
  readonly lines: readonly Range[];
  readonly command: string | null;
  readonly time: number;
  /** Why the step was refused; null if it was not. */
  readonly code: string | null;
}

export interface ViewFile {
  readonly path: string;
  /** Lines of the file now; 0 if it is gone. */
  readonly lines: number;
  readonly time: number;
  readonly edits: number;
  readonly lanes: readonly Lane[];
}

/** One agent's view of one file, in the numbers that lines have now. */
export interface Lane {
  readonly agent: string;
  readonly wrote: readonly Range[];
  readonly shown: readonly Range[];
  readonly stale: readonly Range[];
}

/** Rows that an agent was shown, that others have changed since, and that it was not told. */
export interface StaleView {
  readonly agent: string;
  readonly path: string;
  readonly lines: readonly Range[];
  /** Lines that were removed from what the agent has seen. */
  readonly removed: number;
  /** Names of those who changed them; empty if nobody knows. */
  readonly by: readonly string[];
  readonly since: number;
}

export interface LostWork {
  readonly id: string;
  readonly agent: string;
  readonly path: string;
  readonly lines: readonly Range[];
  readonly what: string;
  readonly gone: number;
  /** When the edit was made. */
  readonly time: number;
  readonly kept: boolean;
  readonly diff: string;
  readonly lost: { readonly time: number; readonly agent: string; readonly command: string | null } | null;
}

export interface ViewEvent {
  readonly id: string;
  readonly time: number;
  readonly kind: string;
  readonly agent: string;
  readonly tool: string;
  /** The fate of the file; null for an entry that tells of none: a refusal, a loss, a move of HEAD. */
  readonly what: "created" | "edited" | "reformatted" | "moved" | "deleted" | null;
  readonly path: string;
  readonly lines: readonly Range[];
  readonly relocated: number;
  readonly code: string | null;
  readonly cause: string | null;
  /** Edits that were lost or restored, and the agents who had made them. */
  readonly edits: readonly string[];
  readonly owners: readonly string[];
  /** The texts before and after are recorded, so that a diff can be shown and the edit taken back. */
  readonly canUndo: boolean;
}

/** The diff of an event, or the reason of its refusal with the edit that stood in its way. */
export interface EventDetails {
  readonly event: ViewEvent;
  readonly diff: string | null;
  readonly reason: string | null;
  readonly because: { readonly event: ViewEvent; readonly diff: string | null } | null;
}

/** One page of events, newest first; `next` asks for the older ones. */
export interface EventPage {
  readonly events: readonly ViewEvent[];
  readonly next: string | null;
}

/** Edits in each slice of time, for the timeline. */
export interface Activity {
  readonly from: number;
  readonly to: number;
  readonly slices: readonly { readonly edits: number; readonly refusals: number; readonly lost: number }[];
}

/** The events of the stream: the state whenever it has changed, and each new event once. */
export type ViewMessage =
  | { readonly type: "state"; readonly state: ViewState }
  | { readonly type: "event"; readonly event: ViewEvent };

/** The effect of an action, done or planned. */
export interface ActionAnswer {
  readonly ok: boolean;
  readonly text: string;
  readonly diff: string;
  readonly paths: readonly string[];
}
