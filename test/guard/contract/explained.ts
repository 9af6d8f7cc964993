/** An edit whose quote is gone is explained, each time that the quote is new, whoever refuses it. */
import { expect, test } from "vitest";
import type { Driver, Replacement } from "../drivers/driver.js";
import { type Agent, type Outcome, quiet, Stage, withoutNews } from "../stage.js";
import { rows, source } from "./source.js";

/** What the model is told of a refused edit, whoever refused it. */
const told = ({ deny, tell, failed }: Outcome): string => deny ?? (failed === null ? "" : (tell ?? ""));

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
const theirs = { old: "  const limit = 10;", new: "  const limit = 99;" };
const total = { old: "  const total = second(name).length;", new: "  const total = 7;" };
const theirTotal = { old: total.old, new: "  const total = third.length;" };

/** Quotes of what line 9 was: all of them are gone with it. */
const quotes: readonly Replacement[] = [
  limit,
  { old: rows(source, 8, 9), new: "export function second(name, limit = 10) {" },
  { old: rows(source, 9, 10), new: "  const found = open(name, 10);" },
  { old: rows(source, 8, 11), new: "export function second(name) {\n  return open(name).rows;" },
];

export function explained(driver: Driver): void {
  const scene = async (): Promise<{ place: Stage; agent: Agent; path: string }> => {
    const place = new Stage(driver, { "a.js": source, "b.js": "one\n" });
    const [agent, other] = [place.agent(), place.agent("other")];
    const path = place.path("a.js");
    await agent.read(path);
    await other.read(path);
    expect(await other.edit(path, theirs)).toMatchObject(quiet);
    expect(await other.edit(path, theirTotal)).toMatchObject(quiet);
    return { place, agent, path };
  };

  for (const isRead of [false, true])
    test(`each quote of what somebody changed${isRead ? ", though it was read since" : ""}: what it was, what is there, and who`, async () => {
      const { place, agent, path } = await scene();
      if (isRead) await agent.read(path);
      const before = place.text("a.js");
      for (const edit of quotes) {
        const why = told(await agent.edit(path, edit));
        expect(why, edit.old).toContain(JSON.stringify("  const limit = 10;"));
        expect(why, edit.old).toMatch(/^(>>> | {4})9\t {2}const limit = 99;$/m);
        expect(why, edit.old).toMatch(/changed by \S*other/);
        expect(place.text("a.js")).toBe(before);
      }
      const why = told(await agent.edit(path, total));
      expect(why).toMatch(/^(>>> | {4})15\t {2}const total = third\.length;$/m);
      expect(why).toMatch(/changed by \S*other/);
    });

  test("the explained rows are enough for the next edit", async () => {
    const { place, agent, path } = await scene();
    for (const edit of quotes) await agent.edit(path, edit);
    const edited = await agent.edit(path, { old: theirs.new, new: "  const limit = 5;" });
    expect(withoutNews(edited)).toMatchObject(quiet);
    expect(place.text("a.js")).toContain("const limit = 5;");
  });

  test("a quote of what the agent itself has replaced", async () => {
    const place = new Stage(driver, { "a.js": source });
    const [agent, path] = [place.agent(), place.path("a.js")];
    await agent.read(path);
    expect(await agent.edit(path, limit)).toMatchObject(quiet);
    for (const fresh of ["30", "40", "50", "60"]) {
      const why = told(await agent.edit(path, { old: limit.old, new: `  const limit = ${fresh};` }));
      expect(why).toMatch(/^(>>> | {4})9\t {2}const limit = 20;$/m);
      expect(why).toContain("changed by you");
      expect(why).not.toContain("Contention");
    }
  });

  test("a quote that never stood there is the tool's own affair", async () => {
    const { agent, path } = await scene();
    await agent.read(path);
    const { deny, failed, tell } = await agent.edit(path, { old: "  nothing of it;", new: "  x;" });
    expect({ deny, tell }).toEqual({ deny: null, tell: null });
    expect(failed).not.toBeNull();
  });

  test("the text went between the question and the edit", async () => {
    const place = new Stage(driver, { "a.js": source });
    const [agent, path] = [place.agent(), place.path("a.js")];
    await agent.read(path);
    const outcome = await agent.overtaken({ do: "edit", path, edits: [limit] }, () =>
      place.change("a.js", theirs.old, theirs.new),
    );
    expect(outcome.failed).not.toBeNull();
    // Without an event for a failure it is told as soon as a quote of it is sent again.
    const why = driver.can.has("failures") ? told(outcome) : told(await agent.edit(path, limit));
    expect(why).toContain(JSON.stringify("  const limit = 10;"));
    expect(why).toMatch(/^(>>> | {4})9\t {2}const limit = 99;$/m);
    for (const edit of quotes.slice(1))
      expect(told(await agent.edit(path, edit)), edit.old).toMatch(/^(>>> | {4})9\t {2}const limit = 99;$/m);
  });
}
