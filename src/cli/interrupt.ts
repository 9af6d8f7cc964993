import type { Cancellation } from "../ports/index.js";
import { done, interrupted } from "./flag-types.js";

const terminated = 143;

/** Files whose changes are finished before the process ends. */
interface Settling {
  settled(): Promise<void>;
}

/**
 * Ctrl-C: at once, except in the middle of a change to files, which takes milliseconds and is finished first. No lock
 * and no temporary file is left behind. An `Interrupt` is itself the signal that ends searches and further changes.
 */
export class Interrupt implements Cancellation {
  // Private to the runtime too: requests hold the signal, and their fields are walked.
  #isArrived = false;
  readonly #listeners: (() => void)[] = [];
  readonly #files: Settling[] = [];
  readonly #exit: (status: number) => void;
  #isServing = false;

  constructor(exit: (status: number) => void) {
    this.#exit = exit;
  }

  get aborted(): boolean {
    return this.#isArrived;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Waits for Ctrl-C: for commands that last until then. */
  arrived(): Promise<void> {
    return new Promise((done) => this.addEventListener("abort", done));
  }

  listen(): void {
    process.on("SIGINT", () => this.arrive(interrupted));
    process.on("SIGTERM", () => this.arrive(terminated));
  }

  /** Resolves when the process has been told to exit. */
  async arrive(status: number): Promise<void> {
    if (this.#isServing && this.#isArrived) return this.#exit(status);
    this.#isArrived = true;
    for (const listener of this.#listeners) listener();
    await Promise.all(this.#files.map((files) => files.settled()));
    this.#exit(this.#isServing ? done : status);
  }

  /** Waits for the work of a server before an exit: to be told to end is how it ends. Told again, it ends at once. */
  serving(server: Settling): void {
    this.#isServing = true;
    this.#files.unshift(server);
  }

  /** Waits for changes of these files before an exit. Returns them. */
  finishing<Files extends Settling>(files: Files): Files {
    this.#files.push(files);
    return files;
  }
}
