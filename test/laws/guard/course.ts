/** Agents and other programs at work on one text; what the guard lets through is compared with what was meant. */
import type { Client, Edit } from "./client.js";
import { Judge } from "./judge.js";
import { type Look, Memory, runsOf } from "./memory.js";
import { type Outcome, Room, toolOf } from "./room.js";
import { type ForeignStep, Scene, saidOf } from "./scene.js";
import { type Wish, wished } from "./wish.js";
import { alterationBy, World } from "./world.js";

/** Numbers are taken modulo what there is to choose from. */
export type Step =
  | { readonly do: "read"; readonly agent: number; readonly first: number; readonly count: number }
  | ForeignStep
  | ({ readonly do: "edit"; readonly agent: number } & Wish);

export interface Verdict {
  readonly strays: readonly string[];
  readonly alarms: readonly string[];
  readonly allowed: number;
  readonly denied: number;
}

export class Course {
  private readonly world: World;
  private readonly scene: Scene<Edit>;
  private readonly judge: Judge;
  private readonly memories = new Map<string, Memory>();
  private order = 0;
  private made = 0;
  private readonly found = { strays: [] as string[], alarms: [] as string[], allowed: 0, denied: 0 };

  constructor(
    private readonly client: Client,
    texts: readonly string[],
    terminated: boolean,
  ) {
    this.world = new World(texts, terminated);
    this.scene = new Scene(this.world, new Room(toolOf(client), this.world.text));
    this.judge = new Judge(this.world, client);
  }

  get verdict(): Verdict {
    return this.found;
  }

  async take(step: Step): Promise<void> {
    if (this.world.lines.length === 0) return;
    if (step.do === "read") await this.read(step);
    else if (step.do === "foreign") await this.scene.foreign(step);
    else await this.edit(step);
    this.scene.check();
  }

  private memory(agent: string): Memory {
    const found = this.memories.get(agent) ?? new Memory(this.world, this.client);
    this.memories.set(agent, found);
    return found;
  }

  private look(agent: string, [first, last]: readonly [number, number], by: Look["by"]): void {
    this.memory(agent).saw({ order: this.order++, state: this.world.record(), first, last, by });
  }

  private async read({ agent, first, count }: Extract<Step, { do: "read" }>): Promise<void> {
    const name = `agent${agent}`;
    this.look(name, await this.scene.read(name, first, count), "read");
  }

  private async edit({ agent, ...wish }: Extract<Step, { do: "edit" }>): Promise<void> {
    const name = `agent${agent}`;
    const memory = this.memory(name);
    const form = wish.form === "patch" && !this.client.patches ? "quote" : wish.form;
    const edit = wished({ ...wish, form }, memory, `n${this.made++}`);
    if (!edit) return;
    this.world.record();
    const before = this.world.text;
    const outcome = await this.scene.room.edit(name, edit);
    this.scene.tell(`agent ${agent} edits ${JSON.stringify(edit)}: ${saidOf(outcome)}`);
    if (outcome.deny !== null) {
      this.found.denied++;
      if (this.judge.isPlain(edit, memory)) this.found.alarms.push(this.scene.told(outcome.deny));
      this.shown(name, outcome.deny);
    }
    if (!outcome.done) return;
    this.found.allowed++;
    const stray = this.judge.stray(edit, outcome, memory, before);
    if (stray) this.found.strays.push(this.scene.told(stray));
    this.did(name, outcome);
  }

  /** What was done is done, and the agent knows what it wrote. */
  private did(name: string, { done, told, carried }: Outcome): void {
    const { world } = this;
    const memory = this.memory(name);
    const [one, other] = done!.splices;
    const own = one && !other && !carried ? alterationBy(world.text, one) : null;
    const { altered, made } = world.apply(done!.splices);
    memory.took(altered);
    if (world.lines.length === 0) return;
    const rows = world.lines.flatMap(({ id }, at) => (made.includes(id) ? [at] : []));
    const grown = made.length - altered.length;
    for (const at of own?.quoted ?? [])
      if (at < own!.start) rows.push(at);
      else if (at >= own!.end) rows.push(at + grown);
    world.record();
    for (const [first, last] of runsOf(rows)) this.look(name, [first, last], "own");
    this.shown(name, told);
  }

  /** Rows that the guard showed. */
  private shown(name: string, text: string): void {
    const found = [...text.matchAll(/^(?:>>> | {4})?(\d+)\t(.*)$/gm)];
    const rows = found.flatMap(([, number, row]) =>
      this.world.lines[Number(number) - 1]?.text === row ? [Number(number) - 1] : [],
    );
    for (const run of runsOf([...new Set(rows)])) this.look(name, run, "guard");
  }
}
