/** One command of an agent, between the two events that the client sends of it. */
import type { Call, Payload } from "../../guard/drivers/driver.js";
import type { Deed, World } from "./world.js";

const nothing = "true";

export class Command {
  private readonly call: Call;

  /** `isReal`: the shell runs it; else the shell runs nothing, and what it does is done in its place. */
  constructor(
    private readonly world: World,
    private readonly by: string,
    private readonly text: string,
    private readonly isReal = true,
  ) {
    const { stage } = world;
    const action = { do: "shell", command: isReal ? text : nothing } as const;
    this.call = stage.driver.call(action, { conversation: by, cwd: stage.folder });
  }

  private named(payload: Payload): Payload {
    if (this.isReal) return payload;
    const field = (command: string): string => `"command":${JSON.stringify(command)}`;
    return JSON.parse(JSON.stringify(payload).replaceAll(field(nothing), field(this.text))) as Payload;
  }

  async begin(): Promise<void> {
    const { stage } = this.world;
    const { before } = this.call;
    this.world.past.push(`  ${this.by} begins ${this.text}`);
    this.world.see();
    if (before) await stage.send(stage.named(this.named(before)));
  }

  async end(deed: Omit<Deed, "by" | "what"> & { readonly takes?: number }): Promise<void> {
    const { world, call, by, text } = this;
    const done = call.run(null);
    world.pass(deed.takes ?? 300);
    if (this.isReal) world.account({ by, how: deed.how, what: text });
    world.see();
    for (const payload of [...done.after(), ...done.settled()]) await world.stage.send(this.named(payload));
  }
}

/** As clients run most: one after the other. */
export async function runs(
  world: World,
  by: string,
  text: string,
  how: Deed["how"] = "command",
): Promise<void> {
  const command = new Command(world, by, text);
  await command.begin();
  world.pass(20);
  await command.end({ how });
}
