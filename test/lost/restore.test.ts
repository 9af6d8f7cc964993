import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import type { RestoreDetails } from "../../src/lost/restore-result.js";
import { outcome, path } from "../support/session.js";
import { five, worked } from "../support/worked.js";

const detailsOf = ({ details }: { details: unknown }) => details as RestoreDetails;

describe("restore", () => {
  it("restore gives back exactly what a rewind took", async () => {
    const { session, set, files, now, lost } = worked();
    await set("first(1)", "first(11)");
    await set("first(11)", "first(111)", "two");
    await set("fifth(5);\n", "fifth(5);\nsixth(6);\n");
    await set("third(3);\n", "");
    const text = now();
    files.set(path, five);
    const result = await session.restore({ all: true });
    expect(outcome(result)).toBe("applied");
    expect(now()).toBe(text);
    expect(detailsOf(result).restored).toMatchObject([{ path, diff: expect.stringContaining("+sixth(6);") }]);
    expect(await lost()).toEqual([]);
  });

  it("restore merges with what others did since", async () => {
    const { session, set, files, now } = worked();
    await set("third(3)", "third(33)");
    files.set(path, five.replace("first(1)", "head();\nfirst(1)").replace("fifth(5)", "fifth(55)"));
    expect(outcome(await session.restore({ all: true }))).toBe("applied");
    expect(now()).toBe("head();\nfirst(1);\nsecond(2);\nthird(33);\nfourth(4);\nfifth(55);\n");
  });

  it("restore is refused where others changed what the edit had replaced, and says what is in the way", async () => {
    const { session, set, files, now } = worked();
    const id = await set("third(3);", "const answer = compute(everything, again);");
    files.set(path, five.replace("third(3)", "somebody.wrote.this(3)"));
    const before = now();
    const result = await session.restore({ all: true });
    expect([outcome(result), result.isError]).toEqual(["!stale", true]);
    const [refused] = detailsOf(result).refused;
    expect(refused).toMatchObject({ ids: [id], path, code: "stale" });
    expect(refused?.message).toContain("these lines have changed since");
    expect(refused?.mismatches).toMatchObject([
      { shown: "third(3);", now: "somebody.wrote.this(3);", line: 3 },
    ]);
    expect(now()).toBe(before);
  });

  it("restore that is refused is in the journal", async () => {
    const { session, set, files, store } = worked();
    const id = await set("third(3);", "const answer = compute(everything, again);");
    files.set(path, five.replace("third(3)", "somebody.wrote.this(3)"));
    const refusal = { kind: "refusal", tool: "restore", agent: "one", path, file: path };
    await session.restore({ all: true });
    expect((await store.journal()).at(-1)).toMatchObject({
      ...{ ...refusal, code: "stale", lines: [{ start: 3, end: 3 }], cause: expect.stringContaining(id) },
    });
    files.set(path, five);
    await session.restore({ all: true });
    await set("const answer", "let answer");
    await session.restore({ ids: [id] });
    expect((await store.journal()).at(-1)).toMatchObject({ kind: "refusal", tool: "restore", path });
  });

  it("restore names who wrote what is in the way", async () => {
    const { session, set, files } = worked();
    await set("third(3);", "const answer = compute(everything, again);");
    files.set(path, five);
    await set("third(3)", "mine(3)", "two");
    const [refused] = detailsOf(await session.restore({ all: true })).refused;
    expect(refused?.mismatches).toMatchObject([{ now: "mine(3);", by: "two" }]);
  });

  it("restore is an edit like any other: it can be undone, and lost again under the old ids", async () => {
    const { session, set, files, now, lost, store } = worked();
    const ids = [await set("third(3)", "third(33)"), await set("fifth(5);\n", "")];
    const text = now();
    files.set(path, five);
    const two = session.as("two");
    await two.restore({ all: true });
    expect((await store.journal()).at(-1)).toMatchObject({
      ...{ kind: "commit", tool: "restore", agent: "two", edits: ids },
    });
    files.set(path, five);
    expect(await lost()).toEqual(ids);
    await two.restore({ all: true });
    expect(now()).toBe(text);
    await two.undo();
    expect(now()).toBe(five);
    expect(await lost()).toEqual(ids);
  });

  it("restore leaves the hunks alone that stand, changed or not", async () => {
    const { session, files, now } = worked();
    await session.read({ path });
    const edits: Edit[] = [
      { op: "replace_text", old: "first(1)", new: "call(first, 1)" },
      { op: "replace_text", old: "third(3)", new: "call(third, 3)" },
    ];
    await session.edit({ path, edits });
    files.set(path, five.replace("first(1)", "invoke(first, 1)"));
    expect(outcome(await session.restore({ all: true }))).toBe("applied");
    expect(now()).toBe(five.replace("first(1)", "invoke(first, 1)").replace("third(3)", "call(third, 3)"));
  });

  it("restore brings back a part that was taken out of what an edit wrote", async () => {
    const { session, set, files, now } = worked();
    await set("second(2);\nthird(3);", "alpha(one);\nbeta(two);\ngamma(three);");
    const text = now() as string;
    files.set(path, text.replace("beta(two);\n", ""));
    await session.restore({ all: true });
    expect(now()).toBe(text);
    files.set(path, text.replace("beta(two);\ngamma(three);", "third(3);"));
    await session.restore({ all: true });
    expect(now()).toBe(text);
  });

  it("restore brings back what vanished before others edited the file", async () => {
    const { session, set, files, now } = worked();
    await set("second(2)", "second(22)");
    files.set(path, five);
    await set("fifth(5)", "fifth(55)", "two");
    await session.restore({ all: true });
    expect(now()).toBe(five.replace("second(2)", "second(22)").replace("fifth(5)", "fifth(55)"));
  });

  it("restore brings back the text as a formatter had left it", async () => {
    const { session, set, files, now } = worked();
    await set("third(3);", "third(3,   33)");
    const tidy = five.replace("third(3);", "third(\n  3,\n  33,\n);");
    files.set(path, tidy);
    await set("fifth(5)", "fifth(55)", "two");
    const text = now();
    files.set(path, five);
    await session.restore({ all: true });
    expect(now()).toBe(text);
  });

  it("restore keeps bytes, line ends and a missing newline", async () => {
    const { session, files, now } = worked("a();\r\nb();\nc();\r\n\uFEFFd()");
    await session.read({ path });
    await session.edit({ path, edits: [{ op: "replace_text", old: "b();\nc();", new: "x();\ny();\nz();" }] });
    await session.edit({ path, edits: [{ op: "append", text: "end()" }] });
    const text = now();
    files.set(path, "a();\r\nb();\nc();\r\n\uFEFFd()");
    await session.restore({ all: true });
    expect(now()).toBe(text);
  });

  it("restore takes the line ends that the file has now", async () => {
    const { session, set, files, now } = worked();
    await set("third(3);", "third(33);\nmore();");
    const text = (now() as string).replaceAll("\n", "\r\n");
    files.set(path, `${five}end();\n`.replaceAll("\n", "\r\n"));
    await session.restore({ all: true });
    expect(now()).toBe(`${text}end();\r\n`);
  });

  it("restore says so when nothing is lost", async () => {
    const { session, set } = worked();
    const id = await set("third(3)", "third(33)");
    expect(outcome(await session.restore({ all: true }))).toBe("noop");
    const result = await session.restore({ ids: [id] });
    expect([outcome(result), result.text]).toEqual(["noop", `${path}: edit ${id} already there`]);
  });
});

