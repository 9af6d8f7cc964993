/** One scenario's stage: a place, a scripted model, and the client that is started in the one with the other. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { pathFor } from "./builds.js";
import type { Compaction, Driver, Lines } from "./driver.js";
import type { Call, Question } from "./model/protocol.js";
import { type Conversation, ScriptedModel } from "./model/server.js";
import { Place } from "./place.js";

/**
 * The model's side of one conversation. A call gives what the model received after it, word for word: the result and all
 * that came with it. Paths are relative to the project.
 */
export interface Agent {
  read(path: string, lines?: Lines): Promise<string>;
  edit(path: string, oldText: string, newText: string): Promise<string>;
  write(path: string, content: string): Promise<string>;
  shell(command: string): Promise<string>;
  /** Any tool, in the client's own words. */
  use(call: Call): Promise<string>;
  /** A subagent of this one. */
  delegate(script: (agent: Agent) => Promise<void>): Promise<string>;
  compact(): Promise<void>;
  /** Plays a part of the conversation, and takes it back. */
  rewind(script: () => Promise<void>): Promise<void>;
}

/** Whether the guard is there: installed for the user or the project, or brought as a plugin. */
export type Guard = "none" | "user" | "project" | "plugin";

export interface Setting {
  readonly driver: Driver;
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly guard: Guard;
  /** After the client's own configuration was written, before the guard is installed. */
  prepare?(place: Place): void;
}

/** A client that takes longer than this hangs. */
const patience = 180_000;

export class Stage {
  readonly place: Place;
  private marks = 0;

  private constructor(
    private readonly setting: Setting,
    readonly model: ScriptedModel,
  ) {
    this.place = new Place(setting.files);
  }

  static async open(setting: Setting): Promise<Stage> {
    const isSide = (question: Question) => setting.driver.isSide?.(question) ?? false;
    const stage = new Stage(setting, await ScriptedModel.start(isSide));
    try {
      stage.prepare();
      return stage;
    } catch (error) {
      stage.close();
      throw error;
    }
  }

  private prepare(): void {
    const { guard, driver, program, prepare } = this.setting;
    driver.configure(this.place, this.model.url);
    prepare?.(this.place);
    if (guard === "user" || guard === "project") this.place.kedge("install", driver.client, "--scope", guard);
    if (guard === "plugin") {
      const { project: cwd, env } = this.place;
      const options = { cwd, env: { ...env, PATH: pathFor(program, env.PATH) }, stdio: "pipe" } as const;
      driver.plugin?.(this.place, (...args) => execFileSync(program, args, options));
    }
  }

  close(): void {
    this.model.stop();
    this.place.remove();
  }

  /** Starts a client and plays its model until the script ends and the client has gone. */
  async play<Result>(script: (agent: Agent) => Promise<Result>): Promise<Result> {
    const mark = this.mark();
    const conversation = this.model.conversation(mark);
    const run = new Run(this.setting, this, conversation);
    try {
      run.start(`Do the work of ${mark}.`, false);
      await conversation.next();
      const result = await script(new Actor(this, run, conversation));
      conversation.end("done");
      await run.end();
      return result;
    } catch (error) {
      run.stop();
      throw error;
    }
  }

  mark(): string {
    this.marks += 1;
    return `task-${this.marks}-of-the-script`;
  }

  get isGuarded(): boolean {
    return this.setting.guard !== "none";
  }

  get driver(): Driver {
    return this.setting.driver;
  }
}

/** The client's process, or one after the other where a conversation is resumed. */
class Run {
  private child: ChildProcess | null = null;
  private exit: Promise<void> = Promise.resolve();
  private output = "";
  private isPause = false;
  private readonly conversations: Conversation[] = [];

  constructor(
    private readonly setting: Setting,
    private readonly stage: Stage,
    private readonly conversation: Conversation,
  ) {
    this.holds(conversation);
  }

  /** A conversation that ends with the process. */
  holds(conversation: Conversation): void {
    this.conversations.push(conversation);
  }

