import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type LineSpan, linesAt, linesOf } from "../../src/audit/sessions/lines.js";

const folder = mkdtempSync(join(tmpdir(), "kedge-audit-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "a.jsonl");

function read(text: string | Buffer): { lines: string[]; spans: LineSpan[]; bytes: number; damaged: number } {
  writeFileSync(path, text);
  const counted = { bytes: 0, damaged: 0 };
  const cursor = { start: 0, end: 0 };
  const spans: LineSpan[] = [];
  const progress = {
    read: (count: number) => {
      counted.bytes += count;
    },
    damaged: () => {
      counted.damaged += 1;
    },
  };
  const lines: string[] = [];
  for (const line of linesOf(path, progress, undefined, cursor)) {
    lines.push(line);
    spans.push({ ...cursor });
  }
  return { lines, spans, ...counted };
}

test("gives the lines that splitting gives, but for empty ones, and where each stands", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 8 }), fc.boolean(), (parts, ends) => {
      const text = parts.map((part) => Buffer.from(part).toString()).join("\n") + (ends ? "\n" : "");
      const { lines, spans, bytes } = read(text);
      expect(lines).toEqual(text.split("\n").filter((line) => line !== ""));
      expect(linesAt(path, spans)).toEqual(lines);
      expect(bytes).toBe(Buffer.byteLength(text));
    }),
  );
});

test("gives lines longer than what is read at once, with characters on its border", () => {
  const long = `${"ä".repeat(3 * 1024 * 1024)}x`;
  const { lines, spans } = read(`{"a":1}\n${long}\nlast`);
  expect(lines.map(({ length }) => length)).toEqual([7, long.length, 4]);
  expect(linesAt(path, spans.slice(2))).toEqual(["last"]);
});
