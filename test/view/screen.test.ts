import { describe, expect, test } from "vitest";
import { screenOf } from "../../src/view/screen.js";
import { sample } from "./sample.js";

const { state, events } = sample();
const plain = (columns: number, rows: number | null) =>
  screenOf(state, events, { columns, rows, hasColour: false, now: state.time });

describe("the screen of the live view", () => {
  test.each([
    [60, 20],
    [80, 24],
    [120, 50],
    [200, 12],
  ])("fits a window of %i columns and %i rows", (columns, rows) => {
    const lines = plain(columns, rows);
    expect(lines).toHaveLength(rows);
    expect(lines.filter((line) => [...line].length > columns)).toEqual([]);
  });

  test("says what is lost, who took it, and how to bring it back", () => {
    const text = plain(160, 40).join("\n");
    expect(text).toContain("1 LOST");
    expect(text).toContain("taken away by codex:830b with git checkout -- .; kedge restore m1-aa");
  });

  test("names the agent of each lane in a wide window", () => {
    const [file] = state.files;
    const lane = file?.lanes.find(({ stale }) => stale.length > 0);
    const name = state.agents.find(({ id }) => id === lane?.agent)?.name ?? "?";
    expect(plain(140, null).join("\n")).toMatch(new RegExp(`[-=!·]{10} ${name} \\d+ changed`));
    expect(plain(80, null).join("\n")).toMatch(/[-=!·]{10} \d+ changed/);
  });

  test("shows every event where there is no window", () => {
    expect(
      plain(200, null).filter((line) => /refused|edited|took back|took away/.test(line)).length,
    ).toBeGreaterThanOrEqual(60);
  });

  test("has no escape without colour, and names cannot bring their own", () => {
    const odd = { ...state, repository: "a\u001b[31mb\nc" };
    const lines = screenOf(odd, events, { columns: 100, rows: 30, hasColour: false, now: state.time });
    expect(lines.join("")).not.toContain("\u001b");
    expect(lines[0]).toContain("a\\u001b[31mb\\nc");
  });
});