  start(prompt: string, resumes: boolean, point: readonly string[] = []): void {
    const { driver, program } = this.setting;
    const { place, model } = this.stage;
    const { args, env } = driver.command(prompt, { place, url: model.url, resumes });
    const proxy = { HTTP_PROXY: model.url, HTTPS_PROXY: model.url, NO_PROXY: "127.0.0.1,localhost" };
    const child = spawn(program, [...args, ...point], {
      cwd: place.project,
      env: { ...place.env, PATH: pathFor(program, place.env.PATH), ...proxy, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    const hear = (piece: Buffer) => {
      this.output += piece.toString("utf8");
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    const timer = setTimeout(() => child.kill("SIGKILL"), patience);
    this.exit = new Promise((resolve) => {
      const gone = (why: string) => {
        clearTimeout(timer);
        this.child = null;
        const said = `${driver.title} ended early (${why}) and said:\n${this.output.slice(-3000)}`;
        if (!this.isPause) for (const one of this.conversations) one.fail(new Error(said));
        resolve();
      };
      child.on("error", (error) => gone(error.message));
      child.on("close", (code, signal) => gone(`${code ?? signal}`));
    });
  }

  /** Ends this process, has the client compact, and goes on with the conversation. */
  async pause(way: Compaction): Promise<void> {
    this.isPause = true;
    this.conversation.say({ text: "paused", ...("tokens" in way ? { tokens: way.tokens } : {}) });
    await this.exit;
    if (way.by === "prompt") {
      this.start(way.prompt, true);
      await this.exit;
    }
    this.isPause = false;
    this.start("Go on.", true);
  }

  /** Ends this process, and goes on with the conversation: all of it, or from a point in it. */
  async goOn(point?: readonly string[]): Promise<void> {
    this.isPause = true;
    this.conversation.say({ text: "paused" });
    await this.exit;
    this.isPause = false;
    this.start("Go on.", point === undefined, point);
  }

  end(): Promise<void> {
    return this.exit;
  }

  stop(): void {
    this.child?.kill("SIGKILL");
  }
}

class Actor implements Agent {
  constructor(
    private readonly stage: Stage,
    private readonly run: Run,
    private readonly conversation: Conversation,
  ) {}

  read = (path: string, lines?: Lines) => this.call(this.calls.read(this.at(path), lines));
  edit = (path: string, oldText: string, newText: string) =>
    this.call(this.calls.edit(this.at(path), oldText, newText));
  write = (path: string, content: string) => this.call(this.calls.write(this.at(path), content));
  shell = (command: string) => this.call(this.calls.shell(command));
  use = (call: Call) => this.call(call);

  async delegate(script: (agent: Agent) => Promise<void>): Promise<string> {
    const mark = this.stage.mark();
    const child = this.stage.model.conversation(mark);
    if (!this.calls.delegate) throw new Error(`${this.stage.driver.title} has no subagents that are driven`);
    this.run.holds(child);
    const finished = this.call(this.calls.delegate(`Do the part of ${mark}.`));
    const early = finished.then((received) => {
      throw new Error(`the subagent asked nothing:\n${received}`);
    });
    await Promise.race([child.next(), early]);
    await script(new Actor(this.stage, this.run, child));
    child.end("the part is done");
    return finished;
  }

  async compact(): Promise<void> {
    const { compaction, title } = this.stage.driver;
    if (!compaction) throw new Error(`${title} cannot be brought to compact`);
    if (compaction.by === "tokens") {
      this.conversation.say({ calls: [this.calls.shell("true")], tokens: compaction.tokens });
    } else {
      await this.run.pause(compaction);
    }
    await this.conversation.next();
  }

  async rewind(script: () => Promise<void>): Promise<void> {
    const { driver, place } = this.stage;
    await this.run.goOn();
    await this.conversation.next();
    const point = driver.pointOf?.(place);
    if (!point) throw new Error(`a conversation of ${driver.title} cannot be taken back`);
    await script();
    await this.run.goOn(point);
    await this.conversation.next();
  }

  private async call(call: Call): Promise<string> {
    this.conversation.say({ calls: [call] });
    return (await this.conversation.next()).received;
  }

  private at(path: string): string {
    return this.stage.place.path(path);
  }

  private get calls() {
    return this.stage.driver.calls;
  }
}
