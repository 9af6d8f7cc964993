/** The journal holds texts that the file had, whatever a client tells of its write. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DisplayedHunk, ObservedWrite } from "../../src/foreign/written-texts.js";
import { keptVersion } from "../../src/ports/index.js";
import { Document } from "../../src/text/document.js";
import { structuredPatch } from "../guard/drivers/display.js";
import { bench, path } from "../support/session.js";

const version = (text: string): string => Document.parse(new TextEncoder().encode(text)).version;

function displayed(before: string, after: string): DisplayedHunk[] {
  return structuredPatch(before, after).map(({ oldStart, oldLines, lines }) => ({
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    rows: (lines as string[]).filter((row) => /^[ +]/.test(row)).map((row) => row.slice(1)),
  }));
}

const line = fc.tuple(fc.constantFrom("", "\t", "\t\t", "  ", "    ", "\t  "), fc.constantFrom(..."abcdef"));
const lines = (minLength: number) =>
  fc.array(
    line.map(([blanks, word]) => blanks + word),
    { minLength, maxLength: 8 },
  );

/** What a client's tool writes instead of what it was given, where it finds the quote by rules of its own. */
const tools: Readonly<Record<string, (text: string) => string>> = {
  "as it was given": (text) => text,
  "with other words": (text) => text.replaceAll("a", "“a”"),
  "with tabs for blanks": (text) => text.replace(/^ {2}/gm, "\t"),
};

/** What another program makes of the file behind it. */
const formatters: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  "blanks for tabs": (text) => text.replace(/\t/g, "  "),
  "a line more": (text) => `${text}z\n`,
  "another ending": (text) => text.replaceAll("b\n", "b;\n"),
  "cut short": (text) => `${text.split("\n")[0]}\n`,
};

const write = fc.record({
  before: lines(3),
  at: fc.nat(7),
  count: fc.integer({ min: 1, max: 3 }),
  fresh: lines(0),
  whole: fc.boolean(),
  tool: fc.constantFrom(...Object.keys(tools)),
  formatter: fc.constantFrom(...Object.keys(formatters)),
  isSeen: fc.boolean(),
  isModified: fc.boolean(),
  tellsBefore: fc.boolean(),
  ending: fc.constantFrom("\n", "\r\n"),
});

test("each text of an entry stood in the file, or is what the tool wrote", async () => {
  const property = fc.asyncProperty(write, async (one) => {
    const start = one.at % one.before.length;
    const old = one.before.slice(start, start + one.count).join("\n");
    const before = `${one.before.join("\n")}\n`;
    const fresh = one.fresh.join("\n");
    const given = one.whole ? `${fresh}\n` : before.replace(old, () => fresh);
    if (!one.whole && before.split(old).length !== 2) return;
    const tool = tools[one.whole ? "as it was given" : one.tool] as (text: string) => string;
    const made = tool(given);
    const quoted = tool === tools["as it was given"] ? old : `‘${old}’`;
    const disk = (formatters[one.formatter] as (text: string) => string)(made);
    const stored = (text: string): string => text.replaceAll("\n", one.ending);
    const { session, files, store } = bench("x");
    files.set(path, stored(before));
    if (one.isSeen)
      await session.observe({ path, rows: one.before.map((text, at) => ({ line: at + 1, text })) });
    files.set(path, stored(disk));
    const told: ObservedWrite = {
      tool: "Edit",
      change: one.whole
        ? { kind: "whole", content: given }
        : { kind: "quotes", quotes: [{ old: quoted, new: fresh, all: false }] },
      ...(one.tellsBefore ? { before } : {}),
      display: displayed(before, made),
      modified: one.isModified,
    };
    await session.observeWrite(path, told);
    const entries = await store.journal();
    const texts: unknown[] = [before, made, disk].map((text) => version(stored(text)));
    // Nobody tells that there was a file.
    if (one.whole && !one.isSeen && !one.tellsBefore) texts.push(null);
    for (const entry of entries) {
      expect(texts).toContain(entry.before);
      expect(texts).toContain(entry.after);
      for (const name of [entry.before, entry.after])
        if (name !== null) expect(await keptVersion(store, name)).not.toBeNull();
    }
    if (one.isSeen && made !== before && disk !== before) expect(entries).toHaveLength(1);
  });
  await fc.assert(property);
});
