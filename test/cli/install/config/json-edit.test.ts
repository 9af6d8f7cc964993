import fc from "fast-check";
import { getNodeValue } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { element, type Hook, hookGroups, member } from "../../../../src/cli/install/config/entries.js";
import { appendAt, removeAt, setAt, valueAt } from "../../../../src/cli/install/config/json-edit.js";
import {
  endOf,
  type JsonNode,
  JsonProblem,
  nodeAt,
  parseJsonc,
  positionOf,
} from "../../../../src/cli/install/config/jsonc.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Style {
  readonly unit: string;
  readonly eol: string;
  /** Decides, call by call, about comments, blanks and commas. */
  readonly dice: Iterator<number>;
  /** Every container over several lines. */
  readonly tall: boolean;
}

const roll = ({ dice }: Style, sides: number): number => (dice.next().value as number) % sides;

/** JSON as people write it: comments anywhere, commas at the end, some of it on one line. */
function print(value: Json, style: Style, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((one) => print(one, style, depth + 1))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${print(one, style, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  if (!style.tall && roll(style, 3) === 0 && items.every((item) => !item.includes("//")))
    return `${open} ${items.join(", ")}${roll(style, 4) === 0 ? "," : ""} ${close}`;
  const indent = style.eol + style.unit.repeat(depth + 1);
  const lines = items.map((item, at) => {
    const last = at === items.length - 1;
    const comma = last && roll(style, 3) > 0 ? "" : ",";
    const above = roll(style, 6) === 0 ? `${indent}// above {[,"` : "";
    const behind = [" // behind", " /* b, } */", "", "", "", ""][roll(style, 6)];
    return `${above}${indent}${item}${comma}${behind}`;
  });
  return `${open}${lines.join("")}${style.eol}${style.unit.repeat(depth)}${close}`;
}

const values = fc.dictionary(
  fc.constantFrom("a", "b", "env", "mcpServers", "__proto x", 'q"\\'),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 5 },
) as fc.Arbitrary<{ [key: string]: Json }>;

const styles = (tall: fc.Arbitrary<boolean>): fc.Arbitrary<Style> =>
  fc
    .record({
      unit: fc.constantFrom("  ", "\t", "    "),
      eol: fc.constantFrom("\n", "\r\n"),
      rolls: fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }),
      tall,
    })
    .map(({ rolls, ...style }) => ({ ...style, dice: repeated(rolls) }));

function* repeated(rolls: readonly number[]): Generator<number> {
  for (;;) yield* rolls;
}

const endings = fc.constantFrom("", "\n", "\r\n", "\n\n// the end\n");
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const commentsOf = (text: string): string[] =>
  text.match(/\/\/ (above|behind|the end)|\/\* b, \} \*\//g) ?? [];

