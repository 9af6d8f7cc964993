import { expect, test } from "vitest";
import { parseCommandLine } from "../../../src/cli/args.js";
import { quoted, shellDoor } from "../../../src/cli/print/shell-wording.js";

test("a shell reads every word of the next call as it was meant", () => {
  expect(quoted("a/b-c.ts")).toBe("a/b-c.ts");
  expect(quoted("1#bf5260")).toBe("1#bf5260");
  expect(quoted("#x")).toBe("'#x'");
  expect(quoted("it's")).toBe("'it'\\''s'");
  expect(quoted("")).toBe("''");
  const parsed = parseCommandLine(["edit", "a", "b", "--root", "my dir", "--gate", "off"]);
  const door = parsed.kind === "run" ? shellDoor(parsed.args) : null;
  expect(
    door?.read("-a.ts", [
      { start: 1, end: 2 },
      { start: 5, end: 5 },
    ]),
  ).toBe("run `kedge read --ranges 1-2,5 --root 'my dir' -- -a.ts`");
  expect(door?.retry("a.ts", "r7")).toBe("it again: run `kedge retry r7 --root 'my dir' --gate off`");
  // The echo of some shells turns \n into a line break, and the request is no JSON then.
  expect(door?.batch?.(JSON.stringify({ path: "a\nb" }))).toContain(
    `run \`printf %s '{"path":"a\\nb"}' | kedge apply`,
  );
});
