/** Lines that a client's own tool for reading cuts: some other call has to show them. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Door, Range } from "../core/index.js";
import type { Adapter } from "./event.js";
import { sedCommand } from "./fields.js";

interface LongLine {
  readonly line: number;
  /** In bytes. */
  readonly size: number;
}

/** The client's door, which names a call that can work. */
export function doorFor({ door, cuts }: Pick<Adapter, "door" | "cuts">, cwd: string): Door {
  if (!cuts) return door;
  return {
    ...door,
    read(path, ranges) {
      const long = longLines(resolve(cwd, path), cuts.longest, ranges);
      const huge = long.find(({ size }) => size > cuts.printed);
      if (huge && ranges)
        return `call ${cuts.quoting} with a quote of what is to change: line ${huge.line} is too long to be shown whole`;
      const shown = printable(long, cuts.printed).map(({ line }) => ({ start: line, end: line }));
      if (shown.length === 0) return door.read(path, ranges);
      const run = `run \`${sedCommand(path, shown)}\``;
      return ranges ? run : `${door.read(path)}, and ${run}`;
    },
  };
}

/** As many of them as one command shows. */
function printable(long: readonly LongLine[], most: number): LongLine[] {
  let room = most;
  return long.filter(({ size }) => {
    const fits = size < room;
    if (fits) room -= size + 1;
    return fits;
  });
}

function longLines(path: string, longest: number, ranges: readonly Range[] | undefined): LongLine[] {
  const isAsked = (line: number): boolean =>
    !ranges || ranges.some(({ start, end }) => line >= start && line <= end);
  return textOf(path)
    .split("\n")
    .map((text, at) => ({ line: at + 1, size: text.length > longest ? Buffer.byteLength(text) : 0 }))
    .filter(({ line, size }) => size > 0 && isAsked(line));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
