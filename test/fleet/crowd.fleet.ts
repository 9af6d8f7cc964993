/** Many calls of one process on one file. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { FileId } from "../../src/ports/index.js";
import { databaseUrl } from "./database.js";
import { openHost } from "./fleet.js";

const url = databaseUrl() as string;
const file: FileId = { key: "/work/a.ts", path: "a.ts", keep: true };

describe.skipIf(url === null)("a crowd in one process", () => {
  test("takes turns: nobody's lock is taken for that of a call that is dead", async () => {
    const host = openHost(url, { connections: 4, wait: 60_000 });
    onTestFinished(() => host.dispose());
    let inside = 0;
    const one = (at: number) =>
      host.store.unit([file], `agent-${at}`, async (unit) => {
        inside += 1;
        expect(inside, "one at a time").toBe(1);
        await unit.fence?.intent({ token: `t${at}`, files: [] });
        unit.fence?.check();
        inside -= 1;
        await unit.finish({
          files: [],
          versions: [],
          entries: [],
          records: [{ name: `done ${at}`, value: at }],
        });
      });
    await Promise.all(Array.from({ length: 60 }, (_, at) => one(at)));
    for (let at = 0; at < 60; at++) expect((await host.store.record(`done ${at}`))?.value).toBe(at);
  });
});
