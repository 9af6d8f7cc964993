import { ifThere, nameOf, readFile, reason, stateFailure } from "../host/index.js";
import { makeWay, putAside } from "./put-aside.js";
import { replaceFile, type StoreContext } from "./replace-file.js";

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

const day = 86_400_000;

/** Versions by content, compressed; the checksum of zlib finds damage. */
export class Versions {
  readonly folder: string;

  constructor(
    private readonly context: StoreContext,
    private readonly brief: boolean,
  ) {
    this.folder = context.platform.path.join(context.folder, "versions");
  }

  get(ids: readonly string[]): Map<string, Uint8Array> {
    return new Map(
      ids.flatMap((id) => {
        const bytes = this.one(id);
        return bytes ? [[id, bytes] as const] : [];
      }),
    );
  }

  private one(id: string): Uint8Array | null {
    const path = this.pathOf(id);
    let packed: Uint8Array | null;
    try {
      packed = this.context.io.isThere(path) ? readFile(this.context.io, path) : null;
    } catch (error) {
      if (!makeWay(this.context, path)) this.context.report(`${path} cannot be read: ${reason(error)}`);
      return null;
    }
    if (packed === null) return null;
    try {
      return unpack(packed);
    } catch (error) {
      putAside(this.context, path, reason(error));
      return null;
    }
  }

  /** How many bytes it took; 0 if it was there already. */
  keep(id: string, bytes: Uint8Array): number {
    const { io, clock } = this.context;
    const path = this.pathOf(id);
    try {
      const stat = io.isThere(path) ? ifThere(() => io.lstat(path)) : null;
      if (stat?.isFile()) {
        // Pruned by the time it was last kept, not by the time it was first kept.
        if (clock() - Number(stat.mtimeMs) > day) io.touch(path, clock() / 1000);
        return 0;
      }
      if (stat) makeWay(this.context, path);
      const packed = pack(bytes, this.brief);
      replaceFile(this.context, path, packed);
      return packed.length;
    } catch (error) {
      throw stateFailure(`keep a version as ${path}`, this.context.state, error);
    }
  }

  private pathOf(id: string): string {
    const name = /^[0-9a-f]{8,64}$/.test(id) ? id : nameOf(id);
    // All in one folder: to make one of 256 for most of the first versions takes longer than to keep them.
    return this.context.platform.path.join(this.folder, `${name}.z`);
  }
}
