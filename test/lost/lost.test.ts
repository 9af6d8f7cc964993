import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import type { Commits } from "../../src/ports/store.js";
import { path } from "../support/session.js";
import { five, type Worked, worked } from "../support/worked.js";

describe("an edit is lost when", () => {
  it("an edit is lost when its file reads as before", async () => {
    const { set, lost, files, session } = worked();
    const id = await set("third(3)", "third(33)");
    expect(await lost()).toEqual([]);
    files.set(path, five);
    expect(await lost()).toEqual([id]);
    const [found] = await session.lost();
    expect(found).toMatchObject({ agent: "one", path, kept: true, what: "lines", lost: null });
    expect(found?.diff).toContain("-third(3);\n+third(33);");
  });

  it("an edit is lost when it came after the text that the file was put back to", async () => {
    const { set, lost, files, now } = worked();
    await set("first(1)", "first(11)");
    const early = now() as string;
    const two = await set("third(3)", "third(33)");
    const three = await set("fifth(5)", "fifth(55)", "two");
    files.set(path, early);
    expect(await lost()).toEqual([two, three]);
  });

  it("an edit is lost when something else was written over it", async () => {
    const { set, lost, files } = worked();
    const id = await set("third(3);", "const answer = third(33);");
    files.set(path, "export default {\n  name: 'other',\n  plugins: [],\n};\n");
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when a part of it is gone", async () => {
    const { set, lost, files } = worked();
    const some = await set("second(2);\nthird(3);", "alpha(one);\nbeta(two);\ngamma(three);");
    files.set(path, "first(1);\nalpha(one);\ngamma(three);\nfourth(4);\nfifth(5);\n");
    expect(await lost()).toEqual([some]);
  });

  it("an edit is lost when one of its places is gone", async () => {
    const { session, lost, files } = worked();
    await session.read({ path });
    const edits: Edit[] = [
      { op: "replace_text", old: "first(1)", new: "first(11)" },
      { op: "replace_text", old: "fifth(5)", new: "fifth(55)" },
    ];
    await session.edit({ path, edits });
    files.set(path, five.replace("first(1)", "first(11)"));
    expect(await lost()).toHaveLength(1);
  });

  it("an edit is lost when lines that it took out stand there again", async () => {
    const { set, lost, files } = worked();
    const id = await set("second(2);\nthird(3);\n", "");
    expect(await lost()).toEqual([]);
    files.set(path, `// a comment of somebody\n${five}`);
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when a block that it took out with the blank line after it is back", async () => {
    const block = "function old() {\n  return 1;\n}\n\n";
    const text = `${five}\n${block}last();\n`;
    const { set, lost, files } = worked(text);
    const id = await set(block, "");
    files.set(path, `// head\n${text}`);
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when what it left of a longer text is there, but so is the rest again", async () => {
    const nested = "if (isNumber) {\n  status = first;\n} else {\n  warn(status);\n  status = second;\n}\n";
    const text = `${five}${nested}last();\n`;
    const { set, lost, files } = worked(text);
    const id = await set(nested, "status = first;\n");
    files.set(path, `// head\n${text}`);
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when a text is back that two edits together had taken out", async () => {
    const { set, lost, files } = worked();
    await set("third(3);", "temporary(3);");
    const id = await set("temporary(3);\n", "", "two");
    files.set(path, `// head\n${five}`);
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when its file is gone", async () => {
    const { set, lost, files } = worked();
    const ids = [await set("third(3)", "third(33)"), await set("fifth(5);\n", "")];
    files.files.delete(path);
    expect(await lost()).toEqual(ids);
  });

  it("an edit is lost when the file that it created is gone", async () => {
    const { session, lost, files } = worked();
    await session.write({ path: "b.ts", content: "one();\n" });
    await session.write({ path: "empty.ts", content: "" });
    files.files.delete("b.ts");
    files.files.delete("empty.ts");
    expect(await lost()).toHaveLength(2);
  });

  it("an edit is lost when it vanished before a later edit of somebody else at another place", async () => {
    const { set, lost, files } = worked();
    const id = await set("second(2)", "second(22)");
    files.set(path, five);
    await set("fifth(5)", "fifth(55)", "two");
    expect(await lost()).toEqual([id]);
  });

  it("an edit is lost when the file that it deleted is back", async () => {
    const { session, lost, files } = worked();
    await session.read({ path });
    await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
    expect(await lost()).toEqual([]);
    files.set(path, five.replace("fifth", "sixth"));
    expect(await session.lost()).toMatchObject([{ what: "deleted", kept: true }]);
    files.set(path, "something else, new\n");
    expect(await lost()).toEqual([]);
  });

  it("an edit is lost when the file that it moved is back where it was, with all that was done to it", async () => {
    const { session, set, lost, files } = worked();
    const id = await set("third(3)", "third(33)");
    await session.multiEdit({ files: [{ path, edits: [{ op: "move_file", to: "b.ts" }] }] });
    expect(await lost()).toEqual([]);
    files.set("b.ts", five);
    expect(await lost()).toEqual([id]);
    files.files.delete("b.ts");
    files.set(path, five);
    expect(await session.lost()).toMatchObject([
      { id, what: "lines", path: "b.ts" },
      { what: "moved", path: "b.ts" },
    ]);
  });

  it("an edit is lost when of two moves the second was taken back: the first stands", async () => {
    const { session, lost, files } = worked();
    const move = (from: string, to: string) =>
      session.multiEdit({ files: [{ path: from, edits: [{ op: "move_file", to }] }] });
    await session.read({ path });
    await move(path, "b.ts");
    await move("b.ts", "c.ts");
    expect(await lost()).toEqual([]);
    files.files.delete("c.ts");
    files.set("b.ts", five);
    expect(await session.lost()).toMatchObject([{ what: "moved", path: "c.ts" }]);
  });

  it("an edit is lost when only blanks were its change, and the file is exactly what it was", async () => {
    const { set, lost, files } = worked();
    const id = await set("third(3);", "    third(3);");
    files.set(path, five.replace("third(3);", "\tthird(3);"));
    expect(await lost()).toEqual([]);
    files.set(path, five);
    expect(await lost()).toEqual([id]);
  });

  it.each(["one", "two"])(
    "an edit is lost when it vanished, and agent %s writes at the place where it was",
    async (agent) => {
      const { set, lost, files, now } = worked();
      const id = await set("third(3);\n", "third(3);\nadded();\n");
      files.set(path, five);
      await set("third(3);\n", "third(3);\nsomething.else();\n", agent);
      expect(await lost()).toEqual([id]);
      await set("third(3);\nsomething.else();\n", "third(33);\n", agent);
      expect(await lost()).toEqual([id]);
      files.set(path, (now() as string).replace("third(33);\n", "third(33);\nadded();\n"));
      expect(await lost()).toEqual([]);
    },
  );

  it("an edit is lost when it vanished, and its file was deleted in the journal after that", async () => {
    const { set, lost, files, session, now } = worked();
    const id = await set("third(3)", "third(33)");
    files.set(path, five);
    await session.read({ path });
    await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
    expect(await lost()).toEqual([id]);
    await session.restore({ all: true });
    expect(now()).toBe(five.replace("third(3)", "third(33)"));
  });

  it("an edit is lost when its restore was undone", async () => {
    const { set, lost, files, session, now } = worked();
    const ids = [await set("third(3)", "third(33)"), await set("fifth(5);\n", "")];
    const text = now();
    files.set(path, five);
    for (let time = 0; time < 2; time++) {
      expect(await lost()).toEqual(ids);
      await session.restore({ all: true });
      expect([now(), await lost()]).toEqual([text, []]);
      await session.undo();
      expect(now()).toBe(five);
    }
    expect(await lost()).toEqual(ids);
  });

  it("an edit is lost when its restore was undone: a file that it deleted is there again", async () => {
    const { files, session, lost } = worked();
    await session.read({ path });
    await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
    files.set(path, five);
    const ids = await lost();
    await session.restore({ all: true });
    expect(await lost()).toEqual([]);
    await session.undo();
    expect([await lost(), ids.length]).toEqual([ids, 1]);
  });

  it("an edit is lost when a line that was there twice is there once", async () => {
    const { set, lost, files } = worked();
    const id = await set("third(3);", "third(3);\nthird(3);");
    files.set(path, `${five}// more\n`);
    expect(await lost()).toEqual([id]);
  });
});

