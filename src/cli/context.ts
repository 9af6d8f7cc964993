import type { Args } from "./args.js";
import type { Interrupt } from "./interrupt.js";
import type { Output } from "./print/output.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything of the process that a command may use. */
export interface Context {
  readonly args: Args;
  readonly output: Output;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupt: Interrupt;
  readonly doors: Doors;
  /** Work that is done when the answer is printed. */
  readonly afterwards: (() => Promise<void>)[];
  /** The program itself, for starting it again. */
  readonly program: string;
  readonly version: () => string;
}

/** A command, or a door, answers with its exit status. */
export type Run = (context: Context) => Promise<number>;

/** Commands outside this folder, which the program adds. A command that is not built yet is absent. */
export type Doors = Readonly<Record<string, () => Promise<{ readonly run: Run }>>>;
