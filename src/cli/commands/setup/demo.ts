import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Context, Run } from "../../context.js";
import { inScratch } from "../../doctor/self-test.js";
import { done, failed } from "../../flag-types.js";
import { quoted } from "../../print/shell-wording.js";

const greeter = `export function greet(name: string): string {
  const greeting = "Hello";
  return \`\${greeting}, \${name}!\`;
}

export function part(name: string): string {
  return \`Goodbye, \${name}!\`;
}
`;
const main = `import { greet } from "./greet";

console.log(greet("world"));
`;

export const run: Run = (context) =>
  inScratch("demo", async (scratch) => {
    if (!context.args.has("ui")) return (await play(new Stage(context, scratch))) ? done : failed;
    const { playForPage } = await import("../view/demo-ui.js");
    await playForPage(context, scratch);
    return done;
  });

async function play(stage: Stage): Promise<boolean> {
  const { alice, bob } = stage.agents;
  stage.put("greet.ts", greeter);
  stage.put("main.ts", main);
  // The file of a request is nobody's work.
  stage.put(".ignore", "rename.json\n");

  await stage.tell("Two agents, one file. Both read it; every line comes with an anchor.");
  const shown = alice.kedge("read", "greet.ts");
  bob.quietly("read", "greet.ts");

  await stage.tell("Bob adds two lines at the top. All of Alice's line numbers are wrong now.");
  bob.kedge("edit", "greet.ts", shown.anchor(1), "--before", "// Words of welcome.\n// And of parting.");

  await stage.tell("Alice edits what she was shown. Her lines moved, so her edit moves with them.");
  alice.kedge("edit", "greet.ts", shown.anchor(7), `  return \`See you, \${name}!\`;`);

  await stage.tell("Bob changes a line that Alice is about to change, too.");
  bob.kedge("edit", "greet.ts", shown.anchor(2), '  const greeting = "Good morning";');

  await stage.tell("Alice's edit was made for a text that is gone: refused, nothing written.");
  const refused = alice.kedge("edit", "greet.ts", shown.anchor(2), '  const greeting = "Hi";');

  await stage.tell("She has seen the new text and still means it: the handle sends it again.");
  const handle = /kedge retry (r\w+)/.exec(refused.stderr)?.[1] ?? "";
  const retried = alice.kedge("retry", handle);

  await stage.tell("A batch over two files, all or nothing: rename greet to welcome.");
  const target = bob.quietly("read", "greet.ts");
  const caller = bob.quietly("read", "main.ts");
  stage.put("rename.json", renaming(target, caller));
  bob.kedge("apply", "rename.json");

  await stage.tell("Bob thinks better of it. Undo takes the whole batch back, and nothing else.");
  bob.kedge("undo");

  await stage.tell("What happened here, in numbers.");
  alice.kedge("stats");
  return refused.status === 5 && retried.status === 0 && stage.unexpected === 0;
}

function renaming(target: Shown, caller: Shown): string {
  const rename = (shown: Shown, line: number, before: string, after: string) => ({
    ...{ op: "replace_text", anchor: shown.anchor(line) },
    ...{ old: `${before}greet${after}`, new: `${before}welcome${after}` },
  });
  const files = [
    { path: "greet.ts", edits: [rename(target, 3, "function ", "(")] },
    { path: "main.ts", edits: [rename(caller, 1, "{ ", " }"), rename(caller, 3, "(", "(")] },
  ];
  return `${JSON.stringify({ files }, null, 1)}\n`;
}

interface Shown {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The anchor of a line, as it was printed. */
  anchor(line: number): string;
}

/** Somebody at a shell of their own. */
class Agent {
  constructor(
    private readonly stage: Stage,
    private readonly name: string,
  ) {}

  kedge(...args: string[]): Shown {
    return this.stage.start(this.name, args, { prompt: `kedge ${args.map(quoted).join(" ")}` });
  }

  quietly(...args: string[]): Shown {
    return this.stage.start(this.name, args, {});
  }
}

const pause = 900;

/** The scratch folder and the screen. Everything but the sentences in between is printed by the program itself. */
class Stage {
  unexpected = 0;
  readonly agents: { readonly alice: Agent; readonly bob: Agent };
  private step = 0;

  constructor(
    private readonly context: Context,
    private readonly scratch: string,
  ) {
    this.agents = { alice: new Agent(this, "alice"), bob: new Agent(this, "bob") };
    mkdirSync(join(scratch, "work"));
  }

  put(name: string, text: string): void {
    writeFileSync(join(this.scratch, "work", name), text);
  }

  async tell(sentence: string): Promise<void> {
    const { args, output } = this.context;
    this.step += 1;
    const pauses = this.step > 1 && output.out.isTerminal && !args.has("fast");
    // Also without a pause: Ctrl-C is heard between two turns of the event loop only.
    await new Promise((resolve) => setTimeout(resolve, pauses ? pause : 0));
    if (!args.has("json"))
      output.out.line(`${this.step > 1 ? "\n" : ""}${output.out.paint("bold", `${this.step}. ${sentence}`)}`);
  }

  start(agent: string, args: readonly string[], { prompt }: { prompt?: string }): Shown {
    const { output, env, program } = this.context;
    const { out } = output;
    const coloured = out.paint("bold", "x") !== "x" ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: join(this.scratch, "work"),
      env: {
        ...env,
        ...coloured,
        ...{ KEDGE_STATE: join(this.scratch, "state"), KEDGE_SESSION: agent, COLUMNS: String(out.columns) },
      },
      input: "",
      encoding: "utf8",
    });
    if (prompt !== undefined) this.print(agent, prompt, { status, stdout, stderr });
    if (status !== 0 && status !== 5) this.unexpected += 1;
    const plain = stripVTControlCharacters(stdout);
    const anchor = (line: number): string => new RegExp(`^${line}#[0-9a-f]{6}`, "m").exec(plain)?.[0] ?? "";
    return { status: status ?? -1, stdout, stderr: stripVTControlCharacters(stderr), anchor };
  }

  private print(
    agent: string,
    prompt: string,
    { status, stdout, stderr }: { status: number | null; stdout: string; stderr: string },
  ): void {
    const { args, output } = this.context;
    const { out } = output;
    if (args.has("json")) {
      out.line(JSON.stringify({ step: this.step, agent, command: prompt, status, stdout, stderr }));
      return;
    }
    out.line(
      `${out.paint(agent === "alice" ? "green" : "yellow", `${agent}$`)} ${out.paint("cyan", prompt)}`,
    );
    out.raw(stdout + stderr);
    if (status !== 0) out.line(out.paint("dim", `[exit status ${status}]`));
  }
}
