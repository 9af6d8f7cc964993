/** The settings of a session, as a caller gives them and as its calls need them. */
import type { SchemeName } from "../anchors/index.js";
import { type Door, libraryDoor, type Voice } from "../answers/index.js";
import { checkOptions } from "../calls/index.js";
import type { CallEnv, GatePolicy } from "../ledger/index.js";
import type { OnStale } from "../merge/index.js";
import type { Clock, Files, LedgerStore, TreeWatch } from "../ports/index.js";
import type { Codec } from "../text/index.js";

export interface SessionOptions {
  readonly files: Files;
  readonly store: LedgerStore;
  /** The id of the caller. Each agent of a store has its own ledger. */
  readonly agent: string;
  /** Agents that calls name are parts of this one, `principal/name`: nobody takes the place of another. */
  readonly principal?: string;
  readonly clock: Clock;
  readonly gate?: GatePolicy;
  readonly onStale?: OnStale;
  /** Refuses edits whose lines are not where they were shown, by whomever they were moved. */
  readonly unmoved?: boolean;
  /**
   * No record of what was shown is asked for, nor a gate: an anchor names the line that carries it now, at its number or,
   * alone of the whole file, at most this many lines away.
   */
  readonly relocateWithin?: number;
  readonly anchors?: SchemeName;
  readonly door?: Door;
  /**
   * Answers name lines by their numbers, for tools that know numbers and quoted text but no anchors. A function is told
   * the anchor of each row that is printed.
   */
  readonly numbered?: true | ((line: number, anchor: string) => void);
  /** Forces an encoding on files without a byte order mark. */
  readonly codec?: Codec;
  /** A fold forgets nothing. */
  readonly keepOnFold?: boolean;
  /** Is told of calls, and puts on record what others change in the tree. */
  readonly watch?: TreeWatch;
}

export function envOf(options: SessionOptions): CallEnv {
  checkOptions(options);
  const { files, store, agent, clock, onStale = "relocate", anchors = "hex6", codec = null } = options;
  const { gate = "lines", unmoved = false, relocateWithin: within, watch } = options;
  return {
    ...{ files, store, agent, clock, onStale, unmoved, within, anchors, codec },
    ...(watch && within === undefined ? { watch } : {}),
    gate: within === undefined ? gate : "off",
    voice: voiceOf(options),
  };
}

function voiceOf({ door = libraryDoor, numbered, unmoved = false }: SessionOptions): Voice {
  return { door, unmoved, ...(numbered ? { numbered: numbered === true ? () => {} : numbered } : {}) };
}
