import { readdirSync, readFileSync } from "node:fs";

/** Real code that is here: the pure folders' own, as many lines as wanted, from the top again when it ends. */
export function corpus(count: number): string[] {
  const lines = ["text", "anchors", "changes", "edits", "merge", "answers"].flatMap((folder) =>
    readdirSync(`src/${folder}`)
      .filter((name) => name !== "lean-words.ts")
      .sort()
      .flatMap((name) => readFileSync(`src/${folder}/${name}`, "utf8").split("\n").slice(0, -1)),
  );
  return Array.from({ length: count }, (_, at) => lines[at % lines.length] as string);
}
