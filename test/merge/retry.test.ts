import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { RefusalDetails } from "../../src/answers/refusal-details.js";
import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import type { EditRequest, MultiEditRequest } from "../../src/session/index.js";
import { bench, on, outcome, path, printedLines, tag } from "../support/session.js";

/** Two functions that end alike; three lines put in above them make line 7 the end of the first one. */
const functions = "head one( body } two( body2 } tail";
const shifted = "n1 n2 n3 head one( body } two( body2 } tail";

function placesOf(result: Result<unknown>) {
  return (result.details as RefusalDetails).places ?? [];
}

async function twoShowings() {
  const made = bench(functions);
  await made.session.read({ path });
  await made.session.edit(on(functions).before(1, ["n1", "n2", "n3"]));
  expect(made.words()).toBe(shifted);
  // `7#…` was printed for the end of two(, and is printed now for the end of one(.
  await made.session.grep({ pattern: "^}$" });
  return made;
}

describe("an edit whose anchors come from two showings", () => {
  const ends = { start: tag(functions, 2), end: tag(shifted, 7) };
  const range = (edit: Edit): EditRequest => ({ path, edits: [edit] });
  const deletion = range({ op: "delete_lines", ...ends });

  it.each([
    ["delete_lines", deletion],
    ["replace_lines", range({ op: "replace_lines", ...ends, text: "x" })],
    ["move_lines", range({ op: "move_lines", ...ends, after: tag(shifted, 1) })],
  ])("is ambiguous, and nothing is written: %s", async (_, call) => {
    const { session, words } = await twoShowings();
    const refusal = await session.edit(call);
    expect(outcome(refusal)).toBe("!ambiguous");
    expect(refusal.text).not.toContain("undo if");
    expect(words()).toBe(shifted);
  });

  it("is ambiguous too where only the destination comes from the listing", async () => {
    const { session, words } = await twoShowings();
    const [start, end] = [tag(shifted, 1), tag(shifted, 2)];
    const call: EditRequest = { path, edits: [{ op: "move_lines", start, end, after: tag(functions, 7) }] };
    expect(outcome(await session.edit(call))).toBe("!ambiguous");
    expect(words()).toBe(shifted);
  });

  it("shows every place, and has a handle for each", async () => {
    const { session } = await twoShowings();
    const refusal = await session.edit(deletion);
    const places = placesOf(refusal);
    expect(places.map(({ line, anchor }) => [line, anchor])).toEqual([
      [7, tag(shifted, 7)],
      [10, tag(shifted, 10)],
    ]);
    expect((refusal.details as RefusalDetails).retry).toBeUndefined();
    expect(printedLines(refusal)).toEqual(expect.arrayContaining([6, 7, 8, 9, 10, 11]));
    for (const { line, retry } of places)
      expect(refusal.text).toMatch(new RegExp(`line ${line}\\b.*${retry}`));
    expect(refusal.text).not.toMatch(/deleted|since last read/);
  });

  it.each([
    [7, "n1 n2 n3 head two( body2 } tail"],
    [10, "n1 n2 n3 head tail"],
  ])("is done by the handle of the line that is meant: %i", async (line, then) => {
    const { session, words } = await twoShowings();
    const places = placesOf(await session.edit(deletion));
    const retry = places.find((one) => one.line === line)?.retry as string;
    expect(outcome(await session.edit({ path, retry, dryRun: true }))).toBe("dry_run");
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(words()).toBe(then);
    // The request is done: sent once more it does not take the other place.
    expect(outcome(await session.edit(deletion))).toBe("noop");
    expect(words()).toBe(then);
  });

  it("is refused again with its handles however often it is sent, and never told to stop", async () => {
    const { session, words } = await twoShowings();
    const first = placesOf(await session.edit(deletion));
    for (let time = 0; time < 3; time++) {
      const again = await session.edit(deletion);
      expect(outcome(again)).toBe("!ambiguous");
      expect(placesOf(again)).toEqual(first);
      expect(again.text).not.toMatch(/Stop|do not retry|Do not retry/);
    }
    expect(words()).toBe(shifted);
  });

  it("has fresh handles after another change of the file", async () => {
    const { session, rudely, words } = await twoShowings();
    const [one] = placesOf(await session.edit(deletion));
    rudely(shifted.replace("head", "HEAD"));
    const again = await session.edit({ path, retry: one?.retry as string });
    expect(outcome(again)).toBe("!ambiguous");
    const fresh = placesOf(again);
    expect(fresh.map(({ line }) => line)).toEqual([7, 10]);
    expect(fresh[0]?.retry).not.toBe(one?.retry);
    expect(outcome(await session.edit({ path, retry: fresh[0]?.retry as string }))).toBe("applied");
    expect(words()).toBe("n1 n2 n3 HEAD two( body2 } tail");
  });
});

