import type { Door } from "../answers/index.js";
import type { Quote } from "../edits/index.js";
import type { ForeignWrite, ObservedWrite } from "../foreign/index.js";

/** The caller, as the client names it. */
export interface Caller {
  readonly conversation: string;
  readonly subagent?: string;
  readonly cwd: string;
  /** Where the conversation began, if the client tells: its folder may change. */
  readonly project?: string;
  /**
   * The client's name for the call that the event is about. Where both a plugin and an installation are active, each
   * tells of the event.
   */
  readonly call?: string;
}

/** A change to one file by a tool of the client. */
export interface Write
  extends ForeignWrite,
    Pick<ObservedWrite, "before" | "after" | "display" | "modified"> {}

export interface Row {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** The meaning of a client's event. */
export type Event =
  /** A conversation begins, or is taken up again. */
  | { readonly kind: "begin" }
  /** The model no longer has what it was shown. */
  | { readonly kind: "fold" }
  /** A tool is about to change files. `unannounced`: no event will tell that it has. */
  | { readonly kind: "change"; readonly writes: readonly Write[]; readonly unannounced?: boolean }
  /** It has. `settled`: no later event tells that everything which runs after a change has run. */
  | { readonly kind: "changed"; readonly writes: readonly Write[]; readonly settled: boolean }
  /** Lines were shown. `whole`: all of the file, in a form that is not its lines. */
  | { readonly kind: "read"; readonly path: string; readonly rows: readonly Row[]; readonly whole?: boolean }
  /** A tool printed something that may show lines of files; a command may have changed some. */
  | {
      readonly kind: "output";
      readonly tool: string;
      readonly command: string | null;
      readonly output: string;
      /** The folder it ran in, or the file or folder that was searched, if not the conversation's own. */
      readonly where?: string | undefined;
    }
  /** A command is about to run. */
  | {
      readonly kind: "command";
      readonly command: string;
      readonly where?: string | undefined;
      /** It goes on after its answer. */
      readonly isBackground?: boolean;
    }
  /** All that runs after these calls has run; some the client refused by itself. */
  | { readonly kind: "settled"; readonly paths: readonly string[]; readonly refused: readonly Write[] }
  /** One of our own tools is called: it is told for whom. */
  | { readonly kind: "own"; readonly input: Readonly<Record<string, unknown>> }
  /** Nothing, but the model can be told what waits. `text`: the words of the person, where the client tells them. */
  | { readonly kind: "prompt"; readonly text?: string };

/** The outcome that is asked of the client; an empty one is silence. */
export interface Answer {
  /** The tool is not to run; why, for the model. */
  readonly deny?: string;
  /** The tool is to run with these quotes instead. */
  readonly quotes?: readonly Quote[];
  /** The tool is to run with these arguments instead. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** For the model. */
  readonly tell?: string;
  /** For the person. */
  readonly say?: string;
  /** Nothing is decided: the event is to be sent again, with what the model was sent. */
  readonly recall?: true;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** JSON as it came; nothing about it is certain. */
export type Payload = Readonly<Record<string, unknown>>;

export interface Understood {
  readonly caller: Caller;
  readonly events: readonly Event[];
}

/** How far a transcript was looked at, and what was found there last. */
export interface Mark {
  readonly to: number;
  readonly seen: string;
}

export interface Missed {
  readonly events: readonly Event[];
  readonly mark: Mark;
}

/** A text that the model was sent: a prompt, a result, an instruction file. */
export interface Sent {
  readonly text: string;
  /** The arguments of the call that it is the result of; empty if there was none. */
  readonly call: string;
  /** When that call was made, in milliseconds: what it shows is not older. 0: nothing tells. */
  readonly time: number;
  /** The only file that it shows lines of, where the client says so. */
  readonly of?: string;
  /** It shows all of that file, in a form that is not its lines. */
  readonly whole?: boolean;
}

/** The texts that the model was sent since the last compaction, as far back as there was time to look. */
export interface Recalled {
  /** Oldest first. */
  readonly sent: readonly Sent[];
  /** Nothing was left out. */
  readonly isComplete: boolean;
}

export interface QuoteNames {
  readonly old: string;
  readonly new: string;
  readonly all: string;
}

/** One client. All it does is translate. */
export interface Adapter {
  readonly client: string;
  /** How the next call is named to its model. */
  readonly door: Door;
  /** How its tool that edits by quotes calls their fields. */
  readonly names?: QuoteNames;
  /** Lines that its own tool for reading does not show; left out: it shows all lines. */
  readonly cuts?: {
    /** Characters of a line from which on it is cut. */
    readonly longest: number;
    /** Bytes that a command may print and the model still gets all of it. */
    readonly printed: number;
    /** The tool that edits by a quote. */
    readonly quoting: string;
  };
  /** Whether it lets the arguments of a call be rewritten. */
  readonly rewrites: boolean;
  /** null: nothing of ours. */
  understand(payload: Payload, env: Environment): Understood | null;
  /** Characters of a note that reach the model. */
  readonly room: number;
  /** Calls of one answer run at the same time. */
  readonly parallel: boolean;
  /** The model can be told something before a tool runs; else it is told afterwards. */
  readonly tellsBefore: boolean;
  /**
   * The texts that the model was sent, asked for before a call is refused as unread. `later`: the event has to be sent
   * again, with them. A client without this keeps nothing that could be looked through.
   */
  recall?(payload: Payload, isLate: () => boolean, env?: Environment): Recalled | "later";
  /** The same of lines of its transcript since the last compaction. `input`: the arguments of the call that is asked about. */
  sentIn?(lines: readonly string[], input?: Payload): readonly Sent[];
  /** Whether the conversation was taken back, and goes on from an earlier point: a name for what it left; else null. */
  takenBack?(payload: Payload): string | null;
  /** Changes in between that no event told. */
  missed?(payload: Payload, from: Mark): Missed;
  /** The answer in the client's own form; null: silence. */
  reply(answer: Answer, payload: Payload): unknown;
}
