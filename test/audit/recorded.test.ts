/** Sessions that real clients recorded, through the built program: every number against what was played. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { expected, numbersOf } from "./course.js";

const fixtures = join(import.meta.dirname, "fixtures");
const program = join(import.meta.dirname, "../../dist/bin.cjs");
const run = promisify(execFile);
const kedge = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [program, ...args], { env: { HOME: "/nowhere" } })).stdout;

describe.concurrent("a session recorded by", () => {
  for (const name of readdirSync(fixtures))
    test(`${name} is counted right`, async () => {
      const path = join(fixtures, name);
      const [printed, text] = await Promise.all([kedge("audit", path, "--json"), kedge("audit", path)]);
      expect(numbersOf(printed)).toEqual(expected[name.replace(/\.\w+$/, "")]);
      const { cases, failed } = JSON.parse(printed);
      expect(cases.filter(({ kind }: { kind: string }) => kind.startsWith("failed."))).toHaveLength(
        failed.total,
      );
      expect(text).toContain(`1 agent made 9 edits. ${failed.total} failed`);
      expect(text).not.toContain("compute(");
      const shown = await kedge("audit", path, "--show", cases[0].id);
      expect(shown).toContain("compute(");
    });
});
