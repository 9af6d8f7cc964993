import { describe, expect, it } from "vitest";
import type { Edit, PlaceLines } from "../../src/edits/index.js";
import type { EditRequest } from "../../src/session/index.js";
import { bench, handleOf, numbered, on, outcome, path, printedLines, tag } from "../support/session.js";

const five = "a b c d e";

/** A call on line 3, refused because somebody changed it. */
async function refused(now = "a b X d e") {
  const made = bench(five);
  await made.session.read({ path });
  made.rudely(now);
  const refusal = await made.session.edit(on(five).set(3, "mine"));
  return { ...made, refusal, retry: handleOf(refusal) as string };
}

/** A batch that creates a file, refused because somebody changed another. */
async function refusedCreation() {
  const made = bench({ b: five });
  await made.session.read({ path: "b" });
  made.rudely("a b X d e", "b");
  const created: EditRequest = { path: "new", edits: [{ op: "create_file", text: "n" }] };
  const files = [created, on(five, "b").set(3, "mine")] as never;
  return { ...made, retry: handleOf(await made.session.multiEdit({ files })) as string };
}

describe("a retry handle", () => {
  it("sends the refused call again on the rows just shown", async () => {
    const { session, retry, refusal, words } = await refused();
    expect(refusal.text).toContain(JSON.stringify({ path, retry }));
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(words()).toBe("a b mine d e");
  });

  it("is good once", async () => {
    const { session, retry } = await refused();
    await session.edit({ path, retry });
    expect(outcome(await session.edit({ path, retry }))).toBe("!bad_request");
  });

  it("is kept for each of many calls that are refused at once, and used once by two that send it at once", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const { session, rudely } = bench(Object.fromEntries(names.map((name) => [name, five])));
    for (const name of names) {
      await session.read({ path: name });
      rudely("a b X d e", name);
    }
    const refusals = await Promise.all(names.map((name) => session.edit(on(five, name).set(3, "mine"))));
    const handles = refusals.map((one) => handleOf(one) as string);
    const sent = names.flatMap((name, at) => [
      session.edit({ path: name, retry: handles[at] as string }),
      session.edit({ path: name, retry: handles[at] as string }),
    ]);
    const outcomes = (await Promise.all(sent)).map(outcome);
    expect(outcomes.filter((one) => one === "applied")).toHaveLength(20);
    expect(outcomes.filter((one) => one === "!bad_request")).toHaveLength(20);
  });

  it("is not used up by a dry run, which sends nothing", async () => {
    const { session, retry, words } = await refused();
    expect(outcome(await session.edit({ path, retry, dryRun: true }))).toBe("dry_run");
    expect(words()).toBe("a b X d e");
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(outcome(await session.edit({ path, retry }))).toBe("!bad_request");
  });

  it("is bound to the version its refusal showed: after another change there is a fresh one", async () => {
    const { session, retry, rudely, words } = await refused();
    rudely("a b Y d e");
    const again = await session.edit({ path, retry });
    expect(outcome(again)).toBe("!stale");
    expect(again.text).toContain("|Y");
    expect(words()).toBe("a b Y d e");
    const fresh = handleOf(again) as string;
    expect(fresh).not.toBe(retry);
    expect(outcome(await session.edit({ path, retry: fresh }))).toBe("applied");
    expect(words()).toBe("a b mine d e");
  });

  it("says what became of it where the file has changed again, and not that the call was the same", async () => {
    const { session, rudely } = bench("a b c d e");
    await session.read({ path });
    rudely("a b C d e");
    const first = await session.edit(on("a b c").set(3, "x"));
    const { retry } = first.details as { retry: string };
    rudely("a b CC d e");
    const { text } = await session.edit({ path, retry });
    expect(text).toContain("src/a.ts has changed again since this handle was given: judged anew.");
    expect(text).not.toContain("identical");
  });

  it.each<[PlaceLines["op"], number, number, number, string, string]>([
    ["move_lines", 2, 3, 5, "a X Y d e", "a d e X Y"],
    ["move_lines", 4, 5, 1, "a b c D e", "a D e b c"],
    ["move_lines", 2, 3, 5, "a b X d e", "a d e b X"],
    ["copy_lines", 2, 3, 4, "a X c d e", "a X c d X c e"],
  ])(
    "carries the lines that stand there now: %s %i-%i after %i",
    async (op, first, last, below, then, words) => {
      const five = "a b c d e";
      const made = bench(five);
      await made.session.read({ path });
      made.rudely(then);
      const [start, end, after] = [tag(five, first), tag(five, last), tag(five, below)];
      const result = await made.session.edit({ path, edits: [{ op, start, end, after }] });
      expect(outcome(result)).toBe("!stale");
      expect(outcome(await made.session.edit({ path, retry: handleOf(result) as string }))).toBe("applied");
      expect(made.words()).toBe(words);
    },
  );

  it("replaces what was quoted where it stood when the handle was given, whatever was read since", async () => {
    const { session, rudely, words } = bench("a b c x", { onStale: "refuse" });
    await session.read({ path });
    rudely("A b c x");
    const all: Edit = { op: "replace_text", old: "x", new: "y", all: true };
    const retry = handleOf(await session.edit({ path, edits: [all] })) as string;
    rudely("A x b c x");
    await session.read({ path, ranges: [{ start: 4, end: 5 }] });
    expect(outcome(await session.edit({ path, retry }))).toBe("!stale");
    expect(words()).toBe("A x b c x");
  });

  it("goes with its own file only", async () => {
    const made = bench({ a: five, b: five });
    await made.session.read({ path: "a" });
    await made.session.read({ path: "b" });
    made.rudely("a b X d e", "a");
    const retry = handleOf(await made.session.edit(on(five, "a").set(3, "mine"))) as string;
    expect(outcome(await made.session.edit({ path: "b", retry }))).toBe("!bad_request");
    expect(made.words("b")).toBe(five);
  });

  it("goes with its own agent only, and not past a fold", async () => {
    const { session, retry, words } = await refused();
    expect(outcome(await session.as("two").edit({ path, retry }))).toBe("!bad_request");
    await session.fold();
    expect(outcome(await session.edit({ path, retry }))).toBe("!bad_request");
    expect(words()).toBe("a b X d e");
  });

  it("takes out a line of others only where its refusal showed it", async () => {
    const eight = "a b c d e f g h";
    const { session, rudely, words } = bench(eight);
    await session.read({ path });
    rudely("X b c d NEW e f g h");
    const refusal = await session.edit(on(eight).replace(1, 8, "A b c d e f g h".split(" ")));
    expect(refusal.text).toMatch(/^>>> 5#[0-9a-f]{6}\|NEW$/m);
    expect(outcome(await session.edit({ path, retry: handleOf(refusal) as string }))).toBe("applied");
    expect(words()).toBe("A b c d e f g h");
  });

  it("keeps the terminator of the line beside", async () => {
    const [before, after] = ["a\r\nb\r\nc\r\nd\n", "a\r\nb\r\nc\r\nD\n"];
    const above = (word: string): EditRequest => ({
      path,
      edits: [{ op: "insert_before", anchor: `4#${tag(word, 1).slice(2)}`, text: "n" }],
    });
    const direct = bench("");
    direct.files.set(path, after);
    await direct.session.read({ path });
    await direct.session.edit(above("D"));
    const { session, files } = bench("");
    files.set(path, before);
    await session.read({ path });
    files.set(path, after);
    const retry = handleOf(await session.edit(above("d"))) as string;
    expect(outcome(await session.edit({ path, retry }))).toBe("applied");
    expect(files.text(path)).toBe(direct.files.text(path));
  });
});

