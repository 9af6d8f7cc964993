import fc from "fast-check";
import { expect, it } from "vitest";
import { FileSteps } from "../../src/lost/places/file-steps.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { Document } from "../../src/text/document.js";

/** `null` is a file that is gone; texts are told as words. */
type Told = string | null;

const documentOf = (words: Told): Document | null =>
  words === null ? null : Document.fromText(words.split(" ").join("\n"));
const versionOf = (words: Told): string | null => documentOf(words)?.version ?? null;

/** A step is journaled unless it is somebody else's. */
interface Step {
  readonly text: Told;
  readonly isForeign: boolean;
}

async function stepsOf(first: Told, steps: readonly Step[], forgotten: ReadonlySet<Told> = new Set()) {
  const kept = new Map<string, Document>();
  for (const text of [first, ...steps.map((one) => one.text)]) {
    const document = forgotten.has(text) ? null : documentOf(text);
    if (document) kept.set(document.version, document);
  }
  let before = first;
  const entries: JournalEntry[] = [];
  for (const [at, { text, isForeign }] of steps.entries()) {
    const told = {
      id: `${at}`,
      time: at,
      agent: "one",
      tool: "edit",
      kind: "commit",
      path: "a",
      file: "a",
    } as const;
    if (!isForeign) entries.push({ ...told, lines: [], before: versionOf(before), after: versionOf(text) });
    before = text;
  }
  const made = new FileSteps(async (version) => kept.get(version) ?? null);
  for await (const _ of made.walk({ key: "a", path: "a", entries }, documentOf(before)));
  return made;
}

const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 6 });
const text = words.map((list) => list.join(" "));

it("a change leads where the steps between two states do, one after the other", () =>
  fc.assert(
    fc.asyncProperty(
      ...[text, fc.array(fc.record({ text, isForeign: fc.boolean() }), { minLength: 1, maxLength: 12 })],
      ...[fc.nat(12), fc.nat(12)],
      async (first, steps, one, two) => {
        const made = await stepsOf(first, [{ text: `${first} x`, isForeign: false }, ...steps]);
        const [from, to] = [Math.min(one, two, made.last), Math.min(Math.max(one, two), made.last)];
        const change = made.change(from, to);
        if (from === to) {
          expect(change).toBeNull();
          return;
        }
        const [before, after] = [await made.textAt(from), await made.textAt(to)];
        expect([change?.before, change?.after]).toEqual([before?.lineCount, after?.lineCount]);
        for (let line = 0; line < (before?.lineCount ?? 0); line++) {
          const found = change?.mapLine(line);
          if (found?.kind !== "deleted") expect(after?.text(found?.line as number)).toBe(before?.text(line));
        }
      },
    ),
  ));

it("there is a state for each step, and one for each change of others between two steps", async () => {
  const made = await stepsOf("a", [
    { text: "a b", isForeign: false },
    { text: "x a b", isForeign: true },
    { text: "x a b c", isForeign: false },
    { text: null, isForeign: true },
  ]);
  expect(made.states.map(({ version }) => version)).toEqual(
    ["a", "a b", "x a b", "x a b c", null].map(versionOf),
  );
  expect(made.states.map(({ entry }) => entry?.id)).toEqual([undefined, "0", undefined, "2", undefined]);
  expect(made.change(0, 4)).toBeNull();
});

it("a text that is not kept ends every change over it", async () => {
  const steps = ["a b", "a b c", "a b c d"].map((one) => ({ text: one, isForeign: false }));
  const made = await stepsOf("a", steps, new Set(["a b c"]));
  expect([made.change(0, 1) === null, made.change(0, 3), made.change(2, 3)]).toEqual([false, null, null]);
});

it("a version is found in the last state before another that had it", async () => {
  const steps = ["b", "a", null, "b"].map((one) => ({ text: one, isForeign: false }));
  const made = await stepsOf("a", steps);
  expect(made.lastBefore(2, versionOf("a"))).toBe(0);
  expect(made.lastBefore(5, versionOf("a"))).toBe(2);
  expect(made.lastBefore(4, null)).toBe(3);
  expect(made.lastBefore(1, versionOf("b"))).toBe(-1);
  expect(made.lastBefore(5, versionOf("c"))).toBe(-1);
});

it("a line that is equal to another goes back to its own place when the text goes back", async () => {
  // The journaled step put its line before the equal one: comparing would take it for the second.
  const change = [1, 2, 0, 0, 0, 1];
  const kept = new Map(["a", "a a"].map((one) => [versionOf(one) as string, documentOf(one) as Document]));
  const made = new FileSteps(async (version) => kept.get(version) ?? null);
  const entry = {
    id: "1",
    time: 1,
    agent: "one",
    tool: "edit",
    kind: "commit",
    path: "a",
    file: "a",
  } as const;
  const ends = { before: versionOf("a"), after: versionOf("a a") };
  const journal = { key: "a", path: "a", entries: [{ ...entry, ...ends, lines: [], change }] };
  for await (const _ of made.walk(journal, documentOf("a")));
  expect(made.states.at(-1)?.change?.toJSON()).toEqual([2, 1, 0, 1, 0, 0]);
});
