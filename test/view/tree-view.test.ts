import { describe, expect, test } from "vitest";
import type { LostEdit } from "../../src/lost/index.js";
import { type JournalEntry, memoryFiles, memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { Document } from "../../src/text/index.js";
import { write } from "../../src/tree/looks/journal.js";
import { TreeView } from "../../src/view/tree-view.js";

const minute = 60_000;
const text = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");

/** Two agents on one file; the clock goes on when the test says so. */
class Place {
  now = 1_000 * minute;
  lost: readonly LostEdit[] = [];
  readonly files = memoryFiles({ "a.ts": text });
  readonly store = memoryStore();
  readonly view: TreeView;

  constructor() {
    const { files, store } = this;
    const clock = () => this.now;
    this.view = new TreeView({
      look: { files, store, agent: "viewer", clock, codec: null },
      ...{ repository: "harbour", hasActions: true },
      branch: async () => "main",
      lost: async () => this.lost,
      words: async () => null,
      lookAtTree: async () => {},
      shownPath: (key) => key,
      stamp: async (key) => {
        const bytes = await files.read(await files.identify(key));
        return bytes && new TextDecoder().decode(bytes);
      },
      diff: async () => "+a",
    });
  }

  agent(name: string): Session {
    const { files, store } = this;
    return new Session({ files, store, agent: name, clock: () => this.now });
  }

  async edit(name: string, line: number, made: string): Promise<void> {
    const session = this.agent(name);
    const old = `line ${line}\n`;
    const result = await session.edit({
      path: "a.ts",
      edits: [{ op: "replace_text", old, new: `${made}\n` }],
    });
    expect(result.isError, result.text).toBe(false);
  }

  /** A change by a command of the agent, as the look at the tree puts it on record. */
  async command(name: string, change: (before: string) => string): Promise<void> {
    const { files, store } = this;
    const file = await files.identify("a.ts");
    const old = Document.parse((await files.read(file)) as Uint8Array);
    const bytes = new TextEncoder().encode(change(new TextDecoder().decode(old.toBytes())));
    files.files.set(file.key, bytes);
    const made = Document.parse(bytes);
    const step = {
      file,
      before: { version: old.version, text: old },
      after: { version: made.version, text: made },
    };
    const context = { files, store, clock: () => this.now };
    await write(step, { tool: "shell", cause: "sh x.sh", time: this.now }, [name], context as never);
  }

  pass(minutes = 1): void {
    this.now += minutes * minute;
  }
}

/** Two have read the file at minute 0; ada changes line 5 at minute 1 and line 9 at minute 2. */
async function worked(): Promise<Place> {
  const place = new Place();
  await place.agent("ada").read({ path: "a.ts" });
  await place.agent("bob").read({ path: "a.ts" });
  place.pass();
  await place.edit("ada", 5, "five");
  place.pass();
  await place.edit("ada", 9, "nine\nand a half");
  place.pass();
  return place;
}

describe("the state of the live view", () => {
  test("names the agents, what each wrote and was shown, and whose view is behind", async () => {
    const { view } = await worked();
    const state = await view.state();
    expect(state.agents.map(({ id, group, edits, behind }) => [id, group, edits, behind])).toEqual([
      ["ada", "working", 2, 0],
      ["bob", "working", 0, 3],
    ]);
    const [file] = state.files;
    expect(file).toMatchObject({ path: "a.ts", lines: 21, edits: 2 });
    const lanes = new Map(file?.lanes.map((lane) => [lane.agent, lane]));
    expect(lanes.get("ada")).toMatchObject({
      wrote: [
        { start: 5, end: 5 },
        { start: 9, end: 10 },
      ],
      stale: [],
    });
    expect(state.stale).toMatchObject([{ agent: "bob", path: "a.ts", by: ["ada"] }]);
    expect(state.counts).toMatchObject({ agents: 2, working: 2, edits: 2, editsLastHour: 2, lost: 0 });
  });

  test("goes back to what was known and shown then, in the numbers of then", async () => {
    const { view, now } = await worked();
    const then = await view.state(now - 1.5 * minute);
    expect(then.counts).toMatchObject({ edits: 1 });
    expect(then.actions).toBe(false);
    const lanes = new Map(then.files[0]?.lanes.map((lane) => [lane.agent, lane]));
    expect(then.files[0]?.lines).toBe(20);
    expect(lanes.get("ada")?.wrote).toEqual([{ start: 5, end: 5 }]);
    expect(lanes.get("bob")?.stale).toEqual([{ start: 5, end: 5 }]);
    const before = await view.state(now - 2.5 * minute);
    expect(before.files[0]?.lanes.map(({ agent, wrote, stale }) => [agent, wrote, stale])).toEqual([
      ["ada", [], []],
      ["bob", [], []],
    ]);
    expect(before.agents.map(({ id, edits, now: step }) => [id, edits, step])).toEqual([
      ["ada", 0, null],
      ["bob", 0, null],
    ]);
    expect(await view.state(now - 10 * minute)).toMatchObject({ agents: [], files: [], stale: [] });
  });

  test("calls an agent quiet after ten minutes, and leaves it out after a day unless it lost something", async () => {
    const place = await worked();
    place.pass(11);
    expect((await place.view.state()).agents.map(({ group }) => group)).toEqual(["quiet", "quiet"]);
    place.pass(25 * 60);
    expect((await place.view.state()).agents).toEqual([]);
    place.lost = [{ id: "e1", agent: "ada", path: "a.ts", lines: [], lost: null } as unknown as LostEdit];
    await place.view.state();
    await place.view.settled();
    place.pass(1);
    await place.view.state();
    await place.view.settled();
    const state = await place.view.state();
    expect(state.agents.map(({ id, group }) => [id, group])).toEqual([["ada", "needs"]]);
    expect(state.counts.lost).toBe(1);
  });

  test("gives each event once to each who follows, and pages of older ones", async () => {
    const place = await worked();
    const [one, two] = [await place.view.news(null), await place.view.news(null)];
    await place.edit("ada", 12, "twelve");
    await place.view.state();
    const [fresh, same] = [await place.view.news(one.mark), await place.view.news(two.mark)];
    expect(fresh.events.map(({ lines }) => lines)).toEqual([[{ start: 13, end: 13 }]]);
    expect(same.events).toEqual(fresh.events);
    expect((await place.view.news(fresh.mark)).events).toEqual([]);
    const page = await place.view.history(null, 2);
    expect(page.events).toHaveLength(2);
    const older = await place.view.history(page.next, 2);
    expect(older.events).toHaveLength(1);
    expect(older.next).toBeNull();
    const then = await place.view.history(null, 2, place.now - 1.5 * minute);
    expect(then.events.map(({ id }) => id)).toEqual([older.events[0]?.id]);
    expect((await place.view.history(null, 2, 0)).events).toEqual([]);
    const details = await place.view.event(older.events[0]?.id ?? "");
    expect(details).toMatchObject({ diff: "+a", event: { agent: "ada", canUndo: true } });
    expect(await place.view.event("nothing")).toBeNull();
  });

  test("tells why a call was refused, with the edit that stood in its way, and no change that was never made", async () => {
    const place = await worked();
    const refused = await place.agent("bob").edit({
      path: "a.ts",
      edits: [{ op: "replace_text", old: "line 5\n", new: "FIVE\n" }],
    });
    expect(refused.isError).toBe(true);
    const [event] = (await place.view.history(null, 1)).events;
    expect(event).toMatchObject({ kind: "refusal", agent: "bob", code: "stale", what: null });
    expect(await place.view.event(event?.id ?? "")).toMatchObject({
      diff: null,
      reason: "Lines the edit touches have changed since they were shown.",
      because: { event: { agent: "ada", lines: [{ start: 5, end: 5 }] }, diff: "+a" },
    });
    const { agents } = await place.view.state();
    expect(agents[0]).toMatchObject({ id: "bob", group: "needs", now: { code: "stale" } });
    const write = { path: "none.ts", edits: [{ op: "append", text: "x" }] } as const;
    expect((await place.agent("bob").edit(write)).isError).toBe(true);
    const { counts, files } = await place.view.state();
    expect([counts.refused, files.map(({ path }) => path)]).toEqual([2, ["a.ts"]]);
  });

  test("names the agents whose edits were taken away", async () => {
    const place = await worked();
    const [edit] = await place.store.journal({ agent: "ada", last: 1 });
    await place.store.append([
      {
        ...(edit as JournalEntry),
        ...{ id: "l1", agent: "bob", tool: "Bash", kind: "lost", edits: [edit?.id ?? ""] },
      },
    ]);
    expect((await place.view.history(null, 1)).events).toMatchObject([{ kind: "lost", owners: ["ada"] }]);
  });

  test("counts no change of an agent's own command as news to it", async () => {
    const place = await worked();
    await place.agent("bob").read({ path: "a.ts" });
    await place.command("bob", (before) => before.replace("line 12\n", "").replace("line 3\n", "three\n"));
    const { stale, agents } = await place.view.state();
    expect(stale).toMatchObject([{ agent: "ada", by: ["bob"], removed: 1, lines: [{ start: 3, end: 3 }] }]);
    expect(agents.find(({ id }) => id === "bob")?.behind).toBe(0);
  });

  test("counts what happened in each slice of time", async () => {
    const { view, now } = await worked();
    const { from, slices } = await view.activity(now - 10 * minute);
    expect(from).toBe(now - 10 * minute);
    expect(slices.reduce((sum, { edits }) => sum + edits, 0)).toBe(2);
  });
});
