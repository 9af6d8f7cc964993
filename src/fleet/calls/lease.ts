import { uptime } from "node:os";
import { ticks } from "../../host/index.js";
import { PortError } from "../../ports/index.js";
import type { Database } from "../database/database.js";

/** Milliseconds by which a lease is given up before its time. */
const margin = 50;

/** A moment, by two clocks: only the second one goes on while the machine sleeps, and nobody can set either. */
interface Moment {
  readonly ticks: number;
  readonly up: number;
}

export function thisMoment(): Moment {
  return { ticks: ticks(), up: process.platform === "linux" ? uptime() * 1000 : 0 };
}

function passedSince(then: Moment): number {
  const now = thisMoment();
  return Math.max(now.ticks - then.ticks, now.up - then.up);
}

/**
 * The locks of a call, which last for a time from when they were last asked for. The database measures it from a later moment,
 * by its own clock: whoever believes to hold them does.
 */
export class Lease {
  private isLost = false;
  /** Something is written down that others have to put right if this call does not. */
  isAbandoned = false;

  constructor(
    readonly token: string,
    readonly length: number,
    private since: Moment,
    private readonly paths: string,
  ) {}

  extend(since: Moment): void {
    this.since = since;
  }

  lose(): void {
    this.isLost = true;
  }

  /** Throws if it is over: then somebody else may have the files. */
  check(): void {
    if (!this.isLost && passedSince(this.since) < this.length - margin) return;
    this.lose();
    throw this.over();
  }

  over(): PortError {
    const seconds = Math.round(this.length / 1000);
    return new PortError(
      "busy",
      `${this.paths}: the lock ran out before anything was written (this process was not heard of for ${seconds} s); nothing was changed`,
    );
  }
}

/** Keeps the leases of a process from running out. */
export class Leases {
  /** Leases that are held, and renewed. */
  private readonly all = new Set<Lease>();
  private readonly calls = new Set<string>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly length: number,
  ) {}

  /** Whether this is a call of this process that has not ended: from before it asks for its locks until it has let go of them. */
  has(token: string): boolean {
    return this.calls.has(token);
  }

  enter({ token }: Lease): void {
    this.calls.add(token);
  }

  leave(lease: Lease): void {
    this.calls.delete(lease.token);
    this.remove(lease);
  }

  add(lease: Lease): void {
    this.all.add(lease);
    this.timer ??= setInterval(() => this.renew(), this.length / 3).unref();
  }

  remove(lease: Lease): void {
    this.all.delete(lease);
  }

  private renew(): void {
    if (this.all.size === 0) {
      if (this.timer) clearInterval(this.timer);
      this.timer = null;
      return;
    }
    const asked = [...this.all];
    const now = thisMoment();
    const tokens = asked.map(({ token }) => token);
    this.database.ask("select kedge.renew_1($1, $2) as token", [tokens, this.length], this.length / 3).then(
      (rows) => {
        const left = new Set(rows.map(({ token }) => token));
        for (const lease of asked) {
          if (left.has(lease.token)) lease.extend(now);
          else if (this.all.has(lease)) lease.lose();
        }
      },
      // Unheard of: the lease runs out by itself.
      () => {},
    );
  }
}
