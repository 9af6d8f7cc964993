/**
 * A log of lines in files of some size each, only ever appended to, and found by keys. A line tells its keys in a head, so that
 * looking for one parses no other. A segment that is full gets an index; it is made of the segment, and made again
 * where it is missing, damaged, or older than the last line.
 */
import {
  flags,
  ifThere,
  isMissing,
  openStateFile,
  reason,
  withChecksum,
  withFile,
} from "../../host/index.js";
import { stampOf } from "./file-stamp.js";
import { lineFeed, namesIn } from "./line-file.js";
import { makeWay, repairing } from "./put-aside.js";
import { replaceFile, type StoreContext } from "./replace-file.js";
import { GrowingIndex, headOf, type SegmentIndex, WrittenIndex } from "./segment-index.js";

/** A line to be appended. */
export interface NewLine {
  readonly time: number;
  readonly keys: readonly string[];
  readonly value: object;
}

const mostIndexes = 256;
/** This many lines of one segment are read by themselves; more with all that is between them. */
const readAlone = 8;

export class Segments {
  private readonly folder: string;
  private readonly growing = new Map<number, { readonly ino: bigint; readonly index: GrowingIndex }>();
  private readonly written = new Map<number, WrittenIndex>();
  private newest = 0;

  constructor(
    private readonly context: StoreContext,
    name: string,
    private readonly limit: number,
  ) {
    this.folder = context.platform.path.join(context.folder, name);
  }

  /** The numbers of the segments, oldest first. */
  numbers(): number[] {
    const found = namesIn(this.context, this.folder).flatMap((name) => {
      const number = /^(\d+)\.log$/.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    });
    found.sort((one, two) => one - two);
    this.newest = found.at(-1) ?? this.newest;
    return found;
  }

  /** The segment that is written to: another one, once it is full. */
  current(): number {
    const { io } = this.context;
    if (
      this.newest === 0 ||
      !io.isThere(this.pathOf(this.newest)) ||
      io.isThere(this.pathOf(this.newest + 1))
    )
      this.newest = Math.max(1, this.numbers().at(-1) ?? 1);
    if (this.sizeOf(this.newest) < this.limit) return this.newest;
    this.newest += 1;
    return this.newest;
  }

  /** Appends lines with a single call: those of several processes do not mix. */
  append(lines: readonly NewLine[], segment = this.current()): void {
    const { io, platform } = this.context;
    const path = this.pathOf(segment);
    const text = lines
      .map(({ time, keys, value }) => {
        const at = headOf({ time, hashes: [...new Set(keys.map(hashOf))] });
        return `${withChecksum({ at, ...value })}\n`;
      })
      .join("");
    const isNew = !io.isThere(path);
    const fd = repairing(this.context, path, () => openStateFile(io, platform, path, flags.append));
    withFile(io, fd, () => {
      const before = stampOf(io, fd);
      const bytes = Buffer.from(this.isTorn(fd, before.size) ? `\n${text}` : text);
      // Not repeated for what is left: another process may have appended in between.
      if (io.write(fd, bytes, null) !== bytes.length)
        throw Object.assign(new Error("short write"), { code: "ENOSPC" });
      const known = this.growing.get(segment);
      if (known?.ino !== before.ino || known.index.size !== before.size) return;
      if (stampOf(io, fd).size === before.size + bytes.length) known.index.add(bytes);
    });
    if (isNew && segment > 1) this.index(segment - 1);
  }

  /** null: there is no such segment, or it cannot be read. */
  index(segment: number): SegmentIndex | null {
    const path = this.pathOf(segment);
    const stat = this.quietly(path, () => this.context.io.lstat(path));
    if (!stat?.isFile()) {
      if (stat) makeWay(this.context, path);
      return null;
    }
    const size = Number(stat.size);
    if (segment < this.newest || segment < this.latest()) return this.full(segment, size);
    const known = this.growing.get(segment);
    const isSame = known !== undefined && known.ino === stat.ino && known.index.size <= size;
    const index = isSame ? known.index : new GrowingIndex();
    if (index.size < size) this.grow(path, index);
    this.growing.clear();
    this.growing.set(segment, { ino: stat.ino, index });
    return index;
  }

