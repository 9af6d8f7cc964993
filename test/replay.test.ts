import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applyHunks, type ReplayCase, type ReplayHunk, readCases } from "../bench/replay/cases.js";
import { computeLineHash } from "../src/core/scheme.js";
import { memoryFiles, memoryStore } from "../src/session/memory.js";
import { Session } from "../src/session/session.js";
import { outcome, path } from "./support/session.js";

const folder = new URL("../../shared/replay/cases", import.meta.url).pathname;

/** Where the agent's and the others' changes can be told apart, so that refusing is a failure. */
const separable = new Set([
  "plain",
  "far-noshift",
  "far-shift",
  "near",
  "dup-shift",
  "merge-clean",
  "own-seq",
  "fmt-elsewhere",
  "block-lost",
  "crlf",
  "moved-other",
]);

type Score = "right" | "refused" | "wrong";

interface Tally extends Record<Score, number> {
  readonly wrongIds: string[];
  readonly secondTime: string[];
}

function editOf(
  lines: readonly string[],
  { s, d, new: text }: ReplayHunk,
): Readonly<Record<string, unknown>> {
  const anchor = (index: number) => `${index + 1}#${computeLineHash(lines[index] as string)}`;
  if (d > 0) return { op: "replace_lines", start: anchor(s), end: anchor(s + d - 1), text };
  return s < lines.length
    ? { op: "insert_before", anchor: anchor(s), text }
    : { op: "insert_after", anchor: anchor(s - 1), text };
}

/** Reads the text as the agent did, lets the other change it, sends the agent's calls. */
async function play(one: ReplayCase) {
  const files = memoryFiles({ [path]: one.base });
  const session = new Session({ files, store: memoryStore(), agent: "one", clock: () => 0 });
  const lines = one.base.split(/\r?\n/).slice(0, -1);
  await session.read({ path, ranges: [{ start: 1, end: lines.length }] });
  files.set(path, one.current);
  const calls = one.sequence ? one.sequence.map((at) => [one.agent[at] as ReplayHunk]) : [[...one.agent]];
  const outcomes: {
    readonly hunks: readonly ReplayHunk[];
    readonly result: string;
    readonly again: string;
  }[] = [];
  for (const hunks of calls) {
    const edits = hunks.map((hunk) => editOf(lines, hunk));
    const result = outcome(await session.edit({ path, edits }));
    const before = files.text(path);
    const again = result.startsWith("!") ? outcome(await session.edit({ path, edits })) : "";
    if (again !== "" && files.text(path) !== before) throw new Error(`${one.id}: ${again} wrote`);
    outcomes.push({ hunks, result, again });
  }
  return { text: files.text(path) as string, outcomes };
}

function scored(one: ReplayCase, { text, outcomes }: Awaited<ReturnType<typeof play>>): Score[] {
  const refused = outcomes.filter(({ result }) => result.startsWith("!"));
  if (one.sequence) {
    const done = outcomes.filter(({ result }) => result === "applied").flatMap(({ hunks }) => hunks);
    const isRight = text === (refused.length === 0 ? one.truth : applyHunks(one.current, done));
    return outcomes.map(({ result }) => (!isRight ? "wrong" : result.startsWith("!") ? "refused" : "right"));
  }
  if (one.expect === "refuse")
    return [refused.length > 0 ? "right" : isAccepted(one, text) ? "right" : "wrong"];
  if (one.expect === "unchanged") return [text === one.current ? "right" : "wrong"];
  if (refused.length > 0) return ["refused"];
  return [isAccepted(one, text) ? "right" : "wrong"];
}

function isAccepted({ truth, alternatives, expect: wanted }: ReplayCase, text: string): boolean {
  return (wanted !== "refuse" && text === truth) || alternatives.includes(text);
}

async function tally(cases: readonly ReplayCase[]): Promise<Map<string, Tally>> {
  const table = new Map<string, Tally>();
  for (const one of cases) {
    const name = one.debatable ? `${one.class} (debatable)` : one.class;
    const row = table.get(name) ?? { right: 0, refused: 0, wrong: 0, wrongIds: [], secondTime: [] };
    table.set(name, row);
    const played = await play(one);
    for (const score of scored(one, played)) row[score]++;
    if (scored(one, played).includes("wrong")) row.wrongIds.push(one.id);
    if (played.outcomes.some(({ again }) => again !== "" && !again.startsWith("!")))
      row.secondTime.push(one.id);
  }
  return table;
}

describe.skipIf(!existsSync(folder))("stale edits from real histories", { timeout: 600_000 }, () => {
  it("go where they belong, or are refused", async () => {
    const table = await tally(readCases(folder));
    for (const [name, { right, refused, wrong }] of [...table].sort())
      console.log(`replay ${name.padEnd(28)} right ${right}  refused ${refused}  wrong ${wrong}`);
    for (const [name, { right, refused, wrong, wrongIds, secondTime }] of table) {
      if (!name.endsWith("(debatable)")) expect([name, ...wrongIds]).toEqual([name]);
      if (separable.has(name.replace(" (debatable)", "")))
        expect(right / (right + refused + wrong), name).toBeGreaterThanOrEqual(0.995);
      expect([name, ...secondTime], "sent again unchanged").toEqual([name]);
    }
  });
});
