/** The files that commands moved: the guard of a machine finds a file again that an agent has seen at another path. */
import { basename, join, resolve } from "node:path";
import { movesIn } from "../commands.js";
import type { Call } from "../sessions/steps.js";

/** A file is not followed through more. */
const mostNames = 8;

interface Move {
  readonly from: string;
  readonly to: string;
}

export class Moves {
  private readonly moves: Move[] = [];

  note({ command, failure, cwd }: Call): void {
    if (command === null || failure !== null) return;
    for (const [from, to] of movesIn(command))
      this.moves.push({ from: resolve(cwd, from), to: resolve(cwd, to) });
  }

  /** The paths at which this file may have stood before, the last first. */
  namesBefore(path: string): string[] {
    const names = [path];
    // A folder takes what is moved there; else the name is a new one.
    for (const { from, to } of this.moves.toReversed())
      for (const name of names.slice(0, mostNames))
        for (const place of [join(to, basename(from)), to])
          if (name === place || name.startsWith(`${place}/`)) names.push(from + name.slice(place.length));
    return names.slice(1, mostNames);
  }
}