describe("a batch", () => {
  it("has one handle for all its files, and gives it without a path", async () => {
    const { session, rudely, words } = bench({ a: five, b: five });
    await session.read({ path: "a" });
    await session.read({ path: "b" });
    rudely("a b X d e", "b");
    const files = [on(five, "a").set(1, "A"), on(five, "b").set(3, "mine")] as never;
    const refusal = await session.multiEdit({ files });
    const retry = handleOf(refusal) as string;
    expect(refusal.text).toContain(JSON.stringify({ retry }));
    expect([words("a"), words("b")]).toEqual([five, "a b X d e"]);
    expect(outcome(await session.multiEdit({ retry }))).toBe("applied");
    expect([words("a"), words("b")]).toEqual(["A b c d e", "a b mine d e"]);
  });

  it("creates by its handle what it would have created", async () => {
    const { session, words, retry } = await refusedCreation();
    expect([words("new"), words("b")]).toEqual([null, "a b X d e"]);
    expect(outcome(await session.multiEdit({ retry, dryRun: true }))).toBe("dry_run");
    expect(outcome(await session.multiEdit({ retry }))).toBe("applied");
    expect([words("new"), words("b")]).toEqual(["n", "a b mine d e"]);
  });

  it("creates by its handle nothing where somebody else has meanwhile", async () => {
    const { session, rudely, words, retry } = await refusedCreation();
    rudely("theirs", "new");
    expect(outcome(await session.multiEdit({ retry }))).toBe("!exists");
    expect([words("new"), words("b")]).toEqual(["theirs", "a b X d e"]);
  });

  it("is judged anew by its handle when one of its files has changed again", async () => {
    const { session, rudely, words } = bench({ a: five, b: five });
    await session.read({ path: "a" });
    await session.read({ path: "b" });
    rudely("a b X d e", "b");
    const files = [on(five, "a").set(1, "A"), on(five, "b").set(3, "mine")] as never;
    const retry = handleOf(await session.multiEdit({ files })) as string;
    rudely("Z b c d e", "a");
    expect(outcome(await session.multiEdit({ retry }))).toBe("!stale");
    expect([words("a"), words("b")]).toEqual(["Z b c d e", "a b X d e"]);
  });
});

