/**
 * Reads the tables of an SQLite database, with what its write-ahead log holds of committed changes. SQLite itself would
 * write beside the file, and is not part of every Node; a file of this form may also be damaged or made to harm.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";

export type Value = string | number | Uint8Array | null;

/** Where a row stands: it is read again without a search. */
export interface RowPlace {
  readonly page: number;
  readonly cell: number;
}

export interface Row extends RowPlace {
  /** The row's values by column; of a value that lies on further pages only if all of the row was asked for. */
  readonly values: Readonly<Record<string, Value>>;
}

interface Table {
  readonly root: number;
  readonly columns: readonly string[];
}

const magic = "SQLite format 3\0";
/** Interior pages above a leaf: more than any real database has. */
const mostPages = 24;
/** A larger row is left out. */
const largestRow = 256 * 1024 * 1024;
const largestLog = 1024 * 1024 * 1024;

export class SqliteFile {
  private readonly fd: number;
  private readonly pageSize: number;
  private readonly usable: number;
  private readonly pages: number;
  private readonly log: ReadonlyMap<number, Uint8Array>;

  constructor(path: string) {
    // Opening a pipe that has no writer would block.
    this.fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const head = Buffer.alloc(100);
    readSync(this.fd, head, 0, 100, 0);
    const given = head.readUInt16BE(16);
    this.pageSize = given === 1 ? 65_536 : given;
    this.usable = this.pageSize - head.readUInt8(20);
    const isRight =
      head.toString("latin1", 0, 16) === magic &&
      this.usable >= 480 &&
      (this.pageSize & (this.pageSize - 1)) === 0;
    if (!isRight) {
      this.close();
      throw new Error(`${path} is no SQLite database`);
    }
    this.log = logOf(`${path}-wal`, this.pageSize);
    const logged = [...this.log.keys()].reduce((most, page) => Math.max(most, page), 0);
    this.pages = Math.max(Math.ceil(fstatSync(this.fd).size / this.pageSize), logged);
  }

  close(): void {
    closeSync(this.fd);
  }

  /** The rows of a table; none if there is no such table. */
  *rows(name: string, isWhole = true): Generator<Row> {
    const table = this.tables().get(name);
    if (table) yield* this.rowsBelow(table.root, table.columns, isWhole);
  }

  /** All of one row. */
  row(name: string, { page, cell }: RowPlace): Row | null {
    const table = this.tables().get(name);
    return table ? this.rowAt(this.page(page), { page, cell }, table.columns, true) : null;
  }

  private known: Map<string, Table> | null = null;

  private tables(): Map<string, Table> {
    if (this.known) return this.known;
    this.known = new Map();
    for (const { values } of this.rowsBelow(1, ["type", "name", "tbl_name", "rootpage", "sql"], true)) {
      const { type, name, rootpage, sql } = values;
      if (type === "table" && typeof name === "string" && typeof rootpage === "number")
        this.known.set(name, { root: rootpage, columns: columnsIn(String(sql)) });
    }
    return this.known;
  }

  private *rowsBelow(root: number, columns: readonly string[], isWhole: boolean, depth = 0): Generator<Row> {
    const page = this.page(root);
    if (!page || depth > mostPages) return;
    const start = root === 1 ? 100 : 0;
    const type = page[start];
    const count = page.readUInt16BE(start + 3);
    if (type === 13)
      for (let cell = 0; cell < count; cell++) {
        const row = this.rowAt(page, { page: root, cell }, columns, isWhole);
        if (row) yield row;
      }
    if (type !== 5) return;
    for (let cell = 0; cell < count; cell++) {
      const at = start + 12 + 2 * cell;
      const place = at + 2 <= page.length ? page.readUInt16BE(at) : page.length;
      if (place + 4 <= page.length)
        yield* this.rowsBelow(page.readUInt32BE(place), columns, isWhole, depth + 1);
    }
    yield* this.rowsBelow(page.readUInt32BE(start + 8), columns, isWhole, depth + 1);
  }

  private rowAt(
    page: Buffer | null,
    place: RowPlace,
    columns: readonly string[],
    isWhole: boolean,
  ): Row | null {
    const pointer = (place.page === 1 ? 108 : 8) + 2 * place.cell;
    if (!page || pointer + 2 > page.length) return null;
    const cell = page.readUInt16BE(pointer);
    if (cell === 0 || cell >= page.length) return null;
    const [size, at] = varint(page, cell);
    const [, body] = varint(page, at);
    if (size > largestRow) return null;
    const payload = this.payload(page, body, size, isWhole);
    return payload && { ...place, values: valuesIn(payload, columns) };
  }