describe("an edit of many lines", () => {
  const block = Array.from({ length: 40 }, (_, at) => `  step${at}(value${at}, "${at}");\n`);
  const other = "/* eslint-disable-next-line */\n";

  async function written() {
    const made = worked();
    const id = await made.set("third(3);\n", `third(3);\n${block.join("")}`);
    const change = (at: number, count: number, ...lines: string[]) =>
      made.files.set(
        path,
        (made.now() as string).replace(block.slice(at, at + count).join(""), lines.join("")),
      );
    return { ...made, id, change };
  }

  it("an edit of many lines is not lost when a linter writes another line in the place of one", async () => {
    const { lost, session, change } = await written();
    change(20, 1, other);
    expect(await lost()).toEqual([]);
    expect(await session.lostBy({ tool: "Bash", command: "eslint --fix ." })).toEqual([]);
    change(2, 3, other);
    expect(await lost()).toEqual([]);
  });

  it("an edit of many lines is lost when most of it is overwritten", async () => {
    const { lost, id, change } = await written();
    change(2, 30, other);
    expect(await lost()).toEqual([id]);
  });

  it("an edit of many lines is lost in part when lines of it are taken out", async () => {
    const { lost, session, id, change, now } = await written();
    const text = now();
    change(20, 1);
    expect(await lost()).toEqual([id]);
    await session.restore({ all: true });
    expect(now()).toBe(text);
  });

  it("an edit of many lines is lost as the linter left it", async () => {
    const { lost, session, id, change, files, now } = await written();
    change(20, 1, other);
    await session.as("two").read({ path });
    const [quote, by] = ["fifth(5)", "fifth(55)"];
    await session.as("two").edit({ path, edits: [{ op: "replace_text", old: quote, new: by }] });
    const text = now();
    files.set(path, five.replace(quote, by));
    expect(await lost()).toEqual([id]);
    await session.restore({ all: true });
    expect(now()).toBe(text);
  });
});