describe("an anchor with several living lines", () => {
  it("has at most four handles, and shows every place", async () => {
    const { session, words } = bench("} } a b");
    await session.read({ path });
    for (let time = 0; time < 5; time++) {
      await session.edit({ path, edits: [{ op: "prepend", text: ["x"] }] });
      await session.edit({ path, edits: [{ op: "prepend", text: ["}"] }] });
      await session.grep({ pattern: "^}$" });
    }
    const refusal = await session.edit({ path, edits: [{ op: "set_line", anchor: tag("}", 1), text: "y" }] });
    expect(outcome(refusal)).toBe("!ambiguous");
    const places = placesOf(refusal);
    expect(places.length).toBeGreaterThan(4);
    expect(places.filter(({ retry }) => retry !== undefined)).toHaveLength(4);
    const before = words();
    const [{ line, retry } = { line: 0, retry: "" }] = places.filter((one) => one.retry !== undefined);
    await session.edit({ path, retry: retry as string });
    expect(words()?.split(" ")[line - 1]).toBe("y");
    expect(words()?.split(" ")).toHaveLength(before?.split(" ").length as number);
  });

  it("takes two ambiguous anchors of a call from one showing", async () => {
    const { session, words } = bench("a } b } c");
    await session.read({ path });
    await session.edit(on("a } b } c").before(1, ["}", "}"]));
    await session.grep({ pattern: "^}$" });
    const now = "} } a } b } c";
    expect(words()).toBe(now);
    const call: EditRequest = { path, edits: [{ op: "delete_lines", start: tag(now, 2), end: tag(now, 4) }] };
    const refusal = await session.edit(call);
    expect(outcome(refusal)).toBe("!ambiguous");
    const found = placesOf(refusal).map(({ line, retry }) => [line, retry]);
    const handles = new Set(found.map(([, retry]) => retry));
    expect(handles.size).toBe(2);
    const ofListing = placesOf(refusal).find(({ line }) => line === 6)?.retry as string;
    expect(outcome(await session.edit({ path, retry: ofListing }))).toBe("applied");
    expect(words()).toBe("} } a c");
  });

  it("has rows and no handle where no showing names a living line for each ambiguous anchor", async () => {
    const text = "a } b c d e ]";
    const { session, words } = bench(text);
    await session.read({ path, ranges: [{ start: 2, end: 2 }] });
    await session.read({ path, ranges: [{ start: 7, end: 7 }] });
    await session.read({
      path,
      ranges: [
        { start: 1, end: 1 },
        { start: 3, end: 6 },
      ],
    });
    await session.edit(on(text).before(1, ["x", "}"]));
    await session.edit({ path, edits: [{ op: "insert_before", anchor: tag("a } b c d", 5), text: ["]"] }] });
    expect(words()).toBe("x } a } b c ] d e ]");
    const call: EditRequest = {
      path,
      edits: [{ op: "delete_lines", start: tag(text, 2), end: tag(text, 7) }],
    };
    const refusal = await session.edit(call);
    expect(outcome(refusal)).toBe("!ambiguous");
    expect(placesOf(refusal).map(({ line, retry }) => [line, retry])).toEqual([
      [2, undefined],
      [4, undefined],
      [7, undefined],
      [10, undefined],
    ]);
    expect(printedLines(refusal)).toEqual(expect.arrayContaining([2, 4, 7, 10]));
  });

  it("has handles in a batch, which are sent without a path", async () => {
    const made = await twoShowings();
    const { session, words, files } = made;
    files.set("b", "one\ntwo\n");
    await session.read({ path: "b" });
    const call: MultiEditRequest = {
      files: [
        { path, edits: [{ op: "set_line", anchor: tag(shifted, 7), text: "end" }] },
        { path: "b", edits: [{ op: "set_line", anchor: tag("one", 1), text: "ONE" }] },
      ],
    };
    const refusal = await session.multiEdit(call);
    expect(outcome(refusal)).toBe("!ambiguous");
    const place = placesOf(refusal).find(({ line }) => line === 10);
    expect(refusal.text).toContain(JSON.stringify({ retry: place?.retry }));
    expect(outcome(await session.multiEdit({ retry: place?.retry as string }))).toBe("applied");
    expect(words()).toBe("n1 n2 n3 head one( body } two( body2 end tail");
    expect(words("b")).toBe("ONE two");
  });

  it("is open no more once a read printed its number in the same scheme", async () => {
    const { session, words } = await twoShowings();
    await session.read({ path, ranges: [{ start: 7, end: 7 }] });
    expect(outcome(await session.edit(on(shifted).set(7, "end")))).toBe("applied");
    expect(words()).toBe("n1 n2 n3 head one( body end two( body2 } tail");
  });

  it("is still open after the refusal showed both: rows of a refusal decide nothing", async () => {
    const { session } = await twoShowings();
    await session.edit(on(shifted).set(7, "x"));
    expect(outcome(await session.edit(on(shifted).set(7, "y")))).toBe("!ambiguous");
  });
});

