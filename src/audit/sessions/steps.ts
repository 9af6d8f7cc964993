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

/** A call of a tool, with its result. */
export interface Call {
  readonly kind: "call";
  readonly agent: string;
  readonly id: string;
  /** In milliseconds. */
  readonly time: number;
  readonly cwd: string;
  readonly tool: string;
  readonly result: string;
  /** Characters of the call and its result. */
  readonly size: number;
  /** Why it failed, in the client's words; null: it did what it was asked for. */
  readonly failure: string | null;
  /** The changes it asked for; empty: it edits nothing. */
  readonly asks: readonly Write[];
  /** The same with what the client tells of them afterwards. */
  readonly done: readonly Write[];
  /** The command line that a shell was given. */
  readonly command: string | null;
  /** The file that it was asked to show. */
  readonly shown: Shown | null;
  /** The arguments of the call. */
  input(): string;
  /** The events that the guard gets afterwards. */
  after(): readonly Event[];
  /** The texts that the model had been sent before, since the last compaction. */
  recall(): Recalled;
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
  readonly result: string;
  readonly failure: string | null;
  readonly command?: string | null;
  readonly shown?: Shown | null;
  /** The text before the change, where the client tells it elsewhere than its hooks; null: there was no file. */
  readonly known?: string | null | undefined;
  /** As the client's hooks would have been told of it. */
  readonly before: Payload;
  readonly after: readonly Payload[];
  readonly recall?: () => Recalled;
}

/** The fields that the calls of one turn share. */
export type Surroundings = Pick<Told, "agent" | "cwd" | "time"> & { readonly recall: Told["recall"] & {} };

const nothingRecalled: Recalled = { sent: [], isComplete: true };

/** Has the client's own adapter say what a call means. */
export function callOf(adapter: Adapter, call: Told): Call {
  const {
    before,
    after,
    input,
    known,
    command = null,
    shown = null,
    recall = () => nothingRecalled,
    ...rest
  } = call;
  const events = (payload: Payload): readonly Event[] =>
    (adapter.understand(payload, {})?.events ?? []).map((event) => placed(event, call.cwd));
  const asks = events(before).flatMap((event) => (event.kind === "change" ? event.writes : []));
  const isDone = asks.length > 0 && call.failure === null;
  const told = isDone ? after.flatMap(events) : [];
  const done = told.flatMap((event) => (event.kind === "changed" ? event.writes : []));
  return {
    ...{ kind: "call", ...rest, asks, command, recall },
    done: known === undefined ? done : done.map((write) => ({ ...write, before: known })),
    size: rest.result.length + sizeOf(input),
    input: () => command ?? JSON.stringify(input),
    shown: shown && { ...shown, path: pathFrom(shown.path, call.cwd) },
    after: () => after.flatMap(events),
  };
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
