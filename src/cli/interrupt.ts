import type { Files } from "../ports/index.js";
import { interrupted } from "./flag-types.js";

const terminated = 143;

/**
 * Ctrl-C: at once, except in the middle of a change to files, which takes milliseconds and is finished first. So no
 * lock and no temporary file is left behind.
 */
export class Interrupt {
  private status: number | null = null;
  private working = 0;
  private controller: AbortController | undefined;

  constructor(private readonly exit: (status: number) => void) {}

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    return this.controller.signal;
  }

  listen(): void {
    process.on("SIGINT", () => this.arrive(interrupted));
    process.on("SIGTERM", () => this.arrive(terminated));
  }

  arrive(status: number): void {
    this.status = status;
    this.signal;
    this.controller?.abort();
    if (this.working === 0) this.exit(status);
  }

  /** The same files; while one is held an interruption waits. */
  guard<Guarded extends Files>(files: Guarded): Guarded {
    const hold: Files["hold"] = async (ids, body, signal) => {
      let started = false;
      try {
        return await files.hold(
          ids,
          (held) => {
            started = true;
            this.working += 1;
            return body(held);
          },
          signal,
        );
      } finally {
        if (started) this.working -= 1;
        if (this.status !== null && this.working === 0) this.exit(this.status);
      }
    };
    // Nothing else a long look at many files does lets a signal in.
    const read: Files["read"] = (file) => new Promise(setImmediate).then(() => files.read(file));
    return new Proxy(files, {
      get(target, key) {
        if (key === "hold") return hold;
        if (key === "read") return read;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }
}