describe("restore of some edits by their ids", () => {
  it("restore of some edits by their ids brings back those alone", async () => {
    const { session, set, files, now, lost } = worked();
    const one = await set("first(1)", "first(11)");
    const two = await set("third(3)", "third(33)");
    files.set(path, five);
    await session.restore({ ids: [two] });
    expect(now()).toBe(five.replace("third(3)", "third(33)"));
    expect(await lost()).toEqual([one]);
    await session.restore({ ids: [one] });
    expect(now()).toBe(five.replace("third(3)", "third(33)").replace("first(1)", "first(11)"));
  });

  it("restore of some edits by their ids names the lost edit that one builds upon", async () => {
    const { session, set, files, now } = worked();
    const one = await set("third(3);", "third(3);\nfourth.and(a, half);");
    const two = await set("fourth.and(a, half);", "fourth.and(a, half);\nthen(more);");
    const text = now();
    await set("first(1)", "first(11)");
    files.set(path, five);
    const result = await session.restore({ ids: [two] });
    expect(outcome(result)).toBe("!stale");
    expect(detailsOf(result).refused).toMatchObject([{ ids: [two], needs: [one] }]);
    expect(result.text).toContain(`without edit ${one}, which is lost too`);
    await session.restore({ ids: [two, one] });
    expect(now()).toBe(text);
  });

  it("restore of some edits by their ids takes what was replaced along", async () => {
    const { session, set, files, now } = worked();
    await set("third(3)", "third(33)");
    const two = await set("third(33)", "third(333)");
    await set("first(1)", "first(11)");
    files.set(path, five);
    await session.restore({ ids: [two] });
    expect(now()).toBe(five.replace("third(3)", "third(333)"));
  });

  it("restore of some edits by their ids refuses what is no lost edit, and restores nothing", async () => {
    const { session, set, files, now } = worked();
    const one = await set("third(3)", "third(33)");
    const two = await set("third(33)", "third(333)");
    files.set(path, five);
    const refused = async (ids: string[]) => (await session.restore({ ids })).text;
    expect(await refused([two, "nonsense"])).toContain("there is no edit nonsense");
    expect(await refused([two, one])).toContain(
      `edit ${one} of ${path} is not lost: a later edit replaced it`,
    );
    expect(await refused([])).toContain("name the edits to restore");
    expect(now()).toBe(five);
  });
});