describe("an edit is not lost when", () => {
  it.each<[string, (text: string) => string]>([
    ["a formatter indents it", (text) => text.replace(/^/gm, "\t")],
    ["a formatter changes quotes and commas", (text) => text.replaceAll('"', "'").replaceAll(");", ")")],
    [
      "a formatter breaks its lines",
      (text) => text.replace(/call\((.*), (.*)\);/, "call(\n  $1,\n  $2,\n);"),
    ],
    ["line ends are converted", (text) => text.replaceAll("\n", "\r\n")],
    ["a name is changed everywhere", (text) => text.replaceAll("call", "invoke")],
    ["a value in it is changed", (text) => text.replace('"x"', '"y"')],
    ["something is added to it", (text) => text.replace("call(", "await call(")],
    ["its line is put elsewhere", (text) => text.replace('call("x", 33);\n', "").concat('call("x", 33);\n')],
    ["lines beside it are changed", (text) => text.replace("second(2)", "2").replace("fourth(4)", "4")],
    ["the text stands, and other text around it", (text) => `// head\n${text}// tail\n`],
  ])("%s", async (_, foreign) => {
    const { set, lost, files, now } = worked();
    await set("third(3);", 'call("x", 33);');
    const before = now() as string;
    files.set(path, foreign(before));
    expect(now()).not.toBe(before);
    expect(await lost()).toEqual([]);
    files.set(path, five);
    expect(await lost()).toHaveLength(1);
  });

  it("an edit is not lost when another edit replaced it: then that one may be", async () => {
    const { set, lost, files } = worked();
    await set("third(3)", "third(33)");
    const later = await set("third(33)", "third(333)", "two");
    files.set(path, five);
    expect(await lost()).toEqual([later]);
  });

  it("an edit is not lost when it was undone", async () => {
    const { set, lost, session } = worked();
    await set("third(3)", "third(33)");
    await session.undo();
    expect(await lost()).toEqual([]);
  });

  it("an edit is not lost when it was replaced; but it counts again when the later edit is undone", async () => {
    const { set, lost, session, files, now } = worked();
    const id = await set("third(3)", "third(33)");
    const later = await set("third(33)", "third(333)");
    await session.undo({ id: later });
    expect(now()).toContain("third(33)");
    expect(await lost()).toEqual([]);
    files.set(path, `${five}// and more\n`);
    expect(await lost()).toEqual([id]);
  });

  it("an edit is not lost when it was put aside and came back, while others went on", async () => {
    const { set, lost, files, now } = worked();
    await set("third(3)", "third(33)");
    files.set(path, five);
    await set("fifth(5)", "fifth(55)", "two");
    expect(await lost()).toHaveLength(1);
    files.set(path, (now() as string).replace("third(3)", "third(33)"));
    expect(await lost()).toEqual([]);
  });

  it("an edit is not lost when its file was deleted or moved in the journal", async () => {
    const { set, lost, session } = worked();
    await set("third(3)", "third(33)");
    const whole = (edit: object) => session.multiEdit({ files: [{ path, edits: [edit] }] } as never);
    await session.read({ path });
    await whole({ op: "move_file", to: "b.ts" });
    expect(await lost()).toEqual([]);
    await session.undo();
    expect(await lost()).toEqual([]);
    await whole({ op: "delete_file" });
    expect(await lost()).toEqual([]);
  });

  it("an edit is not lost when others gave its file another name", async () => {
    const { set, lost, files, now } = worked();
    await set("third(3)", "third(33)");
    const text = now() as string;
    files.files.delete(path);
    files.set("src/renamed.ts", `// moved\n${text}`);
    expect(await lost()).toEqual([]);
    files.set("src/renamed.ts", five);
    expect(await lost()).toHaveLength(1);
  });

  it("an edit is not lost when a formatter worked on its file before others gave it another name", async () => {
    const { set, lost, files, now } = worked();
    await set("third(3)", "third('the longest line of all', 33)");
    const text = (now() as string).replaceAll("'", '"');
    files.set(path, text);
    expect(await lost()).toEqual([]);
    files.files.delete(path);
    files.set("src/renamed.ts", text);
    expect(await lost()).toEqual([]);
    files.set("src/renamed.ts", five);
    expect(await lost()).toHaveLength(1);
  });

  it("an edit is not lost when a formatter worked on it before others edited the file", async () => {
    const { set, lost, files, now } = worked();
    const id = await set("third(3);", "third(3,   33)");
    files.set(path, (now() as string).replace("third(3,   33)", "third(\n  3,\n  33,\n);"));
    await set("fifth(5)", "fifth(55)", "two");
    expect(await lost()).toEqual([]);
    files.set(path, five.replace("fifth(5)", "fifth(55)"));
    expect(await lost()).toEqual([id]);
  });

  it("an edit is not lost when a formatter gives it the layout that was there before", async () => {
    const wide = "export function ours(before: Line[], after: Line[]): Hunk[] {";
    const tall = "export function ours(\n  before: Line[],\n  after: Line[],\n): Hunk[] {";
    const { set, lost, files, now } = worked(`${five}// about it\n${tall}\n}\n`);
    const id = await set(`// about it\n${tall}`, `// about all of it\n${wide}`);
    files.set(path, (now() as string).replace(wide, tall));
    expect(await lost()).toEqual([]);
    files.set(path, (now() as string).replace("about all of it", "about it"));
    expect(await lost()).toEqual([id]);
  });

  it("an edit is not lost when it is older than asked for", async () => {
    const made = worked();
    await made.set("third(3)", "third(33)");
    made.files.set(path, five);
    expect(await made.session.lost({ since: made.time })).toEqual([]);
    made.time += 14 * 86_400_000;
    expect(await made.lost()).toEqual([]);
  });
});

