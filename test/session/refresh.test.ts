import { describe, expect, it } from "vitest";
import type { ReadRequest } from "../../src/calls/read.js";
import type { Edit } from "../../src/edits/index.js";
import { PortError } from "../../src/ports/files.js";
import { type MemoryFiles, memoryFiles } from "../../src/ports/index.js";
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

describe("a text that is not kept", () => {
  it("is read again where its lines must be, if it was shown there", async () => {
    const { tools, store, rudely, given } = loop({}, numbered(400));
    await tools.read({ path, ranges: [{ start: 300, end: 300 }] });
    store.versions = async () => new Map();
    rudely(`top ${numbered(400)}`);
    const result = await tools.edit(on(numbered(400)).set(300, "mine"));
    expect(result.details).toMatchObject({ code: "stale", affectedRanges: [] });
    expect(given).toEqual([expect.stringContaining(`|${numbered(400).split(" ")[299]}\n`)]);
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

  it("is not retried together with another that changed", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b C d e f g h");
    const { edits: one } = on(eight).set(3, "x");
    const { edits: two } = on(eight).set(6, "x");
    expect(outcome(await tools.edit({ path, edits: [...one, ...two] }))).toBe("!stale");
    expect(words()).toBe("top a b C d e f g h");
  });

  it("is edited in a batch", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b c d e f g h");
    expect(outcome(await tools.multiEdit({ files: [on(eight).set(3, "mine")] as never }))).toBe("applied");
    expect(words()).toBe("top a b mine d e f g h");
  });
});

it("adds nothing at the end of a file that others changed, and hands their rows on", async () => {
  for (const [now, row] of [
    ["a b c d e f g h i", /\|i$/m],
    ["a b c d e f", /\|f$/m],
  ] as const) {
    const { tools, rudely, words, given } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely(now);
    const edits: Edit[] = [{ op: "append", text: "N" }, ...on(eight).set(2, "B").edits];
    expect(outcome(await tools.edit({ path, edits }))).toBe("!stale");
    expect(words()).toBe(now);
    expect(given).toEqual([expect.stringMatching(row)]);
  }
});

describe("a call that is not to be done", () => {
  it("is not done by the retry: an edit", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b c d e f g h");
    expect(outcome(await tools.edit({ ...on(eight).set(3, "mine"), dryRun: true }))).toBe("dry_run");
    expect(words()).toBe("top a b c d e f g h");
  });

  it("is not done by the retry: a batch", async () => {
    const { tools, rudely, words } = loop({ onStale: "refuse" });
    await tools.read({ path });
    rudely("top a b c d e f g h");
    const files = [on(eight).set(3, "mine")] as never;
    expect(outcome(await tools.multiEdit({ files, dryRun: true }))).toBe("dry_run");
    expect(words()).toBe("top a b c d e f g h");
  });
});

it("hands on the rows of every file of a batch that has changed ones", async () => {
  const texts = { one: "a b c d", two: "p q r s", three: "x y z" };
  const made = bench(texts);
  const given: string[] = [];
  const tools = withRefresh(made.session, { onContext: ({ path: file, text }) => given.push(file, text) });
  for (const file of Object.keys(texts)) await tools.read({ path: file });
  made.rudely("a B c d", "one");
  made.rudely("p q R s", "two");
  const calls = [on(texts.one, "one"), on(texts.two, "two"), on(texts.three, "three")];
  const files = calls.map((call, at) => call.set([2, 3, 1][at] as number, "mine"));
  expect(outcome(await tools.multiEdit({ files: files as never }))).toBe("!stale");
  expect(given).toEqual([
    "one",
    expect.stringMatching(/^2#[0-9a-f]{6}\|B\n/),
    "two",
    expect.stringMatching(/^3#[0-9a-f]{6}\|R\n/),
  ]);
  expect(made.words("three")).toBe(texts.three);
});

it("sends a call again once: what moves meanwhile is refused", async () => {
  const { session, tools, rudely, words } = loop({ onStale: "refuse" });
  await tools.read({ path });
  rudely("top a b c d e f g h");
  const edit = session.edit.bind(session);
  let sent = 0;
  session.edit = (request) => {
    if (++sent === 2) rudely("more top a b c d e f g h");
    return edit(request);
  };
  expect(outcome(await tools.edit(on(eight).set(3, "mine")))).toBe("!stale");
  expect(sent).toBe(2);
  expect(words()).toBe("more top a b c d e f g h");
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

it("hands on what changed while a file was busy", async () => {
  const { files, store, rudely } = bench("a b c");
  let isBusy = false;
  const hold: MemoryFiles["hold"] = (ids, body) => {
    if (!isBusy) return files.hold(ids, body);
    isBusy = false;
    rudely("a B c");
    throw new PortError("busy", "held by pid 1");
  };
  const session = new Session({ files: { ...files, hold }, store, agent: "one", clock: () => 0 });
  const given: string[] = [];
  const tools = withRefresh(session, { onContext: ({ text }) => void given.push(text) });
  await tools.read({ path });
  isBusy = true;
  expect(outcome(await tools.edit(on("a b c").set(2, "mine")))).toBe("!stale");
  expect(given).toEqual([expect.stringMatching(/^2#[0-9a-f]{6}\|B\n/)]);
});

it("stays with a session for another agent", async () => {
  const { tools, rudely, given } = loop();
  const other = tools.as("two").as("one").as("two");
  expect(other.agent).toBe("two");
  await other.read({ path });
  rudely("a b C d e f g h");
  expect(outcome(await other.edit(on(eight).set(3, "mine")))).toBe("!stale");
  expect(given).toHaveLength(1);
});

it("passes everything else on", async () => {
  const { tools, words } = loop();
  expect(outcome(await tools.grep({ pattern: "c" }))).toBe("found");
  expect(outcome(await tools.edit(on(eight).set(3, "x")))).toBe("applied");
  expect(outcome(await tools.undo())).toBe("applied");
  expect(tools.agent).toBe("one");
  expect(words()).toBe(eight);
});

it("keeps the class and the functions of what it wraps, also taken off it, and refreshes a session with other settings", async () => {
  const { tools, rudely, given } = loop();
  expect(tools).toBeInstanceOf(Session);
  const { read, grep } = tools;
  await read({ path });
  expect(outcome(await grep({ pattern: "c" }))).toBe("found");
  rudely("a b C d e f g h");
  const numbered = tools.with({ numbered: true });
  expect(outcome(await numbered.edit(on(eight).set(3, "mine")))).toBe("!stale");
  expect(given).toHaveLength(1);
});

it("wraps tools of any class, and tools that are no class at all", async () => {
  const { tools } = loop();
  const { read, edit, multiEdit } = tools;
  const own = withRefresh({ read, edit, multiEdit, name: "own" }, { onContext: () => {} });
  expect(own.name).toBe("own");
  expect(outcome(await own.read({ path }))).toBe("read");
  class Counted {
    #reads = 0;
    readonly edit = edit;
    readonly multiEdit = multiEdit;
    read(request: Parameters<typeof read>[0]) {
      this.#reads++;
      return read(request);
    }
    reads = () => this.#reads;
  }
  const counted = withRefresh(new Counted(), { onContext: () => {} });
  await counted.read({ path });
  expect(counted.reads()).toBe(1);
});