describe("no handle is offered", () => {
  it("where the missing lines were too many to be shown", async () => {
    const all = numbered(100);
    const { session } = bench(all);
    await session.read({
      path,
      ranges: [
        { start: 1, end: 2 },
        { start: 99, end: 100 },
      ],
    });
    const refusal = await session.edit(on(all).replace(1, 100, ["gone"]));
    expect(outcome(refusal)).toBe("!not_shown");
    expect(printedLines(refusal)).toEqual([]);
    expect(handleOf(refusal)).toBeUndefined();
    expect(refusal.details).toMatchObject({ affectedRanges: [{ start: 3, end: 98 }] });
    expect(refusal.text).toContain('[{"start":3,"end":98}]');
  });

  it("where a missing line is too long to be shown", async () => {
    const { session, files } = bench("");
    files.set(path, `a\n${"y".repeat(3000)}\nc\n`);
    await session.read({
      path,
      ranges: [
        { start: 1, end: 1 },
        { start: 3, end: 3 },
      ],
    });
    const range = { start: tag("a", 1), end: `3#${tag("c", 1).slice(2)}` };
    const refusal = await session.edit({ path, edits: [{ op: "replace_lines", ...range, text: "z" }] });
    expect([outcome(refusal), handleOf(refusal)]).toEqual(["!not_shown", undefined]);
  });

  it.each([
    ["a file never read", five, "not_read"],
    ["a line that was shown for two places", "a b } c d", "ambiguous"],
  ] as const)("for %s", async (_, text, code) => {
    const { session } = bench(text);
    if (code === "ambiguous") {
      await session.read({ path });
      await session.edit(on(text).after(1, ["n", "}"]));
    }
    const refusal = await session.edit(on(text).set(3, "x"));
    expect([outcome(refusal), handleOf(refusal)]).toEqual([`!${code}`, undefined]);
  });

  it("where the line's place is a guess", async () => {
    const { refusal } = await refused("a b P Q R d e");
    const { session, rudely } = bench("a b c d e f");
    await session.read({ path });
    rudely("a b P Q f");
    const guess = await session.edit(on("a b c d e f").set(4, "x"));
    expect([outcome(guess), handleOf(guess)]).toEqual(["!stale", undefined]);
    expect(handleOf(refusal)).toBeDefined();
  });

  it("under a handle nobody gave", async () => {
    const { session } = bench(five);
    expect(outcome(await session.edit({ path, retry: "rnone" }))).toBe("!bad_request");
    expect(outcome(await session.multiEdit({ retry: "rnone" }))).toBe("!bad_request");
    expect(outcome((await session.plan({ path, retry: "rnone" })).result)).toBe("!bad_request");
  });
});

it("names all files of a batch whose handle is sent for one of them", async () => {
  const { session, rudely } = bench({ a: five, b: five });
  await session.read({ path: "a" });
  await session.read({ path: "b" });
  rudely("a b X d e", "a");
  const files = [on(five, "a").set(3, "mine"), on(five, "b").set(3, "mine")] as never;
  const retry = handleOf(await session.multiEdit({ files })) as string;
  const { text } = await session.edit({ path: "a", retry, dryRun: true });
  expect(text).toContain(`${retry} is a call on a and b, not on a alone`);
  const real = await session.edit({ path: "a", retry });
  expect(real.text).toMatch(/send the edits again$/);
  expect((await session.edit({ path: "a", retry })).text).not.toContain("Correct the field");
});