describe("commits", () => {
  const committed = (time: number, ...texts: (string | null)[]): Commits => ({
    of: async () =>
      texts.map((text) => ({ time, bytes: text === null ? null : new TextEncoder().encode(text) })),
  });

  it("commits end the life of an edit that stands in one, formatted or not", async () => {
    const { session, set, files, now, time } = worked();
    await set("third(3);", 'call("x", 33);');
    const text = now() as string;
    files.set(path, five);
    const left = async (commits: Commits) => (await session.lost({ commits })).length;
    expect(await left(committed(time + 100))).toBe(1);
    expect(await left(committed(time + 100, five, null))).toBe(1);
    expect(await left(committed(time + 100, text))).toBe(0);
    expect(await left(committed(time + 100, text.replaceAll("\n", "\r\n").replaceAll('"', "'")))).toBe(0);
    expect(await left(committed(time - 60_000, text))).toBe(1);
  });

  it("commits are asked for only if something looks lost", async () => {
    const { session, set, files } = worked();
    let asked = 0;
    const commits: Commits = {
      of: async () => {
        asked++;
        return [];
      },
    };
    await set("third(3);", 'call("x", 33);');
    await session.lost({ commits });
    files.set(path, five.replace("third(3);", 'call("x",\n  33);'));
    await session.lost({ commits });
    expect(asked).toBe(0);
    files.set(path, five);
    await session.lost({ commits });
    expect(asked).toBe(1);
  });

  it("commits that fail to be read say nothing", async () => {
    const { session, set, files } = worked();
    await set("third(3)", "third(33)");
    files.set(path, five);
    const commits: Commits = { of: () => Promise.reject(new Error("no git")) };
    expect(await session.lost({ commits })).toHaveLength(1);
  });

  it("commits end a deletion that is in one", async () => {
    const { session, files, time } = worked();
    await session.read({ path });
    await session.multiEdit({ files: [{ path, edits: [{ op: "delete_file" }] }] });
    files.set(path, five);
    expect(await session.lost({ commits: committed(time + 100, null) })).toEqual([]);
    expect(await session.lost({ commits: committed(time + 100, five) })).toHaveLength(1);
  });
});

