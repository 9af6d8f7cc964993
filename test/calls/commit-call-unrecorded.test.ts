import { describe, expect, it } from "vitest";
import { PortError } from "../../src/ports/files.js";
import { memoryStore } from "../../src/ports/memory.js";
import type { LedgerStore } from "../../src/ports/store.js";
import { type Bench, bench, on, outcome, path } from "../support/session.js";

type Deed = "append" | "saveFile" | "keepVersion";

/** A session whose ledger takes nothing any more once it is full. */
function filling(deed: Deed, content: Parameters<typeof bench>[0]): Bench & { fill(isFull: boolean): void } {
  const store = memoryStore();
  let isFull = false;
  const failing: LedgerStore = {
    ...store,
    [deed]: async (...args: never[]) => {
      if (isFull) throw new PortError("io", "cannot record it: no space left on the disk (ENOSPC)");
      return (store[deed] as (...given: never[]) => Promise<void>)(...args);
    },
  };
  const made = bench(content, { store: failing });
  return Object.assign(made, {
    fill: (full: boolean) => {
      isFull = full;
    },
  });
}

const five = "a b c d e";
const files = { [path]: five, "src/b.ts": "v w x" };

describe.each<Deed>(["append", "saveFile", "keepVersion"])("%s fails after the file is written", (deed) => {
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
    if (deed !== "keepVersion") expect(result.text).toContain("no space left");
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
    if (deed !== "keepVersion") expect(result.text).toContain("no space left");
  });
});

it("a deletion that cannot be journaled still keeps the text", async () => {
  const { session, words, store, fill } = filling("append", five);
  const { details } = await session.read({ path });
  fill(true);
  const result = await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
  expect(words()).toBeNull();
  expect(outcome(result)).toBe("applied");
  expect(result.text).toContain("no space left");
  expect(await store.version((details as { version: string }).version)).not.toBeNull();
});

it("what writes nothing is refused as ever if it cannot be recorded", async () => {
  const { session, fill } = filling("saveFile", five);
  await session.read({ path });
  fill(true);
  const result = await session.edit(on(five).set(2, "b"));
  expect(outcome(result)).toBe("!io");
});
