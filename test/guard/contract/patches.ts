/** Patches: several places and files in one call, files that come, go and move. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Driver, Section } from "../drivers/driver.js";
import { quiet, Stage } from "../stage.js";
import { source } from "./source.js";

const limit = { old: "  const limit = 10;", new: "  const limit = 20;" };
const again = { old: "  const limit = 20;", new: "  const limit = 30;" };
const end = { old: "export const last = 'end';", new: "export const last = 'END';" };
const other = { old: "two", new: "TWO" };

export function patches(driver: Driver): void {
  const stage = (): Stage =>
    new Stage(driver, {
      "a.js": source,
      "b.txt": "one\ntwo\nthree\n",
      "c.txt": "c1\nc2\n",
      "sub/d.js": source,
    });

  test("several places in several files, all shown: without a word, and known afterwards", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    await agent.read("b.txt");
    const done = await agent.patch(
      { do: "update", path: "a.js", hunks: [limit, end] },
      { do: "update", path: "b.txt", hunks: [other] },
      { do: "add", path: "lib/new.txt", content: "n1\nn2\n" },
    );
    expect(done).toMatchObject(quiet);
    expect(place.text("a.js")).toContain("'END'");
    expect(place.text("b.txt")).toBe("one\nTWO\nthree\n");
    const more = await agent.patch(
      { do: "update", path: "a.js", hunks: [again] },
      { do: "update", path: "lib/new.txt", hunks: [{ old: "n2", new: "n3" }] },
    );
    expect(more).toMatchObject(quiet);
  });

  test("a deletion and moves of one file are told apart: only what is sent again is sent again", async () => {
    const place = stage();
    const agent = place.agent();
    const refused = async (section: Section): Promise<string | null> => (await agent.patch(section)).deny;
    const move = { do: "update", path: "b.txt", to: "bb.txt", hunks: [other] } as const;
    for (const section of [
      { do: "delete", path: "b.txt" },
      move,
      { ...move, to: "bbb.txt" },
      { ...move, hunks: [{ old: "three", new: "THREE" }] },
    ] as const) {
      expect(await refused(section)).not.toMatch(/retry/);
      expect(await refused(section)).toMatch(/do not retry identical/);
    }
    // Nor onto a file that is there.
    await agent.read("b.txt");
    expect(await refused({ ...move, to: "c.txt" })).not.toMatch(/retry/);
    expect(await refused({ ...move, to: "c.txt", hunks: [{ old: "one", new: "ONE" }] })).not.toMatch(/retry/);
  });

  test("one file of it was not shown: all of it is denied, with its name", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    const { deny } = await agent.patch(
      { do: "update", path: "a.js", hunks: [limit] },
      { do: "update", path: "b.txt", hunks: [other] },
    );
    expect(deny).toContain("b.txt");
    expect(deny).toMatch(driver.reads("b.txt"));
    expect(place.text("a.js")).toBe(source);
  });

  test("one place of it has changed: all of it is denied, with what stands there", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    await agent.read("b.txt");
    place.change("b.txt", "two", "zwei");
    const { deny } = await agent.patch(
      { do: "update", path: "a.js", hunks: [limit] },
      { do: "update", path: "b.txt", hunks: [other] },
    );
    expect(deny).toMatch(/^>>> 2\tzwei$/m);
    expect(place.text("a.js")).toBe(source);
  });

  test("a file that is there is not added over, unless all of it was shown", async () => {
    const place = stage();
    const agent = place.agent();
    const add = { do: "add", path: "c.txt", content: "all mine\n" } as const;
    expect((await agent.patch(add)).deny).toMatch(driver.reads("c.txt"));
    expect(place.text("c.txt")).toBe("c1\nc2\n");
    await agent.read("c.txt");
    expect(await agent.patch(add)).toMatchObject(quiet);
    expect(place.text("c.txt")).toBe("all mine\n");
  });

  test("a file is deleted only if all of it was shown", async () => {
    const place = stage();
    const agent = place.agent();
    expect((await agent.patch({ do: "delete", path: "c.txt" })).deny).toMatch(driver.reads("c.txt"));
    expect(existsSync(place.path("c.txt"))).toBe(true);
    await agent.read("c.txt");
    expect(await agent.patch({ do: "delete", path: "c.txt" })).toMatchObject(quiet);
    expect(existsSync(place.path("c.txt"))).toBe(false);
    expect(await agent.write(place.path("c.txt"), "anew\n")).toMatchObject({ deny: null });
  });

  test("a file that moves takes along what was shown of it", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    const move = { do: "update", path: "a.js", to: "lib/moved.js", hunks: [limit] } as const;
    expect(await agent.patch(move)).toMatchObject(quiet);
    expect(existsSync(place.path("a.js"))).toBe(false);
    const next = { do: "update", path: "lib/moved.js", hunks: [again, end] } as const;
    expect(await agent.patch(next)).toMatchObject(quiet);
    expect(place.text("lib/moved.js")).toContain("limit = 30");
  });

  test("a file that was not shown does not move, and none moves onto one that was not shown", async () => {
    const place = stage();
    const agent = place.agent();
    const move = { do: "update", path: "a.js", to: "c.txt", hunks: [limit] } as const;
    expect((await agent.patch(move)).deny).toContain("a.js");
    await agent.read("a.js");
    expect((await agent.patch(move)).deny).toContain("c.txt");
    expect(place.text("a.js")).toBe(source);
    expect(place.text("c.txt")).toBe("c1\nc2\n");
  });

  test("a place that has moved is found there; one that somebody put above it is not taken for it", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    place.change(
      "a.js",
      "export function first",
      "function own() {\n  const limit = 10;\n}\n\nexport function first",
    );
    const { deny, failed, rewritten } = await agent.edit("a.js", limit);
    const [above, mine] = place.text("a.js").split("export function first");
    expect(above).toContain("const limit = 10;");
    if (deny === null && failed === null) expect(mine).toContain("const limit = 20;");
    else
      expect({ rewritten, mine }).toMatchObject({ rewritten: null, mine: expect.stringContaining("= 10;") });
  });

  test("a hunk that fits several places that were all seen: denied with the places, and let through with more", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    const line = "  const found = open(name);";
    const vague = { old: line, new: "  const found = null;" };
    const { deny } = await agent.patch({ do: "update", path: "a.js", hunks: [vague] });
    const lines = place.text("a.js").split("\n");
    const numbers = lines.flatMap((text, at) => (text === line ? [at + 1] : []));
    expect(numbers).toHaveLength(2);
    expect(deny).toContain(`(lines ${numbers.join(", ")})`);
    for (const number of numbers) expect(deny).toMatch(new RegExp(`^ +${number}\t`, "m"));
    expect(place.text("a.js")).toBe(source);
    const moved = await agent.patch({ do: "update", path: "a.js", to: "m.js", hunks: [vague] });
    expect(moved.deny).toContain(`(lines ${numbers.join(", ")})`);
    const after = lines[numbers[1] ?? 0] ?? "";
    const clear = { old: `${line}\n${after}`, new: `${vague.new}\n${after}` };
    expect(await agent.patch({ do: "update", path: "a.js", hunks: [clear] })).toMatchObject(quiet);
    expect(place.text("a.js").split("\n")[(numbers[1] ?? 0) - 1]).toBe(vague.new);
  });

  test("a patch that fits nowhere is the tool's affair: nothing is known by it", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    const wrong = { old: "  never stood there", new: "  x" };
    expect((await agent.patch({ do: "update", path: "a.js", hunks: [wrong] })).failed).not.toBeNull();
    expect(await agent.edit("a.js", limit)).toMatchObject(quiet);
  });

  if (!driver.can.has("heredoc patch")) return;
  const heredoc = (path: string, { old, new: fresh }: typeof limit): string =>
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${path}\n@@\n-${old}\n+${fresh}\n*** End Patch\nEOF\n`;

  test("a patch in a command is denied like any other", async () => {
    const place = stage();
    const agent = place.agent();
    expect((await agent.shell(heredoc("a.js", limit))).deny).toMatch(driver.reads("a.js"));
    expect((await agent.shell(`cd sub && ${heredoc("d.js", limit)}`)).deny).toContain("d.js");
    expect(place.text("sub/d.js")).toBe(source);
  });

  test("a patch in a command is the agent's own work", async () => {
    const place = stage();
    const agent = place.agent();
    await agent.read("a.js");
    await agent.read("sub/d.js");
    expect(await agent.shell(heredoc("a.js", limit))).toMatchObject(quiet);
    expect(await agent.shell(`cd sub && ${heredoc("d.js", limit)}`)).toMatchObject(quiet);
    expect(place.text("sub/d.js")).toContain("limit = 20");
    expect(await agent.edit("a.js", again)).toMatchObject(quiet);
    expect(await agent.edit("sub/d.js", again)).toMatchObject(quiet);
  });
}
