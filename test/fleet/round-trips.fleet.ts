/** How often a process asks the database, and what it need not be told again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeFiles } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { databaseUrl } from "./database.js";
import { agentOn, anchorOf, newFolder, newTree, openHost } from "./fleet.js";

const url = databaseUrl() as string;

describe.skipIf(databaseUrl() === null)("a call", () => {
  const asked = (trips: readonly string[]) => trips.map((trip) => /kedge\.(\w+)/.exec(trip)?.[1]);

  test("takes two round trips for an edit, and three for a batch or a deletion", async () => {
    const root = newFolder();
    writeFileSync(join(root, "b.txt"), "one\n");
    const trips: string[] = [];
    const { session } = agentOn(root, newTree(), { onTrip: (text) => trips.push(text) });
    const { text } = await session.read({ path: "a.txt" });
    for (let number = 0; number < 5; number++) {
      const again = number === 0 ? text : (await session.read({ path: "a.txt" })).text;
      trips.length = 0;
      const edits = [{ op: "set_line" as const, anchor: anchorOf(again, 3), text: `changed ${number}` }];
      expect((await session.edit({ path: "a.txt", edits })).isError).toBe(false);
      expect(asked(trips)).toEqual(["begin_1", "finish_1"]);
    }
    const set = (shown: string, line: string) => [
      { op: "set_line" as const, anchor: anchorOf(shown, 1), text: line },
    ];
    const [one, other] = [await session.read({ path: "a.txt" }), await session.read({ path: "b.txt" })];
    trips.length = 0;
    const files = [
      { path: "a.txt", edits: set(one.text, "both") },
      { path: "b.txt", edits: set(other.text, "both") },
    ];
    expect((await session.multiEdit({ files })).isError).toBe(false);
    expect(asked(trips)).toEqual(["begin_1", "intend_1", "finish_1"]);
    await session.read({ path: "b.txt" });
    trips.length = 0;
    const deleted = [{ path: "b.txt", edits: [{ op: "delete_file" as const }] }];
    const gone = await session.multiEdit({ files: deleted });
    expect(gone.isError).toBe(false);
    expect(asked(trips)).toEqual(["begin_1", "intend_1", "finish_1"]);
  });

  test("takes no more for an edit of what others changed since, and one where the process lacks their text", async () => {
    const root = newFolder();
    const tree = newTree();
    const trips: string[] = [];
    const { session, store, state } = agentOn(root, tree, { onTrip: (text) => trips.push(text) });
    const theirs = async (other: Session, line: number) => {
      const { text } = await other.read({ path: "a.txt" });
      const edits = [{ op: "set_line" as const, anchor: anchorOf(text, line), text: "theirs" }];
      expect((await other.edit({ path: "a.txt", edits })).isError).toBe(false);
    };
    const mine = async (shown: string, line: number) => {
      trips.length = 0;
      const edits = [{ op: "set_line" as const, anchor: anchorOf(shown, line), text: "mine" }];
      expect((await session.edit({ path: "a.txt", edits })).isError).toBe(false);
      return asked(trips);
    };
    const files = nodeFiles({ roots: [root], state });
    const { text } = await session.read({ path: "a.txt" });
    await theirs(new Session({ files, store, agent: "two", clock: Date.now }), 9);
    expect(await mine(text, 2)).toEqual(["begin_1", "finish_1"]);
    // Shown on another host, and changed since by somebody who knows nothing of Kedge.
    const path = join(root, "a.txt");
    writeFileSync(path, readFileSync(path, "utf8").replace("line 4", "by hand"));
    const there = agentOn(root, tree, {}, "one").session;
    const shown = (await there.read({ path: "a.txt" })).text;
    writeFileSync(path, readFileSync(path, "utf8").replace("line 5", "by hand too"));
    expect(await mine(shown, 4)).toEqual(["begin_1", "versions", "finish_1"]);
  });

  test("answers from what a process knows as one does that knows nothing", async () => {
    const root = newFolder();
    const tree = newTree();
    const hosts = [agentOn(root, tree, {}, "a"), agentOn(root, tree, {}, "b"), agentOn(root, tree, {}, "a")];
    for (let round = 0; round < 12; round++) {
      const { session } = hosts[round % 3] as (typeof hosts)[0];
      const { text } = await session.read({ path: "a.txt" });
      const edits = [{ op: "set_line" as const, anchor: anchorOf(text, 1 + (round % 5)), text: `r${round}` }];
      expect((await session.edit({ path: "a.txt", edits })).isError).toBe(false);
      if (round % 4 === 3) await session.undo({});
      const fresh = openHost(url, { tree, root });
      for (const agent of ["a", "b"]) {
        const [expected, ...found] = await Promise.all(
          [fresh, ...hosts].map(({ store }) => store.look(join(root, "a.txt"), agent)),
        );
        for (const one of found) expect(one).toEqual(expected);
      }
      await fresh.dispose();
    }
  });
});
