/** A client's tools at work on one file in memory, with the guard in front of them: as its hook runs it, without a disk. */
import type { Answer, Event, Payload } from "../../../src/hooks/event.js";
import { answer } from "../../../src/hooks/guard.js";
import { adapters } from "../../../src/hooks/index.js";
import type { Workplace } from "../../../src/hooks/place.js";
import { type Json, memoryFiles, memoryStore, Session } from "../../../src/session/index.js";
import { type Applied, type Client, type Edit, replaced } from "./client.js";

const path = "/project/a.txt";

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

export class Room {
  private readonly files;
  private readonly store = Object.assign(memoryStore(), { notes: new MemoryNotes() });
  private now = 1_000_000;
  readonly log: string[] = [];

  constructor(
    readonly client: Client,
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
    for (const payload of this.client.reading(path, { first, shown, all: lines.length }))
      await this.send(agent, payload);
  }

  async edit(agent: string, edit: Edit): Promise<Outcome> {
    const { client } = this;
    const own = client.checksFirst ? replaced(this.text, edit, client) : null;
    const refused: Outcome = { deny: null, done: null, carried: false, told: "" };
    if (client.checksFirst && !own) return refused;
    const asked = await this.send(agent, client.before(path, edit));
    const told = asked.tell ?? "";
    if (asked.deny !== undefined) return { ...refused, deny: asked.deny, told: asked.deny };
    const [quote] = asked.quotes ?? [];
    const used: Edit = quote ? { kind: "quote", ...quote } : edit;
    const done = replaced(this.text, used, client);
    if (!done) return { ...refused, carried: quote !== undefined, told };
    this.text = done.text;
    const notes: string[] = [told];
    for (const payload of client.after(path, used)) notes.push((await this.send(agent, payload)).tell ?? "");
    return { deny: null, done, carried: quote !== undefined, told: notes.join("\n") };
  }

  private async send(agent: string, payload: Payload): Promise<Answer> {
    const adapter = adapters[this.client.name];
    if (!adapter) throw new Error(`there is no adapter for ${this.client.name}`);
    this.now += 1000;
    const understood = adapter.understand(this.client.addressed(payload, agent), {});
    const events: readonly Event[] = understood?.events ?? [];
    const answers: Answer[] = [];
    for (const event of events) answers.push(await answer(event, this.place(agent)));
    return Object.assign({}, ...answers);
  }

  private place(agent: string): Workplace {
    const { files, store } = this;
    const adapter = adapters[this.client.name] as NonNullable<(typeof adapters)[string]>;
    const { door, rewrites, tellsBefore, parallel, room } = adapter;
    const clock = () => this.now;
    const session = new Session({ files, store, agent, clock, door });
    return {
      ...{ session, files, agent, clock, door, rewrites, tellsBefore, parallel },
      store: store as unknown as Workplace["store"],
      sessionFor: () => session,
      ...{ cwd: "/project", root: "/project", troubles: [] },
      failsClosed: () => true,
      recall: () => [],
      room: { left: room },
      log: (line) => this.log.push(line),
    };
  }
}
