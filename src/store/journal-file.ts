import {
  errorCode,
  flags,
  ifThere,
  newToken,
  openStateFile,
  readAll,
  readFile,
  reason,
  stateFailure,
  withChecksum,
  withFile,
  withoutChecksum,
} from "../host/index.js";
import { isAskedFor, type JournalEntry, type JournalNews, type JournalQuery } from "../ports/index.js";
import { makeWay, repairing } from "./put-aside.js";
import type { StoreContext } from "./replace-file.js";

const rotateAt = 4 * 1024 * 1024;
const newline = 10;

/**
 * One line an entry, only ever appended to, each with a single call: lines of several processes do not mix. A line that
 * was cut off by a crash is skipped by readers, and ended by the next writer.
 */
export class Journal {
  private readonly path: string;

  constructor(
    private readonly context: StoreContext,
    private readonly limit = rotateAt,
  ) {
    this.path = context.platform.path.join(context.folder, "journal.jsonl");
  }

  append(entries: readonly JournalEntry[]): void {
    const { io, platform } = this.context;
    const line = entries.map((entry) => `${withChecksum(entry)}\n`).join("");
    try {
      this.rotate();
      const fd = repairing(this.context, this.path, () =>
        openStateFile(io, platform, this.path, flags.append),
      );
      withFile(io, fd, () => {
        const bytes = new TextEncoder().encode(this.isTorn(fd) ? `\n${line}` : line);
        // Not repeated for what is left: another process may have appended in between.
        if (io.write(fd, bytes, null) === bytes.length) return;
        throw Object.assign(new Error("short write"), { code: "ENOSPC" });
      });
    } catch (error) {
      throw stateFailure(`append to ${this.path}`, this.context.state, error);
    }
  }

  /** Oldest first. */
  read(query: JournalQuery = {}): JournalEntry[] {
    const found = this.matching(query);
    return query.last === undefined ? found : found.slice(Math.max(0, found.length - query.last));
  }

  /** Entries since a mark, which counts entries. */
  since(mark: string | null): JournalNews {
    const all = this.matching({});
    return { entries: mark === null ? [] : all.slice(Number(mark)), mark: String(all.length) };
  }

  private matching(filter: JournalQuery): JournalEntry[] {
    const { report } = this.context;
    const entries: JournalEntry[] = [];
    let skipped = 0;
    for (const text of this.texts(filter.since ?? 0)) {
      for (const line of text.split("\n")) {
        if (line === "") continue;
        const entry = parse(line);
        if (entry === null) skipped += 1;
        else if (isAskedFor(entry, filter)) entries.push(entry);
      }
    }
    if (skipped > 0)
      report(`${this.path}: ${skipped} damaged ${skipped === 1 ? "line was" : "lines were"} skipped`);
    return entries;
  }

  /** Lines that nobody can read. One that is still being written has no end yet. */
  damaged(): number {
    let count = 0;
    for (const text of this.texts(0))
      count += text.split("\n").filter((line, at, all) => {
        return line !== "" && at < all.length - 1 && parse(line) === null;
      }).length;
    return count;
  }

  private *texts(since: number): Generator<string> {
    const { io, platform, folder } = this.context;
    const decoder = new TextDecoder();
    // The newest first: if it is rotated meanwhile, it turns up again under its new name, and is known by its number.
    const current = this.readable(this.path, () => this.readCurrent());
    const names = (this.readable(folder, () => io.readdir(folder)) ?? []).map(({ name }) => name);
    for (const name of names.sort()) {
      const rotated = /^journal-(\d+)-.*\.jsonl$/.exec(name);
      if (rotated === null || Number(rotated[1]) < since) continue;
      const path = platform.path.join(folder, name);
      const bytes = this.readable(path, () =>
        io.lstat(path).ino === current?.ino ? null : readFile(io, path),
      );
      if (bytes !== null) yield decoder.decode(bytes);
    }
    if (current !== null) yield decoder.decode(current.bytes);
  }

  /** One file that cannot be read does not hide the others. */
  private readable<T>(path: string, read: () => T): T | null {
    try {
      return ifThere(read);
    } catch (error) {
      if (!makeWay(this.context, path)) this.context.report(`${path} cannot be read: ${reason(error)}`);
      return null;
    }
  }

  private readCurrent(): { bytes: Uint8Array; ino: bigint } | null {
    const { io } = this.context;
    const fd = ifThere(() => io.open(this.path, flags.read));
    if (fd === null) return null;
    return withFile(io, fd, () => {
      const bytes = readAll(io, fd, Number.MAX_SAFE_INTEGER) ?? new Uint8Array(0);
      return { bytes, ino: io.fstat(fd).ino };
    });
  }

  private isTorn(fd: number): boolean {
    const { io } = this.context;
    const size = Number(io.fstat(fd).size);
    const last = new Uint8Array(1);
    return size > 0 && io.read(fd, last, size - 1) === 1 && last[0] !== newline;
  }

  /** Two that rotate at once make one short file more, which is read like the others. */
  private rotate(): void {
    const { io, platform, folder, clock, report } = this.context;
    const stat = ifThere(() => io.lstat(this.path));
    if (stat === null || Number(stat.size) < this.limit) return;
    const time = String(clock()).padStart(15, "0");
    try {
      io.rename(this.path, platform.path.join(folder, `journal-${time}-${newToken(clock)}.jsonl`));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") report(`${this.path} cannot be rotated: ${reason(error)}`);
    }
  }
}

function parse(line: string): JournalEntry | null {
  try {
    const entry = withoutChecksum(line);
    return isEntry(entry) ? entry : null;
  } catch {
    return null;
  }
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === "string";

/** What everybody relies on who reads an entry. */
function isEntry(value: unknown): value is JournalEntry {
  if (typeof value !== "object" || value === null) return false;
  const { id, time, agent, tool, kind, path, file, before, after, lines } = value as JournalEntry;
  const isNamed = isText(id) && isText(agent) && isText(tool) && isText(path) && isText(file);
  const isWhole = isNamed && typeof time === "number" && isText(kind) && Array.isArray(lines);
  return isWhole && isTextOrNull(before) && isTextOrNull(after);
}
