import { describe, expect, it } from "vitest";
import { type MemoryFiles, memoryFiles } from "../../src/session/memory.js";
import { PortError } from "../../src/session/ports.js";
import type { ReadRequest } from "../../src/session/reading.js";
import { withRefresh } from "../../src/session/refresh.js";
import { Session } from "../../src/session/session.js";
import { bench, numbered, on, outcome, path } from "../support/session.js";

const eight = "a b c d e f g h";

/** A session in an agent loop, with the rows that were handed on and the ranges that were read for it. */
function loop(options: Parameters<typeof bench>[1] = {}, words = eight) {
  const made = bench(words, options);
  const given: string[] = [];
  const reads: ReadRequest["ranges"][] = [];
  const read = made.session.read.bind(made.session);
  made.session.read = (request) => {
    reads.push(request.ranges);
    return read(request);
  };
  const tools = withRefresh(made.session, { onContext: ({ text }) => void given.push(text) });
  return { ...made, tools, given, reads };
}

describe("a changed line", () => {
  it("is read again and handed on; the call is not sent again", async () => {
    const { tools, rudely, words, given } = loop();
    await tools.read({ path });
    rudely("a b C d e f g h");
    expect(outcome(await tools.edit(on(eight).set(3, "mine")))).toBe("!stale");
    expect(words()).toBe("a b C d e f g h");
    expect(given).toHaveLength(1);
    expect(given[0]).toMatch(/^3#[0-9a-f]{6}\|C$/m);
    expect(given[0]).not.toMatch(/\|[abd-h]$/m);
  });

  it("inside a range counts as changed", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("a b C d e f g h");
    expect(outcome(await tools.edit(on(eight).replace(2, 5, "x")))).toBe("!stale");
    expect(words()).toBe("a b C d e f g h");
  });

  it("does not make it read what nobody asked for", async () => {
    const { tools, rudely, reads } = loop({ onStale: "refuse" }, numbered(50));
    await tools.read({ path, ranges: [{ start: 1, end: 50 }] });
    rudely(`${numbered(49)} other`);
    await tools.edit(on(numbered(50)).set(3, "mine"));
    for (const ranges of reads) expect(ranges?.length).toBeGreaterThan(0);
  });
});

describe("a line that merely moved", () => {
  it("is edited where it is now, with one retry, under onStale refuse", async () => {
    const { tools, rudely, words, given } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b c d e f g h");
    expect(outcome(await tools.edit(on(eight).set(3, "mine")))).toBe("applied");
    expect(words()).toBe("top a b mine d e f g h");
    expect(given).toEqual([]);
  });

  it("names nothing that the model was not shown", async () => {
    const braces = "a b c } } d e f";
    const { tools, rudely, words } = loop({ onStale: "refuse" }, braces);
    await tools.read({ path });
    rudely("top a b c } } d e f");
    await tools.edit(on(braces).replace(2, 4, ["B", "c", "}"]));
    expect(words()).toBe("top a B c } } d e f");
    await tools.edit(on(braces).set(5, "SECOND"));
    expect(["top a B c } SECOND d e f", "top a B c } } d e f"]).toContain(words());
  });

  it("and another that changed: not retried", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b C d e f g h");
    const { edits: one } = on(eight).set(3, "x") as { edits: readonly object[] };
    const { edits: two } = on(eight).set(6, "x") as { edits: readonly object[] };
    expect(outcome(await tools.edit({ path, edits: [...one, ...two] }))).toBe("!stale");
    expect(words()).toBe("top a b C d e f g h");
  });

  it("in a batch", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b c d e f g h");
    expect(outcome(await tools.multiEdit({ files: [on(eight).set(3, "mine")] as never }))).toBe("applied");
    expect(words()).toBe("top a b mine d e f g h");
  });
});

describe("a busy file", () => {
  const busy = (times: number): MemoryFiles => {
    const files = memoryFiles({ [path]: "a\nb\n" });
    let left = times;
    const hold: MemoryFiles["hold"] = (ids, body) => {
      if (ids.some(({ key }) => key === path) && left-- > 0) throw new PortError("busy", "held by pid 1");
      return files.hold(ids, body);
    };
    return { ...files, hold };
  };

  it.each([
    [1, "!not_read"],
    [2, "!busy"],
  ])("is tried once more: busy %s times", async (times, result) => {
    const session = new Session({ files: busy(times), store: bench("").store, agent: "one", clock: () => 0 });
    const tools = withRefresh(session, { onContext: () => undefined });
    expect(outcome(await tools.edit(on("a b").set(1, "x")))).toBe(result);
  });
});

it("passes everything else on", async () => {
  const { tools, words } = loop();
  expect(outcome(await tools.grep({ pattern: "c" }))).toBe("found");
  expect(outcome(await tools.edit(on(eight).set(3, "x")))).toBe("applied");
  expect(outcome(await tools.undo())).toBe("applied");
  expect(tools.agent).toBe("one");
  expect(words()).toBe(eight);
});
