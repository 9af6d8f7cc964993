import { isAbsolute } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Server } from "@modelcontextprotocol/server";
import { Session, type SessionOptions } from "../session/index.js";
import { toolDoor } from "../tools/index.js";
import { type Call, createServer } from "./server.js";

/** The ports, and what their configuration says of a session on them. */
export type Workplace = Pick<
  SessionOptions,
  "files" | "store" | "gate" | "onStale" | "anchors" | "codec" | "keepOnFold"
>;

export interface ConnectionOptions extends Workplace, Pick<SessionOptions, "agent" | "clock"> {
  readonly version: string;
  readonly readOnly?: boolean;
  readonly reopen?: (roots: readonly string[]) => Workplace | Promise<Workplace>;
  readonly log: (line: string) => void;
}

/** How long a client may take to name its roots before it counts as having none. */
const rootsWithin = 3000;

/** One client: the session its calls work on, and the calls that are under way. */
export class Connection {
  private session: Promise<Session>;
  private readonly running = new Set<Promise<unknown>>();
  private written: Promise<unknown> = Promise.resolve();
  /** Of files, since the last call that writes. */
  private reads = new Set<Promise<unknown>>();

  constructor(private readonly options: ConnectionOptions) {
    this.session = Promise.resolve(this.sessionOn(options));
  }

  private sessionOn(workplace: Workplace): Session {
    const { agent, clock } = this.options;
    return new Session({ ...workplace, agent, clock, door: toolDoor });
  }

  server(): Server {
    const { version, readOnly = false, reopen, log } = this.options;
    const server = createServer({ version, readOnly, log, use: (call, run) => this.use(call, run) });
    if (reopen) {
      const ask = (): void => this.askRoots(server, reopen);
      server.oninitialized = ask;
      server.setNotificationHandler("notifications/roots/list_changed", ask);
    }
    return server;
  }

  /**
   * In the order of arrival: a call that writes comes after all before it, one that reads after those that write. Only
   * a search is not waited for: it may take half a minute, and agents share a connection.
   */
  private use<T>({ tool, signal }: Call, run: (session: Session) => Promise<T>): Promise<T> {
    const writes = !tool.annotations.readOnlyHint;
    // A write lets the messages pass that came with it: one of them may cancel it.
    const turn = writes ? Promise.all([this.written, ...this.reads, setImmediate()]) : this.written;
    const work = Promise.all([this.session, turn]).then(([session]) => {
      signal.throwIfAborted();
      return run(session);
    });
    const done = work.then(
      () => {},
      () => {},
    );
    if (writes) {
      this.written = done;
      this.reads = new Set();
    } else if (tool.name !== "grep") this.reads.add(done);
    const { running, reads } = this;
    running.add(done);
    void done.then(() => {
      running.delete(done);
      reads.delete(done);
    });
    return work;
  }

  /** Calls that come after this wait for the answer. Only clients of the older protocol have roots. */
  private askRoots(server: Server, reopen: NonNullable<ConnectionOptions["reopen"]>): void {
    if (!server.getClientCapabilities()?.roots) return;
    const before = this.session;
    const asked = server.listRoots(undefined, { timeout: rootsWithin }).then(
      ({ roots }) => roots.flatMap(({ uri }) => folderOf(uri)),
      (error: Error) => this.options.log(`the client's roots are not used: ${error.message}`),
    );
    this.session = asked.then(async (roots) => {
      if (!roots) return before;
      return this.sessionOn(roots.length > 0 ? await reopen(roots) : this.options);
    });
    // Every call says why there is none: working elsewhere instead would be a guess.
    this.session.catch((error: Error) => this.options.log(error.message));
  }

  /** Every call under way has come to its end, whether or not anybody waits for its answer. */
  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return isAbsolute(uri) ? [uri] : [];
  }
}
