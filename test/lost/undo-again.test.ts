/** Edits that were undone and are made again: whose lines are lost then, and what an undo takes back. */
import { describe, expect, it } from "vitest";
import { type Bench, bench, on, outcome, path } from "../support/session.js";

const lostIds = async ({ session }: Bench): Promise<string[]> => (await session.lost()).map(({ id }) => id);

async function edit(made: Bench, request: (now: string) => Parameters<Bench["session"]["edit"]>[0]) {
  await made.session.read({ path });
  const { details } = await made.session.edit(request(made.words() as string));
  return (details as { id: string }).id;
}

describe("an edit that is made again", () => {
  it("takes the lines that it took before, also when they had vanished meanwhile", async () => {
    const made = bench("b c d");
    const first = await edit(made, (now) => on(now).after(1, ["x", "y"]));
    const second = await edit(made, (now) => on(now).remove(3));
    await made.session.undo();
    expect(made.words()).toBe("b x y c d");
    made.rudely("b x c d");
    expect(await lostIds(made)).toEqual([first]);
    await made.session.restore({ ids: [second] });
    expect(made.words()).toBe("b x c d");
    expect(await lostIds(made)).toEqual([]);
  });

  it("takes no more than that: what else vanished stays lost", async () => {
    const made = bench("b c d");
    const first = await edit(made, (now) => on(now).after(1, ["x", "y"]));
    const second = await edit(made, (now) => on(now).remove(3));
    await made.session.undo();
    made.rudely("b c d");
    await made.session.restore({ ids: [second] });
    expect(await lostIds(made)).toEqual([first]);
  });

  it("is undone once: an earlier restore of it that was undone with it counts no more", async () => {
    const made = bench("a b c");
    const two = made.session.as("two");
    const id = await edit(made, (now) => on(now).remove(1));
    await made.session.undo();
    await two.restore({ ids: [id] });
    await made.session.undo();
    await made.session.restore({ ids: [id] });
    expect(made.words()).toBe("b c");
    expect(
      outcome(
        await two.undo().catch((error) => ({ details: { status: "refused", code: error.code } }) as never),
      ),
    ).toBe("!not_found");
    expect(await lostIds(made)).toEqual([]);
  });

  it("is undone by the undo of what made it again, also when it was lost and came back in between", async () => {
    const made = bench("a b c");
    const id = await edit(made, (now) => on(now).after(1, "x"));
    await made.session.undo();
    await made.session.as("two").restore({ ids: [id] });
    made.rudely("a b c");
    await made.session.restore({ all: true });
    expect(made.words()).toBe("a x b c");
    await made.session.as("two").undo();
    expect(made.words()).toBe("a b c");
    expect(await lostIds(made)).toEqual([]);
  });
});