describe("a printed row whose line is gone", () => {
  it("counts no more once the agent took the line out itself", async () => {
    const { session, words } = bench("a } b } c");
    await session.read({ path });
    await session.edit(on("a } b } c").remove(2));
    await session.edit({ path, edits: [{ op: "insert_after", anchor: tag("a", 1), text: ["}"] }] });
    expect(words()).toBe("a } b } c");
    expect(outcome(await session.edit(on("a } b } c").set(2, "x")))).toBe("applied");
    expect(words()).toBe("a x b } c");
  });

  it("is a place of its own while its loss is untold, and none afterwards", async () => {
    const { session, rudely, words } = bench("a } b c d e f g");
    await session.read({ path });
    rudely("a b c d e f g");
    // The agent's own line has the anchor that was printed for the line that is gone.
    await session.edit({ path, edits: [{ op: "prepend", text: ["top", "}"] }] });
    expect(words()).toBe("top } a b c d e f g");
    const set = (text: string): EditRequest => ({
      path,
      edits: [{ op: "set_line", anchor: tag("a }", 2), text }],
    });
    // The answer to the edit has told that a line is gone.
    expect(outcome(await session.edit(set("x")))).toBe("applied");
  });

  it("is a place of its own until a refusal of another call has shown the loss", async () => {
    const { session, words } = bench("h } q r s");
    await session.read({ path });
    const two = session.as("two");
    await two.read({ path });
    await two.edit(on("h } q r s").remove(2));
    await two.edit({ path, edits: [{ op: "prepend", text: ["g", "}"] }] });
    await session.grep({ pattern: "^}$" });
    const now = "g } h q r s";
    expect(words()).toBe(now);
    const refusal = await session.edit(on(now).set(2, "x"));
    expect(outcome(refusal)).toBe("!ambiguous");
    expect(refusal.text).toContain("a line that others took out");
    expect(refusal.text).not.toMatch(/deleted/);
    expect(placesOf(refusal).map(({ line, retry }) => [line, typeof retry])).toEqual([[2, "string"]]);
    expect(printedLines(refusal)).toEqual(expect.arrayContaining([2, 3, 4]));
    // The same call does not slip past; another one is made with the loss in view.
    expect(outcome(await session.edit(on(now).set(2, "x")))).toBe("!ambiguous");
    expect(outcome(await session.edit(on(now).set(2, "y")))).toBe("applied");
    expect(words()).toBe("g y h q r s");
  });
});

describe("lines that are all gone", () => {
  it("are deleted, whatever else the anchor was printed for", async () => {
    const { session, words } = bench("a } b c");
    await session.read({ path });
    await session.edit(on("a } b c").remove(2));
    await session.edit({ path, edits: [{ op: "insert_after", anchor: tag("a", 1), text: ["}"] }] });
    await session.edit(on("a } b c").remove(2));
    expect(words()).toBe("a b c");
    const refusal = await session.edit(on("a } b c").set(2, "x"));
    expect(outcome(refusal)).toMatch(/^!(deleted|stale)$/);
    expect(refusal.text).not.toContain("ambiguous");
  });
});

