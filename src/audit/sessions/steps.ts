/** The steps of a session file in the order in which they happened, the same for every client. */
import {
  type Adapter,
  type Event,
  isRefusal,
  type Payload,
  placed,
  type Recalled,
  type Write,
} from "../../guard/index.js";
import { changeRemark } from "../commands.js";

/** A call of a tool, with its result. */
export interface Call {
  readonly kind: "call";
  readonly agent: string;
  readonly id: string;
  /** In milliseconds. */
  readonly time: number;
  readonly cwd: string;
  readonly tool: string;
  /** Why it failed, in the client's words; null: it did what it was asked for. */
  readonly failure: string | null;
  /** The changes it asked for; empty: it edits nothing. */
  readonly asks: readonly Write[];
  /** The same with what the client tells of them afterwards. */
  readonly done: readonly Write[];
  /** The command line that a shell was given. */
  readonly command: string | null;
  /** The client's remark on files that the command changed. */
  readonly remark: string | null;
  /** The file that it was asked to show, and whether it showed all of it. */
  readonly shown: { readonly path: string; readonly isWhole: boolean } | null;
  /** The session's file does not hold all that the model was sent before. */
  readonly isCut: boolean;
  /** Characters of it that are kept in memory. */
  readonly weight: number;
  /** Some readers read it from the session file each time: all results of a session would fill the memory. */
  outcome(): Outcome;
  /** Characters of the call and its result. */
  size(): number;
  /** The arguments of the call. */
  input(): string;
  /** The events that the guard gets afterwards. */
  after(): readonly Event[];
  /** The texts that the model had been sent before, since the last compaction. */
  recall(): Recalled;
}

/** A result, and the events that told of it. */
export interface Outcome {
  readonly result: string;
  readonly shown: Shown | null;
  /** As the client's hooks would have been told of it. */
  readonly after: readonly Payload[];
}

export interface Shown {
  readonly path: string;
  /** The text that the model got, without the client's remarks; null: a remark that the file is as it was shown. */
  readonly body: string | null;
  /** All of the file; null: a part of it. */
  readonly whole: string | null;
  /** The lines that were shown, where the client tells them without their numbers. */
  readonly part?: string | null;
}

/** The model no longer has what it was sent. */
export interface Fold {
  readonly kind: "fold";
  readonly agent: string;
  readonly time: number;
}

/** The client noticed that a file had changed. */
export interface Noticed {
  readonly kind: "noticed";
  readonly agent: string;
  readonly time: number;
  readonly path: string;
}

export type Step = Call | Fold | Noticed;

/** One conversation, or one agent of it, as a client keeps it. */
export interface SessionFile {
  readonly client: string;
  readonly path: string;
  /** The conversation's name. */
  readonly session: string;
  /** The name of one session among several in a file. */
  readonly name?: string;
  /** In bytes. */
  readonly size: number;
  /** When it was last written to, in milliseconds. */
  readonly changed: number;
  /** In the order of the file; what is damaged is left out. */
  steps(progress: Progress): Iterable<Step>;
}

/** Takes how many bytes were read, and how many lines could not be. */
export interface Progress {
  read(bytes: number): void;
  damaged(): void;
}

/** A call as a client's reader knows it. */
export interface Told {
  readonly agent: string;
  readonly id: string;
  readonly time: number;
  readonly cwd: string;
  readonly tool: string;
  readonly input: Payload;
  readonly failure: string | null;
  readonly command?: string | null;
  /** The text before the change, where the client tells it elsewhere than its hooks; null: there was no file. */
  readonly known?: string | null | undefined;
  /** As the client's hooks would have been told of it; null: it edits nothing. */
  readonly before: Payload | null;
  readonly outcome: Outcome | (() => Outcome);
  /** It shows nothing, and holds no remark of the client: its outcome is not looked at before somebody asks. */
  readonly isPlain?: boolean;
  readonly isCut?: boolean;
  readonly recall?: () => Recalled;
}

/** The fields that the calls of one turn share. */
export type Surroundings = Pick<Told, "agent" | "cwd" | "time"> & { readonly recall: Told["recall"] & {} };

const nothingRecalled: Recalled = { sent: [], isComplete: true };
/** A call whose outcome is not held is a few names and numbers. */
const leastWeight = 400;

/** Has the client's own adapter say what a call means. */
export function callOf(adapter: Adapter, told: Told): Call {
  return new ToldCall(adapter, told);
}

/** A class, since there are many of them: functions made for each would take more than all the rest. */
class ToldCall implements Call {
  readonly kind = "call";
  readonly agent: string;
  readonly id: string;
  readonly time: number;
  readonly cwd: string;
  readonly tool: string;
  readonly failure: string | null;
  readonly command: string | null;
  readonly asks: readonly Write[];
  readonly done: readonly Write[] = [];
  readonly remark: string | null;
  readonly shown: Call["shown"];
  readonly isCut: boolean;
  readonly weight: number;
  private readonly inputs: Payload;
  private readonly source: Told["outcome"];
  private readonly recalled: Told["recall"];
  private events: readonly Event[] | null = null;

  constructor(
    private readonly adapter: Adapter,
    { agent, id, time, cwd, tool, input, failure, outcome, before, ...told }: Told,
  ) {
    const { command = null, isPlain = false, isCut = false, known, recall } = told;
    this.isCut = isCut;
    [this.agent, this.id, this.time, this.cwd, this.tool] = [agent, id, time, cwd, tool];
    [this.failure, this.command, this.inputs, this.recalled] = [failure, command, input, recall];
    const now = isPlain ? null : typeof outcome === "function" ? outcome() : outcome;
    this.asks = (before ? this.understood(before) : []).flatMap((event) =>
      event.kind === "change" ? event.writes : [],
    );
    this.source = now && this.asks.length > 0 ? now : outcome;
    const isHeld = typeof this.source !== "function";
    this.weight = isHeld ? sizeOf(this.source.after) + sizeOf(input) : leastWeight;
    this.remark = command === null || !now ? null : changeRemark(now.result);
    this.shown = now?.shown
      ? { path: pathFrom(now.shown.path, cwd), isWhole: now.shown.whole !== null }
      : null;
    if (this.asks.length === 0 || failure !== null) return;
    const done = this.after().flatMap((event) => (event.kind === "changed" ? event.writes : []));
    this.done = known === undefined ? done : done.map((write) => ({ ...write, before: known }));
  }

  outcome(): Outcome {
    return typeof this.source === "function" ? this.source() : this.source;
  }

  size(): number {
    return this.outcome().result.length + sizeOf(this.inputs);
  }

  input(): string {
    return this.command ?? JSON.stringify(this.inputs);
  }

  after(): readonly Event[] {
    const events = this.events ?? this.outcome().after.flatMap((payload) => this.understood(payload));
    if (this.asks.length > 0) this.events = events;
    return events;
  }

  recall(): Recalled {
    return this.recalled?.() ?? nothingRecalled;
  }

  private understood(payload: Payload): readonly Event[] {
    return (this.adapter.understand(payload, {})?.events ?? []).map((event) => placed(event, this.cwd));
  }
}

/** Characters in the texts of a call's arguments. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + sizeOf(one), 0);
}

function pathFrom(path: string, cwd: string): string {
  const event = placed({ kind: "read", path, rows: [] }, cwd);
  return event.kind === "read" ? event.path : path;
}

/** Returns the reason in a tool's result, if it was the guard that did not let it through. */
export function refusalIn(result: string): string | null {
  return isRefusal(result) ? result : null;
}
