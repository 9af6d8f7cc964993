import { reason, stateFailure, withoutChecksum } from "../host/index.js";
import type { NewVersion } from "../ports/index.js";
import { difference, merged } from "./lines/difference.js";
import type { StoreContext } from "./lines/replace-file.js";
import type { SegmentIndex } from "./lines/segment-index.js";
import { hashOf, Segments } from "./lines/segments.js";

/** Zlib streams. In a hurry, what is short stands in one as it is: loading zlib takes a sixth of Node's start. */
const longestStored = 16 * 1024;
const head = [0x78, 0x01, 0x01] as const;
/** Stream and block, then the length twice, once inverted; the checksum is at the end. */
const before = 7;
const behind = 4;

export function pack(bytes: Uint8Array, isHurried: boolean): Uint8Array {
  const { length } = bytes;
  if (!isHurried || length > longestStored) {
    return zlib().deflateSync(bytes, { level: 1 });
  }
  const packed = new Uint8Array(before + length + behind);
  packed.set(head);
  packed.set([length & 255, length >> 8, ~length & 255, (~length >> 8) & 255], head.length);
  packed.set(bytes, before);
  new DataView(packed.buffer).setUint32(before + length, adler32(bytes));
  return packed;
}

/** Throws if it is damaged. */
export function unpack(packed: Uint8Array): Uint8Array {
  const length = packed.length - before - behind;
  if (length >= 0 && length <= longestStored && head.every((byte, at) => packed[at] === byte)) {
    const bytes = packed.subarray(before, before + length);
    const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
    const isWhole = view.getUint16(3, true) === length && view.getUint16(5, true) === (~length & 0xffff);
    if (isWhole && view.getUint32(before + length) === adler32(bytes)) return bytes;
  }
  return zlib().inflateSync(packed);
}

/** Loaded when it is first asked for; an `import` would, once bundled, copy the whole module every time. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

function adler32(bytes: Uint8Array): number {
  let [one, two] = [1, 0];
  for (let start = 0; start < bytes.length; start += 4096) {
    const end = Math.min(bytes.length, start + 4096);
    for (let at = start; at < end; at++) {
      one += bytes[at] as number;
      two += one;
    }
    one %= 65521;
    two %= 65521;
  }
  return ((two << 16) | one) >>> 0;
}

const versionsSize = 4 * 1024 * 1024;
/** A text is told by at most so many others, one after the other. */
const longestChain = 64;
/** Texts that were read or written last, so that the next one is told by them at once. */
const mostRecent = 8;
const recentBytes = 32 * 1024 * 1024;

/** A line: a whole text, or a difference to another one in the same segment. */
interface VersionLine {
  readonly id: string;
  readonly base?: string;
  /** How many texts it takes besides this one. */
  readonly depth: number;
  /** Packed, in base64. */
  readonly data: string;
}

/** A version that is to be written. */
interface Placed {
  readonly segment: number;
  readonly line: VersionLine;
  readonly bytes: Uint8Array;
}

/** The versions of one segment, by how many texts each takes besides; null: it is not there. */
type Depths = (id: string) => number | null;

/** The versions placed so far, and the segments that were opened for them. */
interface Writing {
  readonly made: ReadonlyMap<string, Placed>;
  readonly depths: Map<number, Depths>;
}

const keyOf = (id: string): string => `version ${id}`;

/**
 * Versions by content. Most are told by the text before them; a segment needs no other, so whatever is pruned takes
 * nothing else along.
 */
export class Versions {
  private readonly segments: Segments;
  private readonly recent = new Map<string, Uint8Array>();
  private recentSize = 0;
  /** The version that was written last: mostly the next one is told by it. */
  private last: Omit<Placed, "bytes"> | null = null;

  constructor(
    private readonly context: StoreContext,
    private readonly brief: boolean,
    most: number = versionsSize,
  ) {
    this.segments = new Segments(context, "versions", Math.min(most, versionsSize));
  }

  get(ids: readonly string[]): Map<string, Uint8Array> {
    const found = new Map<string, Uint8Array>();
    let missing = [...new Set(ids)];
    for (const segment of this.segments.numbers().reverse()) {
      if (missing.length === 0) break;
      const index = this.segments.index(segment);
      if (!index) continue;
      for (const id of missing) {
        const isThere = index.find(hashOf(keyOf(id))).length > 0;
        const bytes = isThere ? (this.recent.get(id) ?? this.read(id, segment, index)) : null;
        if (bytes) found.set(id, bytes);
      }
      missing = missing.filter((id) => !found.has(id));
    }
    return found;
  }