describe("content that is not kept", () => {
  function secret(): Worked {
    const made = worked();
    const identify = made.files.identify.bind(made.files);
    made.files.identify = async (name) => ({ ...(await identify(name)), keep: false });
    return made;
  }

  it("content that is not kept is known to be lost by its version alone, and cannot be restored", async () => {
    const { session, set, files } = secret();
    const id = await set("third(3)", "third(33)");
    files.set(path, five.replace("fifth", "sixth"));
    expect(await session.lost()).toEqual([]);
    files.set(path, five);
    expect(await session.lost()).toMatchObject([{ id, kept: false, diff: "" }]);
    const { text, isError } = await session.restore({ all: true });
    expect(isError).toBe(true);
    expect(text).toContain(`edit ${id} of ${path} cannot be restored: the text is not kept`);
    files.files.delete(path);
    expect(await session.lost()).toMatchObject([{ id, kept: false }]);
  });
});

describe("after a command", () => {
  const bash = { tool: "Bash", command: "git checkout -- .\necho done" };

  it("after a command, what it took away is told once, and journaled", async () => {
    const { session, set, files, store } = worked();
    const ids = [await set("third(3)", "third(33)"), await set("fifth(5)", "fifth(55)", "two")];
    const three = session.as("three");
    expect(await three.lostBy(bash)).toEqual([]);
    files.set(path, five);
    const told = await three.lostBy(bash);
    expect(told.map(({ id, agent }) => [id, agent])).toEqual([
      [ids[0], "one"],
      [ids[1], "two"],
    ]);
    expect(told[0]?.lost).toMatchObject({ agent: "three", tool: "Bash", command: "git checkout -- ." });
    expect(await three.lostBy(bash)).toEqual([]);
    const entries = (await store.journal()).filter(({ kind }) => kind === "lost");
    expect(entries).toMatchObject([
      { agent: "three", tool: "Bash", cause: "git checkout -- .", path, edits: ids },
    ]);
    const [found] = await session.lost();
    expect(found?.lost).toEqual({
      ...{ agent: "three", tool: "Bash", command: "git checkout -- ." },
      time: entries[0]?.time,
    });
  });

  it("after a command, a long command is cut", async () => {
    const { session, set, files, store } = worked();
    await set("third(3)", "third(33)");
    files.set(path, five);
    await session.lostBy({ tool: "Bash", command: "x".repeat(500) });
    expect((await store.journal()).at(-1)?.cause).toHaveLength(200);
  });

  it("after a command, without a command the cause is unknown", async () => {
    const { session, set, files } = worked();
    await set("third(3)", "third(33)");
    files.set(path, five);
    expect(await session.lostBy({ tool: "Bash" })).toHaveLength(1);
    expect((await session.lost())[0]?.lost).toMatchObject({ command: null });
  });

  it("after a command, what came back and was taken away again is told again", async () => {
    const { session, set, files, now } = worked();
    await set("third(3)", "third(33)");
    const text = `${now()}// pop\n`;
    files.set(path, five);
    expect(await session.lostBy(bash)).toHaveLength(1);
    files.set(path, text);
    expect(await session.lostBy(bash)).toEqual([]);
    files.set(path, five);
    expect(await session.lostBy(bash)).toHaveLength(1);
  });

  it("after a command, what was restored and taken away again is told again, and only once", async () => {
    const { session, set, files } = worked();
    await set("third(3)", "third(33)");
    for (const command of ["git checkout -- .", "git restore .", "git reset --hard"]) {
      files.set(path, five);
      expect(await session.lostBy({ tool: "Bash", command })).toHaveLength(1);
      expect(await session.lostBy(bash)).toEqual([]);
      expect((await session.lost())[0]?.lost).toMatchObject({ command });
      await session.restore({ all: true });
    }
  });

  it("after a command, a file with many edits that was only formatted costs a look at two texts", async () => {
    const { session, set, files, store, now } = worked();
    for (let at = 0; at < 8; at++) {
      await set("third(3", "third(3, more");
      files.set(path, (now() as string).replace("first", "  first"));
    }
    const loaded = new Set<string>();
    const versions = store.versions.bind(store);
    store.versions = (ids) => {
      for (const id of ids) loaded.add(id);
      return versions(ids);
    };
    expect(await session.lostBy(bash)).toEqual([]);
    expect(loaded.size).toBe(2);
    files.set(path, five);
    expect(await session.lostBy(bash)).not.toEqual([]);
  });

  it("after a command, a file that is as it was costs no look at any kept text", async () => {
    const { session, set, files, store, now } = worked();
    await set("third(3)", "third(33)");
    let loaded = 0;
    const versions = store.versions.bind(store);
    store.versions = (ids) => {
      loaded++;
      return versions(ids);
    };
    expect(await session.lostBy(bash)).toEqual([]);
    expect(loaded).toBe(0);
    files.set(path, `${now()}// by somebody else\n`);
    await session.lostBy(bash);
    expect(loaded).toBeGreaterThan(0);
    loaded = 0;
    await session.lostBy(bash);
    expect(loaded).toBe(0);
  });
});
