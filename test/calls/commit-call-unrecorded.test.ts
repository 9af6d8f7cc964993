import { describe, expect, it } from "vitest";
import { PortError } from "../../src/ports/files.js";
import { keptVersion, memoryStore, type Outcome } from "../../src/ports/index.js";
import { type Bench, bench, on, outcome, path } from "../support/session.js";
import { altered } from "../support/store.js";

type Deed = "the journal" | "the ledger" | "the text" | "everything";

const parts: Readonly<Record<Deed, readonly (keyof Outcome)[]>> = {
  "the journal": ["entries"],
  "the ledger": ["files"],
  "the text": ["versions"],
  everything: ["entries", "files", "versions", "records"],
};

/** A session whose store takes a part of what is written down no more, once it is full. */
function filling(deed: Deed, content: Parameters<typeof bench>[0]): Bench & { fill(isFull: boolean): void } {
  let isFull = false;
  const failing = altered(memoryStore(), {
    finish: async (outcome, write) => {
      const refused = isFull ? parts[deed].filter((part) => outcome[part].length > 0) : [];
      await write({ ...outcome, ...Object.fromEntries(refused.map((part) => [part, []])) });
      if (refused.length > 0)
        throw new PortError("io", "cannot record it: no space left on the disk (ENOSPC)");
    },
  });
  const made = bench(content, { store: failing });
  return Object.assign(made, {
    fill: (full: boolean) => {
      isFull = full;
    },
  });
}

const five = "a b c d e";
const files = { [path]: five, "src/b.ts": "v w x" };

describe.each(Object.keys(parts) as Deed[])("%s cannot be written after the file is", (deed) => {
  it("an edit is told as done, with what could not be recorded", async () => {
    const { session, words, fill } = filling(deed, five);
    await session.read({ path });
    fill(true);
    const result = await session.edit(on(five).set(2, "B"));
    expect(words()).toBe("a B c d e");
    expect(outcome(result)).toBe("applied");
    expect(result.text).toContain("no space left");
    expect(result.text).not.toContain("nothing written");
    expect((result.details as { warnings: readonly string[] }).warnings.join()).toContain("no space left");
    fill(false);
    await session.read({ path });
    expect(outcome(await session.edit(on("a B c d e").set(3, "C")))).toBe("applied");
  });

  it("every file of a batch", async () => {
    const { session, words, fill } = filling(deed, files);
    await session.read({ path });
    await session.read({ path: "src/b.ts" });
    fill(true);
    const edits = [on(five).set(2, "B"), on("v w x", "src/b.ts").set(1, "V")];
    const result = await session.multiEdit({ files: edits as never });
    expect([words(), words("src/b.ts")]).toEqual(["a B c d e", "V w x"]);
    expect(outcome(result)).toBe("applied");
    expect(result.text.match(/no space left/g)?.length).toBe(2);
  });

  it("an undo", async () => {
    const { session, words, fill } = filling(deed, five);
    await session.read({ path });
    await session.edit(on(five).set(2, "B"));
    fill(true);
    const result = await session.undo();
    expect(words()).toBe(five);
    expect(outcome(result)).toBe("applied");
    if (deed !== "the text") expect(result.text).toContain("no space left");
  });

  it("a restore", async () => {
    const { session, words, fill, rudely } = filling(deed, five);
    await session.read({ path });
    await session.edit(on(five).set(2, "B"));
    rudely(five);
    fill(true);
    const result = await session.restore({ all: true });
    expect(words()).toBe("a B c d e");
    expect(outcome(result)).toBe("applied");
    if (deed !== "the text") expect(result.text).toContain("no space left");
  });
});

it("a deletion that cannot be journaled still keeps the text", async () => {
  const { session, words, store, fill } = filling("the journal", five);
  const { details } = await session.read({ path });
  fill(true);
  const result = await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
  expect(words()).toBeNull();
  expect(outcome(result)).toBe("applied");
  expect(result.text).toContain("no space left");
  expect(await keptVersion(store, (details as { version: string }).version)).not.toBeNull();
});

it("what writes nothing is refused as ever if it cannot be recorded", async () => {
  const { session, fill } = filling("the ledger", five);
  await session.read({ path });
  fill(true);
  const result = await session.edit(on(five).set(2, "b"));
  expect(outcome(result)).toBe("!io");
});
