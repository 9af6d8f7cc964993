import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { Session } from "../../src/session/session.js";
import { type Bench, bench, numbered, on, outcome, path, tag } from "../support/session.js";
import { altered } from "../support/store.js";

const five = "a b c d e";

describe("who has seen it", () => {
  it("each agent for itself", async () => {
    const { session } = bench(five);
    await session.read({ path });
    const other = session.as("two");
    expect(outcome(await other.edit(on(five).set(3, "x")))).toBe("!not_read");
    expect(session.as("one")).toBe(session);
  });

  it("still, when the session is taken up again with the same store", async () => {
    const { session, files, store, words } = bench(five);
    await session.read({ path });
    const resumed = new Session({ files, store, agent: "one", clock: () => 0 });
    expect(outcome(await resumed.edit(on(five).set(3, "x")))).toBe("applied");
    expect(words()).toBe("a b x d e");
  });

  it("nobody, after a fold", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    const other = session.as("two");
    await other.read({ path });
    await session.fold();
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("!not_read");
    expect(outcome(await other.edit(on(five).set(3, "y")))).toBe("applied");
    await session.read({ path });
    expect(outcome(await session.edit(on("a b y d e").set(3, "z")))).toBe("applied");
    expect(words()).toBe("a b z d e");
  });

  it("the same as before, if folds are to be kept", async () => {
    const { session } = bench(five, { keepOnFold: true });
    await session.read({ path });
    await session.fold();
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("applied");
  });

  it("one file, whatever the case and the way its path is written", async () => {
    const { session, words } = bench({ "Src/A.ts": five }, { ignoreCase: true });
    await session.read({ path: "src/a.ts" });
    expect(outcome(await session.edit(on(five, "SRC/./x/../A.TS").set(3, "x")))).toBe("applied");
    expect(words("src/a.ts")).toBe("a b x d e");
  });

  it("two files, where case tells them apart", async () => {
    const { session } = bench({ "a.ts": five, "A.ts": five });
    await session.read({ path: "a.ts" });
    expect(outcome(await session.edit(on(five, "A.ts").set(3, "x")))).toBe("!not_read");
  });
});

function unkept({ files, store }: Pick<Bench, "files" | "store">): Session {
  const identify = async (file: string) => ({ ...(await files.identify(file)), keep: false });
  return new Session({ files: { ...files, identify }, store, agent: "two", clock: () => 0 });
}

