import { afterAll, beforeAll, expect, test } from "vitest";
import { newGround } from "../support/node.js";
import { workers } from "./spawn.js";
import type { Books } from "./worker.js";

let pool: Awaited<ReturnType<typeof workers>>;
beforeAll(async () => {
  pool = await workers();
});
afterAll(() => pool.dispose());

test("all that is recorded may be forgotten while others write: what is told as done is there, once", async () => {
  const at = newGround();
  at.put("a.txt", "first\n");
  const { root, state } = at;
  const count = process.env.KEDGE_LONG ? 200 : 25;
  const forgetting = [1500, 1500].map((milliseconds) =>
    pool.run({ kind: "forget", root, state, milliseconds: milliseconds * (count / 25) }),
  );
  const writers = ["one", "two"].map((name) => pool.run({ kind: "ledger", root, state, count, name }));
  const ended = await Promise.all(writers);
  expect(ended.map(({ errors }) => errors)).toEqual(["", ""]);
  const books = ended.map(({ output }) => JSON.parse(output) as Books);
  const times = (await Promise.all(forgetting)).map(({ errors, output }) => {
    expect(errors).toBe("");
    return Number(output);
  });
  const applied = books.flatMap((one) => one.applied);
  expect(at.get("a.txt")?.split("\n").slice(1, -1).sort()).toEqual(applied.sort());
  // Forgotten between a look and the edit: then it is to be read again, and said so.
  for (const text of books.flatMap((one) => one.refused)) expect(text).toMatch(/read/);
  expect(Object.keys(at.tree())).toEqual(["a.txt"]);
  const refused = 2 * count - applied.length;
  console.log(`forgotten ${times.join(" and ")} times: ${applied.length} edits done, ${refused} refused`);
  expect(applied.length).toBeGreaterThan(0);
});