describe("restore of whole files", () => {
  it("restore of whole files brings back a file that is gone, as it was last", async () => {
    const { session, set, files, now } = worked();
    const one = await set("third(3)", "third(33)");
    const two = await set("fifth(5)", "fifth(55)");
    const text = now();
    files.files.delete(path);
    expect((await session.restore({ ids: [two] })).text).toContain(`without edit ${one}`);
    const result = await session.restore({ all: true });
    expect(detailsOf(result).restored).toMatchObject([{ diff: `[${path} brought back: 5 lines]` }]);
    expect(now()).toBe(text);
    await session.undo();
    expect(now()).toBeNull();
  });

  it("restore of whole files creates a file again, with some of what was done to it", async () => {
    const { session, files, now } = worked({});
    const created = await session.write({ path: "n.ts", content: "one();\ntwo();\nthree();\n" });
    const edit = (old: string, by: string) =>
      session.edit({ path: "n.ts", edits: [{ op: "replace_text", old, new: by }] });
    const first = await edit("one()", "one(1)");
    await edit("three()", "three(3)");
    files.files.delete("n.ts");
    const ids = [created, first].map(({ details }) => (details as { id: string }).id);
    await session.restore({ ids });
    expect(now("n.ts")).toBe("one(1);\ntwo();\nthree();\n");
  });

  it("restore of whole files never writes over a file that somebody else made there", async () => {
    const { session, files, now } = worked({});
    await session.write({ path: "n.ts", content: "one();\ntwo();\nthree();\n" });
    files.set("n.ts", "export const other = 1;\n");
    expect(outcome(await session.restore({ all: true }))).toBe("!stale");
    expect(now("n.ts")).toBe("export const other = 1;\n");
  });

  it("restore of whole files deletes again what is back, if it is the same", async () => {
    const { session, files, now } = worked();
    await session.read({ path });
    await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
    files.set(path, `${five}changed();\n`);
    expect(outcome(await session.restore({ all: true }))).toBe("!stale");
    files.set(path, five);
    expect(outcome(await session.restore({ all: true }))).toBe("applied");
    expect(now()).toBeNull();
    await session.undo();
    expect(now()).toBe(five);
  });

  it("restore of whole files moves again what is back, with all that was done to it", async () => {
    const { session, set, files, now, lost } = worked();
    await set("third(3)", "third(33)");
    await session.multiEdit({ files: [{ path, edits: [{ op: "move_file", to: "b.ts" }] }] });
    const text = now("b.ts");
    files.files.delete("b.ts");
    files.set(path, five);
    const [edit, move] = await lost();
    expect(detailsOf(await session.restore({ ids: [edit as string] })).refused).toMatchObject([
      { needs: [move] },
    ]);
    expect(outcome(await session.restore({ all: true }))).toBe("applied");
    expect([now(), now("b.ts")]).toEqual([null, text]);
    expect(await lost()).toEqual([]);
    await session.undo();
    expect([now(), now("b.ts")]).toEqual([five, null]);
  });

  it("restore of whole files goes on with other files when one is in the way", async () => {
    const { session, files, now } = worked({ "a.ts": five, "b.ts": five });
    for (const file of ["a.ts", "b.ts"]) {
      await session.read({ path: file });
      await session.edit({
        path: file,
        edits: [{ op: "replace_text", old: "third(3)", new: "call(a.b, 3)" }],
      });
    }
    files.set("a.ts", five.replace("third(3)", "somebody.wrote(this)"));
    files.set("b.ts", five);
    const result = await session.restore({ all: true });
    expect(detailsOf(result)).toMatchObject({ status: "partly", code: "stale" });
    expect(now("b.ts")).toBe(five.replace("third(3)", "call(a.b, 3)"));
    expect(now("a.ts")).toBe(five.replace("third(3)", "somebody.wrote(this)"));
  });
});
