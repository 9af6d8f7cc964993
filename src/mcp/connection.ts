import { basename, isAbsolute } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Server } from "@modelcontextprotocol/server";
import { Session, type SessionOptions } from "../session/index.js";
import { toolDoor } from "../tools/index.js";
import { type Call, createServer, type ServerSettings } from "./server.js";

/** The ports, and what their configuration says of a session on them. */
export type Workplace = Pick<
  SessionOptions,
  "files" | "store" | "gate" | "onStale" | "anchors" | "codec" | "keepOnFold" | "watch"
>;

export interface ConnectionOptions extends Workplace, Pick<SessionOptions, "agent" | "principal" | "clock"> {
  readonly version: string;
  readonly readOnly?: boolean;
  readonly onCall?: ServerSettings["onCall"];
  readonly hidesFailures?: boolean;
  readonly reopen?: (roots: readonly string[]) => Workplace | Promise<Workplace>;
  readonly log: (line: string) => void;
}

/** How long a client may take to name its roots before it counts as having none. */
const rootsWithin = 3000;

/** One client: the session its calls work on, and the calls that are under way. */
export class Connection {
  private session: Promise<Session>;
  private readonly running = new Set<Turn>();

  constructor(private readonly options: ConnectionOptions) {
    this.session = Promise.resolve(this.sessionOn(options));
  }

  private sessionOn(workplace: Workplace): Session {
    const { agent, principal, clock } = this.options;
    const who = { agent, ...(principal === undefined ? {} : { principal }) };
    return new Session({ ...workplace, ...who, clock, door: toolDoor });
  }

  server(): Server {
    const { version, readOnly = false, hidesFailures = false, reopen, onCall, log } = this.options;
    const server = createServer({
      ...{ version, readOnly, hidesFailures, log, use: (call, run) => this.use(call, run) },
      ...(onCall ? { onCall } : {}),
    });
    if (reopen) {
      const ask = (): void => this.askRoots(server, reopen);
      server.oninitialized = ask;
      server.setNotificationHandler("notifications/roots/list_changed", ask);
    }
    return server;
  }

  /**
   * Calls on one file are carried out in the order of arrival: one that writes comes after all before it, one that reads
   * after those that write. Calls on other files go on meanwhile, and nobody waits for a search.
   */
  private use<T>(call: Call, run: (session: Session) => Promise<T>): Promise<T> {
    const { tool, signal, args } = call;
    const turn = {
      writes: !tool.annotations.readOnlyHint,
      isSearch: tool.name === "grep",
      names: namesIn(args),
    };
    const before = [...this.running].filter((other) => !other.isSearch && isAfter(turn, other));
    // A write lets the messages pass that came with it: one of them may cancel it.
    const waits = [...before.map(({ done }) => done), ...(turn.writes ? [setImmediate()] : [])];
    const work = Promise.all([this.session, ...waits]).then(([session]) => {
      signal.throwIfAborted();
      return run(session);
    });
    const done = work.then(
      () => {},
      () => {},
    );
    const entry = { ...turn, done };
    this.running.add(entry);
    void done.then(() => this.running.delete(entry));
    return work;
  }

  /** Asks for the roots; later calls wait for the answer. Only clients of the older protocol have roots. */
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
    while (this.running.size > 0) await Promise.all([...this.running].map(({ done }) => done));
  }
}

/** A call that is under way. */
interface Turn {
  readonly writes: boolean;
  readonly isSearch: boolean;
  /** Names of the files it is about; null: it may be any. */
  readonly names: ReadonlySet<string> | null;
  readonly done: Promise<void>;
}

function isAfter(turn: Omit<Turn, "done">, other: Turn): boolean {
  if (!turn.writes && !other.writes) return false;
  const [ours, theirs] = [turn.names, other.names];
  return ours === null || theirs === null || [...ours].some((name) => theirs.has(name));
}

const pathKeys = new Set(["path", "file_path", "filepath", "file", "filename", "to"]);

/**
 * The last parts of all paths of a call, because one file can be asked for by several paths. null where a call has
 * none, or hides them in a string.
 */
function namesIn(args: unknown): ReadonlySet<string> | null {
  const names = new Set<string>();
  const entries = (value: unknown): readonly [string, unknown][] =>
    typeof value === "object" && value !== null ? Object.entries(value) : [];
  const take = (fields: unknown): void => {
    for (const [key, value] of entries(fields))
      if (pathKeys.has(key) && typeof value === "string") names.add(basename(value).toLowerCase());
  };
  take(args);
  for (const [key, value] of entries(args)) {
    if (key !== "files") continue;
    if (!Array.isArray(value)) return null;
    for (const file of value) {
      take(file);
      for (const edit of entries((file as { edits?: unknown } | null)?.edits)) take(edit[1]);
    }
  }
  return names.size > 0 ? names : null;
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return isAbsolute(uri) ? [uri] : [];
  }
}
