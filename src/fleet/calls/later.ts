/** The ends of calls whose files were written, and which the store could not be told of: kept until it can. */
import {
  type Io,
  ifThere,
  newToken,
  openStateFile,
  type Platform,
  readFile,
  reason,
  remove,
  withFile,
  writeAll,
} from "../../host/index.js";

interface LaterOptions {
  readonly io: Io;
  readonly platform: Platform;
  readonly clock: () => number;
  readonly report: (line: string) => void;
  /** In the state folder, one for each tree. */
  readonly folder: string;
}

const ending = ".json";

/** One file for each of them. */
export class Later {
  private isSending = false;

  constructor(private readonly options: LaterOptions) {}

  keep(call: readonly unknown[]): void {
    const { io, platform, clock, folder } = this.options;
    const path = platform.path.join(folder, `${newToken(clock)}${ending}`);
    const fd = openStateFile(io, platform, `${path}.tmp`);
    withFile(io, fd, () => {
      writeAll(io, fd, new TextEncoder().encode(JSON.stringify(call)));
      io.fsync(fd);
    });
    io.rename(`${path}.tmp`, path);
  }

  count(): number {
    return this.names().length;
  }

  private names(): string[] {
    const { io, folder } = this.options;
    const names = (ifThere(() => io.readdir(folder)) ?? []).map(({ name }) => name);
    return names.filter((one) => one.endsWith(ending)).sort();
  }

  /** Tells the store now. Two processes that do it at once tell it twice, which counts once. */
  async send(tell: (call: readonly unknown[]) => Promise<void>): Promise<void> {
    const { io, platform, folder, report } = this.options;
    if (this.isSending || !io.isThere(folder)) return;
    this.isSending = true;
    try {
      for (const name of this.names()) {
        const path = platform.path.join(folder, name);
        const bytes = ifThere(() => readFile(io, path));
        if (!bytes) continue;
        await tell(JSON.parse(new TextDecoder().decode(bytes)) as readonly unknown[]);
        remove(io, path);
      }
    } catch (error) {
      report(`what the store was not told yet stays on this host: ${reason(error)}`);
    } finally {
      this.isSending = false;
    }
  }
}
