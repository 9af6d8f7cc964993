/** Damage of all kinds to the files of a folder. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { changed, junk } from "./mutants.js";

export interface Damage {
  readonly do:
    | "flip"
    | "cut"
    | "double"
    | "line"
    | "lines"
    | "swap"
    | "copy"
    | "junk"
    | "remove"
    | "folder"
    | "shape";
  readonly file: number;
  readonly other: number;
  readonly at: number;
  readonly by: string;
  readonly value: unknown;
}

export const damage: fc.Arbitrary<Damage> = fc.record({
  do: fc.constantFrom(
    "flip",
    "flip",
    "cut",
    "double",
    "line",
    "lines",
    "swap",
    "copy",
    "junk",
    "remove",
    "folder",
    "shape",
    "shape",
  ),
  file: fc.nat(1000),
  other: fc.nat(1000),
  at: fc.nat(1_000_000),
  value: junk,
  by: fc.constantFrom(
    "",
    "\0",
    "null",
    "[]",
    "{}",
    '{"key":null}',
    "x".repeat(5_000),
    "\n\n\n",
    "\ud800",
    "[".repeat(3_000),
  ),
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The new content of a file; null: it is gone. */
const ways: Readonly<Record<Damage["do"], (bytes: Buffer, one: Damage, other: Buffer) => Buffer | null>> = {
  flip: (bytes, { at, other }) =>
    Buffer.from(bytes.map((byte, index) => (index === at % bytes.length ? byte ^ (1 << (other % 8)) : byte))),
  cut: (bytes, { at }) => bytes.subarray(0, at % (bytes.length + 1)),
  double: (bytes, { at }) => Buffer.concat([bytes, bytes.subarray(at % (bytes.length + 1))]),
  line: (bytes, { at, by }) => ofLines(bytes, (parts) => parts.toSpliced(at % parts.length, 1, by)),
  lines: (bytes, { at }) => ofLines(bytes, (parts) => (at % 2 ? parts.reverse() : parts.toSorted())),
  swap: (_bytes, _one, other) => other,
  copy: (_bytes, _one, other) => other,
  junk: (_bytes, { by }) => Buffer.from(by),
  shape: (bytes, one) => ofLines(bytes, (parts) => parts.map((part) => reshaped(part, one))),
  remove: () => null,
  folder: () => null,
};

/** As an earlier version may have written it: of another shape, and without a checksum. */
function reshaped(line: string, { at, other, value }: Damage): string {
  try {
    const { sum: _, ...record } = JSON.parse(line) as { readonly sum?: string };
    // A journal keeps its shape.
    return "id" in record
      ? line
      : JSON.stringify(changed(record, { do: other % 2 ? "drop" : "replace", at, other, by: value }));
  } catch {
    return line;
  }
}

function ofLines(bytes: Buffer, change: (parts: string[]) => string[]): Buffer {
  return Buffer.from(change(bytes.toString("latin1").split("\n")).join("\n"), "latin1");
}

export function spoil(state: string, one: Damage): void {
  const all = filesIn(state);
  const path = all[one.file % all.length];
  const other = all[one.other % all.length];
  if (path === undefined || other === undefined) return;
  const bytes = readFileSync(path);
  const made = ways[one.do](bytes, one, readFileSync(other));
  rmSync(path);
  if (made !== null) writeFileSync(path, made);
  if (one.do === "folder") mkdirSync(path);
  if (one.do === "swap") writeFileSync(other, bytes);
}
