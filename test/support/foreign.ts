/** A session on a file of which lines were shown, and what other programs' tools are about to do to it. */
import { expect } from "vitest";
import { parseUpdate } from "../../src/placement/patch.js";
import { bench, path } from "./session.js";

/** Words stand for lines, "_" for a blank one. */
const linesOf = (words: string): string[] => words.split(" ").map((word) => (word === "_" ? "" : word));
export const quote = (old: string, fresh: string, all = false) => ({
  ...{ path, tool: "Edit", single: true },
  change: { kind: "quotes" as const, quotes: [{ old, new: fresh, all }] },
});
export const patch = (lines: readonly string[]) => ({
  ...{ path, tool: "apply_patch" },
  change: { kind: "patch" as const, hunks: parseUpdate(lines.join("\n")) },
});

/** A session on such a text, of which some lines were shown: `shown(3, 5)` are the third to the fifth. */
export function stage(words: string) {
  const made = bench("");
  const write = (text: string): void => made.files.set(path, `${linesOf(text).join("\n")}\n`);
  write(words);
  return {
    ...made,
    write,
    async shown(first: number, last: number): Promise<void> {
      const rows = (made.files.text(path) as string).split("\n").slice(first - 1, last);
      await made.session.observe({ path, rows: rows.map((text, at) => ({ line: first + at, text })) });
    },
    /** `allowed`, or the code of the refusal; what is allowed at a glance has to be allowed after all thought. */
    async answer(write: Parameters<typeof made.session.consider>[0]): Promise<string> {
      const glance = await made.session.glance(write);
      const found = await made.session.consider(write);
      const answer = found.kind === "refused" ? found.result.details.code : found.kind;
      if (glance === "allowed") expect(answer).toBe("allowed");
      return answer;
    },
  };
}
