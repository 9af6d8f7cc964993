/** A client's tools at work on one file in memory, with the guard in front of them: as its hook runs it, without a disk. */

import type { GuardContext } from "../../../src/guard/context.js";
import { nodeDisk } from "../../../src/guard/disk-view.js";
import type { Answer, Event, Payload } from "../../../src/guard/event.js";
import { answer } from "../../../src/guard/guard.js";
import { adapters } from "../../../src/guard/index.js";
import { memoryFiles, memoryStore } from "../../../src/ports/index.js";
import type { Json } from "../../../src/ports/store.js";
import { Session } from "../../../src/session/session.js";
import { type Applied, type Client, type Edit, replaced, type Shown } from "./client.js";

const path = "/project/a.txt";

/** How a client words what it shows, and to whom. */
export interface Reader {
  readonly name: string;
  addressed(payload: Payload, agent: string): Payload;
  reading(path: string, shown: Shown): readonly Payload[];
}

/** A client's tool: how its calls are worded, and what they do to a text; null: it refuses. */
export interface Tool<E> extends Reader {
  /** A client whose reads are as good, where its own go through a shell. */
  readonly reader?: Reader;
  /** What cannot be done is refused before the guard is asked. */
  readonly checksFirst: boolean;
  before(path: string, edit: E): Payload;
  after(path: string, edit: E): readonly Payload[];
  apply(text: string, edit: E): Applied | null;
  /** The call with these quotes instead. */
  carried(quotes: NonNullable<Answer["quotes"]>): E | null;
}

export const toolOf = (client: Client): Tool<Edit> => ({
  ...client,
  apply: (text, edit) => replaced(text, edit, client),
  carried: ([quote]) => (quote ? { kind: "quote", ...quote } : null),
});

/** What came of an edit. */
export interface Outcome {
  /** What the guard said instead of letting it through. */
  readonly deny: string | null;
  /** What was done; null if the guard or the client refused. */
  readonly done: Applied | null;
  /** Whether the guard put other arguments in the place of those that were sent. */
  readonly carried: boolean;
  /** Everything that the model was told. */
  readonly told: string;
}

class MemoryNotes {
  private readonly lists = new Map<string, Json[]>();

  add(kind: string, name: string, note: Json): void {
    this.lists.set(`${kind} ${name}`, [...this.all(kind, name), note]);
  }

  all(kind: string, name: string): Json[] {
    return this.lists.get(`${kind} ${name}`) ?? [];
  }

  take(kind: string, name: string): Json[] {
    const found = this.all(kind, name);
    this.lists.delete(`${kind} ${name}`);
    return found;
  }

  others(): number {
    return 0;
  }
}

export class Room<E> {
  private readonly files;
  private readonly store = Object.assign(memoryStore(), { notes: new MemoryNotes(), tidy() {} });
  private now = 1_000_000;
  readonly log: string[] = [];

  constructor(
    readonly tool: Tool<E>,
    text: string,
  ) {
    this.files = memoryFiles({ [path]: text });
  }

  get text(): string {
    return this.files.text(path) as string;
  }

  /** By a program that no hook sees. */
  set text(text: string) {
    this.files.set(path, text);
  }

  /** Lines from one to another, counted from 1. */
  async read(agent: string, first: number, last: number): Promise<void> {
    const lines = this.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const shown = lines.slice(first - 1, last);
    const tool = this.tool.reader ?? this.tool;
    for (const payload of tool.reading(path, { first, shown, all: lines.length }))
      await this.send(agent, payload, tool);
  }

  async edit(agent: string, edit: E): Promise<Outcome> {
    const { tool } = this;
    const refused: Outcome = { deny: null, done: null, carried: false, told: "" };
    if (tool.checksFirst && !tool.apply(this.text, edit)) return refused;
    const asked = await this.send(agent, tool.before(path, edit));
    const told = asked.tell ?? "";
    if (asked.deny !== undefined) return { ...refused, deny: asked.deny, told: asked.deny };
    const other = asked.quotes ? tool.carried(asked.quotes) : null;
    const used = other ?? edit;
    const done = tool.apply(this.text, used);
    if (!done) return { ...refused, carried: other !== null, told };
    this.text = done.text;
    const notes: string[] = [told];
    for (const payload of tool.after(path, used)) notes.push((await this.send(agent, payload)).tell ?? "");
    return { deny: null, done, carried: other !== null, told: notes.join("\n") };
  }

  private async send(agent: string, payload: Payload, tool: Reader = this.tool): Promise<Answer> {
    const adapter = adapters[tool.name];
    if (!adapter) throw new Error(`there is no adapter for ${tool.name}`);
    this.now += 1000;
    const understood = adapter.understand(tool.addressed(payload, agent), {});
    const events: readonly Event[] = understood?.events ?? [];
    const answers: Answer[] = [];
    for (const event of events) answers.push(await answer(event, this.place(agent)));
    return Object.assign({}, ...answers);
  }

  private place(agent: string): GuardContext {
    const { files, store } = this;
    const adapter = adapters[this.tool.name] as NonNullable<(typeof adapters)[string]>;
    const { door, rewrites, tellsBefore, parallel, room } = adapter;
    const clock = () => this.now;
    const session = new Session({ files, store, agent, clock, door, numbered: true });
    return {
      ...{ session, files, agent, clock, door, rewrites, tellsBefore, parallel },
      store,
      disk: nodeDisk,
      commits: { of: async () => [], presentPath: async () => null },
      sessionFor: () => session,
      ...{ cwd: "/project", root: "/project", troubles: [], asides: [] },
      failsClosed: () => true,
      recall: () => ({ sent: [], isComplete: true }),
      room: { left: room },
      log: (line) => this.log.push(line),
    };
  }
}