describe("JSON with comments", () => {
  test("reads as what it was written from", () => {
    fc.assert(
      fc.property(values, styles(fc.boolean()), endings, (value, style, ending) => {
        expect(getNodeValue(parseJsonc(print(value, style) + ending))).toEqual(plain(value));
      }),
    );
  });

  test("what is set stands there; all else and every comment stays", () => {
    const paths = fc.constantFrom(["new"], ["hooks", "PreToolUse"], ["mcpX", "kedge", "deep"]);
    fc.assert(
      fc.property(values, styles(fc.boolean()), endings, paths, (value, style, ending, path) => {
        const text = print(value, style) + ending;
        const set = setAt(text, path, { x: [1, "two"], y: null });
        expect(valueAt(set, path)).toEqual({ x: [1, "two"], y: null });
        expect(plain(valueAt(removeAt(set, path.slice(0, 1)), []))).toEqual(plain(value));
        expect(commentsOf(set)).toEqual(commentsOf(text));
        expect(setAt(set, path, { x: [1, "two"], y: null })).toBe(set);
      }),
    );
  });

  test("what is put at the end and taken out again leaves the same bytes", () => {
    const filled = values.filter((value) => Object.keys(value).length > 0);
    fc.assert(
      fc.property(filled, styles(fc.constant(true)), endings, (value, style, ending) => {
        const text = print(value, style) + ending;
        expect(removeAt(setAt(text, ["new", "inner"], [1]), ["new"])).toBe(text);
        const listed = print({ ...value, list: [1, { a: 2 }] }, style) + ending;
        expect(removeAt(appendAt(listed, ["list"], { three: 3 }), ["list", 2])).toBe(listed);
      }),
    );
  });

  test("any child can be taken out; the others and the comments stay", () => {
    fc.assert(
      fc.property(values, styles(fc.boolean()), fc.nat(), (value, style, number) => {
        const keys = Object.keys(value);
        fc.pre(keys.length > 0);
        const key = keys[number % keys.length] as string;
        const text = print(value, style);
        const { [key]: _, ...rest } = value;
        const without = removeAt(text, [key]);
        expect(getNodeValue(parseJsonc(without))).toEqual(plain(rest));
        const node = nodeAt(parseJsonc(text), [key]) as JsonNode;
        expect(commentsOf(without)).toEqual(commentsOf(text.slice(0, node.offset) + text.slice(endOf(node))));
      }),
    );
  });

  test.each([
    ["{", "line 1, column 2", "ends too early|double quotes"],
    ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3", "a comma is missing"],
    ['{"a": tru}', "line 1, column 7", "not a JSON value"],
    ['{"a" 1}', "line 1, column 6", '":" is missing'],
    ["{a: 1}", "line 1, column 2", "double quotes"],
    ['{"a": "x\n"}', "line 1, column 7", "no end"],
    ['{"a": "\\q"}', "line 1, column 7", "wrong escape"],
    ["{} x", "line 1, column 4", "nothing may follow"],
    ["{ /* x", "line 1, column 3", "comment has no end"],
    ['{"a": 01}', "line 1, column 8", "a comma is missing"],
    ['{"a": NaN}', "line 1, column 7", "not a JSON value"],
    ["", "line 1, column 1", "ends too early"],
    [`${'{"a":'.repeat(300)}`, "line 1, column", "too deeply"],
  ])("says where %j is wrong", (text, place, message) => {
    let problem: JsonProblem | undefined;
    try {
      parseJsonc(text);
    } catch (error) {
      problem = error as JsonProblem;
    }
    expect(problem).toBeInstanceOf(JsonProblem);
    expect(positionOf(text, problem?.offset ?? -1)).toContain(place);
    expect(problem?.message).toMatch(new RegExp(message));
  });

  test("refuses brackets that are nested deeper than its own calls can be", () => {
    expect(() => parseJsonc("[".repeat(100_000))).toThrow("too deeply");
  });

  test("a path through something that is no object, or a list that is none, is refused", () => {
    expect(() => setAt('{"hooks": 1}', ["hooks", "x"], 1)).toThrow("hooks is not an object");
    expect(() => appendAt('{"deny": {}}', ["deny"], 1)).toThrow("deny is not a list");
    expect(() => setAt("[]", ["a"], 1)).toThrow("an object is wanted");
  });

  test("goes to a line of its own, as the file is indented; a remark stays with its line", () => {
    expect(setAt('{\n\t"a": 1 // one\n\t// two\n}\n', ["b"], { c: [1, 2] })).toBe(
      '{\n\t"a": 1, // one\n\t"b": {\n\t\t"c": [1, 2]\n\t}\n\t// two\n}\n',
    );
    expect(setAt('{"a":1}', ["b"], 2)).toBe('{"a":1,\n  "b": 2\n}');
    expect(setAt('{\r\n    "a": 1,\r\n}', ["b"], 2)).toBe('{\r\n    "a": 1,\r\n    "b": 2,\r\n}');
    expect(setAt("{\n  // nothing yet\n}", ["b"], 2)).toBe('{\n  // nothing yet\n  "b": 2\n}');
    expect(setAt("\ufeff{}", ["b"], 2)).toBe('\ufeff{\n  "b": 2\n}');
  });
});

