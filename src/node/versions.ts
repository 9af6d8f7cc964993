import { reason, stateFailure } from "./failure.js";
import { ifThere, readFile } from "./io.js";
import { nameOf } from "./names.js";
import { pack, unpack } from "./pack.js";
import { replaceFile, type StoreContext } from "./records.js";
import { makeWay, putAside } from "./repair.js";

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

  async get(id: string): Promise<Uint8Array | null> {
    const path = this.pathOf(id);
    let packed: Uint8Array | null;
    try {
      packed = readFile(this.context.io, path);
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
  async keep(id: string, bytes: Uint8Array): Promise<number> {
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
