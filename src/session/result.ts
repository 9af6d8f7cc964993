import type {
  Codec,
  Door,
  EditToolDetails,
  OnStale,
  Range,
  RefusalDetails,
  SchemeName,
} from "../core/index.js";
import type { GatePolicy } from "./gate.js";
import type { Cancellation, Clock, Files, LedgerStore } from "./ports.js";

/** What a call needs of its surroundings. */
export interface Env {
  readonly files: Files;
  readonly store: LedgerStore;
  readonly agent: string;
  readonly clock: Clock;
  readonly gate: GatePolicy;
  readonly onStale: OnStale;
  readonly unmoved: boolean;
  readonly anchors: SchemeName;
  readonly door: Door;
  readonly codec: Codec | null;
  /** Ends the call while nothing is written yet. */
  readonly signal?: Cancellation | undefined;
}

export interface ReadDetails {
  readonly status: "read";
  readonly path: string;
  readonly version: string;
  readonly scheme: SchemeName | "none";
  readonly totalLines: number;
  /** Lines whose rows were printed whole. */
  readonly ranges: readonly Range[];
  readonly rows: readonly { readonly line: number; readonly anchor: string; readonly text: string }[];
  /** With `delta`: where others took out lines that were shown; `after` is the line above them now, 0 at the start. */
  readonly deletions?: readonly { readonly after: number; readonly count: number }[];
}

export interface SearchDetails {
  readonly status: "found";
  readonly files: readonly ReadDetails[];
  readonly matches: number;
  readonly limited: boolean;
}

export interface BatchDetails {
  readonly status: "applied" | "noop" | "dry_run";
  readonly files: readonly EditToolDetails[];
  /** Of a call that was applied before, then taken back: the handle that applies it again. */
  readonly retry?: string;
}

/** A refused batch: the deciding code, and each refused file's own details. */
export interface BatchRefusal extends RefusalDetails {
  readonly files?: readonly RefusalDetails[];
}

/** What every call gives: the text for the model, the details for programs. */
export interface Result<Details = unknown> {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Details;
}

export type EditResult = Result<EditToolDetails | BatchRefusal>;
export type BatchResult = Result<BatchDetails | BatchRefusal>;
