import type { Args } from "./args.js";
import type { Interrupt } from "./interrupt.js";
import type { Output } from "./print/output.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command gets to work with. Nothing else of the process is touched by commands. */
export interface Context {
  readonly args: Args;
  readonly output: Output;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupt: Interrupt;
  readonly doors: Doors;
  /** The program itself, for starting it again. */
  readonly program: string;
  readonly version: () => string;
}

/** A command, or a door, answers with its exit status. */
export type Run = (context: Context) => Promise<number>;

/** Commands that live outside this folder, and are joined to it by the program. Those not built yet are not there. */
export type Doors = Readonly<Record<string, () => Promise<{ readonly run: Run }>>>;
