/** A project with agents of one client at work in it, and the guard in front of their tools. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/index.js";
import { makeStream } from "../../src/cli/print/output.js";
import { adapters, hook } from "../../src/guard/index.js";
import type { Action, Done, Driver, Payload, Replacement, Reply, Section, Who } from "./drivers/driver.js";
import { shell } from "./drivers/files.js";
import { calledIn, type Transcript, transcripts } from "./drivers/transcripts.js";

/** What came of one call of a tool, all events together. */
export interface Outcome {
  readonly deny: string | null;
  readonly rewritten: Payload | null;
  readonly tell: string | null;
  readonly say: string | null;
  /** The client or its tool refused by itself. */
  readonly failed: string | null;
  /** What the tool showed. */
  readonly printed: string;
  /** The guard printed nothing at all. */
  readonly silent: boolean;
}

/** Let through, and not a word. */
export const quiet: Omit<Outcome, "printed"> = {
  ...{ deny: null, rewritten: null, tell: null, say: null },
  ...{ failed: null, silent: true },
};

/** The same without what was told early of lines that others changed, or once of others' lines in a commit. */
export function withoutNews(outcome: Outcome): Outcome {
  const parts = outcome.tell
    ?.split("\n\n")
    .filter(
      (part) => !/^kedge: (.* changed .*: lines you have seen|".*" takes lines of .* along)/.test(part),
    );
  const tell = parts && parts.length > 0 ? parts.join("\n\n") : null;
  const { deny, say, rewritten, failed } = outcome;
  const silent =
    outcome.silent || (tell === null && [deny, say, rewritten, failed].every((one) => one === null));
  return { ...outcome, tell, silent };
}

type Lines = { readonly first: number; readonly last: number };

export class Agent {
  constructor(
    private readonly stage: Stage,
    readonly who: Who,
  ) {}

  begin(): Promise<Outcome> {
    return this.sent([this.stage.driver.begin(this.who)]);
  }

  fold(): Promise<Outcome> {
    return this.sent(this.stage.driver.fold(this.who));
  }

  read(path: string, lines?: Lines): Promise<Outcome> {
    return this.act({ do: "read", path, ...(lines ? { lines } : {}) });
  }

  edit(path: string, ...edits: readonly Replacement[]): Promise<Outcome> {
    return this.act({ do: "edit", path, edits });
  }

  write(path: string, content: string): Promise<Outcome> {
    return this.act({ do: "write", path, content });
  }

  patch(...sections: readonly Section[]): Promise<Outcome> {
    return this.act({ do: "patch", sections });
  }

  shell(command: string): Promise<Outcome> {
    return this.act({ do: "shell", command });
  }

  grep(pattern: string, path: string): Promise<Outcome> {
    return this.act({ do: "grep", pattern, path });
  }

  /** What the client keeps of what the model was sent, if the stage keeps it. */
  get transcript(): Transcript {
    return this.stage.transcriptOf(this.who);
  }

  /** What the guard says before; the tool is not run, and the client refuses nothing itself. */
  async ask(action: Action): Promise<Outcome> {
    const { before } = this.stage.driver.call(action, this.who);
    return this.sent(before ? [this.stage.named(before)] : []);
  }

  asksEdit(path: string, ...edits: readonly Replacement[]): Promise<Outcome> {
    return this.ask({ do: "edit", path, edits });
  }

  asksWrite(path: string, content: string): Promise<Outcome> {
    return this.ask({ do: "write", path, content });
  }

  /** As the client does it: asked before, run unless denied, told after. */
  async act(action: Action): Promise<Outcome> {
    const { driver } = this.stage;
    const call = driver.call(action, this.who);
    const own = call.refusal?.() ?? null;
    const changes = action.do !== "read" && action.do !== "grep" && action.do !== "shell";
    if (own) return this.followed({ done: own, changes: false }, null, null);
    const before = call.before && this.stage.named(call.before);
    const asked = before ? await this.stage.send(before, this.who) : null;
    const reply = driver.reply(asked);
    if (reply.deny !== null && before) this.remember(before, reply.deny, true);
    if (reply.deny !== null) return { ...reply, rewritten: null, failed: null, printed: "", silent: false };
    const done = call.run(reply.input);
    if (before) this.remember(before, done.printed, done.failed !== null);
    return this.followed({ done, changes }, asked, reply);
  }

  private remember(payload: Payload, printed: string, failed: boolean): void {
    if (!this.stage.keeps) return;
    const { tool, input } = calledIn(payload);
    this.transcript.result(tool, input, printed, failed);
  }

  /** It is asked and let through; then something happens before it is run. */
  async overtaken(action: Action, meanwhile: () => void): Promise<Outcome> {
    const call = this.stage.driver.call(action, this.who);
    const asked = call.before ? await this.stage.send(call.before) : null;
    meanwhile();
    const done = call.refusal?.() ?? call.run(null);
    return this.followed({ done, changes: true }, asked, this.stage.driver.reply(asked));
  }

  private async followed(
    { done, changes }: { readonly done: Done; readonly changes: boolean },
    asked: string | null,
    reply: Reply | null,
  ): Promise<Outcome> {
    const after = await this.sent(done.after());
    if (changes && done.failed === null) this.stage.formatter?.();
    const settled = await this.sent(done.settled());
    const parts = [reply, after, settled];
    const { failed, printed } = done;
    return {
      ...{ deny: null, rewritten: reply?.input ?? null, failed, printed },
      // A client may take a reason after a call for its result.
      tell: joined([reply?.tell ?? null, ...[after, settled].map(({ tell, deny }) => tell ?? deny)]),
      say: joined(parts.map((part) => part?.say ?? null)),
      silent: asked === null && after.silent && settled.silent,
    };
  }

