import { describe, expect, it } from "vitest";
import { bench, handleOf, on, outcome, path, printedLines } from "../support/session.js";

const six = "a b c d e f";

async function changed(now = "a b X d e f") {
  const made = bench(six);
  await made.session.read({ path });
  made.rudely(now);
  return made;
}

/** The model has had time to see what it was answered. */
const later = (made: { time: number }): number => (made.time += 1000);

describe("an edit over lines that others changed", () => {
  it.each<[string, (made: Awaited<ReturnType<typeof changed>>) => Promise<unknown>]>([
    ["a delta", ({ session }) => session.read({ path, delta: true })],
    ["a read of the lines", ({ session }) => session.read({ path, ranges: [{ start: 2, end: 4 }] })],
    ["a search", ({ session }) => session.grep({ pattern: "^X$", context: 1 })],
    ["a read without anchors", ({ session }) => session.read({ path, anchors: "none" })],
  ])("lands once the agent has looked at them: %s", async (_, look) => {
    const made = await changed();
    await look(made);
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("applied");
    expect(made.words()).toBe("a mine e f");
  });

  it("says whose changes it replaced, and what undoes them", async () => {
    const made = bench(six);
    await made.session.read({ path });
    const two = made.session.as("two");
    await two.read({ path });
    await two.edit(on(six).set(3, "X"));
    await made.session.read({ path, delta: true });
    later(made);
    const { text, details } = await made.session.edit(on(six).replace(2, 4, "mine"));
    const { id } = details as { id: string };
    expect(text).toContain(
      `! replaced line 3, changed by two since you were shown what you named; undo ${id} brings that back`,
    );
    await made.session.undo({ id });
    expect(made.words()).toBe("a b X d e f");
    const other = await changed();
    await other.session.read({ path, delta: true });
    later(other);
    expect((await other.session.edit(on(six).replace(2, 4, "mine"))).text).toContain(
      "replaced line 3, changed by others",
    );
  });

  it("is refused while the model cannot have seen that before it wrote the call", async () => {
    const made = await changed();
    const [, edit] = [
      await made.session.read({ path, delta: true }),
      await made.session.edit(on(six).replace(2, 4, "mine")),
    ];
    expect(outcome(edit)).toBe("!stale");
    // Sent again it does not slip past; by its handle it is a decision.
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("!stale");
    expect(made.words()).toBe("a b X d e f");
    const retry = handleOf(edit) as string;
    expect(outcome(await made.session.edit({ path, retry }))).toBe("applied");
  });

  it("is refused where it was told of them by an answer to another edit only", async () => {
    const made = await changed();
    const { text } = await made.session.edit(on(six).set(6, "F"));
    expect(printedLines({ text })).toContain(3);
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("!stale");
  });

  it("is refused if something there changed again since", async () => {
    const made = await changed();
    await made.session.read({ path, delta: true });
    made.rudely("a b Y d e f");
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("!stale");
  });

  it("is refused if only some of it was looked at", async () => {
    const made = await changed("a X Y d e f");
    await made.session.grep({ pattern: "^X$" });
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(1, 4, "mine")))).toBe("!stale");
    expect(made.words()).toBe("a X Y d e f");
  });

  it.each<[string, (made: Awaited<ReturnType<typeof changed>>) => Promise<unknown>]>([
    ["a read", ({ session }) => session.read({ path, ranges: [{ start: 3, end: 3 }] })],
    ["a search", ({ session }) => session.grep({ pattern: "^X$" })],
  ])("is refused if a line of others was printed without those beside it: %s", async (_, look) => {
    // Nothing printed tells that it is between `b` and `d`, and not above.
    const made = await changed("a b X c d e f");
    await look(made);
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("!stale");
    await made.session.read({ path, ranges: [{ start: 2, end: 5 }], anchors: "none" });
    later(made);
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "mine")))).toBe("applied");
    expect(made.words()).toBe("a mine e f");
  });

  it("lands over a deletion that a delta told of", async () => {
    const made = await changed("a b d e f");
    expect(outcome(await made.session.edit(on(six).replace(2, 4, "no")))).toMatch(/^!/);
    const other = await changed("a b X e f");
    await other.session.read({ path, delta: true });
    later(other);
    expect(outcome(await other.session.edit(on(six).replace(2, 5, "mine")))).toBe("applied");
    expect(other.words()).toBe("a mine f");
  });
});
