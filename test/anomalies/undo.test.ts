import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeStore } from "../../src/node/index.js";
import { Session } from "../../src/session/index.js";
import { type Ground, newGround } from "../node/support.js";

function open(at: Ground): Session {
  let now = 1_000_000;
  const store = nodeStore({ state: at.state, workspace: { key: "w" } });
  return new Session({ files: at.files(), store, agent: "one", clock: () => now++ });
}

const code = ({ details }: { details: unknown }): string | undefined => (details as { code?: string }).code;

test.skipIf(process.platform === "win32")(
  "a path that became a link to another file: said, nothing done",
  async () => {
    const at = newGround();
    at.put("a.txt", "a\nb\n");
    const session = open(at);
    await session.read({ path: "a.txt" });
    await session.edit({ path: "a.txt", edits: [{ op: "replace_text", old: "a\n", new: "A\n" }] });
    renameSync(join(at.root, "a.txt"), join(at.root, "other.txt"));
    symlinkSync("other.txt", join(at.root, "a.txt"));
    const result = await open(at).undo();
    expect(code(result)).toBe("stale");
    expect(result.text).toContain("leads to another file");
    expect(at.get("other.txt")).toBe("A\nb\n");
  },
);
