import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { editsFromJson } from "../../src/edits/index.js";
import { PortError } from "../../src/ports/files.js";
import { Session } from "../../src/session/session.js";
import {
  type Bench,
  bench,
  handleOf,
  numbered,
  on,
  outcome,
  path,
  printedLines,
  tag,
} from "../support/session.js";

const eight = "a b c d e f g h";

async function seen(options: Parameters<typeof bench>[1] = {}, words = eight): Promise<Bench> {
  const made = bench(words, options);
  await made.session.read({ path });
  return made;
}

describe("a refusal", () => {
  it("says what was shown, what is there now, and the next call", async () => {
    const { session, rudely } = await seen();
    rudely("a b C d e f g h");
    const { text, details } = await session.edit(on(eight).set(3, "x"));
    const retry = handleOf({ text, details, isError: true });
    expect(text).toBe(
      [
        "REJECTED, nothing written.",
        "1 line has changed since last read. Use the updated LINE#ID references shown below (>>> marks changed lines).",
        'It was "c"',
        "",
        "    1#0d7456|a",
        "    2#0cadbf|b",
        ">>> 3#1e70b8|C",
        "    4#f35290|d",
        "    5#5ad1c7|e",
        `Still right? Send {"path":"src/a.ts","retry":"${retry}"}; else use the anchors above.`,
      ].join("\n"),
    );
    expect(details).toMatchObject({
      status: "refused",
      code: "stale",
      path,
      mismatches: [
        { path, anchor: "3#b00f1b", line: 3, actual: "3#1e70b8", cause: "changed", shown: "c", now: "C" },
      ],
      affectedRanges: [{ start: 3, end: 3 }],
      remaps: [{ from: "3#b00f1b", to: "3#1e70b8", kind: "changed" }],
    });
  });

  it("reports all problems of a call together, and writes nothing of it", async () => {
    const { session, rudely, words } = await seen();
    rudely("a b C d e f G h");
    const edits = [tag(eight, 1), tag(eight, 3), "5#000000", tag(eight, 7)].map(
      (anchor): Edit => ({
        op: "set_line",
        anchor,
        text: "x",
      }),
    );
    const { text, details } = await session.edit({ path, edits });
    expect(details).toMatchObject({
      affectedRanges: [
        { start: 3, end: 3 },
        { start: 5, end: 5 },
        { start: 7, end: 7 },
      ],
    });
    expect(text).toContain("line 5 was last shown as 5#5ad1c7");
    expect(text).toContain("2 lines have changed");
    expect(words()).toBe("a b C d e f G h");
  });

  it.each<[string, unknown]>([
    ["a bare number", "4"],
    ["a number", 4],
    ["a placeholder", "LINE#ID"],
  ])("of %s is told apart from a stale one", async (_, anchor) => {
    const { session } = await seen();
    const edits = editsFromJson([{ op: "set_line", anchor, text: "x" }]);
    const { details, text } = await session.edit({ path, edits });
    expect(details).toMatchObject({ code: "bad_anchor" });
    if (String(anchor) === "4") expect(text).toContain(`line 4 was shown as ${tag(eight, 4)}`);
  });

  it("names the right anchor for a number also after an own edit", async () => {
    const { session } = await seen();
    await session.edit(on(eight).set(1, "A"));
    const { text } = await session.edit({ path, edits: [{ op: "set_line", anchor: "4", text: "x" }] });
    expect(text).toContain(`line 4 was shown as ${tag(eight, 4)}`);
  });

  it("does not say that an anchor was never shown if an earlier read printed it", async () => {
    const { session } = await seen();
    const edited = "a b C d e f g h";
    await session.edit(on(eight).set(3, "C"));
    await session.read({ path });
    const { text, details } = await session.edit(on(eight).set(3, "x"));
    expect(details).toMatchObject({ code: "wrong_hash" });
    expect(text).toContain(`${tag(eight, 3)} does not fit: line 3 was last shown as ${tag(edited, 3)}`);
    expect(text).not.toContain("never shown");
  });

  it("never becomes a re-read", async () => {
    const all = numbered(100);
    const { session, rudely } = await seen({}, all);
    rudely(all.replaceAll(/x([3-8]\d) /g, "y$1 "));
    const refusal = await session.edit(on(all).replace(10, 95, "x"));
    expect(printedLines(refusal)).toHaveLength(40);
    expect(handleOf(refusal)).toBeUndefined();
    expect(refusal.text).toContain('call read on src/a.ts with ranges [{"start":30,"end":89}]');
  });

  it("is answered in the scheme the call spoke", async () => {
    const { session, rudely } = bench(eight);
    const { text } = await session.read({ path, anchors: "lean" });
    const anchor = text.split("\n")[2]?.split("\t")[0] as string;
    rudely("a b C d e f g h");
    const refusal = await session.edit({ path, edits: [{ op: "set_line", anchor, text: "x" }] });
    expect(outcome(refusal)).toBe("!stale");
    expect(refusal.text).toMatch(/^>>> [a-z]+3\tC$/m);
  });

  it("is sharper for the same call only, and names a read only where that can help", async () => {
    const { session } = bench(eight);
    const missing = { path: "../out" };
    expect((await session.read(missing)).text).not.toContain("identical");
    expect((await session.write({ ...missing, content: "x" })).text).not.toContain("identical");
    expect((await session.read({ ...missing, offset: 2 })).text).not.toContain("identical");
    const { text } = await session.read(missing);
    expect(text).toContain("do not retry identical arguments: the answer stays the same");
    expect(text).not.toContain("first");
    expect((await session.as("two").read(missing)).text).not.toContain("identical");
    expect((await session.as("two").read(missing)).text).toContain("identical");
    for (let time = 0; time < 2; time++) await session.edit(on(eight, "none").set(3, "x"));
    const gone = await session.edit(on(eight, "none").set(3, "x"));
    expect(gone.text).toContain("Stop. Do not retry identical arguments: the answer stays the same");
  });

  it("of an ambiguous anchor is the same each time, whatever a read would have to show", async () => {
    const long = `${numbered(2400)} } ${numbered(9, "y")}`;
    const { session, words } = bench(long);
    await session.read({ path, ranges: [{ start: 2398, end: 2405 }] });
    // Its result shows what is line 2401 now with the anchor of what was line 2401.
    await session.edit(on(long).before(2400, ["z", "}"]));
    const call = on(long).set(2401, "mine");
    const first = await session.edit(call);
    expect(outcome(first)).toBe("!ambiguous");
    for (let time = 0; time < 3; time++) expect((await session.edit(call)).text).toBe(first.text);
    await session.read({ path, ranges: [{ start: 2401, end: 2403 }] });
    expect(outcome(await session.edit(call))).toBe("applied");
    expect(words()?.split(" ")[2400]).toBe("mine");
  });

  it("does not tell a caller to stop whom a busy file keeps waiting", async () => {
    const { files, store } = bench(eight);
    const hold = () => Promise.reject(new PortError("busy", "held by pid 1"));
    const session = new Session({ files: { ...files, hold }, store, agent: "one", clock: () => 0 });
    for (let time = 0; time < 3; time++) expect((await session.read({ path })).text).not.toContain("retry");
  });

  it("is sharper the second time and the third, whatever its kind", async () => {
    const { session, rudely } = await seen();
    rudely("a b C d e f g h");
    for (const call of [
      on(eight).set(3, "x"),
      on(eight, "none").set(3, "x"),
      on(eight, "../out").set(3, "x"),
    ]) {
      const texts = [];
      for (let time = 0; time < 3; time++) texts.push((await session.edit(call)).text);
      expect(texts[0]).not.toContain("identical");
      expect(texts[1]).toMatch(/^do not retry identical arguments: /m);
      expect(texts[2]).toMatch(/^Stop\. Do not retry identical arguments: /m);
    }
  });
});