  /** The bytes of a row, of which only the first may stand in its page. */
  private payload(page: Buffer, body: number, size: number, isWhole: boolean): Buffer | null {
    const most = this.usable - 35;
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const rest = least + ((size - least) % (this.usable - 4));
    const local = size <= most ? size : rest <= most ? rest : least;
    const first = page.subarray(body, body + local);
    if (local === size || !isWhole) return first;
    const parts: Buffer[] = [first];
    let next = body + local + 4 <= page.length ? page.readUInt32BE(body + local) : 0;
    for (let left = size - local; left > 0; ) {
      const further = this.page(next);
      if (!further) return null;
      const part = Buffer.from(further.subarray(4, Math.min(this.usable, 4 + left)));
      parts.push(part);
      left -= part.length;
      next = further.readUInt32BE(0);
    }
    return Buffer.concat(parts);
  }

  private page(number: number): Buffer | null {
    if (number < 1 || number > this.pages) return null;
    const logged = this.log.get(number);
    if (logged) return Buffer.from(logged.buffer, logged.byteOffset, logged.byteLength);
    const page = Buffer.alloc(this.pageSize);
    const count = readSync(this.fd, page, 0, this.pageSize, (number - 1) * this.pageSize);
    return count === this.pageSize ? page : null;
  }
}

/** The newest committed form of each page in a write-ahead log. */
function logOf(path: string, pageSize: number): ReadonlyMap<number, Uint8Array> {
  const committed = new Map<number, Uint8Array>();
  const bytes = logBytes(path);
  if (!bytes || bytes.length < 32 || bytes.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return committed;
  if (bytes.readUInt32BE(8) !== pageSize) return committed;
  const salt = bytes.subarray(16, 24);
  const open = new Map<number, Uint8Array>();
  for (let at = 32; at + 24 + pageSize <= bytes.length; at += 24 + pageSize) {
    // Frames of an earlier round follow those of this one.
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break;
    open.set(bytes.readUInt32BE(at), bytes.subarray(at + 24, at + 24 + pageSize));
    if (bytes.readUInt32BE(at + 4) === 0) continue;
    for (const [page, text] of open) committed.set(page, text);
    open.clear();
  }
  return committed;
}

function logBytes(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path);
    return bytes.length <= largestLog ? bytes : null;
  } catch {
    return null;
  }
}

function valuesIn(payload: Buffer, columns: readonly string[]): Record<string, Value> {
  const values: Record<string, Value> = {};
  const [headSize, first] = varint(payload, 0);
  let [at, body] = [first, headSize];
  for (const column of columns) {
    if (at >= headSize) break;
    const [type, next] = varint(payload, at);
    const size = storedSize(type);
    values[column] = storedValue(payload.subarray(body, body + size), type);
    [at, body] = [next, body + size];
  }
  return values;
}

const integerSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

function storedSize(type: number): number {
  return type < 12 ? (integerSizes[type] ?? 0) : Math.floor((type - 12) / 2);
}

function storedValue(bytes: Buffer, type: number): Value {
  if (type >= 12) return type % 2 === 1 ? bytes.toString("utf8") : bytes;
  if (type === 8 || type === 9) return type - 8;
  if (type === 0 || bytes.length < storedSize(type)) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}

/** Seven bits a byte, of the ninth byte all. */
function varint(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0;
  for (let at = start; at < start + 9; at++) {
    const byte = bytes[at] ?? 0;
    if (at === start + 8) return [value * 256 + byte, at + 1];
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, at + 1];
  }
  return [value, start + 9];
}

/** The names of columns in the command that made a table. */
function columnsIn(sql: string): string[] {
  const body = sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")"));
  const parts = body.match(/(?:[^,(]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g) ?? [];
  const names = parts.flatMap((part) => /^\s*["'`[]?([\w ]+?)["'`\]]?(?:\s|$)/.exec(part)?.[1] ?? []);
  return names.filter((name) => !/^(?:constraint|primary|foreign|unique|check)$/i.test(name));
}