  private async sent(payloads: readonly Payload[]): Promise<Outcome> {
    const outputs: (string | null)[] = [];
    for (const payload of payloads) outputs.push(await this.stage.send(payload, this.who));
    const replies = outputs.map((output) => this.stage.driver.reply(output));
    return {
      deny: joined(replies.map(({ deny }) => deny)),
      rewritten: replies.find(({ input }) => input !== null)?.input ?? null,
      tell: joined(replies.map(({ tell }) => tell)),
      say: joined(replies.map(({ say }) => say)),
      ...{ failed: null, printed: "" },
      silent: outputs.every((output) => output === null),
    };
  }
}

function joined(parts: readonly (string | null)[]): string | null {
  const texts = parts.filter((part) => part !== null);
  return texts.length > 0 ? texts.join("\n\n") : null;
}

export interface StageOptions {
  readonly git?: boolean;
  /** What models are sent is kept, as the client does. */
  readonly keeps?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export class Stage {
  readonly scratch: string = mkdtempSync(join(tmpdir(), "kedge-guard-"));
  readonly folder: string = join(this.scratch, "project");
  readonly state: string = join(this.scratch, "state");
  /** Runs after each tool that changes files, as a hook of the person's own would. */
  formatter: (() => void) | null = null;
  /** Milliseconds by which the clock goes ahead of the machine's. */
  later = 0;
  readonly keeps: boolean;
  private readonly more: StageOptions["env"];
  private calls = 0;
  private readonly transcripts = new Map<string, Transcript>();

  constructor(
    readonly driver: Driver,
    files: Readonly<Record<string, string | Uint8Array>> = {},
    { git = false, keeps = false, env = {} }: StageOptions = {},
  ) {
    mkdirSync(this.folder);
    this.more = env;
    this.keeps = keeps;
    for (const [name, content] of Object.entries(files)) this.put(name, content);
    if (git) this.foreign("git init -q -b main . && git add -A && git commit -q -m first");
    onTestFinished(() => rmSync(this.scratch, { recursive: true, force: true }));
  }

  get env(): Record<string, string> {
    const home = join(this.scratch, "home");
    const own = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), KEDGE_STATE: this.state };
    return { PATH: process.env.PATH ?? "", ...own, ...this.more };
  }

  agent(conversation = "one", options: { readonly subagent?: string; readonly cwd?: string } = {}): Agent {
    return new Agent(this, { conversation, cwd: this.folder, ...options });
  }

  transcriptOf(who: Who): Transcript {
    const { conversation, subagent } = who;
    const name = subagent ? `${conversation}-${subagent}` : conversation;
    const known = this.transcripts.get(name);
    const kind = transcripts[this.driver.client];
    if (!known && !kind) throw new Error(`there are no transcripts of ${this.driver.client}`);
    const made = known ?? new (kind as NonNullable<typeof kind>)(this.scratch, who);
    this.transcripts.set(name, made);
    return made;
  }

  /** A plugin that is asked for what its model was sent sends the event again, with it. */
  async send(payload: Payload, who?: Who): Promise<string | null> {
    const transcript = who && this.keeps ? this.transcriptOf(who) : null;
    const whole = { ...payload, ...transcript?.fields };
    const keeps = transcript?.sent ? { keeps: true } : {};
    const answer = await this.sendText(JSON.stringify({ ...whole, ...keeps }));
    if (answer !== '{"recall":true}') return answer;
    return this.sendText(JSON.stringify({ ...whole, sent: transcript?.sent }));
  }

  async sendText(input: string): Promise<string | null> {
    const adapter = adapters[this.driver.client];
    if (!adapter) throw new Error(`there is no adapter for ${this.driver.client}`);
    const clock = () => Date.now() + this.later;
    return hook({ adapter, input, env: this.env, clock, patience: Number.POSITIVE_INFINITY });
  }

  /** As a client does, each call gets a name of its own. */
  named(payload: Payload): Payload {
    const name = `call-${++this.calls}`;
    const given = { tool_use_id: name, toolCallId: name };
    const top = Object.entries(given).filter(([field]) => field in payload);
    const { i } = payload;
    const inner = typeof i === "object" && i !== null && "callID" in i ? { i: { ...i, callID: name } } : {};
    return { ...payload, ...Object.fromEntries(top), ...inner };
  }

  path(name: string): string {
    return resolve(this.folder, name);
  }

  put(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** Somebody else's command, that no hook sees. */
  foreign(command: string): string {
    const { stdout, stderr, status } = shell(command, this.folder);
    if (status !== 0) throw new Error(`${command}: ${stderr}`);
    return stdout;
  }

  /** What the command line prints to the person. */
  async kedge(...argv: string[]): Promise<string> {
    let printed = "";
    const env = { ...this.env, KEDGE_SESSION: "person" };
    const write = (bytes: Uint8Array): void => {
      printed += new TextDecoder().decode(bytes);
    };
    const stream = makeStream({ env, write, isTerminal: false, columns: 80 });
    const common = { cwd: this.folder, doors: {}, program: "kedge", version: () => "0", exit: () => {} };
    await main({ ...common, argv, env, output: { out: stream, err: stream } });
    return printed;
  }

  /** Somebody else changes a line, by its text. */
  change(name: string, old: string, fresh: string): void {
    const text = this.text(name);
    if (text.split(old).length !== 2) throw new Error(`${old} does not stand once in ${name}`);
    this.put(
      name,
      text.replace(old, () => fresh),
    );
  }

  /** What the guard could not do, as it logged it. */
  log(): string {
    try {
      return readFileSync(join(this.state, "guard.log"), "utf8");
    } catch {
      return "";
    }
  }
}
