/** What Node loads when it is first asked for, which takes as long as everything else a hook does with it. */

/** Milliseconds that only ever grow. `performance` would load ten modules. */
export function ticks(): number {
  // By number: taking an array apart takes as long as the call, until it is compiled.
  const time = process.hrtime();
  return time[0] * 1000 + time[1] / 1e6;
}

export function system(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

/** The user's own folder; where the environment names it, that is what the system would say. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return (process.platform !== "win32" && env.HOME) || system().homedir();
}
