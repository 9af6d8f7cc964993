import { describe, expect, it } from "vitest";
import type { FileRequest } from "../../src/calls/index.js";
import type { Edit } from "../../src/edits/index.js";
import type { UndoDetails } from "../../src/lost/undo.js";
import type { MultiEditRequest } from "../../src/session/index.js";
import { type Bench, bench, numbered, on, outcome, path } from "../support/session.js";

const five = "a b c d e";

async function edited(...words: readonly (readonly [number, string])[]): Promise<Bench & { ids: string[] }> {
  const made = bench(five);
  await made.session.read({ path });
  const ids: string[] = [];
  for (const [line, word] of words) {
    const { details } = await made.session.edit(on(five).set(line, word));
    ids.push((details as { id: string }).id);
  }
  return { ...made, ids };
}

describe("undo", () => {
  it("undo takes back the last edit, then the one before", async () => {
    const { session, words } = await edited([1, "A"], [3, "C"]);
    const result = await session.undo();
    expect(outcome(result)).toBe("applied");
    expect(result.text).toContain("-C\n+c");
    expect(words()).toBe("A b c d e");
    await session.undo();
    expect(words()).toBe(five);
    expect(outcome(await session.undo())).toBe("!not_found");
    expect((await session.undo()).text).toContain("there is no edit to undo");
  });

  it("undo says whose or which file's there is none of", async () => {
    const { store, files } = await edited([1, "A"]);
    const other = bench(five, { store, agent: "two" }).session;
    expect((await other.undo()).text).toContain("there is no edit of yours to undo, only of others");
    expect((await other.undo({ path: "b.ts" })).text).toContain("there is no edit of b.ts to undo");
    expect(files.text(path)).toMatch(/^A/);
  });

  it("undo takes back each edit once, also when asked several times at once", async () => {
    const { session, words, ids } = await edited([1, "A"], [2, "B"], [3, "C"], [4, "D"]);
    const results = await Promise.all([session.undo(), session.undo(), session.undo()]);
    const undone = results.flatMap(({ details }) => (details as UndoDetails).undone.map(({ id }) => id));
    expect(undone.sort()).toEqual(ids.slice(1).sort());
    expect(words()).toBe("A b c d e");
    const same = await Promise.all([1, 2].map(() => session.undo({ id: ids[0] as string })));
    expect(same.map(outcome).sort()).toEqual(["!not_found", "applied"]);
  });

  it("undo that is refused is in the journal, with its file, and is no contention", async () => {
    const { session, store, rudely, ids } = await edited([2, "B"]);
    rudely("a X c d e");
    const [id = ""] = ids;
    for (const request of [{}, { id }, { path }]) expect(outcome(await session.undo(request))).toBe("!stale");
    const refusal = { ...{ kind: "refusal", tool: "undo", agent: "one", code: "stale", path }, before: null };
    expect((await store.journal({ files: [path] })).slice(1)).toMatchObject(
      [1, 2, 3].map(() => ({
        ...refusal,
        lines: [{ start: 2, end: 2 }],
        cause: expect.stringContaining(id),
      })),
    );
    const { text } = await session.edit(on(five).set(2, "BB"));
    expect(text).not.toContain("Contention");
    expect(outcome(await session.undo({ path: "src/none.ts" }))).toBe("!not_found");
    expect((await store.journal()).at(-1)).toMatchObject({
      ...refusal,
      code: "not_found",
      path: "src/none.ts",
    });
  });

  it("undo lets an edit be made again, by whomever it was taken back", async () => {
    const { session, words } = await edited([2, "B"]);
    const call = on(five).set(2, "B");
    await session.undo();
    expect(outcome(await session.edit(call))).toBe("applied");
    expect(words()).toBe("a B c d e");
    await session.as("two").undo({ path, anyone: true });
    expect(outcome(await session.edit(call))).not.toBe("noop");
  });

  it("undo of a batch lets all of it be made again", async () => {
    const { session, words } = await edited();
    const files: FileRequest[] = [
      { path, edits: [{ op: "append", text: "f" }] },
      { path: "new.ts", edits: [{ op: "create_file", text: "n" }] },
    ];
    for (let time = 0; time < 2; time++) {
      expect(outcome(await session.multiEdit({ files }))).toBe("applied");
      expect([words(), words("new.ts")]).toEqual([`${five} f`, "n"]);
      await session.undo();
      expect([words(), words("new.ts")]).toEqual([five, null]);
    }
  });

  it("undo takes back an edit by its id, and each only once", async () => {
    const { session, words, ids } = await edited([1, "A"], [3, "C"], [5, "E"]);
    const result = await session.undo({ id: ids[0] as string });
    expect((result.details as UndoDetails).undone.map(({ id }) => id)).toEqual([ids[0]]);
    expect(words()).toBe("a b C d E");
    expect(outcome(await session.undo({ id: ids[0] as string }))).toBe("!not_found");
  });

  it("undo takes back several", async () => {
    const { session, words } = await edited([1, "A"], [3, "C"], [5, "E"]);
    await session.undo({ last: 2 });
    expect(words()).toBe("A b c d e");
  });

  it.each([-1, 0, 1.5, "two"])("undo does not take back %s edits", async (last) => {
    const { session, words } = await edited([1, "A"], [3, "C"]);
    expect(outcome(await session.undo({ last: last as number }))).toMatch(/^!/);
    expect(words()).toBe("A b C d e");
  });

  it("undo of edits that cancel each other out counts as done", async () => {
    const { session, words } = await edited([5, "z"], [2, "x"]);
    await session.edit(on("a x c d z").set(2, "b"));
    await session.undo({ last: 2 });
    await session.undo();
    expect(words()).toBe(five);
  });

  it("undo restores the bytes, line ends and missing newline included", async () => {
    const { session, files } = bench("");
    const bytes = "a\r\nb\nc\r\n\uFEFFd";
    files.set(path, bytes);
    await session.read({ path });
    await session.edit({ path, edits: [{ op: "replace_text", old: "b\nc", new: "x\ny\nz" }] });
    await session.edit({ path, edits: [{ op: "append", text: "end" }] });
    expect(files.text(path)).not.toBe(bytes);
    await session.undo({ last: 2 });
    expect(files.text(path)).toBe(bytes);
  });

  it("undo carries the inverse over later changes of others", async () => {
    const { session, words, rudely } = await edited([3, "C"]);
    rudely("top a b C d e");
    expect(outcome(await session.undo())).toBe("applied");
    expect(words()).toBe("top a b c d e");
  });

  it("undo is refused where others changed what the edit put there", async () => {
    const { session, words, rudely } = await edited([3, "C"]);
    rudely("a b X d e");
    const result = await session.undo();
    expect(outcome(result)).toBe("!stale");
    expect(result.text).toContain("cannot be undone: line 3 was changed since");
    expect(result.text).not.toContain("Next:");
    expect(result.details).toMatchObject({ path, mismatches: [{ line: 3, shown: "C", now: "X" }] });
    expect(words()).toBe("a b X d e");
  });

  it("undo can be tried out", async () => {
    const { session, words } = await edited([3, "C"]);
    const result = await session.undo({ dryRun: true });
    expect([outcome(result), words()]).toEqual(["dry_run", "a b C d e"]);
    expect(outcome(await session.undo())).toBe("applied");
  });

  it("undo takes back one's own edits, also of a file; those of others by their id, or of anyone, with their names", async () => {
    const { session, words } = await edited([1, "A"]);
    const two = session.as("two");
    await two.read({ path });
    await two.edit(on("A b c d e").set(5, "E"));
    const own = await session.undo({ path });
    expect(own.text).not.toContain(" of one");
    expect(words()).toBe("a b c d E");
    const none = await session.undo({ path });
    expect(outcome(none)).toBe("!not_found");
    expect(none.text).toContain(`there is no edit of ${path} of yours to undo, only of others`);
    const result = await session.undo({ path, anyone: true });
    expect(result.text).toMatch(/^src\/a\.ts: edit \S+ of two undone\n/);
    expect((result.details as UndoDetails).undone).toMatchObject([{ agent: "two" }]);
    expect(words()).toBe(five);
    const { details } = await two.edit(on("A b c d e").set(4, "D"));
    expect(outcome(await session.undo())).toBe("!not_found");
    expect((await session.undo({ id: (details as { id: string }).id })).text).toContain(" of two undone");
    expect(words()).toBe(five);
  });

  it("undo leaves the rest of the file known and named", async () => {
    const { session, words } = await edited([3, "C"]);
    await session.undo();
    expect(outcome(await session.edit(on(five).set(5, "E")))).toBe("applied");
    expect(outcome(await session.write({ path, content: "x\n" }))).toBe("applied");
    expect(words()).toBe("x");
  });
});

