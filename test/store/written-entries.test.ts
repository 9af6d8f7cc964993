import { posix } from "node:path";
import { expect, test } from "vitest";
import { thisPlatform } from "../../src/host/index.js";
import type { JournalEntry } from "../../src/ports/store.js";
import { EntryPaths } from "../../src/store/written-entries.js";

const entry = (more: Partial<JournalEntry>): JournalEntry => ({
  ...{ id: "1", time: 0, agent: "alice", tool: "edit", kind: "commit", path: "a.ts", file: "/w/a.ts" },
  ...{ before: "v1", after: "v2", lines: [] },
  ...more,
});
const from = (cwd: string) => new EntryPaths({ cwd, root: "/w" }, { ...thisPlatform, path: posix });

test("an entry means the same files from every folder", () => {
  const kept = from("/w/sub").absolute(entry({ path: "a.ts", file: "/w/sub/a.ts", to: "b.ts" }));
  expect(kept).toMatchObject({ path: "/w/sub/a.ts", to: "/w/sub/b.ts" });
  expect(from("/w").relative(kept)).toMatchObject({ path: "sub/a.ts", to: "sub/b.ts" });
  expect(from("/w/other").relative(kept)).toMatchObject({ path: "../sub/a.ts", to: "../sub/b.ts" });
  expect(from("/elsewhere").relative(kept)).toMatchObject({ path: "/w/sub/a.ts", to: "/w/sub/b.ts" });
});

test("an entry with a relative path is found again by the key of its file", () => {
  const other = entry({ path: "./src/A.ts", file: "/w/src/a.ts", to: "src/b.ts" });
  expect(from("/w/src").relative(other)).toMatchObject({ path: "A.ts", to: "b.ts" });
  expect(from("/w").relative(entry({ path: "link.ts", file: "/w/real.ts" }))).toMatchObject({
    path: "real.ts",
  });
});