describe("schemes", () => {
  it("a read in another scheme retires nothing", async () => {
    const { session, words } = bench("a b c");
    await session.read({ path });
    await session.read({ path, anchors: "hex4" });
    await session.read({ path, anchors: "none" });
    expect(outcome(await session.edit(on("a b c").set(2, "B")))).toBe("applied");
    const anchor = `1#${computeLineHash("a", "hex4")}`;
    expect(outcome(await session.edit({ path, edits: [{ op: "set_line", anchor, text: "A" }] }))).toBe(
      "applied",
    );
    expect(words()).toBe("A B c");
  });

  it("a read in the same scheme does", async () => {
    const { session } = bench("} a b");
    await session.read({ path, anchors: "hex4" });
    await session.edit({ path, edits: [{ op: "prepend", text: "}" }] });
    const anchor = `1#${computeLineHash("}", "hex4")}`;
    const set: EditRequest = { path, edits: [{ op: "set_line", anchor, text: "x" }] };
    await session.read({ path, anchors: "hex6" });
    expect(outcome(await session.edit(set))).toBe("applied");
  });
});

describe("a handle of one of several lines", () => {
  const insert: EditRequest = { path, edits: [{ op: "insert_after", anchor: tag(shifted, 7), text: "new" }] };

  /** The call was refused; then the file changes in a way that leaves its anchor one line only. */
  async function handleFor(line: number) {
    const made = await twoShowings();
    const places = placesOf(await made.session.edit(insert));
    return { ...made, places, retry: places.find((one) => one.line === line)?.retry as string };
  }

  it("means that line too after a read named another one by the anchor, and others moved it", async () => {
    const { session, retry, rudely, words } = await handleFor(10);
    await session.read({ path, ranges: [{ start: 7, end: 7 }] });
    rudely(`top ${shifted}`);
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(words()).toBe("top n1 n2 n3 head one( body } two( body2 } new tail");
  });

  it("is refused if that line is gone, and takes no other", async () => {
    const { session, retry, rudely, words } = await handleFor(7);
    const gone = "n1 n2 n3 head one( body! two( body2 } tail";
    rudely(gone);
    await session.read({ path, delta: true });
    const refusal = await session.edit({ path, retry });
    expect(refusal.isError).toBe(true);
    expect(words()).toBe(gone);
    // A handle of that refusal means the same line: it takes no other either.
    const again = (refusal.details as RefusalDetails).retry;
    rudely(`top ${gone}`);
    if (again) expect((await session.edit({ path, retry: again })).isError).toBe(true);
    expect(words()).not.toContain("new");
  });

  it("is another call than that of the other line", async () => {
    const { session, places, words } = await handleFor(7);
    const [first, second] = places.map((one) => one.retry as string);
    expect(outcome(await session.edit({ path, retry: first as string }))).toBe("applied");
    const again = await session.edit({ path, retry: second as string });
    expect(outcome(again)).toBe("!ambiguous");
    const fresh = placesOf(again).find(({ line }) => line === 11)?.retry as string;
    expect(outcome(await session.edit({ path, retry: fresh }))).toBe("applied");
    expect(words()).toBe("n1 n2 n3 head one( body } new two( body2 } new tail");
  });
});

it("a choice goes over nothing where only the blanks of a quote are wrong beside it", async () => {
  const { session } = await twoShowings();
  const insert: Edit = { op: "insert_after", anchor: tag(shifted, 7), text: "new" };
  const call: EditRequest = { path, edits: [insert, { op: "replace_text", old: "  tail", new: "  end" }] };
  const refusal = await session.edit(call);
  expect(placesOf(refusal).every(({ retry }) => retry !== undefined)).toBe(true);
  expect(refusal.text).toContain("With the blanks of the file the edit is:");
  expect(refusal.text).not.toContain(">>>");
});

it("a call that a handle decided, and that was taken back, has its handles again", async () => {
  const { session, rudely, words } = await twoShowings();
  const call: EditRequest = { path, edits: [{ op: "insert_after", anchor: tag(shifted, 7), text: "new" }] };
  const [, second] = placesOf(await session.edit(call));
  expect(outcome(await session.edit({ path, retry: second?.retry as string }))).toBe("applied");
  rudely(shifted);
  const again = await session.edit(call);
  expect(outcome(again)).toBe("!ambiguous");
  expect(again.text).toContain("is gone: src/a.ts was put back to the text before it");
  const retry = placesOf(again).find(({ line }) => line === 10)?.retry as string;
  expect(outcome(await session.edit({ path, retry }))).toBe("applied");
  expect(words()).toBe("n1 n2 n3 head one( body } two( body2 } new tail");
});