describe("an edit that was undone", () => {
  it("an edit that was undone is made again by a restore of its id, or of the undo's", async () => {
    const { session, words, ids, store } = await edited([1, "A"], [3, "C"], [5, "E"]);
    const [first = "", second = "", third = ""] = ids;
    await session.undo({ last: 3 });
    expect(words()).toBe(five);
    const result = await session.restore({ ids: [second] });
    expect(outcome(result)).toBe("applied");
    expect(result.text).toContain(`edit ${second} restored`);
    expect(words()).toBe("a b C d e");
    expect((await session.restore({ ids: [second] })).text).toContain("already there");
    const undo = (await store.journal()).find(({ kind }) => kind === "undo")?.id as string;
    await session.restore({ ids: [undo] });
    expect(words()).toBe("A b C d E");
    await session.undo({ id: first });
    await session.undo({ id: third });
    expect(words()).toBe("a b C d e");
    await session.undo();
    expect([words(), outcome(await session.undo())]).toEqual([five, "!not_found"]);
    await session.restore({ ids });
    expect(words()).toBe("A b C d E");
  });

  it("an edit that was undone is made again by the undo of the undo, beside what others did since", async () => {
    const { session, words, rudely, store } = await edited([3, "C"]);
    await session.undo();
    rudely("top a b c d e");
    const undo = (await store.journal()).at(-1)?.id as string;
    const result = await session.undo({ id: undo });
    expect(outcome(result)).toBe("applied");
    expect(result.text).toMatch(/^src\/a\.ts: edit \S+ made again\n/);
    expect(words()).toBe("top a b C d e");
    expect(outcome(await session.undo({ id: undo }))).toBe("!not_found");
    await session.undo();
    expect(words()).toBe("top a b c d e");
  });

  it("an edit that was undone is not made again over what others wrote there: it says what", async () => {
    const { session, words, rudely, ids } = await edited([3, "C"]);
    await session.undo();
    rudely("a b X d e");
    const result = await session.restore({ ids });
    expect([outcome(result), words()]).toEqual(["!stale", "a b X d e"]);
    expect(result.text).toContain(`edit ${ids[0]} of ${path} cannot be made again: line 3 was changed since`);
    expect(result.details).toMatchObject({ refused: [{ path, mismatches: [{ line: 3, now: "X" }] }] });
  });

  it("an edit that was undone is lost like any other once it was made again, and is listed no longer when it is undone again", async () => {
    const { session, words, rudely, ids } = await edited([3, "C"]);
    const lost = async () => (await session.lost()).map(({ id }) => id);
    await session.undo();
    await session.restore({ ids });
    expect(await lost()).toEqual([]);
    rudely(five);
    expect(await lost()).toEqual(ids);
    await session.restore({ all: true });
    expect([words(), await lost()]).toEqual(["a b C d e", []]);
    await session.undo();
    expect([words(), await lost()]).toEqual([five, ids]);
    await session.restore({ ids });
    await session.undo({ id: ids[0] as string });
    expect([words(), await lost()]).toEqual([five, []]);
  });

  it.each<[string, object, string | null, string | null]>([
    ["creation", { op: "create_file", text: "n" }, null, "n"],
    ["deletion", { op: "delete_file" }, five, null],
    ["move", { op: "move_file", to: "moved.ts" }, five, null],
  ])("is made again if it is a %s", async (_, edit, before, after) => {
    const file = before === null ? "new.ts" : path;
    const { session, words, store } = bench(five);
    await session.read({ path });
    await session.multiEdit({ files: [{ path: file, edits: [edit] }] } as never);
    const moved = words("moved.ts");
    const id = (await store.journal()).at(-1)?.id as string;
    for (let time = 0; time < 2; time++) {
      expect([words(file), words("moved.ts")]).toEqual([after, moved]);
      expect(outcome(await session.undo())).toBe("applied");
      expect([words(file), words("moved.ts")]).toEqual([before, null]);
      const undo = (await store.journal()).at(-1);
      const ids = [time === 0 ? id : (undo?.batch ?? undo?.id ?? "")];
      expect((await session.restore({ ids })).isError).toBe(false);
      expect(await session.lost()).toEqual([]);
    }
    expect([words(file), words("moved.ts")]).toEqual([after, moved]);
  });
});

