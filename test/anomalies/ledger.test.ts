import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Io } from "../../src/host/index.js";
import { type NodeStore, nodeStore } from "../../src/node.js";
import { PortError } from "../../src/ports/files.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { faultyIo } from "../support/faulty.js";
import { type Ground, ground, text, utf8 } from "../support/node.js";
import { storing } from "../support/store.js";

const fast = existsSync("/dev/shm") ? "/dev/shm" : undefined;
const errors = ["ENOSPC", "EIO", "EACCES", "EMFILE", "short"];

const entry = (id: string): JournalEntry => ({
  ...{ id, time: 1, agent: "one", tool: "edit_file", kind: "commit", path: "a.ts", file: "/work/a.ts" },
  ...{ before: null, after: null, lines: [] },
});

interface Deed {
  readonly name: string;
  run(store: NodeStore): Promise<unknown>;
  /** What a healthy store then answers: the first is before the deed, the second after it. */
  ask(store: NodeStore): Promise<unknown>;
  readonly answers: readonly [unknown, unknown];
}

const ids = async (store: NodeStore): Promise<string[]> => (await store.journal()).map(({ id }) => id);

const deeds: Deed[] = [
  {
    name: "saving a record",
    run: (store) => storing(store).saveFile("k", "new"),
    ask: (store) => storing(store).file("k"),
    answers: ["old", "new"],
  },
  {
    name: "keeping a version",
    run: (store) => storing(store).keepVersion("00000000000000aa", utf8("version\n".repeat(500))),
    ask: async (store) => text(await storing(store).version("00000000000000aa")),
    answers: [null, "version\n".repeat(500)],
  },
  {
    name: "appending",
    run: (store) => storing(store).append(entry("e2")),
    ask: ids,
    answers: [["e1"], ["e1", "e2"]],
  },
];

function open(at: Ground, io?: Io): NodeStore {
  return nodeStore({ state: at.state, workspace: { key: "w" }, ...(io ? { io } : {}) });
}

async function prepared(): Promise<Ground & { dispose(): void }> {
  const at = ground(fast);
  const store = open(at);
  await storing(store).saveFile("k", "old");
  await storing(store).keepVersion("00000000000000bb", utf8("other"));
  await storing(store).append(entry("e1"));
  return at;
}

describe.each(deeds)("every call fails in turn: $name", ({ run, ask, answers }) => {
  test.each([false, true])("for good: %s", async (forGood) => {
    let count = Number.POSITIVE_INFINITY;
    for (let at = 1; at <= count; at++) {
      for (const error of errors) {
        const disk = await prepared();
        const { io, calls } = faultyIo({ at, error, forGood });
        const outcome = await run(open(disk, io)).then(
          () => "done",
          (failed: unknown) => failed,
        );
        if (error === errors[0] && outcome === "done" && calls.length < at) count = calls.length;
        const where = `${error} at ${at}: ${calls[at - 1]}`;
        if (outcome !== "done") expect(outcome, where).toBeInstanceOf(PortError);
        const answer = await ask(open(disk));
        if (outcome === "done") expect(answer, where).toEqual(answers[1]);
        else expect(answers, where).toContainEqual(answer);
        const left = readdirSync(disk.state, { recursive: true, encoding: "utf8" });
        if (!forGood)
          expect(
            left.filter((name) => name.endsWith(".tmp")),
            where,
          ).toEqual([]);
        // The store works on.
        await run(open(disk));
        const again = await ask(open(disk));
        if (!Array.isArray(answers[1])) expect(again, where).toEqual(answers[1]);
        else expect((again as string[]).at(-1), where).toBe("e2");
        disk.dispose();
      }
    }
    expect(count).toBeGreaterThan(4);
  });
});

test("reading never fails: what cannot be read counts as not recorded, and is reported", async () => {
  for (let at = 1; at < 30; at++) {
    for (const error of ["EIO", "EACCES", "EMFILE"]) {
      const disk = await prepared();
      const reports: string[] = [];
      const { io } = faultyIo({ at, error, forGood: true });
      const report = (line: string): void => void reports.push(line);
      const store = nodeStore({ state: disk.state, workspace: { key: "w" }, io, report });
      await storing(store).file("k");
      await storing(store).agent("k");
      await storing(store).files();
      await storing(store).version("00000000000000bb");
      await store.journal();
      expect(existsSync(join(disk.state, "damaged"))).toBe(false);
      disk.dispose();
    }
  }
});
