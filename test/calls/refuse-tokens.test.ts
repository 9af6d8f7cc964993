import { readdirSync, readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { computeLineHash } from "../../src/anchors/scheme.js";
import type { Edit } from "../../src/edits/index.js";
import { bench, handleOf, outcome, path } from "../support/session.js";

/** So many lines of real code: this project's own. */
function code(count: number): string[] {
  const lines = ["text", "changes", "edits", "merge"].flatMap((name) => {
    const folder = new URL(`../../src/${name}/`, import.meta.url);
    return readdirSync(folder)
      .sort()
      .flatMap((file) => readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n"));
  });
  return Array.from({ length: count }, (_, at) => lines[at % lines.length] as string);
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const anchor = (lines: readonly string[], at: number) => `${at + 1}#${computeLineHash(lines[at] as string)}`;

/** Tokens of the refusal and of the retry call for a line that somebody changed, and of reading all again. */
async function recovery(lines: readonly string[], at: number) {
  const { session, files } = bench("");
  files.set(path, textOf(lines));
  const all = { path, ranges: [{ start: 1, end: lines.length }] };
  await session.read(all);
  files.set(path, textOf(lines.with(at, `${lines[at]} // changed`)));
  const edit: Edit = { op: "set_line", anchor: anchor(lines, at), text: "  return null;" };
  const refusal = await session.edit({ path, edits: [edit] });
  const call = { path, retry: handleOf(refusal) as string };
  expect(outcome(await session.edit(call))).toBe("applied");
  return {
    tokens: countTokens(refusal.text) + countTokens(JSON.stringify(call)),
    again: countTokens((await session.read(all)).text),
  };
}

describe("tokens (o200k)", () => {
  it.each([
    [100, 12],
    [1000, 24],
    [10_000, 3],
  ])("recovery from one stale line in a file of %i lines", async (count, samples) => {
    const lines = code(count);
    const places = Array.from({ length: samples }, (_, at) => Math.floor(((at + 0.5) * count) / samples));
    const costs = [];
    for (const at of places) costs.push(await recovery(lines, at));
    const tokens = costs.map((cost) => cost.tokens);
    const mean = Math.round(tokens.reduce((sum, cost) => sum + cost, 0) / samples);
    console.log(
      `tokens: recovery in ${count} lines: mean ${mean}, most ${Math.max(...tokens)}; reading again ${costs[0]?.again}`,
    );
    if (count === 1000) {
      // Five rows of code are printed; how long those are is not the refusal's doing, so the mean is judged.
      expect(mean).toBeLessThanOrEqual(220);
      expect(costs[0]?.again).toBeGreaterThan(16_000);
    }
  });

  it("a plain ten-line edit is told in 80", async () => {
    const lines = code(1000);
    const costs: number[] = [];
    for (let at = 5; at < 985; at += 35) {
      const { session, files } = bench("");
      files.set(path, textOf(lines));
      await session.read({ path });
      const text = Array.from({ length: 10 }, (_, row) => `  const value${row} = compute(${row + at});`);
      const edit: Edit = { op: "replace_lines", start: anchor(lines, at), end: anchor(lines, at + 9), text };
      const result = await session.edit({ path, edits: [edit] });
      expect(outcome(result)).toBe("applied");
      costs.push(countTokens(result.text));
    }
    const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    console.log(`tokens: ten-line success: mean ${mean.toFixed(1)}, most ${Math.max(...costs)}`);
    expect(mean).toBeLessThanOrEqual(80);
  });
});
