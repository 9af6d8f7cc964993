import { describe, expect, it } from "vitest";
import { normaliseEdits } from "../../src/edits/edit.js";

const a = "3#0f0dd9";
const b = "5#44bb18";

/** The edits without what the anchors were read into: names and fields are what is at stake here. */
function flat(input: unknown): unknown[] {
  const { edits, operations, complaints } = normaliseEdits(input);
  expect(complaints).toEqual([]);
  const given = (value: unknown) =>
    typeof value === "object" && value !== null && "given" in value ? value.given : value;
  const bare = (edit: object) =>
    Object.fromEntries(Object.entries(edit).map(([key, value]) => [key, given(value)]));
  return [...edits.map(bare), ...operations];
}

const line = (text: readonly string[], index = 0) => ({ op: "set_line", index, start: a, end: a, text });
const lines = (text: readonly string[]) => ({ op: "replace_lines", index: 0, start: a, end: b, text });
const insert = (op: string, text: readonly string[]) => ({ op, index: 0, anchor: a, text });
const quote = (more: object) => ({
  op: "replace_text",
  index: 0,
  old: "x",
  new: "y",
  start: null,
  end: null,
  all: false,
  ...more,
});

describe("the advertised shape", () => {
  it.each([
    [{ op: "set_line", anchor: a, text: "x" }, line(["x"])],
    [{ op: "replace_lines", start: a, end: b, text: ["x", "y"] }, lines(["x", "y"])],
    [{ op: "insert_after", anchor: a, text: "x" }, insert("insert_after", ["x"])],
    [{ op: "insert_before", anchor: a, text: "x" }, insert("insert_before", ["x"])],
    [
      { op: "delete_lines", start: a },
      { op: "delete_lines", index: 0, start: a, end: a, text: [] },
    ],
    [
      { op: "delete_lines", start: a, end: b },
      { op: "delete_lines", index: 0, start: a, end: b, text: [] },
    ],
    [
      { op: "append", text: "x" },
      { op: "append", index: 0, text: ["x"] },
    ],
    [
      { op: "prepend", text: "x" },
      { op: "prepend", index: 0, text: ["x"] },
    ],
    [{ op: "replace_text", old: "x", new: "y" }, quote({})],
    [{ op: "replace_text", old: "x", new: "", all: true }, quote({ new: "", all: true })],
    [{ op: "replace_text", old: "x", new: "y", anchor: a }, quote({ start: a, end: a })],
    [{ op: "replace_text", old: "x", new: "y", anchor: a, end: b }, quote({ start: a, end: b })],
    [{ op: "replace_text", old: "x\r\nx", new: "y\r\n" }, quote({ old: "x\nx", new: "y\n" })],
    [
      { op: "move_lines", start: a, end: a, after: b },
      { op: "move_lines", index: 0, start: a, end: a, after: b },
    ],
    [
      { op: "copy_lines", start: a, after: b },
      { op: "copy_lines", index: 0, start: a, end: a, after: b },
    ],
    [
      { op: "create_file", text: "x\n" },
      { op: "create_file", text: "x\n" },
    ],
    [{ op: "delete_file" }, { op: "delete_file" }],
    [
      { op: "move_file", to: "b.ts" },
      { op: "move_file", to: "b.ts" },
    ],
  ])("%j", (given, expected) => expect(flat([given])).toEqual([expected]));
});

describe("text", () => {
  it.each([
    ["", [""]],
    ["x", ["x"]],
    ["x\n", ["x"]],
    ["x\n\n", ["x", ""]],
    ["\n", [""]],
    ["x\r\ny\r\n", ["x", "y"]],
    ["x\ry", ["x\ry"]],
    [
      ["x", "y"],
      ["x", "y"],
    ],
    [[""], [""]],
    [
      ["x\n", "y\r"],
      ["x", "y"],
    ],
    [[], []],
    [null, []],
  ])("%j is %j", (text, expected) =>
    expect(flat([{ op: "set_line", anchor: a, text }])).toEqual([line(expected)]),
  );
});

