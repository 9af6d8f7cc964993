import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileRequest } from "../../src/calls/index.js";
import { nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { type Ground, newGround } from "../support/node.js";

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

describe("the undo of a new file takes away the folders that were made for it", () => {
  const created = (path: string): FileRequest => ({ path, edits: [{ op: "create_file", text: "new\n" }] });

  test("all of them, if nothing else is there", async () => {
    const at = newGround();
    const session = open(at);
    expect((await session.write({ path: "d/e/f/n.txt", content: "new\n" })).isError).toBe(false);
    expect((await open(at).undo()).isError).toBe(false);
    expect(readdirSync(at.root)).toEqual([]);
  });

  test("and leaves those that were there before, though they are empty", async () => {
    const at = newGround();
    mkdirSync(join(at.root, "d"));
    const session = open(at);
    await session.write({ path: "d/e/n.txt", content: "new\n" });
    await session.undo();
    expect(readdirSync(at.root)).toEqual(["d"]);
    expect(readdirSync(join(at.root, "d"))).toEqual([]);
  });

  test("and leaves those in which something else is now", async () => {
    const at = newGround();
    const session = open(at);
    await session.write({ path: "d/e/n.txt", content: "new\n" });
    writeFileSync(join(at.root, "d", "other.txt"), "other");
    await session.undo();
    expect(at.tree()).toEqual({ "d/other.txt": "other" });
    expect(existsSync(join(at.root, "d", "e"))).toBe(false);
  });

  test("in a batch with whichever file goes last", async () => {
    const at = newGround();
    const session = open(at);
    const result = await session.multiEdit({
      files: [created("d/n.txt"), created("d/e/m.txt"), created("x.txt")],
    });
    expect(result.isError).toBe(false);
    await session.undo();
    expect(readdirSync(at.root)).toEqual([]);
    await session.multiEdit({ files: [created("d/n.txt"), created("d/e/m.txt")] });
    const ids = (await nodeStore({ state: at.state, workspace: { key: "w" } }).journal()).slice(-2);
    await session.undo({ id: ids[1]?.id as string });
    expect(at.tree()).toEqual({ "d/n.txt": "new\n" });
    expect(existsSync(join(at.root, "d", "e"))).toBe(false);
    await session.undo({ id: ids[0]?.id as string });
    expect(readdirSync(at.root)).toEqual([]);
  });

  test("in a move at the new place", async () => {
    const at = newGround();
    at.put("a.txt", "a\n");
    const session = open(at);
    await session.read({ path: "a.txt" });
    const moved = await session.multiEdit({
      files: [{ path: "a.txt", edits: [{ op: "move_file", to: "d/e/b.txt" }] }],
    });
    expect(moved.isError).toBe(false);
    await session.undo();
    expect(at.tree()).toEqual({ "a.txt": "a\n" });
    expect(readdirSync(at.root)).toEqual(["a.txt"]);
  });
});
