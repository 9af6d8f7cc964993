import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ReplayError } from "../cases/case.js";
import { untilExit } from "../cases/git-source.js";
import { type Mechanism, NoAnswer } from "../score.js";

/** A peer reads requests and writes answers, one JSON object a line: docs/replay-protocol.md. */
interface PeerRequest {
  readonly id: number;
  readonly case: number;
  readonly base: string;
  readonly current: string;
  readonly edits: readonly {
    readonly start: number;
    readonly count: number;
    readonly lines: readonly string[];
  }[];
}

interface PeerAnswer {
  readonly id: number;
  readonly text?: string;
  readonly refused?: string;
}

interface PeerOptions {
  /** How long a peer may take for one call. */
  readonly seconds?: number;
}

const defaultSeconds = 60;
/** A peer that was silent so often, one time after the other, is not asked again. */
const mostSilent = 3;

/** A program that speaks the replay protocol. `given` is NAME=COMMAND; the command goes to a shell. */
export function peer(given: string, { seconds = defaultSeconds }: PeerOptions = {}): Mechanism {
  const [, name, command] = /^([^=]+)=(.*\S.*)$/s.exec(given) ?? [];
  if (!name || !command) throw new ReplayError(`a peer is given as NAME=COMMAND, not as ${given}`);
  let line: Line | null = null;
  let [cases, silent] = [0, 0];
  return {
    ...{ name, short: name.slice(0, 8), about: "a peer, by the replay protocol" },
    start(base) {
      if (silent < mostSilent) line ??= new Line(name, command);
      const number = ++cases;
      return {
        async edit(current, edits) {
          const told = edits.map(({ start, count, lines }) => ({ start: start + 1, count, lines }));
          // A peer is not restarted within a case: it would have lost the case.
          if (line === null) throw new NoAnswer(`${name} is not asked any more`);
          const answer = await line.ask({ case: number, base, current, edits: told }, seconds);
          if (answer === null) {
            silent += 1;
            line.kill();
            line = null;
            throw new NoAnswer(`${name} has not answered within ${seconds} s`);
          }
          silent = 0;
          return answer.text ?? null;
        },
      };
    },
    async close() {
      await line?.end();
      line = null;
    },
  };
}

/** A shell and what it started, as one group where the system has such a thing. */
function startGroup(command: string): {
  child: ChildProcessWithoutNullStreams;
  kill(how: NodeJS.Signals): void;
} {
  const detached = process.platform !== "win32";
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(command, {
    shell: true,
    detached,
    stdio: [...stdio],
  }) as never as ChildProcessWithoutNullStreams;
  const kill = (how: NodeJS.Signals): void => {
    try {
      if (detached && child.pid !== undefined) process.kill(-child.pid, how);
      else child.kill(how);
    } catch {
      // The peer has ended.
    }
  };
  return { child, kill };
}

const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** Time to remove what it made, when it is asked to end. */
const grace = 300;

class Line {
  private next = 0;
  private failure: Error | null = null;
  private readonly waiting = new Map<
    number,
    { resolve(answer: PeerAnswer): void; reject(error: Error): void }
  >();
  private readonly closed: Promise<void>;
  private readonly group: ReturnType<typeof startGroup>;

  constructor(
    private readonly name: string,
    command: string,
  ) {
    this.group = startGroup(command);
    const { child, kill } = this.group;
    const over = untilExit(() => {
      kill("SIGTERM");
      sleep(grace);
      kill("SIGKILL");
    });
    createInterface({ input: child.stdout }).on("line", (text) => this.receive(text));
    child.stdin.on("error", () => {});
    this.closed = new Promise((resolve) => {
      child.on("close", (status, signal) => {
        over();
        this.fail(`${name} ended (${signal ?? `status ${status}`}) before it had answered`);
        resolve();
      });
    });
  }

  private receive(text: string): void {
    let answer: PeerAnswer;
    try {
      answer = JSON.parse(text) as PeerAnswer;
    } catch {
      this.fail(`${this.name} answered no JSON: ${text.slice(0, 200)}`);
      return;
    }
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (typeof answer.text === "string" || typeof answer.refused === "string") waiting?.resolve(answer);
    else waiting?.reject(new ReplayError(`${this.name}: an answer has "text" or "refused"`));
  }

  private fail(message: string): void {
    this.failure ??= new ReplayError(message);
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }

  /** null if there is no answer in time. */
  async ask(request: Omit<PeerRequest, "id">, seconds: number): Promise<PeerAnswer | null> {
    if (this.failure) throw this.failure;
    const id = ++this.next;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000, null);
    });
    const answered = new Promise<PeerAnswer>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.group.child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    });
    // Killed after it was late, it fails: nobody waits for that.
    answered.catch(() => {});
    return Promise.race([answered, late]).finally(() => clearTimeout(timer));
  }

  kill(): void {
    this.group.kill("SIGKILL");
    // A process that the peer started may hold the other end.
    this.group.child.stdout.destroy();
  }

  async end(): Promise<void> {
    this.group.child.stdin.end();
    const timers = [
      setTimeout(this.group.kill, 2000, "SIGTERM"),
      setTimeout(() => this.kill(), 2000 + grace),
    ];
    await this.closed;
    for (const timer of timers) clearTimeout(timer);
  }
}
