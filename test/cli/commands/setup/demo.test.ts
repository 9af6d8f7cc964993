import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { jsonLines, Place } from "../../support.js";

interface Step {
  readonly step: number;
  readonly command: string;
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith("kedge-demo-"));

test("the demo shows what it promises, in a dozen commands", () => {
  const { status, stdout, stderr } = new Place().run(["demo"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  // Each is a process, and nothing else takes time: what they take together is the machine's affair.
  expect(stdout.match(/^\w+\$ /gm)?.length).toBeLessThanOrEqual(12);
  expect(stdout).not.toContain("\x1b");
  for (const line of [
    /^alice\$ kedge read greet\.ts\n1#[0-9a-f]{6}\|export function greet/m,
    /^greet\.ts .*\(relocated\)/m,
    /^REJECTED, nothing written\.\n[\s\S]*^>>> 4#[0-9a-f]{6}\|.*Good morning/m,
    /^\[exit status 5\]$/m,
    /^alice\$ kedge retry r\w+\ngreet\.ts /m,
    /^bob\$ kedge apply rename\.json\ngreet\.ts .*\n.*\nmain\.ts /m,
    /^main\.ts: edit \S+ undone$/m,
    /^6 edits · 2 relocated · 1 refusal · 2 undone$/m,
  ])
    expect(stdout).toMatch(line);
  expect(scratch()).toEqual([]);
});

test("every step is a run of the program", () => {
  const steps = jsonLines<Step>(new Place().ok("demo", "--json", "--fast"));
  expect(steps.map(({ status }) => status)).toEqual([0, 0, 0, 0, 5, 0, 0, 0, 0]);
  expect(steps.every(({ command }) => command.includes("kedge "))).toBe(true);
});

test("in colour, if there is any", () => {
  expect(new Place().run(["demo", "--fast"], { env: { FORCE_COLOR: "1" } }).stdout).toContain("\x1b[36m");
});