  /** The texts of some lines of a segment, in that order. */
  lines(segment: number, lines: readonly number[], index: SegmentIndex): string[] {
    if (lines.length === 0) return [];
    const path = this.pathOf(segment);
    const found = this.quietly(path, () => {
      const fd = this.context.io.open(path, flags.read);
      return withFile(this.context.io, fd, () => {
        if (lines.length <= readAlone)
          return lines.map((line) => this.span(fd, index.start(line), index.end(line)).toString());
        const start = Math.min(...[lines[0], lines.at(-1)].map((line) => index.start(line as number)));
        const end = Math.max(...[lines[0], lines.at(-1)].map((line) => index.end(line as number)));
        const bytes = this.span(fd, start, end);
        return lines.map((line) =>
          bytes.toString("utf8", index.start(line) - start, index.end(line) - start),
        );
      });
    });
    return found ?? [];
  }

  private latest(): number {
    const next = this.pathOf(this.newest + 1);
    const isOther = this.newest === 0 || this.quietly(next, () => this.context.io.isThere(next));
    if (isOther) this.newest = this.numbers().at(-1) ?? 0;
    return this.newest;
  }

  private full(segment: number, size: number): SegmentIndex {
    const known = this.written.get(segment);
    if (known?.size === size) return known;
    const path = this.indexOf(segment);
    const bytes = this.context.io.isThere(path)
      ? this.quietly(path, () => {
          const fd = this.context.io.open(path, flags.read);
          return withFile(this.context.io, fd, () =>
            this.span(fd, 0, Number(this.context.io.fstat(fd).size)),
          );
        })
      : null;
    const written = bytes && WrittenIndex.of(bytes, size);
    if (written) {
      if (this.written.size >= mostIndexes) this.written.clear();
      this.written.set(segment, written);
      return written;
    }
    const index = new GrowingIndex();
    this.grow(this.pathOf(segment), index);
    // A last line that is cut off is covered by nothing: such an index is made again each time, until a line follows.
    if (index.size === size) this.quietly(path, () => replaceFile(this.context, path, index.encoded()));
    return index;
  }

  private grow(path: string, index: GrowingIndex): void {
    const { io } = this.context;
    this.quietly(path, () => {
      const fd = io.open(path, flags.read);
      withFile(io, fd, () => index.add(this.span(fd, index.size, Number(io.fstat(fd).size))));
    });
  }

  private span(fd: number, start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Math.max(0, end - start));
    let filled = 0;
    while (filled < bytes.length) {
      const count = this.context.io.read(fd, bytes.subarray(filled), start + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  private sizeOf(segment: number): number {
    return Number(ifThere(() => this.context.io.lstat(this.pathOf(segment)))?.size ?? 0);
  }

  private isTorn(fd: number, size: number): boolean {
    const last = new Uint8Array(1);
    return size > 0 && this.context.io.read(fd, last, size - 1) === 1 && last[0] !== lineFeed;
  }

  /** One file that cannot be read does not hide the others. */
  private quietly<T>(path: string, run: () => T): T | null {
    try {
      return run();
    } catch (error) {
      if (isMissing(error)) return null;
      if (!makeWay(this.context, path)) this.context.report(`${path} cannot be used: ${reason(error)}`);
      return null;
    }
  }

  pathOf(segment: number): string {
    return this.context.platform.path.join(this.folder, `${String(segment).padStart(6, "0")}.log`);
  }

  private indexOf(segment: number): string {
    return this.context.platform.path.join(this.folder, `${String(segment).padStart(6, "0")}.index`);
  }
}

/** Not cryptographic: what is found by it is compared with what was asked for. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5 ^ key.length;
  for (let at = 0; at < key.length; at++) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
