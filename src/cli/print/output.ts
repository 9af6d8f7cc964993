import { fstatSync, writeSync } from "node:fs";
import { visible, visibleText } from "../../text/index.js";

export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly right?: boolean;
  /** The one that gives way when the terminal is narrow; else the last. */
  readonly shrinks?: "start" | "end";
  readonly colour?: (cell: string) => Colour | null;
}

const gap = 2;
const narrowest = 8;

/** Rows in columns that fit the stream; nothing is cut where nobody looks. */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  stream: Stream,
): string[] {
  const cells = rows.map((row) => row.map(visible));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((widest, row) => Math.max(widest, (row[at] ?? "").length), title.length),
  );
  if (stream.isTerminal) shrink(widths, columns, stream.columns);
  const heading = columns.map(({ title }) => title);
  const lines = [heading, ...cells].map((row, at) =>
    columns.map((column, place) =>
      cellText(row[place] ?? "", widths[place] as number, { column, stream, at }),
    ),
  );
  return lines.map((cells) => cells.join(" ".repeat(gap)).trimEnd());
}

function shrink(widths: number[], columns: readonly Column[], available: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);
  for (;;) {
    const excess = total() - available;
    if (excess <= 0) return;
    let widest = -1;
    for (const [at, { shrinks }] of columns.entries())
      if (shrinks && (widths[at] as number) > Math.max(narrowest, widths[widest] ?? 0)) widest = at;
    if (widest < 0) return;
    widths[widest] = (widths[widest] as number) - 1;
  }
}

interface Cell {
  readonly column: Column;
  readonly stream: Stream;
  readonly at: number;
}

function cellText(text: string, width: number, { column, stream, at }: Cell): string {
  const shown = text.length <= width ? text : cut(text, width, column.shrinks);
  const blanks = " ".repeat(width - shown.length);
  const colour = at === 0 ? "dim" : (column.colour?.(text) ?? null);
  const painted = colour ? stream.paint(colour, shown) : shown;
  return column.right ? blanks + painted : painted + blanks;
}

/** Cuts a path at its beginning and a sentence at its end: the rest tells more. */
function cut(text: string, width: number, shrinks: Column["shrinks"]): string {
  return shrinks === "start" ? `…${text.slice(text.length - width + 1)}` : `${text.slice(0, width - 1)}…`;
}

/** A number is one of the 256 colours of a terminal. */
export type Colour = NamedColour | number;
type NamedColour = "red" | "green" | "yellow" | "cyan" | "bold" | "dim";

const codes: Readonly<Record<NamedColour, readonly [number, number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  bold: [1, 22],
  dim: [2, 22],
};

/** stdout or stderr. */
export interface Stream {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** The text in a colour, if this stream shows any. */
  paint(colour: Colour, text: string): string;
  /** Text as it is; a line break is added if it has none at its end. */
  line(text: string): void;
  raw(text: string | Uint8Array): void;
}

/** stdout is data, stderr is talk. */
export interface Output {
  readonly out: Stream;
  readonly err: Stream;
}

/** Stands in our own colours until they are written, so that no text of a file can pass for one. */
const mark = String(Math.trunc(Math.random() * 1e15));
/** Control sequences of our own: colours, and going back in a line that is drawn again. */
const own = new RegExp(`^\r(?:\\x1b\\[K)?|\\x1b\\[${mark};((?:38;5;)?\\d+m)`, "g");

/** Other characters that a terminal would obey are shown instead: they come from a file, or from its name. */
function obeyed(text: string): string {
  let [shown, from] = ["", 0];
  for (const { 0: found, 1: colour, index } of text.matchAll(own)) {
    shown += visibleText(text.slice(from, index)) + (colour === undefined ? found : `\x1b[${colour}`);
    from = index + found.length;
  }
  return shown + visibleText(text.slice(from));
}

interface StreamSetup {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly write: (bytes: Uint8Array) => void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

export function makeStream({ env, write, isTerminal, columns }: StreamSetup): Stream {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0";
  const coloured = !env.NO_COLOR && env.TERM !== "dumb" && (isTerminal || forced);
  const raw = (text: string | Uint8Array): void =>
    write(typeof text === "string" ? new TextEncoder().encode(isTerminal ? obeyed(text) : text) : text);
  return {
    isTerminal,
    columns,
    paint(colour, text) {
      const [on, off] = typeof colour === "number" ? [`38;5;${colour}`, 39] : codes[colour];
      const begin = isTerminal ? `\x1b[${mark};` : "\x1b[";
      return coloured && text !== "" ? `${begin}${on}m${text}${begin}${off}m` : text;
    },
    raw,
    line: (text) => raw(text.endsWith("\n") ? text : `${text}\n`),
  };
}

/** Whether the reader of stdout has gone: then there is nothing left to say, and that is no error. */
export let isPipeBroken = false;

/**
 * Written at once, not through process.stdout: that costs milliseconds to set up, and loses what is not written yet
 * when a process ends early.
 */
function writeAll(fd: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE" || code === "EOF") {
        if (fd === 1) isPipeBroken = true;
        return;
      }
      if (code !== "EAGAIN") throw error;
      // A pipe that does not block and is full: its reader is slower than we are.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Loading node:tty brings the network with it, 5 ms: only for what can be a terminal at all. */
function isTerminal(fd: 1 | 2): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);
  } catch {
    return false;
  }
}

export function processOutput(env: Readonly<Record<string, string | undefined>>): Output {
  const stream = (fd: 1 | 2): Stream => {
    const shown = isTerminal(fd);
    const columns = shown ? terminalColumns(fd, env) : Number(env.COLUMNS) || 80;
    return makeStream({ env, isTerminal: shown, columns, write: (bytes) => writeAll(fd, bytes) });
  };
  return { out: stream(1), err: stream(2) };
}

function terminalColumns(fd: 1 | 2, env: Readonly<Record<string, string | undefined>>): number {
  const { columns } = fd === 1 ? process.stdout : process.stderr;
  return columns || Number(env.COLUMNS) || 80;
}
/** Words in lines of at most `width`; line breaks count as blanks. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
