import { describe, expect, test } from "vitest";
import { AgentColours, hueOf } from "../../src/text/agent-colour.js";

const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `claude-code:${(at * 7919).toString(16).padStart(12, "0")}`);

describe("the colours of agents that are seen together", () => {
  test("are their own, the same again, and never red or orange", () => {
    const colours = new AgentColours();
    for (const id of ids(1)) expect(colours.hueOf(id)).toBe(hueOf(id));
    const all = ids(64).map((id) => colours.hueOf(id));
    expect(ids(64).map((id) => colours.hueOf(id))).toEqual(all);
    expect(all.filter((hue) => hue < 115 || hue > 345)).toEqual([]);
  });

  test("are free again for others when an agent has gone", () => {
    const colours = new AgentColours();
    for (const id of ids(64)) colours.hueOf(id);
    colours.keep([]);
    for (const id of ids(1)) expect(colours.hueOf(id)).toBe(hueOf(id));
  });

  test.each([2, 3, 5, 8])("of %i agents can be told apart", (count) => {
    const colours = new AgentColours();
    const all = ids(count).map((id) => colours.hueOf(id));
    const sorted = all.toSorted((one, two) => one - two);
    const gaps = sorted.slice(1).map((hue, at) => hue - (sorted[at] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(12);
  });
});
