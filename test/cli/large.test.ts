/** Files over `limits.size`: nothing of them can be shown but their size and hash. */
import { chmodSync, existsSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { jsonLines, Place } from "./support.js";

const text = "far too long for this limit\n";
const env = { KEDGE_LIMITS: "size=20" };

const place = (): Place => new Place({ "a.txt": text, "b.txt": "short\n" });
const batch = (at: Place, ...files: { path: string; edits: object[] }[]) =>
  at.run(["apply"], { env, input: JSON.stringify({ files }) });
const removal = { path: "a.txt", edits: [{ op: "delete_file" }] };
const move = (to: string) => ({ path: "a.txt", edits: [{ op: "move_file", to }] });

describe("a file that is too large to be shown", () => {
  test("reading it shows its size and hash", () => {
    const { status, stderr } = place().run(["read", "a.txt"], { env });
    expect(status).toBe(1);
    expect(stderr).toMatch(/a\.txt has 28 bytes; the limit is 20 \(limits\.size\).*hash [0-9a-f]+-[0-9a-f]+/);
    expect(stderr).toContain("deleted or moved");
  });

  test("is not deleted or moved before that", () => {
    const at = place();
    for (const one of [removal, move("c.txt")]) {
      const { status, stderr } = batch(at, one);
      expect({ status, isTold: stderr.includes("was not read in this session") }).toEqual({
        status: 4,
        isTold: true,
      });
    }
    expect(at.text("a.txt")).toBe(text);
  });

  test("is deleted after that; that cannot be undone", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    expect(batch(at, removal)).toMatchObject({ status: 0, stdout: "a.txt: deleted\n" });
    expect(existsSync(at.path("a.txt"))).toBe(false);
    expect(jsonLines(at.ok("log", "--json")).at(-1)).toMatchObject({ kind: "commit", after: null });
    const undone = at.run(["undo"], { env });
    expect(undone.status).not.toBe(0);
    expect(undone.stderr).toContain("no longer kept");
    expect(existsSync(at.path("a.txt"))).toBe(false);
  });

  test("is moved after that, with its mode, and moved on; also into a new folder", () => {
    const at = place();
    chmodSync(at.path("a.txt"), 0o640);
    at.run(["read", "a.txt"], { env });
    expect(batch(at, move("new/c.txt"))).toMatchObject({ status: 0, stdout: "a.txt: moved to new/c.txt\n" });
    expect([existsSync(at.path("a.txt")), at.text("new/c.txt")]).toEqual([false, text]);
    const on = { path: "new/c.txt", edits: [{ op: "move_file", to: "d.txt" }] };
    expect(batch(at, on).status).toBe(0);
    expect(at.text("d.txt")).toBe(text);
    expect(statSync(at.path("d.txt"))).toMatchObject({ nlink: 1, mode: 0o100640 });
  });

  test("neither if it has changed since", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    at.put("a.txt", text.replace("far", "FAR"));
    for (const one of [removal, move("c.txt")]) {
      const { status, stderr } = batch(at, one);
      expect(status).toBe(4);
      expect(stderr).toMatch(/a\.txt has changed since its size and hash were shown[\s\S]*kedge read a\.txt/);
      expect(stderr).not.toContain("\0");
    }
    expect(at.text("a.txt")).toContain("FAR");
    at.run(["read", "a.txt"], { env });
    expect(batch(at, removal).status).toBe(0);
  });

  test("together with other files: all or nothing", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    const other = { path: "b.txt", edits: [{ op: "delete_file" }] };
    expect(batch(at, move("c.txt"), other).status).toBe(4);
    expect([at.text("a.txt"), at.text("b.txt")]).toEqual([text, "short\n"]);
    at.run(["read", "b.txt"], { env });
    expect(batch(at, move("c.txt"), other).status).toBe(0);
    expect([at.text("c.txt"), existsSync(at.path("b.txt"))]).toEqual([text, false]);
  });

  test("is neither edited nor written over, also with an edit beside the move, and moved onto nothing", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    expect(at.run(["write", "a.txt"], { env, input: "x\n" })).toMatchObject({ status: 1 });
    expect(at.run(["edit", "a.txt", "1#0f0dd9", "x"], { env })).toMatchObject({ status: 1 });
    expect(at.run(["edit", "a.txt", "--old", "far", "--new", "x", "--gate", "off"], { env }).status).not.toBe(
      0,
    );
    const edit = { op: "replace_text", old: "far", new: "x" };
    const both = { path: "a.txt", edits: [...move("c.txt").edits, edit] };
    expect(batch(at, both)).toMatchObject({ status: 1 });
    expect(batch(at, move("b.txt")).status).toBe(1);
    expect([at.text("a.txt"), at.text("b.txt")]).toEqual([text, "short\n"]);
  });

  test("a dry run writes nothing and shows nothing of it", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    const input = JSON.stringify({ files: [removal] });
    const { status, stdout } = at.run(["apply", "--dry-run"], { env, input });
    expect(status).toBe(0);
    expect(stdout).not.toContain("\0");
    expect(at.text("a.txt")).toBe(text);
  });

  test("once it can be read, that has to be done", () => {
    const at = place();
    at.run(["read", "a.txt"], { env });
    const { status } = at.run(["apply"], { input: JSON.stringify({ files: [removal] }) });
    expect(status).toBe(4);
    expect(at.text("a.txt")).toBe(text);
  });
});
