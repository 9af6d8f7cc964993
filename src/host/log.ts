import { flags, type Io, ifThere, nodeIo, withFile } from "./io.js";
import { type Platform, thisPlatform } from "./platform.js";
import { openStateFile } from "./state-folder.js";

export interface LogOptions {
  /** The state folder. */
  readonly state: string;
  readonly clock: () => number;
  readonly io?: Io;
  readonly platform?: Platform;
}

const rotateAt = 1024 * 1024;

/** A line in `guard.log` of the state folder; what does not fit any more goes to `guard.log.old`. Never fails. */
export function appendLog(line: string, options: LogOptions): void {
  const { state, clock, io = nodeIo, platform = thisPlatform } = options;
  const path = platform.path.join(state, "guard.log");
  try {
    if (Number(ifThere(() => io.lstat(path))?.size ?? 0) > rotateAt) io.rename(path, `${path}.old`);
    const fd = openStateFile(io, platform, path, flags.append);
    const text = `${new Date(clock()).toISOString()} ${line.replaceAll("\n", " ")}\n`;
    withFile(io, fd, () => io.write(fd, new TextEncoder().encode(text), null));
  } catch {
    // There is nowhere left to say it.
  }
}
