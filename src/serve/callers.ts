import type { Files, LedgerStore } from "../ports/index.js";
import type { SessionOptions } from "../session/index.js";
import { Recent } from "../text/index.js";
import type { Rights } from "./tokens.js";

/** Somebody whose requests are answered: who they are, and what they may do. */
export interface Who {
  readonly agent: string;
  readonly rights: Rights;
}

/** A call that came to its end, as the protocol tells it. */
export interface Ended {
  readonly tool: { readonly name: string };
  readonly args: unknown;
}

type Told = (call: Ended, result: { readonly details: unknown } | null, milliseconds: number) => void;

/** The protocol, as far as a server needs it: this folder may not know the library that speaks it. */
export interface Protocol<Caller> {
  caller(
    options: Pick<SessionOptions, "files" | "store" | "agent" | "principal" | "clock"> &
      Policies & { readonly readOnly: boolean; readonly onCall: Told },
  ): Caller;
  answer(request: Request, body: unknown, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

export type Policies = Pick<SessionOptions, "gate" | "onStale" | "anchors" | "keepOnFold" | "watch">;

export interface CallersSetup<Caller> {
  readonly protocol: Pick<Protocol<Caller>, "caller">;
  readonly store: LedgerStore;
  /** The files of a tree; with a scope only those that it holds. */
  readonly files: (scope: readonly string[] | null) => Files;
  readonly policies: Policies;
  readonly clock: () => number;
  readonly onCall: (who: Who, ...told: Parameters<Told>) => void;
}

/** Those who called last stay: others are made again when they call. */
const mostCallers = 500;
/** Each keeps the texts of some files at hand. */
const mostScopes = 50;

/** One caller for each token, and one view of the files for each scope. */
export class Callers<Caller> {
  private readonly callers = new Recent<string, Caller>(mostCallers);
  private readonly views = new Recent<string, Files>(mostScopes);

  constructor(private readonly setup: CallersSetup<Caller>) {}

  of(who: Who): Caller {
    const { agent, rights } = who;
    const { protocol, store, policies, clock, onCall } = this.setup;
    return this.callers.getOr(JSON.stringify([agent, rights.readOnly, rights.paths]), () =>
      protocol.caller({
        ...{ ...policies, store, clock, agent, principal: agent, readOnly: rights.readOnly },
        files: this.views.getOr(JSON.stringify(rights.paths), () => this.setup.files(rights.paths)),
        onCall: (...told) => onCall(who, ...told),
      }),
    );
  }
}
