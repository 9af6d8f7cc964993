import { reason } from "../../host/index.js";
import type { NewVersion } from "../../ports/index.js";
import { difference, merged, pack, unpack } from "../../store/index.js";
import type { Database } from "../database/database.js";
import { LatestBySize } from "./latest-by-size.js";

/** A text on its way to the store: whole, or told by another one that is there. */
interface SentVersion {
  readonly id: string;
  readonly base?: string;
  /** Packed, in base64. */
  readonly data: string;
}

/** Bytes that a text takes beside its own. */
const overhead = 4096;
/** Milliseconds after which a text is offered once more: it may have been pruned. */
const surelyKept = 3_600_000;

interface Text {
  readonly bytes: Uint8Array;
  /** When it was kept; null: it was only read. */
  readonly kept: number;
}

interface FoundRow {
  readonly id: string;
  readonly base: string | null;
  readonly data: Uint8Array;
}

/** The texts of a tree: those that were read or kept last are at hand. */
export class VersionTexts {
  private readonly recent: LatestBySize<Text>;

  constructor(
    private readonly options: {
      readonly database: Database;
      readonly tree: string;
      readonly isBrief: boolean;
      readonly clock: () => number;
      readonly report: (line: string) => void;
      /** Bytes of memory. */
      readonly room: number;
    },
  ) {
    this.recent = new LatestBySize(options.room);
  }

  /** Those that are not known to be there. `isWhole`: told by no other. */
  sent(versions: readonly NewVersion[], isWhole = false): SentVersion[] {
    const now = this.options.clock();
    const missing = versions.filter(
      ({ id }) => now - (this.recent.get(id)?.kept ?? 0) > surelyKept || isWhole,
    );
    return missing.map(({ id, bytes, base }) => {
      const told = base && !isWhole ? difference(base.bytes, bytes) : null;
      if (told && base && 2 * told.length <= bytes.length)
        return { id, base: base.id, data: base64(pack(told, true)) };
      return { id, data: base64(pack(bytes, this.options.isBrief)) };
    });
  }

  kept(versions: readonly NewVersion[]): void {
    const now = this.options.clock();
    for (const { id, bytes } of versions) this.remember(id, { bytes: bytes.slice(), kept: now });
  }

  forget(): void {
    this.recent.clear();
  }

  async get(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const known = this.recent.get(id);
      if (known) found.set(id, known.bytes);
    }
    const missing = [...new Set(ids)].filter((id) => !found.has(id));
    if (missing.length === 0) return found;
    // As they are now: some may have made room when the answer comes.
    const atHand = new Map([...this.recent.entries()].map(([id, { bytes }]) => [id, bytes] as const));
    const rows = await this.load(missing, [...atHand.keys()]);
    for (const id of missing) {
      const bytes = this.told(id, rows, atHand);
      if (bytes) found.set(id, bytes);
      if (bytes) this.remember(id, { bytes, kept: 0 });
    }
    return found;
  }

  private async load(ids: readonly string[], atHand: readonly string[]): Promise<Map<string, FoundRow>> {
    const { database, tree } = this.options;
    const rows = await database.ask(chains, [tree, ids, atHand]);
    return new Map(rows.map((row) => [row.id as string, row as unknown as FoundRow]));
  }

  /** Damage counts as not kept. */
  private told(
    id: string,
    rows: ReadonlyMap<string, FoundRow>,
    atHand: Map<string, Uint8Array>,
  ): Uint8Array | null {
    const chain: FoundRow[] = [];
    let bytes: Uint8Array | undefined;
    for (let at: string | null = id; at !== null; at = chain.at(-1)?.base ?? null) {
      bytes = atHand.get(at);
      const row = rows.get(at);
      if (bytes) break;
      if (!row) return null;
      chain.push(row);
    }
    try {
      for (const row of chain.reverse()) {
        const own = unpack(row.data);
        bytes = row.base === null || bytes === undefined ? own.slice() : merged(bytes, own);
        atHand.set(row.id, bytes);
      }
      return bytes ?? null;
    } catch (error) {
      this.options.report(`version ${id} is damaged: ${reason(error)}`);
      return null;
    }
  }

  private remember(id: string, text: Text): void {
    const kept = Math.max(text.kept, this.recent.get(id)?.kept ?? 0);
    this.recent.set(id, { ...text, kept }, text.bytes.length + overhead);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

/** The texts that are asked for, and all that tell them, up to those that are at hand. */
const chains = `
with recursive chain (id, base) as (
  select id, base from kedge.versions where tree = $1 and id = any($2)
  union
  select v.id, v.base from chain c join kedge.versions v on v.tree = $1 and v.id = c.base
  where c.base <> all($3)
)
select v.id, v.base, v.data from chain c join kedge.versions v on v.tree = $1 and v.id = c.id`;
