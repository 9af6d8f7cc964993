import fc from "fast-check";
import { expect, it } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import type { CallEnv } from "../../src/ledger/index.js";
import { liveFiles } from "../../src/lost/places/live-files.js";
import { type Bench, bench, numbered } from "../support/session.js";

const names = ["a.ts", "b.ts", "c.ts"];
const name = fc.constantFrom(...names);
const agent = fc.constantFrom("one", "two");

const step = fc.oneof(
  fc.record({ does: fc.constant("append" as const), path: name, agent }),
  fc.record({ does: fc.constant("append" as const), path: name, agent }),
  fc.record({ does: fc.constant("move" as const), path: name, to: name, agent }),
  fc.record({ does: fc.constant("delete" as const), path: name, agent }),
  fc.record({ does: fc.constant("create" as const), path: name, agent }),
  fc.record({ does: fc.constant("undo" as const), last: fc.integer({ min: 1, max: 4 }), agent }),
  fc.record({ does: fc.constant("restore" as const) }),
  fc.record({ does: fc.constant("rudely" as const), path: name, count: fc.nat(6) }),
  fc.record({ does: fc.constant("command" as const), path: name, count: fc.nat(6) }),
  fc.record({ does: fc.constant("look" as const) }),
  fc.record({ does: fc.constant("look" as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take(made: Bench, one: Step, turn: number): Promise<void> {
  const { session } = made;
  const edit = async (path: string, by: string, edits: Edit[]): Promise<void> => {
    await session.as(by).read({ path });
    await session.as(by).edit({ path, edits });
  };
  const text = `line(${turn});`;
  if (one.does === "append") await edit(one.path, one.agent, [{ op: "append", text }]);
  if (one.does === "move") await edit(one.path, one.agent, [{ op: "move_file", to: one.to }]);
  if (one.does === "delete") await edit(one.path, one.agent, [{ op: "delete_file" }]);
  if (one.does === "create") await session.as(one.agent).write({ path: one.path, content: text });
  if (one.does === "undo") await session.as(one.agent).undo({ last: one.last });
  if (one.does === "restore") await session.restore({ all: true }).catch(() => null);
  if (one.does === "rudely") made.rudely(numbered(one.count, "rude"), one.path);
  if (one.does === "command") {
    made.rudely(numbered(one.count, "made"), one.path);
    await session.lostBy({ tool: "Bash", command: `make ${one.path}` });
  }
}

function env(made: Bench, isFirst: boolean): CallEnv {
  const { files, store } = made;
  const forgetful = Object.assign(Object.create(store), { record: async () => null });
  const own = isFirst ? forgetful : store;
  return { files, store: own, clock: () => made.time } as unknown as CallEnv;
}

async function found(made: Bench, isFirst: boolean) {
  const files = await liveFiles(0, env(made, isFirst));
  return files
    .map(({ key, last, isSwept, isSteady, newest }) => ({ key, last, isSwept, isSteady, newest }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
}

it("a look that goes on where the last one ended finds the files, and the losses, that a first look finds", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const made = bench(Object.fromEntries(names.slice(0, 2).map((one) => [one, numbered(4, one)])));
      for (const [turn, one] of steps.entries()) {
        await take(made, one, turn);
        if (one.does === "look") expect(await found(made, false)).toEqual(await found(made, true));
      }
      const listed = await made.session.lost();
      expect(await found(made, false)).toEqual(await found(made, true));
      const fresh = bench({}, { files: made.files, store: env(made, true).store } as never);
      fresh.time = made.time;
      expect(await fresh.session.lost()).toEqual(listed);
    }),
  ));