describe("shapes of other tools", () => {
  it.each([
    [{ set_line: { anchor: a, new_text: "x" } }, line(["x"])],
    [{ set_line: { anchor: a, new_text: null } }, line([])],
    [{ replace_lines: { start_anchor: a, end_anchor: b, new_text: "x\ny" } }, lines(["x", "y"])],
    [{ insert_after: { anchor: a, text: "x" } }, insert("insert_after", ["x"])],
    [{ replace: { old_text: "x", new_text: "y" } }, quote({})],
    [{ replace: { old_text: "x", new_text: "y", all: true } }, quote({ all: true })],
    [{ op: "replace", pos: a, end: b, lines: ["x"] }, lines(["x"])],
    [
      { op: "replace", pos: a, lines: ["x"] },
      { ...lines(["x"]), end: a },
    ],
    [{ op: "replace", pos: a, end: b, lines: null }, lines([])],
    [{ op: "append", pos: a, lines: ["x"] }, insert("insert_after", ["x"])],
    [{ op: "prepend", pos: a, lines: ["x"] }, insert("insert_before", ["x"])],
    [
      { op: "append", lines: ["x"] },
      { op: "append", index: 0, text: ["x"] },
    ],
    [
      { op: "prepend", pos: null, lines: "x" },
      { op: "prepend", index: 0, text: ["x"] },
    ],
  ])("%j", (given, expected) => expect(flat([given])).toEqual([expected]));

  const edit = { op: "set_line", anchor: a, text: "x" };
  it.each([
    ["edits as a string", JSON.stringify([edit])],
    ["one edit as a string", JSON.stringify(edit)],
    ["an edit in the list as a string", [JSON.stringify(edit)]],
    ["one edit without a list", edit],
  ])("%s", (_, given) => expect(flat(given)).toEqual([line(["x"])]));

  it("an edit keeps its place in the caller's list", () => {
    expect(flat([edit, edit])).toEqual([line(["x"]), line(["x"], 1)]);
  });
});

it("fields that an op does not take may be there, if they add nothing", () => {
  const filler = { start: a, end: a, after: null, old: "", new: "", all: false, dryRun: false, note: "why" };
  expect(flat([{ op: "set_line", anchor: a, text: "x", ...filler }])).toEqual([line(["x"])]);
});

