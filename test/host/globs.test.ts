import { describe, expect, test } from "vitest";
import { compileGlob } from "../../src/host/globs.js";

describe("globs", () => {
  const cases: readonly [string, string, boolean][] = [
    ["*.ts", "a.ts", true],
    ["*.ts", "a/b.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "a/b/c.ts", true],
    ["a/**", "a/b/c", true],
    ["a/**/c", "a/c", true],
    ["a/**/c", "a/b/b/c", true],
    ["a/**/c", "a/b/d", false],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[]]", "]", true],
    ["[[:digit:]a]", "7", true],
    ["[ab", "[ab", true],
    ["{a,b/c}.ts", "b/c.ts", true],
    ["{a,{b,c}}.ts", "c.ts", true],
    ["{a}", "{a}", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["app/(group)/page.tsx", "app/(group)/page.tsx", true],
    ["*", ".hidden", true],
    ["a*a*a", "aXaYa", true],
    ["a*a*a", "aXa", false],
    ["Ünï*", "üNÏx", true],
  ];
  test.each(cases)("%s and %s: %s", (pattern, path, expected) => {
    expect(compileGlob(pattern, true)(path)).toBe(expected);
  });

  test("with regard to case", () => {
    expect(compileGlob("A*", false)("ab")).toBe(false);
    expect(compileGlob("[a-c]", false)("B")).toBe(false);
    expect(compileGlob("[a-c]", true)("B")).toBe(true);
  });

  test.each(["+(a)", "x/@(a|b)", "!(a)", "?(a)b", "*(a)"])("%s is not understood", (pattern) => {
    expect(() => compileGlob(pattern, true)).toThrow("write {one,other} instead");
  });

  test("braces that stand for too much", () => {
    expect(() => compileGlob("{a,b}".repeat(20), true)).toThrow("more than 1000");
  });
});