describe("a file of which only hashes are kept", () => {
  const shown = "a b c d e f";
  const quote = (old: string, fresh: string) => ({
    ...{ path, tool: "Edit" },
    change: { kind: "quotes" as const, quotes: [{ old, new: fresh, all: false }] },
  });

  async function read(text = shown) {
    const made = bench(text);
    const session = unkept(made);
    await session.read({ path });
    return { ...made, session };
  }

  it("is edited in lines that others left alone, and refused in the others", async () => {
    const { session, rudely, words } = await read();
    rudely("N a b c d E f");
    expect(outcome(await session.edit(on(shown).set(2, "B")))).toBe("applied");
    expect(outcome(await session.edit(on(shown).set(3, "C")))).toBe("applied");
    const { text, details } = await session.edit(on(shown).set(5, "X"));
    expect(details).toMatchObject({
      ...{ status: "refused", code: "stale" },
      mismatches: [{ anchor: tag(shown, 5), cause: "changed", shown: null, now: "E" }],
    });
    expect(text).toContain(">>> 6#");
    expect(text).not.toMatch(/[^\n -~]/);
    expect(words()).toBe("N a B C d E f");
  });

  it("is refused in ranges that hold a changed line, be it retyped, and in lines that are gone", async () => {
    const { session, rudely, words } = await read();
    rudely("a b X d f");
    const range = { op: "replace_lines" as const, start: tag(shown, 2), end: tag(shown, 4) };
    const edit = (text: string) => session.edit({ path, edits: [{ ...range, text }] });
    expect(outcome(await edit("B\nc\nd"))).toBe("!stale");
    const gone = await session.edit(on(shown).set(5, "F"));
    expect(outcome(gone)).toBe("!deleted");
    expect(gone.text).toContain(`${tag(shown, 5)} was deleted`);
    expect(words()).toBe("a b X d f");
  });

  it("is edited by quotes of lines that were shown and stand unchanged", async () => {
    const { session, rudely, words } = await read();
    rudely("N a b c d E f");
    const replace = (old: string) => session.edit({ path, edits: [{ op: "replace_text", old, new: "X" }] });
    expect(outcome(await replace("e"))).toBe("!stale");
    expect(outcome(await replace("E"))).toBe("!stale");
    expect((await session.consider(quote("c", "C"))).kind).toBe("allowed");
    expect((await session.consider(quote("d\nE", "C"))).kind).toBe("refused");
    expect((await session.consider(quote("e", "C"))).kind).toBe("refused");
    expect((await session.consider(quote("N", "C"))).kind).toBe("refused");
    expect(outcome(await replace("b"))).toBe("applied");
    expect(words()).toBe("N a X c d E f");
  });

  it("is not edited by a quote that may have stood in a changed line", async () => {
    const { session, rudely } = await read("a b c d e f g b2");
    rudely("a X c d e f g b2 b");
    expect((await session.consider(quote("b\n", "B\n"))).kind).toBe("refused");
    await session.read({ path, ranges: [{ start: 5, end: 5 }] });
    const replace: Edit = { op: "replace_text", old: "b\n", new: "B\n" };
    expect(outcome(await session.edit({ path, edits: [replace] }))).toMatch(/^!/);
    await session.read({ path });
    expect(outcome(await session.edit({ path, edits: [replace] }))).toBe("applied");
  });
});

describe("a file of which nothing is kept", () => {
  function unkept({ files, store }: Pick<Bench, "files" | "store">): Session {
    return new Session({
      files,
      store: altered(store, { isKept: () => false }),
      agent: "two",
      clock: () => 0,
    });
  }

  it.each(["append", "prepend"] as const)(
    "says on %s that others have changed it, and what to read",
    async (op) => {
      const made = bench("a b c d e f");
      const session = unkept(made);
      const added = (text: string) => session.edit({ path, edits: [{ op, text }] });
      const words = `${path} has changed since it was shown, and that text is not kept: call read on ${path}`;
      await session.read({ path });
      expect((await added("N")).details).toMatchObject({ status: "applied", warnings: [] });
      expect((await added("M")).details).toMatchObject({ status: "applied", warnings: [] });
      made.rudely("a b c d e F");
      const result = await added("O");
      expect(result.details).toMatchObject({
        status: "applied",
        warnings: [`${words} before you use its anchors`],
      });
      expect(result.text).toContain(`\n! ${words}`);
      expect((await added("P")).details).toMatchObject({ status: "applied", warnings: [] });
    },
  );

  it("is edited as shown, also after own edits, and not merged", async () => {
    const made = bench("a b c d e f");
    const { session: plain, rudely, words } = made;
    const session = unkept(made);
    await session.read({ path });
    expect(outcome(await session.edit(on("a b c d e f").set(2, "B")))).toBe("applied");
    expect(outcome(await session.edit(on("a b c d e f").set(5, "E")))).toBe("applied");
    rudely("a B c d E F");
    expect(outcome(await session.edit(on("a b c d e f").set(3, "C")))).toBe("!stale");
    expect(words()).toBe("a B c d E F");
    expect(plain.agent).toBe("one");
  });

  /** Two hundred lines of which one was shown; then others put thirty on top. */
  async function shifted() {
    const long = numbered(200);
    const made = bench(long);
    const { rudely, words } = made;
    return { session: unkept(made), long, words, shift: () => rudely(`${numbered(30, "y")} ${long}`) };
  }

  it("is edited after the read that a refusal asks for", async () => {
    const { session, long, words, shift } = await shifted();
    await session.read({ path, ranges: [{ start: 150, end: 150 }] });
    shift();
    const { text } = await session.edit(on(long).set(150, "N"));
    expect(text).toContain('Next: call read on src/a.ts with ranges [{"start":160,"end":200}].');
    await session.read({ path, ranges: [{ start: 160, end: 200 }] });
    const now = words() as string;
    expect(outcome(await session.edit(on(now).set(180, "N")))).toBe("applied");
  });

  it("is asked for again where a search has shown the line since, and edited then", async () => {
    const made = bench(numbered(200));
    const session = unkept(made);
    await session.read({ path, ranges: [{ start: 150, end: 150 }] });
    made.rudely(numbered(199));
    await session.grep({ pattern: "x150$" });
    const again = on(numbered(200)).set(150, "N");
    const refused = await session.edit(again);
    expect(refused.text).not.toContain("deleted");
    expect(refused.text).toContain('Next: call read on src/a.ts with ranges [{"start":130,"end":170}].');
    await session.read({ path, ranges: [{ start: 130, end: 170 }] });
    expect(outcome(await session.edit(again))).toBe("applied");
  });

  it("is edited by a quote after the read that the guard asks for", async () => {
    const { session, shift } = await shifted();
    await session.observe({ path, rows: [{ line: 150, text: "x150" }] });
    shift();
    const quotes = [{ old: "x150", new: "N", all: false }];
    const write = { path, tool: "Edit", change: { kind: "quotes" as const, quotes } };
    const found = await session.consider(write);
    const text = found.kind === "refused" ? found.result.text : "";
    expect(text).toContain('Next: call read on src/a.ts with ranges [{"start":160,"end":200}].');
    await session.read({ path, ranges: [{ start: 160, end: 200 }] });
    expect(await session.consider(write)).toEqual({ kind: "allowed" });
  });
});