describe("undo of whole files", () => {
  const batch = (edit: Edit, file = path): MultiEditRequest => ({
    files: [{ path: file, edits: [edit] }],
  });

  it("undo of a creation deletes again, if it is unchanged", async () => {
    const { session, words, rudely } = bench(five);
    await session.multiEdit(batch({ op: "create_file", text: "n\n" }, "new"));
    rudely("other", "new");
    const changed = await session.undo();
    expect(outcome(changed)).toBe("!stale");
    expect(changed.details).toMatchObject({ path: "new", mismatches: [{ shown: "n", now: "other" }] });
    expect(words("new")).toBe("other");
    rudely("n", "new");
    expect(outcome(await session.undo())).toBe("applied");
    expect(words("new")).toBeNull();
  });

  it("undo of a deletion brings it back", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    await session.multiEdit(batch({ op: "delete_file" }));
    expect(words()).toBeNull();
    await session.undo();
    expect(words()).toBe(five);
  });

  it("undo of a move brings it back, with what was shown of it", async () => {
    const { session, words } = bench(five);
    await session.read({ path });
    await session.multiEdit(batch({ op: "move_file", to: "b.ts" }));
    expect(outcome(await session.undo())).toBe("applied");
    expect([words(), words("b.ts")]).toEqual([five, null]);
    expect(outcome(await session.edit(on(five).set(2, "x")))).toBe("applied");
  });

  it("undo of a move does not write over what stands there now", async () => {
    const { session, words, rudely } = bench(five);
    await session.read({ path });
    await session.multiEdit(batch({ op: "move_file", to: "b.ts" }));
    rudely("other");
    expect(outcome(await session.undo())).toBe("!stale");
    expect([words(), words("b.ts")]).toEqual(["other", five]);
  });

  it("undo of whole files says when the file is gone, or is there again", async () => {
    const { session, files, rudely } = await edited([3, "C"]);
    const file = await files.identify(path);
    await files.hold([file], async (held) => {
      await held.commit([{ file, before: await held.read(file), after: null }]);
    });
    expect((await session.undo()).text).toContain("cannot be undone: the file was deleted since");
    rudely("a b C d e");
    await session.undo();
    await session.multiEdit(batch({ op: "delete_file" }));
    rudely("x");
    expect((await session.undo()).text).toContain("cannot be undone: the file is there again");
  });

  it("undo of the last N counts a batch as one", async () => {
    const { session, words } = bench({ a: five, b: five });
    for (const file of ["a", "b"]) await session.read({ path: file });
    const both = (line: number) =>
      session.multiEdit({ files: ["a", "b"].map((file) => on(five, file).set(line, "X")) as never });
    await session.edit(on(five, "a").set(1, "X"));
    await both(2);
    await both(3);
    await session.undo({ last: 2 });
    expect([words("a"), words("b")]).toEqual(["X b c d e", five]);
  });

  it("undo of the last N goes back as far as it has to, past what was undone and what others did", async () => {
    const { session, words } = bench(numbered(160));
    const turns = Array.from({ length: 80 }, (_, at) => at);
    for (const turn of turns) {
      const own = session.as(turn % 8 === 0 ? "other" : "one");
      await own.read({ path });
      await own.edit(on(words() as string).set(2 * turn + 1, `edited${turn}`));
    }
    expect(outcome(await session.undo({ last: 3 }))).toBe("applied");
    expect(outcome(await session.undo({ last: 65 }))).toBe("applied");
    const left = turns.filter((turn) => turn % 8 === 0 || turn < 3);
    const edited = (words() as string).split(" ").filter((line) => line.startsWith("edited"));
    expect(edited).toEqual(left.map((turn) => `edited${turn}`));
  });

  it("undo of a batch is of all its files, or of none", async () => {
    const { session, words, rudely } = bench({ a: five, b: five });
    for (const file of ["a", "b"]) await session.read({ path: file });
    const files = ["a", "b"].map((file) => on(five, file).set(1, "A")) as never;
    await session.multiEdit({ files });
    rudely("X b c d e", "b");
    expect(outcome(await session.undo())).toBe("!stale");
    expect([words("a"), words("b")]).toEqual(["A b c d e", "X b c d e"]);
    rudely("A b c d e", "b");
    expect(outcome(await session.undo())).toBe("applied");
    expect([words("a"), words("b")]).toEqual([five, five]);
  });
});
