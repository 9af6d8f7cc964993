/** A text, the guard over it, and other programs at work on both: the part that every course has, told as a story. */
import type { Outcome, Room } from "./room.js";
import type { World } from "./world.js";

/** A change by another program. Numbers are taken modulo the choices that there are. */
export interface ForeignStep {
  readonly do: "foreign";
  readonly kind: "insert" | "delete" | "replace" | "move" | "copy";
  readonly at: number;
  readonly count: number;
  readonly to: number;
  readonly texts: readonly string[];
  /** The guard sees the text before the next call. */
  readonly recorded: boolean;
}

export class Scene<Sent> {
  private readonly story: string[];

  constructor(
    readonly world: World,
    readonly room: Room<Sent>,
  ) {
    this.story = [`text ${JSON.stringify(world.text)}`];
  }

  tell(what: string): void {
    this.story.push(what);
  }

  /** Returns the story with its end. */
  told(end: string): string {
    return [...this.story, end].join("\n");
  }

  /** Throws if the disk has another text than the model, or the guard logged a failure. */
  check(): void {
    if (this.room.text !== this.world.text)
      throw new Error(this.told(`the model is wrong:\n${JSON.stringify(this.room.text)}`));
    if (this.room.log.length > 0) throw new Error(this.room.log.join("\n"));
  }

  /** Has an agent read some lines, or all for a count of 0; returns the first and the last. */
  async read(agent: string, first: number, count: number): Promise<readonly [number, number]> {
    const all = this.world.lines.length;
    const start = count === 0 ? 0 : first % all;
    const last = count === 0 ? all - 1 : Math.min(all, start + count) - 1;
    this.tell(`${agent} reads lines ${start + 1}-${last + 1}`);
    await this.room.read(agent, start + 1, last + 1);
    return [start, last];
  }

  async foreign(step: ForeignStep): Promise<void> {
    const { world } = this;
    const all = world.lines.length;
    const isNew = step.kind === "insert" || step.kind === "copy";
    const at = step.at % (isNew ? all + 1 : all);
    const count = isNew ? 0 : Math.min(step.count, all - at);
    const from = step.kind === "copy" ? step.to % all : at;
    const lines = world.lines.slice(from, from + step.count).map((line) => line.text);
    const given = step.kind === "insert" || step.kind === "replace" ? step.texts : [];
    world.splice(at, count, step.kind === "copy" ? lines : given);
    if (step.kind === "move") world.splice(step.to % (world.lines.length + 1), 0, lines);
    this.room.text = world.text;
    this.tell(`foreign ${step.kind} at ${at + 1}: ${JSON.stringify(world.text)}`);
    if (!step.recorded || world.lines.length === 0) return;
    this.tell("  seen by the guard");
    await this.room.read("watcher", 1, 1);
    world.record();
  }
}

export function saidOf({ deny, done, carried }: Outcome): string {
  if (deny !== null) return "denied";
  if (!done) return "refused by the client";
  return `${carried ? "carried" : "allowed"}: ${JSON.stringify(done.text)}`;
}
