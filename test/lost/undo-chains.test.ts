import fc from "fast-check";
import { expect, it } from "vitest";
import type { FileRequest } from "../../src/calls/index.js";
import type { Edit } from "../../src/edits/index.js";
import { bench, outcome } from "../support/session.js";

const names = ["a.ts", "b.ts", "c.ts", "n/d.ts"];
const name = fc.constantFrom(...names);
type Step =
  | { readonly op: "create" | "delete" | "edit"; readonly path: string }
  | { readonly op: "move" | "carry"; readonly path: string; readonly to: string };
const one: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constantFrom("create" as const, "delete" as const, "edit" as const), path: name }),
  fc.record({ op: fc.constantFrom("move" as const, "carry" as const), path: name, to: name }),
);

function requestOf(step: Step, count: number): FileRequest {
  const text = `new ${count}`;
  if (step.op === "create") return { path: step.path, edits: [{ op: "create_file", text }] };
  if (step.op === "delete") return { path: step.path, edits: [{ op: "delete_file" }] };
  if (!("to" in step)) return { path: step.path, edits: [{ op: "append", text }] };
  const move: Edit = { op: "move_file", to: step.to };
  return { path: step.path, edits: step.op === "carry" ? [move, { op: "append", text }] : [move] };
}

it("there and back with an edit before and after: undo of all of it", async () => {
  const { session, files } = bench({ "a.ts": "a b c" });
  const call = async (path: string, ...edits: readonly Edit[]) => {
    await session.read({ path });
    expect(outcome(await session.multiEdit({ files: [{ path, edits }] }))).toBe("applied");
  };
  const before = files.text("a.ts");
  await call("a.ts", { op: "append", text: "one" });
  await call("a.ts", { op: "move_file", to: "c.ts" });
  await call("c.ts", { op: "move_file", to: "a.ts" }, { op: "append", text: "two" });
  expect(outcome(await session.undo({ last: 3 }))).toBe("applied");
  expect([files.text("a.ts"), files.files.has("c.ts")]).toEqual([before, false]);
  await call("a.ts", { op: "append", text: "three" });
});

it("whatever is made, moved in circles and deleted: undo goes back call by call, byte by byte", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 4, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
          { weight: 1, arbitrary: fc.constant("undo" as const) },
        ),
        { maxLength: 14 },
      ),
      fc.boolean(),
      async (calls, atOnce) => {
        const made = bench({ "a.ts": "a b c", "b.ts": "d e f" });
        const { session, files } = made;
        const now = (): string =>
          JSON.stringify(
            [...files.files].sort(([x], [y]) => (x < y ? -1 : 1)).map(([path]) => [path, files.text(path)]),
          );
        const past: string[] = [];
        let count = 0;
        const back = async (): Promise<void> => {
          expect(outcome(await session.undo({}))).toBe("applied");
          expect(now()).toBe(past.pop());
        };
        for (const call of calls) {
          if (call === "undo") {
            if (past.length > 0) await back();
            continue;
          }
          const before = now();
          for (const path of [...files.files.keys()]) await session.read({ path });
          const requests = call.map((step) => requestOf(step, ++count));
          const result = await session.multiEdit({ files: requests });
          if (result.isError) expect(now()).toBe(before);
          else if (outcome(result) === "applied") past.push(before);
        }
        if (atOnce && past.length > 0) {
          expect(outcome(await session.undo({ last: 100 }))).toBe("applied");
          expect(now()).toBe(past[0]);
        } else while (past.length > 0) await back();
      },
    ),
  ));
