/** A folder in which most lines of a file also stand in others, as in real ones. */

const head = (name: string): string[] => [
  "// Copyright of nobody in particular.",
  "// All of it may be used by everybody.",
  "import { open } from './open.js';",
  "",
  `export function ${name}First(name: string) {`,
  "  const found = open(name);",
  `  const ${name}Rows = found.rows.filter((row) => row.kept);`,
  `  return ${name}Rows;`,
  "}",
  "",
];

const tail = (name: string): string[] => [
  `export function ${name}Second(limit: number) {`,
  "  let total = 0;",
  "  for (let at = 0; at < limit; at++) {",
  "    total += at;",
  "  }",
  `  return { ${name}Total: total };`,
  "}",
  "",
];

export const textOf = (name: string): string => [...head(name), ...tail(name)].join("\n");

export const data = `${JSON.stringify({ name: "alpha", kept: [1, 2], total: { rows: 12 } }, null, 2)}\n`;

export const folder: Readonly<Record<string, string>> = {
  "src/alpha.ts": textOf("alpha"),
  "src/beta.ts": textOf("beta"),
  "src/gamma.ts": textOf("gamma"),
  "lib/delta.ts": textOf("delta"),
  "data.json": data,
};

/** Lines of the file that is edited: the one stands in no other, the other in all of them. */
export const own = "  const alphaRows = found.rows.filter((row) => row.kept);";
export const shared = "// All of it may be used by everybody.";