const ours: Hook = { type: "command", command: "/node", args: ["/state/hook/hook.cjs", "x"] };
const isOurs = ({ args }: Hook): boolean => JSON.stringify(args ?? "").includes("hook.cjs");
const groups = { Before: { matcher: "Edit", hooks: [ours] }, After: { hooks: [ours] } };
const entries = [
  hookGroups({ path: ["hooks"], groups, isOurs }),
  member("tools", ["mcpServers", "kedge"], { command: "k" }),
  element("exclusive", ["permissions", "deny"], "Edit"),
];
const put = (text: string): string => entries.reduce((result, entry) => entry.put(result), text);
const take = (text: string, base: string | null): string =>
  entries.toReversed().reduce((result, entry) => entry.take(result, base), text);

const foreign = fc.record({ type: fc.constant("command"), command: fc.constantFrom("a", "b") });
const foreignGroups = fc.array(
  fc.record({ matcher: fc.constantFrom("Bash", "Edit"), hooks: fc.array(foreign, { maxLength: 2 }) }),
  { maxLength: 3 },
);
const configurations = fc.record(
  {
    model: fc.string(),
    hooks: fc.record({ Before: foreignGroups, Other: foreignGroups }, { requiredKeys: [] }),
    permissions: fc.record({ deny: fc.subarray(["Edit", "Write"]) }, { requiredKeys: [] }),
    mcpServers: fc.constant({ other: { command: "o" } }),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<{ [key: string]: Json }>;

describe("entries", () => {
  test("are put in once, beside what others have there", () => {
    fc.assert(
      fc.property(configurations, styles(fc.boolean()), (value, style) => {
        const text = print(value, style);
        const installed = put(text);
        expect(put(installed)).toBe(installed);
        expect(entries.every((entry) => entry.isIn(installed))).toBe(true);
        const hooks = valueAt(installed, ["hooks"]) as { Before: Json[]; Other?: Json[] };
        const before = (value.hooks as { Before?: Json[]; Other?: Json[] } | undefined) ?? {};
        expect(hooks.Before).toEqual([...(before.Before ?? []), plain(groups.Before)]);
        expect(hooks.Other).toEqual(before.Other);
      }),
    );
  });

  test("taken out, the configuration says what it said before, with every comment", () => {
    fc.assert(
      fc.property(configurations, styles(fc.boolean()), (value, style) => {
        const text = print(value, style);
        const gone = take(put(text), text);
        expect(getNodeValue(parseJsonc(gone))).toEqual(plain(value));
        expect(commentsOf(gone)).toEqual(commentsOf(text));
        expect(take(text, text)).toBe(text);
      }),
    );
  });

  test("an older version is replaced where it stands; what nobody wants any more goes", () => {
    const old = { type: "command", command: "/old", args: ["/old/hook/hook.cjs", "x"] };
    const mine = { type: "command", command: "mine" };
    const text = JSON.stringify(
      {
        hooks: {
          Before: [{ hooks: [old] }, { matcher: "A", hooks: [mine] }, { hooks: [old] }],
          After: [{ matcher: "B", hooks: [old, mine] }],
          Gone: [{ hooks: [old] }],
        },
      },
      null,
      2,
    );
    expect(valueAt(entries[0]?.put(text) ?? "", ["hooks"])).toEqual({
      Before: [groups.Before, { matcher: "A", hooks: [mine] }],
      After: [{ matcher: "B", hooks: [mine] }, groups.After],
    });
  });

  test("a word that stood in the list before stays there", () => {
    const text = '{ "permissions": { "deny": ["Edit"] } }';
    expect(take(put(text), text)).toContain('"Edit"');
    expect(take(put("{}"), "{}")).toBe("{}");
  });
});
