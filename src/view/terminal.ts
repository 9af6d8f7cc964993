/** `kedge watch` in a window: drawn anew when something changes, and gone without a trace when it ends. */
import { visible } from "../text/index.js";
import type { ActionAnswer, ViewEvent, ViewMessage, ViewState } from "./contract.js";
import type { Feed } from "./feed.js";
import { screenOf } from "./screen.js";
import type { ViewActions, ViewSource } from "./server.js";
import { counted } from "./words.js";

/** The window, as far as the screen needs one. */
export interface Window {
  readonly hasColour: boolean;
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Calls back with each key, until the returned function is called. */
  keys(pressed: (key: string) => void): () => void;
  resized(changed: () => void): () => void;
}

const eventsKept = 200;
const noticeFor = 6000;
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

interface Watched {
  readonly feed: Feed;
  readonly source: ViewSource;
  readonly actions: ViewActions | null;
}

/** Shows the tree until `q`, Ctrl-C or the signal. */
export async function watchWindow(watched: Watched, window: Window, ended: Promise<void>): Promise<void> {
  const screen = new Screen(watched, window);
  window.write(enter);
  try {
    await screen.show(ended);
  } finally {
    window.write(leave);
  }
}

class Screen {
  private state: ViewState | null = null;
  private events: readonly ViewEvent[] = [];
  private isPaused = false;
  /** Stands in the last line: a question, or what an action did. */
  private notice: string | null = null;
  private answer: ((isYes: boolean) => void) | null = null;
  private drawn: readonly string[] = [];

  constructor(
    private readonly watched: Watched,
    private readonly window: Window,
  ) {}

  async show(ended: Promise<void>): Promise<void> {
    const { feed, source } = this.watched;
    this.events = (await source.history(null, eventsKept)).events;
    const timer = setInterval(() => this.draw(), 1000);
    const stops = [feed.listen((message) => this.hear(message)), this.window.resized(() => this.redraw())];
    await new Promise<void>((quit) => {
      void ended.then(quit);
      stops.push(this.window.keys((key) => this.press(key, quit)));
    });
    clearInterval(timer);
    for (const stop of stops) stop();
  }

  private hear(message: ViewMessage): void {
    if (message.type === "event") this.events = [message.event, ...this.events].slice(0, eventsKept);
    else this.state = message.state;
    this.draw();
  }

  private press(key: string, quit: () => void): void {
    if (key === "\u0003" || (key === "q" && !this.answer)) quit();
    else if (this.answer) {
      const { answer } = this;
      this.answer = null;
      this.notice = null;
      answer(key === "y" || key === "Y");
    } else if (key === "r") void this.restore();
    else if (key === "p") this.isPaused = !this.isPaused;
    this.redraw();
  }

  /** Asks once, after a dry run has told what it would write. */
  private async restore(): Promise<void> {
    const { actions } = this.watched;
    const ids = (this.state?.lost ?? []).filter(({ kept }) => kept).map(({ id }) => id);
    if (!actions || ids.length === 0)
      return this.say(actions ? "Nothing is lost." : "The files are not on this machine.");
    const preview = await actions.restore({ ids, dryRun: true }).catch(failedAnswer);
    if (!preview.ok) return this.say(preview.text);
    this.notice = `Restore ${counted(ids.length, "edit")}? Writes ${preview.paths.map(visible).join(", ")}. y/n`;
    this.redraw();
    if (!(await new Promise<boolean>((answer) => (this.answer = answer))))
      return this.say("Nothing was written.");
    const { text } = await actions.restore({ ids, dryRun: false }).catch(failedAnswer);
    this.say(text);
  }

  private say(text: string): void {
    const notice = visible(text.split("\n")[0] ?? "");
    this.notice = notice;
    this.redraw();
    setTimeout(() => {
      if (this.notice === notice) this.notice = null;
      this.redraw();
    }, noticeFor).unref();
  }

  private redraw(): void {
    this.drawn = [];
    this.draw();
  }

  /** Writes only the lines that differ from those on the screen, so nothing flickers. */
  private draw(): void {
    if (this.isPaused && this.drawn.length > 0) return;
    const { columns, rows } = this.window.size();
    const { hasColour } = this.window;
    const lines = this.state
      ? screenOf(this.state, this.events, { columns, rows, hasColour, now: Date.now() })
      : ["Looking at the tree…"];
    const last = this.notice ?? (this.isPaused ? "paused; p goes on" : null);
    if (last !== null) lines[rows - 1] = `${hasColour ? "\u001b[7m" : ""}${last.slice(0, columns)}\u001b[0m`;
    const before = this.drawn;
    const clear = before.length === 0 ? "\u001b[2J" : "";
    const changed = Array.from({ length: rows }, (_, at) => {
      const line = lines[at] ?? "";
      return line === before[at] ? "" : `\u001b[${at + 1};1H\u001b[2K${line}`;
    });
    this.window.write(clear + changed.join(""));
    this.drawn = Array.from({ length: rows }, (_, at) => lines[at] ?? "");
  }
}

function failedAnswer(error: unknown): ActionAnswer {
  return { ok: false, text: error instanceof Error ? error.message : String(error), diff: "", paths: [] };
}