describe("who changed it", () => {
  it("is named, also for deletions and between changes of nobody", async () => {
    const { session, rudely } = await seen();
    const two = session.as("two");
    rudely("top a b c d e f g h");
    await two.read({ path });
    await two.edit(on("top a b c d e f g h").set(4, "C"));
    await two.edit(on("top a b c d e f g h").remove(7));
    rudely("top a b C d e g h end");
    expect((await session.edit(on(eight).set(3, "x"))).text).toContain('was "c", changed by two');
    expect((await session.edit(on(eight).set(6, "x"))).text).toContain('was "f", deleted by two');
  });

  it("is you, if you did", async () => {
    const { session } = await seen();
    await session.edit(on(eight).set(3, "C"));
    expect((await session.edit(on(eight).set(3, "x"))).text).toContain("changed by you");
  });
});

describe("contention", () => {
  it("is named at the third mismatch on one file within ten minutes", async () => {
    const made = await seen();
    made.rudely("A B C D E F G H");
    const texts = [];
    for (const line of [1, 4, 7]) texts.push((await made.session.edit(on(eight).set(line, "x"))).text);
    expect(texts.map((text) => text.includes("Contention: 3 mismatches on src/a.ts in ten minutes"))).toEqual(
      [false, false, true],
    );
  });

  it("is not, where one agent alone tries the same place of the same text again", async () => {
    const made = await seen();
    made.rudely("A B C D E F G H");
    for (const text of ["x", "y", "z", "z"])
      expect((await made.session.edit(on(eight).set(4, text))).text).not.toContain("Contention");
  });

  it("is, where others change that place each time", async () => {
    const made = await seen();
    const texts = [];
    for (const now of ["A b c X e f g h", "A b c Y e f g h", "A b c Z e f g h"]) {
      made.rudely(now);
      texts.push((await made.session.edit(on(eight).set(4, "x"))).text.includes("Contention: 3 "));
    }
    expect(texts).toEqual([false, false, true]);
  });

  it("is not, once ten minutes have passed", async () => {
    const made = await seen();
    made.rudely("A B C D E F G H");
    for (const line of [1, 4]) await made.session.edit(on(eight).set(line, "x"));
    made.time += 10 * 60 * 1000;
    expect((await made.session.edit(on(eight).set(7, "x"))).text).not.toContain("Contention");
  });

  it("is about one file, and not about files never read", async () => {
    const made = bench({ [path]: eight, b: eight });
    await made.session.read({ path });
    made.rudely("A B C D E F G H");
    for (const line of [1, 4]) await made.session.edit(on(eight).set(line, "x"));
    for (let time = 0; time < 3; time++)
      expect((await made.session.edit(on(eight, "b").set(1, "x"))).text).not.toContain("Contention");
  });
});

