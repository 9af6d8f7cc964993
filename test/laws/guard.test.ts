/**
 * Over the guard in front of clients' own tools: an edit that it lets through changes only what the agent was shown,
 * where it was shown; and what plainly stands there is never refused.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Client, claudeCode, opencode } from "./guard/client.js";
import { Course, type Step, type Verdict } from "./guard/course.js";
import { weigh } from "./guard/weigh.js";

const runs = Number(process.env.KEDGE_RUNS);

const line = fc.constantFrom("}", "}", "", "", "x", "x", "  x", "a", "b", "c", "d");
const lines = (minLength: number, maxLength: number) => fc.array(line, { minLength, maxLength });
const agent = fc.constantFrom(1, 1, 1, 2);

const read: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("read"),
  agent,
  first: fc.nat(11),
  count: fc.nat(5),
});
const foreign: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("foreign"),
  kind: fc.constantFrom("insert", "delete", "replace", "move"),
  at: fc.nat(11),
  count: fc.integer({ min: 1, max: 3 }),
  to: fc.nat(11),
  texts: lines(1, 2),
  recorded: fc.boolean(),
});
const edit: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("edit"),
  agent,
  look: fc.nat(3),
  first: fc.nat(11),
  count: fc.integer({ min: 1, max: 4 }),
  head: fc.constantFrom(0, 0, 0, -1, -1, 1),
  tail: fc.constantFrom(0, 0, 0, -1, -1, 1),
  fresh: fc.constantFrom("line", "line", "nothing", "below", "above", "joined", "joined", "parted", "common"),
  form: fc.constantFrom("quote", "quote", "quote", "quote", "patch", "patch", "all"),
});
const ended = fc.constantFrom(true, true, true, false);
const some = fc.array(fc.oneof(read, foreign, foreign, edit), { maxLength: 6 });
/** All is shown, something changes, a part is shown again: what is known of the other parts is old. */
const again = fc.tuple(foreign, read).map((steps): Step[] => steps);
const whole = read.map((step): Step => ({ ...step, count: 0 }) as Step);
const history = fc.oneof(
  fc.tuple(lines(2, 10), ended, read, some, edit),
  fc.tuple(lines(3, 6), ended, whole, again, edit),
);

async function play(
  client: Client,
  [texts, terminated, first, steps, last]: typeof history extends fc.Arbitrary<infer T> ? T : never,
): Promise<Verdict> {
  const course = new Course(client, texts, terminated);
  for (const step of [first, ...steps, last]) await course.take(step);
  return course.verdict;
}

describe.each([opencode, claudeCode].map((client) => [client.name, client] as const))("%s", (_, client) => {
  it("lets an edit change only what was shown, where it was, and refuses none that plainly stands there", async () => {
    const { allowed, denied } = await weigh(client.name, history, (one) => play(client, one));
    expect(allowed).toBeGreaterThan(runs * 3);
    expect(denied).toBeGreaterThan(runs / 2);
  });
});