  /** How many bytes it took. Versions that were kept lately take none; the others go to the disk together. */
  keep(versions: readonly NewVersion[]): number {
    try {
      const newest = this.segments.numbers().at(-1) ?? 0;
      const made = new Map<string, Placed>();
      const depths = new Map<number, Depths>();
      for (const version of versions) {
        const placed = made.has(version.id) ? null : this.placed(version, newest, { made, depths });
        if (placed) made.set(version.id, placed);
      }
      for (const segment of new Set([...made.values()].map((one) => one.segment)))
        this.write(segment, [...made.values()]);
      return [...made.values()].reduce((sum, { line }) => sum + line.data.length, 0);
    } catch (error) {
      throw stateFailure("keep a version", this.context.state, error);
    }
  }

  /** The line to be written, and where; null: it was kept lately. */
  private placed(version: NewVersion, newest: number, { made, depths }: Writing): Placed | null {
    const { id, bytes, base } = version;
    const segments = new Set([(base && made.get(base.id)?.segment) || newest, newest, newest - 1]);
    for (const segment of [...segments].filter((number) => number > 0)) {
      const depthOf = depths.get(segment) ?? this.depthsIn(segment, made);
      depths.set(segment, depthOf);
      if (depthOf(id) !== null) return null;
      const line = base && this.toldBy(base, bytes, depthOf(base.id));
      if (line) return { segment, line: { id, ...line }, bytes };
    }
    const data = Buffer.from(pack(bytes, this.brief)).toString("base64");
    return { segment: this.segments.current(), line: { id, depth: 0, data }, bytes };
  }

  /** Finds versions of a segment, those that are to be written included. */
  private depthsIn(segment: number, made: ReadonlyMap<string, Placed>): Depths {
    const index = this.segments.index(segment);
    return (id) => {
      const placed = made.get(id);
      if (placed?.segment === segment) return placed.line.depth;
      if (!index || index.find(hashOf(keyOf(id))).length === 0) return null;
      const { last } = this;
      const isLast = last?.segment === segment && last.line.id === id;
      return (isLast ? last.line : this.find(id, segment, index))?.depth ?? null;
    };
  }

  /** null: told by that text it would take too much, or that text is not in this segment. */
  private toldBy(
    base: NonNullable<NewVersion["base"]>,
    bytes: Uint8Array,
    before: number | null,
  ): Omit<VersionLine, "id"> | null {
    if (before === null || before >= longestChain) return null;
    const told = difference(base.bytes, bytes);
    if (2 * told.length > bytes.length) return null;
    const data = Buffer.from(pack(told, true)).toString("base64");
    return { base: base.id, depth: before + 1, data };
  }

  private write(segment: number, placed: readonly Placed[]): void {
    const here = placed.filter((one) => one.segment === segment);
    const time = this.context.clock();
    this.segments.append(
      here.map(({ line }) => ({ time, keys: [keyOf(line.id)], value: line })),
      segment,
    );
    for (const { line, bytes } of here) this.remember(line.id, bytes.slice());
    const last = here.at(-1);
    this.last = last ? { segment, line: last.line } : null;
  }

  private find(id: string, segment: number, index: SegmentIndex): VersionLine | null {
    const lines = index.find(hashOf(keyOf(id)));
    for (const text of this.segments.lines(segment, lines, index)) {
      const line = lineIn(text);
      if (line?.id === id) return line;
    }
    return null;
  }

  /** Damage counts as not kept. */
  private read(id: string, segment: number, index: SegmentIndex): Uint8Array | null {
    const chain: VersionLine[] = [];
    let known: Uint8Array | undefined;
    for (let next: string | undefined = id; next !== undefined && !known; next = chain.at(-1)?.base) {
      known = chain.length > 0 ? this.recent.get(next) : undefined;
      const line = known ? null : this.find(next, segment, index);
      if (!known && (!line || chain.length > longestChain)) return null;
      if (line) chain.push(line);
    }
    try {
      const bytes = chain.reduceRight((before: Uint8Array | undefined, { base, data }) => {
        const own = unpack(Buffer.from(data, "base64"));
        return base === undefined || before === undefined ? own : merged(before, own);
      }, known);
      if (bytes) this.remember(id, bytes);
      return bytes ?? null;
    } catch (error) {
      this.context.report(`version ${id} is damaged: ${reason(error)}`);
      return null;
    }
  }

  private remember(id: string, bytes: Uint8Array): void {
    if (bytes.length > recentBytes / 4) return;
    this.recentSize += bytes.length - (this.recent.get(id)?.length ?? 0);
    this.recent.delete(id);
    this.recent.set(id, bytes);
    for (const [old, { length }] of this.recent) {
      if (this.recent.size <= mostRecent && this.recentSize <= recentBytes) return;
      this.recent.delete(old);
      this.recentSize -= length;
    }
  }
}

function lineIn(text: string): VersionLine | null {
  try {
    const line = withoutChecksum(text) as VersionLine;
    return typeof line.id === "string" && typeof line.data === "string" && Number.isInteger(line.depth)
      ? line
      : null;
  } catch {
    return null;
  }
}
