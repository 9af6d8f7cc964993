/** Sessions played in threads of the built program: the report is that of playing them one after the other. */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { audit } from "../../src/audit/index.js";
import { editOf, madeSession, project, readOf } from "./made.js";

const fixtures = join(import.meta.dirname, "fixtures");
const program = join(import.meta.dirname, "../../dist/bin.cjs");
const folder = mkdtempSync(join(tmpdir(), "kedge-audit-threads-"));
const bad = join(folder, "bad.jsonl");

beforeAll(() => {
  for (const name of readdirSync(fixtures)) copyFileSync(join(fixtures, name), join(folder, name));
  const recorded = readFileSync(join(fixtures, "claude-code-2.1.325.jsonl"), "utf8");
  writeFileSync(join(folder, "copy.jsonl"), recorded);
  writeFileSync(join(folder, "part.jsonl"), recorded.slice(0, recorded.length / 2));
  const text = "const a = 1;\nconst b = 2;\n";
  const path = `${project}/a.ts`;
  const calls = [readOf(path, text), editOf(path, text, "const a = 1;", "const a = 2;")];
  writeFileSync(bad, madeSession(calls, "bad"));
  for (const [at, name] of readdirSync(folder).sort().entries())
    utimesSync(join(folder, name), 1000 + at, 1000 + at);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const request = { paths: [folder], env: {}, home: "/nowhere" };

test("threads change nothing in a report, nor in what a case shows", async () => {
  const alone = await audit(request);
  const [first] = alone.report.cases;
  expect(await audit({ ...request, program, threads: 3 })).toEqual(alone);
  const shown = { ...request, show: first?.id };
  expect(await audit({ ...shown, program, threads: 2 })).toEqual(await audit(shown));
  expect((await audit(shown)).details).toHaveLength(1);
});

test("a thread that crashes loses its session alone, which is told", async () => {
  const crashing = join(folder, "crashing.cjs");
  const text = `require("node:worker_threads").parentPort.on("message", ({ path }) => {
    if (path.endsWith("bad.jsonl")) process.exit(3);
  });
  process.argv[1] = ${JSON.stringify(program)};
  require(process.argv[1]);`;
  writeFileSync(crashing, text);
  const { report, extent } = await audit({ ...request, program: crashing, threads: 2 });
  const whole = await audit(request);
  expect(report.edits).toBe(whole.report.edits - 1);
  expect(extent.unreadableFiles).toEqual([`${bad} (its thread ended with 3)`]);
});

test("an audit that is interrupted ends, and gives no report", async () => {
  const controller = new AbortController();
  const onProgress = (): void => controller.abort();
  await expect(
    audit({ ...request, program, threads: 2, onProgress, signal: controller.signal }),
  ).rejects.toThrow("cancelled");
});
