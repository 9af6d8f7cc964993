import { ticks } from "../host/index.js";
import { type Cancellation, PortError, throwIfAborted } from "../ports/index.js";
import type { Lockable, LockRecord } from "./lock-file.js";

/** A lock as it was found on disk. */
export interface Found {
  readonly token: string;
  /** null: not written yet, or not readable. */
  readonly record: LockRecord | null;
  readonly modified: number;
  /** The user whose lock may not be read here. */
  readonly user?: bigint;
}

/** Since when a found lock has looked the same. */
export interface Watch {
  readonly mark: string;
  readonly since: number;
}

export function watched(watch: Watch | null, found: Found): Watch {
  const mark = `${found.token} ${found.modified}`;
  return watch?.mark === mark ? watch : { mark, since: ticks() };
}

/** Milliseconds between two looks at who has a lock: dead holders are rare. */
export const lookPause = { front: 50, back: 250 };

/** A newcomer lets those go ahead who waited before. */
export const firstPause = 2;

/** Milliseconds between two questions of the one who is next. */
export function frontPause(waited: number): number {
  return Math.min(5, 1 + waited / 1000) * (0.5 + Math.random() / 2);
}

/** Pause of the others: so long that all together ask about twice in a millisecond, however many they are. */
export function backPause(waited: number, crowd: number): number {
  const longest = waited < firstPause / 2 ? firstPause : Math.min(40, Math.max(6, crowd / 3));
  return longest * (0.5 + Math.random() / 2);
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function inTime(promise: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, deadline - ticks()));
  });
  const arrived = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return arrived;
}

/** How long a caller waits. */
export interface Patience {
  readonly deadline: number;
  readonly signal: Cancellation | undefined;
}

/** Waits for one's turn among those of this process; who comes next calls the first of the line. */
export async function waitInLine(
  line: (() => void)[],
  file: Lockable,
  { deadline, signal }: Patience,
): Promise<void> {
  let step = (): void => {};
  const turn = new Promise<void>((resolve) => {
    step = resolve;
  });
  line.push(step);
  let giveUp = (): void => {};
  const cancelled = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  signal?.addEventListener("abort", giveUp);
  if (await inTime(Promise.race([turn, cancelled]), deadline)) {
    if (!signal?.aborted) return;
  }
  const at = line.indexOf(step);
  // Its turn came just when it gave up.
  if (at < 0) return;
  line.splice(at, 1);
  throwIfAborted(signal);
  throw new PortError(
    "busy",
    `${file.path} is held by this process (${process.pid}) itself; gave up waiting`,
  );
}

export function busy(file: Lockable, found: Found, waited: number): PortError {
  const { record, user } = found;
  const unknown = user === undefined ? "a process that did not say its name" : `a process of user ${user}`;
  const who = record ? `process ${record.pid} on ${record.host}` : unknown;
  return new PortError("busy", `${file.path} is held by ${who}; waited ${(waited / 1000).toFixed(1)} s`);
}