describe("quoted text", () => {
  it.each([
    ["stood in a version that was shown and is gone", "fee b c", "!stale"],
    ["stands in several places", "foo b foo", "!ambiguous"],
    ["was never there", "b c d", "!not_found"],
  ])("%s", async (_, now, code) => {
    const { session, rudely } = bench(now === "fee b c" ? "foo b c" : now);
    await session.read({ path });
    rudely(now);
    expect(outcome(await session.edit(on("").quote("foo", "bar")))).toBe(code);
  });

  it("is remembered from an older version that was shown", async () => {
    const { session, rudely } = await seen({}, "foo b c");
    rudely("fee b c");
    await session.read({ path });
    expect(outcome(await session.edit(on("").quote("foo", "bar")))).toBe("!stale");
  });

  it("that others added since is reported and not replaced", async () => {
    const { session, rudely, words } = await seen({}, "foo b c");
    rudely("foo b c foo");
    const { text } = await session.edit(on("").quote("foo", "bar", true));
    expect(words()).toBe("bar b c foo");
    expect(text).toContain("not replaced");
  });

  it.each([
    ["b", "in a place that others wrote (line 4); not replaced"],
    ["b b b b b b", "in 6 places that others wrote (lines 4, 5, 6, 7, 8, …); not replaced"],
  ])("that others added since is counted: %s", async (added, expected) => {
    const { session, rudely } = bench("b x y");
    await session.read({ path });
    rudely(`b x y ${added}`);
    const edits: Edit[] = [{ op: "replace_text", old: "b", new: "B" }];
    expect((await session.edit({ path, edits })).text).toContain(expected);
  });

  it("that others added is still theirs after a call that showed nothing", async () => {
    const { session, rudely, words } = await seen({}, "foo b c");
    const call = on("foo b c").set(2, "B");
    await session.edit(call);
    rudely("foo B c foo");
    expect(outcome(await session.edit(call))).toBe("noop");
    await session.edit(on("").quote("foo", "bar", true));
    expect(words()).toBe("bar B c foo");
  });
});
