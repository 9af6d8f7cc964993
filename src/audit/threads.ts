/**
 * Plays sessions in threads, since none depends on another. Sessions are given out and counted newest first, whichever
 * thread is faster.
 */
import { availableParallelism } from "node:os";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { type Cancellation, throwIfAborted } from "../ports/index.js";
import { readers } from "./clients/index.js";
import type { FoundFile } from "./clients/reader.js";
import type { Counting } from "./counting.js";
import { callKey, playSession } from "./play/play-session.js";
import type { PlayedSession } from "./report.js";
import type { Progress, SessionFile } from "./sessions/steps.js";

/** A thread takes its time to start. */
const leastBytes = 32 * 1024 * 1024;
/** Each has the texts of a session in its memory. */
const mostThreads = 4;
/** Megabytes for what is short-lived: with the usual 48 collecting garbage takes a tenth more of the computing. */
const young = 96;

/** 0: they are not worth it. */
export function threadsFor(sessions: number, bytes: number): number {
  return bytes < leastBytes ? 0 : Math.min(availableParallelism(), mostThreads, sessions);
}

/** The settings that all sessions of an audit share. */
interface Common {
  readonly since: number;
  readonly show: string | null;
}

/** A session, and calls that others were found to have since the thread was given its last one. */
interface Job extends FoundFile, Pick<SessionFile, "client" | "name"> {
  readonly counted: readonly string[];
}

type Said = { readonly read: number; readonly damaged: number; readonly played?: PlayedSession };

export interface Threading extends Common {
  readonly program: string;
  readonly threads: number;
  readonly progress: Progress;
  readonly signal: Cancellation | undefined;
  readonly counting: Counting;
}

export async function playInThreads(sessions: readonly SessionFile[], threading: Threading): Promise<void> {
  const pool = new Pool(sessions, threading);
  await pool.done();
  throwIfAborted(threading.signal);
}

class Pool {
  private readonly played = new Map<SessionFile, PlayedSession>();
  /** Calls of played sessions, in the order in which these were done. */
  private readonly keys: string[] = [];
  private given = 0;
  private counted = 0;

  constructor(
    private readonly sessions: readonly SessionFile[],
    private readonly threading: Threading,
  ) {}

  async done(): Promise<void> {
    await Promise.all(Array.from({ length: this.threading.threads }, () => this.work()));
  }

  /** Has sessions played until none is left; after a crash the next one gets a new thread. */
  private async work(): Promise<void> {
    let thread: Thread | null = null;
    try {
      for (let file = this.next(); file; file = this.next()) {
        thread ??= new Thread(this.threading);
        const played = await thread.play(file, this.keys);
        if (!thread.isAlive) thread = null;
        this.take(file, played);
      }
    } finally {
      await thread?.end();
    }
  }

  private next(): SessionFile | undefined {
    if (this.threading.signal?.aborted) return undefined;
    this.given += 1;
    return this.sessions[this.given - 1];
  }

  private take(file: SessionFile, played: PlayedSession): void {
    for (const call of played.calls) this.keys.push(callKey(file.client, call));
    this.played.set(file, played);
    for (let next = this.sessions[this.counted]; next; next = this.sessions[this.counted]) {
      const found = this.played.get(next);
      if (!found) return;
      this.threading.counting.take(next, found);
      this.played.delete(next);
      this.counted += 1;
    }
  }
}

class Thread {
  private readonly worker: Worker;
  private known = 0;
  private answer: ((played: PlayedSession) => void) | null = null;
  private file: SessionFile | null = null;
  isAlive = true;

  constructor({ program, since, show, progress, signal }: Threading) {
    const common: Common = { since, show };
    this.worker = new Worker(program, {
      workerData: common,
      resourceLimits: { maxYoungGenerationSizeMb: young },
    });
    this.worker.on("message", ({ read, damaged, played }: Said) => {
      progress.read(read);
      for (let at = 0; at < damaged; at++) progress.damaged();
      if (played) this.answer?.(played);
    });
    this.worker.on("error", (error) => this.crashed(error.message));
    this.worker.on("exit", (status) => this.crashed(`its thread ended with ${status}`));
    signal?.addEventListener("abort", () => void this.worker.terminate());
  }

  async play(file: SessionFile, counted: readonly string[]): Promise<PlayedSession> {
    const { path, size, changed, client, name } = file;
    const job: Job = {
      path,
      size,
      changed,
      client,
      ...(name === undefined ? {} : { name }),
      counted: counted.slice(this.known),
    };
    this.known = counted.length;
    this.file = file;
    return new Promise((resolve) => {
      this.answer = resolve;
      if (this.isAlive) this.worker.postMessage(job);
      else this.crashed("its thread has ended");
    });
  }

  private crashed(why: string): void {
    this.isAlive = false;
    this.answer?.({ calls: [], failure: `${this.file?.path} (${why})` });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** In a thread that was made above. */
export function playGivenSessions(): void {
  const common = workerData as Common;
  const counted = new Set<string>();
  let files: { readonly path: string; readonly sessions: readonly SessionFile[] } | null = null;
  parentPort?.on("message", async (job: Job) => {
    for (const key of job.counted) counted.add(key);
    // A database has many sessions.
    if (files?.path !== job.path) files = { path: job.path, sessions: sessionsIn(job) };
    const file = files.sessions.find(({ name }) => name === job.name);
    const told = { read: 0, damaged: 0 };
    const progress = progressInto(told);
    const missing = { calls: [], failure: job.path };
    const played = file
      ? await playSession(file, { ...common, progress, isNew: (key) => !counted.has(key) })
      : missing;
    say({ ...told, played });
  });
}

function say(said: Said): void {
  parentPort?.postMessage(said);
}

function sessionsIn({ client, path, size, changed }: Job): readonly SessionFile[] {
  return readers.find((one) => one.client === client)?.files({ path, size, changed }) ?? [];
}

function progressInto(told: { read: number; damaged: number }): Progress {
  return {
    read(bytes) {
      say({ read: bytes, damaged: 0 });
    },
    damaged() {
      told.damaged += 1;
    },
  };
}