/** Code, and the words that say what to do. */
describe("malformed requests", () => {
  const set = (fields: object) => [{ op: "set_line", ...fields }];
  const say = (fields: object) => [{ op: "replace_text", old: "x", new: "y", ...fields }];
  it.each([
    [undefined, "bad_request", /must be a list like \[\{"op"/],
    [null, "bad_request", /must be a list like/],
    [7, "bad_request", /must be a list like/],
    ["set line 3", "bad_request", /not JSON; send a list like/],
    ["7", "bad_request", /must be a list like/],
    [[], "bad_request", /empty; send at least one/],
    ["[]", "bad_request", /empty; send at least one/],
    [[null], "bad_request", /edits\[0\]: must be an object like/],
    [[[]], "bad_request", /must be an object like/],
    [["x"], "bad_request", /must be an object like/],
    [[{}], "bad_request", /op is missing; use one of set_line, .*copy_lines/],
    [[{ anchor: a, text: "x" }], "bad_request", /op is missing; use one of/],
    [[{ op: "rewrite" }], "bad_request", /unknown op "rewrite"; use one of/],
    [[{ op: 7 }], "bad_request", /unknown op 7; use one of/],
    [set({ text: "x" }), "bad_request", /set_line needs anchor \(it has text\)/],
    [set({ anchor: a }), "bad_request", /set_line needs text \(it has anchor\)/],
    [set({ anchor: a, content: "x" }), "bad_request", /needs text \(it has anchor, content\)/],
    [set({ anchor: a, text: 7 }), "bad_request", /text must be a string, a list of lines, or null to delete/],
    [set({ anchor: a, text: ["x", 7] }), "bad_request", /text must be a string, a list of lines/],
    [set({ anchor: null, text: "x" }), "bad_request", /anchor must be an anchor like 12#0f0dd9/],
    [set({ anchor: { line: 3 }, text: "x" }), "bad_request", /anchor must be an anchor like/],
    [set({ anchor: 3, text: "x" }), "bad_anchor", /bare number; an anchor has line and hash, as shown/],
    [set({ anchor: "3", text: "x" }), "bad_anchor", /bare number/],
    [set({ anchor: "LINE#HASH", text: "x" }), "bad_anchor", /placeholder; copy the anchor/],
    [set({ anchor: "LINE#ID", text: "x" }), "bad_anchor", /placeholder; copy the anchor/],
    [set({ anchor: "#0f0dd9", text: "x" }), "bad_anchor", /no line number; an anchor has line and hash/],
    [set({ anchor: "3#ab", text: "x" }), "bad_anchor", /not an anchor of this tool; copy the anchor/],
    [set({ anchor: "there", text: "x" }), "bad_anchor", /not an anchor; copy it exactly/],
    [set({ anchor: "", text: "x" }), "bad_anchor", /not an anchor; copy it exactly/],
    [[{ op: "replace_lines", start: a, text: "x" }], "bad_request", /replace_lines needs end/],
    [[{ op: "delete_lines" }], "bad_request", /delete_lines needs start/],
    [
      [{ op: "insert_after", anchor: a, text: [] }],
      "bad_request",
      /nothing to insert; for an empty line use ""/,
    ],
    [[{ op: "insert_before", anchor: a, text: null }], "bad_request", /nothing to insert/],
    [[{ op: "append", text: null }], "bad_request", /nothing to insert/],
    [[{ op: "prepend" }], "bad_request", /prepend needs text/],
    [say({ old: undefined }), "bad_request", /replace_text needs old \(it has new\)/],
    [say({ old: ["x"] }), "bad_request", /old must be a string/],
    [say({ new: undefined }), "bad_request", /replace_text needs new/],
    [say({ new: null }), "bad_request", /new must be a string/],
    [say({ old: "" }), "bad_request", /old is empty; quote the text to replace/],
    [say({ end: a }), "bad_request", /end needs anchor, the first line of the range/],
    [say({ all: "yes" }), "bad_request", /all must be true or false/],
    [[{ op: "move_lines", start: a, end: b }], "bad_request", /move_lines needs after/],
    [[{ op: "copy_lines", after: a }], "bad_request", /copy_lines needs start/],
    [[{ op: "create_file" }], "bad_request", /create_file needs text/],
    [[{ op: "create_file", text: 7 }], "bad_request", /text must be a string or a list of lines/],
    [[{ op: "move_file" }], "bad_request", /move_file needs to/],
    [[{ set_line: { new_text: "x" } }], "bad_request", /set_line needs anchor/],
    [[{ op: "replace", pos: a }], "bad_request", /needs text/],
    // Half of what was asked for is not what was asked for.
    [
      set({ anchor: a, end: b, text: "x" }),
      "bad_request",
      /set_line takes no end: use an op that does, or leave/,
    ],
    [[{ op: "delete_lines", start: a, end: b, text: "x" }], "bad_request", /delete_lines takes no text/],
    [[{ op: "delete_lines", start: a, anchor: b }], "bad_request", /delete_lines takes no anchor/],
    [[{ op: "insert_after", anchor: a, end: b, text: "x" }], "bad_request", /insert_after takes no end/],
    [[{ op: "append", anchor: a, text: "x" }], "bad_request", /append takes no anchor/],
    [[{ op: "append", text: "x", dry_run: true }], "bad_request", /append takes no dry_run/],
    [[{ op: "append", pos: a, text: "x" }], "bad_request", /append takes no pos/],
    [[{ op: "delete_file", text: "x", to: "y" }], "bad_request", /delete_file takes no text, to/],
    [say({ start: a, text: "z" }), "bad_request", /replace_text takes no start, text/],
  ])("%j: %s", (given, code, message) => {
    const { edits, operations, complaints } = normaliseEdits(given);
    expect({ edits, operations }).toEqual({ edits: [], operations: [] });
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatchObject({ code, index: 0 });
    expect(complaints[0]?.message).toMatch(message);
  });

  it("are all reported together, each with its place", () => {
    const { edits, complaints } = normaliseEdits([
      { op: "set_line", anchor: "3", text: 7 },
      { op: "set_line", anchor: a, text: "x" },
      { op: "replace_lines", start: "x", end: "y", text: "z" },
    ]);
    expect(edits).toHaveLength(1);
    expect(complaints.map(({ code, index, line: number }) => [code, index, number])).toEqual([
      ["bad_anchor", 0, 3],
      ["bad_request", 0, undefined],
      ["bad_anchor", 2, undefined],
      ["bad_anchor", 2, undefined],
    ]);
  });
});
