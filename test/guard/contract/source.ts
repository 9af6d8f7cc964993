import { linesOf } from "../drivers/files.js";

/** Eighteen lines as in real files: most are unlike each other, some stand more than once. */
export const source: string = [
  "import { open } from './open.js';",
  "",
  "export function first(name) {",
  "  const found = open(name);",
  "  return found.rows;",
  "}",
  "",
  "export function second(name) {",
  "  const limit = 10;",
  "  const found = open(name);",
  "  return found.rows.slice(0, limit);",
  "}",
  "",
  "export function third(name) {",
  "  const total = second(name).length;",
  "  return total + 1;",
  "}",
  "",
  "export const last = 'end';",
  "",
].join("\n");

/** Indented with tabs, and with blanks behind tabs, as gofmt and make want it. */
export const tabbed: Readonly<Record<string, string>> = {
  "main.go": [
    "package main",
    "",
    'import "fmt"',
    "",
    "type Row struct {",
    "\tName  string // who",
    "\tCount int",
    "}",
    "",
    "func sum(rows []Row) int {",
    "\ttotal := 0",
    "\tfor _, row := range rows {",
    "\t\tif row.Count > 0 {",
    "\t\t\ttotal += row.Count",
    "\t\t}",
    "\t}",
    "\treturn total",
    "}",
    "",
    "func main() {",
    "\tfmt.Println(sum(nil))",
    "}",
    "",
  ].join("\n"),
  Makefile: [
    "CC := cc",
    "  FLAGS := -O2",
    "",
    "all: build test",
    "",
    "build: main.o",
    "\t$(CC) $(FLAGS) -o app main.o \\",
    "\t    -lm",
    "",
    "main.o: main.c",
    "\t@echo compiling",
    "\t$(CC) -c main.c",
    "",
    "test: build",
    "\tif ./app; then \\",
    "\t\techo fine; \\",
    "\tfi",
    "",
    ".PHONY: all test",
    "",
  ].join("\n"),
};

/** The lines from first to last, without the last line's end. */
export function rows(text: string, first: number, last: number = first): string {
  return text
    .split("\n")
    .slice(first - 1, last)
    .join("\n");
}

/** The edit that a refusal gives to send instead: as two texts, or as a part of a patch. */
export function offered(refusal: string): { old: string; new: string } | null {
  const [old, fresh] = [
    /^old(?:_string|_str|String|Text): (".*")$/m,
    /^new(?:_string|_str|String|Text): (".*")$/m,
  ].map((field) => field.exec(refusal)?.[1]);
  if (old !== undefined && fresh !== undefined)
    return { old: JSON.parse(old) as string, new: JSON.parse(fresh) as string };
  const [, part] = /^@@.*\n((?:[ +-].*(?:\n|$))+)/m.exec(refusal) ?? [];
  if (part === undefined) return null;
  const side = (mark: string): string =>
    linesOf(part)
      .filter((line) => line.startsWith(" ") || line.startsWith(mark))
      .map((line) => line.slice(1))
      .join("\n");
  return { old: side("-"), new: side("+") };
}