describe("a session of which nothing is recorded", () => {
  const unrecorded = (words: string) => bench(words, { relocateWithin: 8 });

  it("takes a line that carries its anchor, was it shown or not, or the one line near it that does", async () => {
    const { session, words, rudely } = unrecorded(five);
    expect(outcome(await session.edit(on(five).set(3, "x")))).toBe("applied");
    rudely(`z ${five}`);
    const { text, details } = await session.edit(on(five).set(3, "x"));
    expect(text).toContain("(relocated)");
    expect(details).not.toHaveProperty("id");
    expect(words()).toBe("z a b x d e");
  });

  it("prints no lines that it quotes in part, and keeps no refused call", async () => {
    const { session } = unrecorded("one two");
    const { text } = await session.edit(on("one two").quote("ne", "N"));
    expect(text).not.toContain("quoted in part");
    const refused = await session.edit(on("a").set(1, "x"));
    expect(outcome(refused)).toBe("!stale");
    expect(refused.details).not.toHaveProperty("retry");
    const again = await session.edit({ path, retry: "r7" });
    expect(again.text).toContain("nothing is recorded, so no refused call is kept: send the edits again");
  });

  it("joins the edits of one file that a batch names twice, and deletes and moves files", async () => {
    const { session, words } = bench({ a: "a b", b: "b", c: "c" }, { relocateWithin: 0 });
    const files = [
      on("a b", "a").set(1, "A"),
      on("a b", "a").set(2, "B"),
      { path: "b", edits: [{ op: "delete_file" }] },
      { path: "c", edits: [{ op: "move_file", to: "d" }] },
    ];
    expect(outcome(await session.multiEdit({ files: files as never }))).toBe("applied");
    expect([words("a"), words("b"), words("c"), words("d")]).toEqual(["A B", null, null, "c"]);
  });

  it("takes the anchors off rows of the file that were copied into the text, and says so", async () => {
    const { session, words } = unrecorded(five);
    const text = [`${tag(five, 2)}|B`];
    const result = await session.edit(on(five).set(2, text));
    expect(result.text).toContain("the text repeated anchors; they were removed");
    expect(words()).toBe("a B c d e");
  });
});
