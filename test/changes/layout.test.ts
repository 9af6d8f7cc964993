import { expect, test } from "vitest";
import { compare } from "../../src/changes/compare.js";
import { pairLayout } from "../../src/changes/layout.js";
import { Document } from "../../src/text/document.js";
import { LineSet } from "../../src/text/line-set.js";

const paired = (before: string, after: string): number[][] => {
  const [old, fresh] = [Document.fromText(before), Document.fromText(after)];
  const change = pairLayout(old, fresh, compare(old, fresh));
  return LineSet.all(old.lineCount)
    .indexes()
    .map((line) => change.carry(LineSet.lines([line])).indexes());
};

test.each([
  ["other blanks and quotes", "a('x')\n b\n", 'a("x");\n  b;\n', [[0], [1]]],
  ["a line that is broken", "f(one, two)\nnext\n", "f(\n  one,\n  two,\n)\nnext;\n", [[0], [4]]],
  ["lines that are joined", "f(\n one,\n two)\nnext\n", "f(one, two)\nnext;\n", [[0], [], [], [1]]],
  ["a blank line that is new", "a\nb\n", "a;\n\nb;\n", [[0], [2]]],
  ["other words, and what follows them", "a\nb\nc\n", "a;\nx\nc;\n", [[0], [], []]],
])("lines are paired over another layout: %s", (_, before, after, expected) =>
  expect(paired(before, after)).toEqual(expected),
);
