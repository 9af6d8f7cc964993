/** What the guard lets through at a glance, without a lock and without thought, it lets through after all thought. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseUpdate } from "../../src/placement/patch.js";
import type { ForeignChange } from "../../src/placement/placement.js";
import { stage } from "../support/foreign.js";
import { path } from "../support/session.js";

const line = fc.constantFrom("a", "b", "}", "", "x", "  x", "x ");
const lines = fc.array(line, { maxLength: 9 });
const place = fc.nat({ max: 9 });

const quote = fc.record({
  ...{ at: place, count: fc.integer({ min: 1, max: 3 }), fresh: fc.constantFrom("", "n", "n\n", "}\nn") },
  ...{ ended: fc.boolean(), begun: fc.boolean(), all: fc.boolean(), takesNewline: fc.boolean() },
});
const hunk = fc.record({
  ...{ at: place, count: fc.nat({ max: 3 }), header: fc.boolean(), atEnd: fc.boolean() },
  signs: fc.array(fc.constantFrom(" ", "-"), { minLength: 3, maxLength: 3 }),
});

const step = fc.oneof(
  fc.record({ do: fc.constant("show" as const), first: place, count: fc.nat({ max: 5 }) }),
  fc.record({
    do: fc.constant("change" as const),
    at: place,
    remove: fc.nat({ max: 2 }),
    insert: lines,
    ended: fc.boolean(),
  }),
  fc.record({ do: fc.constant("quote" as const), quotes: fc.array(quote, { minLength: 1, maxLength: 3 }) }),
  fc.record({ do: fc.constant("patch" as const), hunks: fc.array(hunk, { minLength: 1, maxLength: 2 }) }),
  fc.record({ do: fc.constant("write" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function changeOf(one: Step, text: readonly string[]): ForeignChange | null {
  if (one.do === "write") return { kind: "whole", content: "new\n" };
  if (one.do === "quote") {
    const quotes = one.quotes.map(({ at, count, begun, ended, fresh, ...rest }) => {
      const start = at % Math.max(1, text.length);
      const old = text.slice(start, start + count).join("\n");
      return { ...rest, old: `${begun ? "\n" : ""}${old}${ended ? "\n" : ""}` || "x", new: fresh };
    });
    return { kind: "quotes", quotes };
  }
  if (one.do !== "patch") return null;
  const rows = one.hunks.flatMap(({ at, count, header, atEnd, signs }) => {
    const start = at % Math.max(1, text.length);
    const quoted = text.slice(start, start + count).map((row, index) => `${signs[index]}${row}`);
    return [
      header ? `@@ ${text[start - 1] ?? ""}` : "@@",
      ...quoted,
      "+n",
      ...(atEnd ? ["*** End of File"] : []),
    ];
  });
  return { kind: "patch", hunks: parseUpdate(rows.join("\n")) };
}

test("a glance allows nothing that is refused", async () => {
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.boolean(),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (first, keep, steps) => {
        const at = stage("a");
        const { identify } = at.files;
        at.files.identify = async (name) => ({ ...(await identify.call(at.files, name)), keep });
        let text: readonly string[] = first;
        at.files.set(path, first.map((row) => `${row}\n`).join(""));
        for (const one of steps) {
          if (one.do === "show") await at.shown(one.first + 1, one.first + 1 + one.count);
          if (one.do === "change") {
            text = text.toSpliced(one.at, one.remove, ...one.insert.slice(0, 3));
            at.files.set(path, text.join("\n") + (one.ended && text.length > 0 ? "\n" : ""));
          }
          const change = changeOf(one, text);
          // It holds the glance to the thought.
          if (change) expect(await at.answer({ path, tool: "Edit", change })).not.toMatch(/undefined/);
        }
      },
    ),
  );
});
