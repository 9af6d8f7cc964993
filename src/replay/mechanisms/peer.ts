import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ReplayError } from "../error.js";
import type { Mechanism } from "../mechanism.js";

/** What a peer is sent and answers, a JSON object a line each: docs/replay-protocol.md. */
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

/** A program that speaks the replay protocol. `given` is NAME=COMMAND; the command goes to a shell. */
export function peer(given: string): Mechanism {
  const split = given.indexOf("=");
  const name = split < 0 ? given : given.slice(0, split);
  const command = given.slice(split + 1);
  let line: Line | null = null;
  let cases = 0;
  return {
    ...{ name, short: name.slice(0, 8), about: "a peer, by the replay protocol" },
    start(base) {
      line ??= new Line(name, spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] }) as never);
      const to = line;
      const number = ++cases;
      return {
        async edit(current, edits) {
          const told = edits.map(({ start, count, lines }) => ({ start: start + 1, count, lines }));
          const answer = await to.ask({ case: number, base, current, edits: told });
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

class Line {
  private next = 0;
  private failure: Error | null = null;
  private readonly waiting = new Map<
    number,
    { resolve(answer: PeerAnswer): void; reject(error: Error): void }
  >();
  private readonly closed: Promise<void>;

  constructor(
    private readonly name: string,
    private readonly child: ChildProcessWithoutNullStreams,
  ) {
    createInterface({ input: child.stdout }).on("line", (text) => this.receive(text));
    child.stdin.on("error", () => {});
    this.closed = new Promise((resolve) => {
      child.on("close", () => {
        this.fail(`${name} ended before it had answered`);
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

  ask(request: Omit<PeerRequest, "id">): Promise<PeerAnswer> {
    if (this.failure) return Promise.reject(this.failure);
    const id = ++this.next;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill(), 2000);
    await this.closed;
    clearTimeout(timer);
  }
}
