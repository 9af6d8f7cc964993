import { readdirSync, readFileSync } from "node:fs";

/** Real code that is here: the core's own, as many lines as wanted, from the top again when it ends. */
export function corpus(count: number): string[] {
  const files = readdirSync("src/core")
    .filter((name) => name !== "words.ts")
    .sort();
  const lines = files.flatMap((name) => readFileSync(`src/core/${name}`, "utf8").split("\n").slice(0, -1));
  return Array.from({ length: count }, (_, at) => lines[at % lines.length] as string);
}
