/** Files of which only line hashes are kept: what others left alone is edited as it was shown, anything else is refused. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import type { Edit } from "../../src/edits/index.js";
import { nodeFiles, nodeStore } from "../../src/node.js";
import { Session } from "../../src/session/session.js";
import { Place } from "./support.js";

const key = `ghp_${"x".repeat(36)}`;
const filler = Array.from({ length: 60_000 }, (_, at) => `# ${at} ${"x".repeat(80)}`);

/** A file of these lines: where it is in the scratch folder, and what stands in it besides. */
const kinds = [
  ["outside of every workspace", "elsewhere/b.txt", []],
  ["that looks secret", "work/.env", []],
  ["with a key in it", "work/b.txt", [`token = ${key}`]],
  ["over 4 MiB", "work/big.txt", filler],
] as const;

interface Made {
  readonly place: Place;
  readonly path: string;
  text(): string;
  /** Another program puts a line on top and changes the last of the three lines that were shown. */
  disturb(): void;
}

function make(name: string, more: readonly string[]): Made {
  const place = new Place({ "a.txt": "a\n" });
  const path = `${place.scratch}/${name}`;
  mkdirSync(dirname(path), { recursive: true });
  const write = (lines: readonly string[]) => writeFileSync(path, [...lines, ...more, ""].join("\n"));
  write(["one = 1", "two = 2", "three = 3", "four = 4"]);
  const disturb = () => write(["new = 0", "one = 1", "two = 2", "three = 3", "four = FOUR"]);
  return { place, path, disturb, text: () => readFileSync(path, "utf8") };
}

const head = (text: string): string => text.split("\n").slice(0, 5).join("|");
const anchorIn = (shown: string, line: number): string =>
  shown.split("\n")[line - 1]?.split("|")[0] as string;
const setLine = (anchor: string, text: string): Edit => ({ op: "set_line", anchor, text });
const replace = (old: string, fresh: string): Edit => ({ op: "replace_text", old, new: fresh });
const edited = "new = 0|one = 1|two = TWO|three = 3|four = FOUR";

describe.each(kinds)("a file %s", (_, name, more) => {
  test("by kedge apply", () => {
    const { place, path, disturb, text } = make(name, more);
    const shown = place.ok("read", path, "--ranges", "1-4");
    const apply = (edit: object) =>
      place.run(["apply", "-"], { input: JSON.stringify({ path, edits: [edit] }) });
    disturb();
    const refused = apply(setLine(anchorIn(shown, 4), "four = 5"));
    expect(refused).toMatchObject({ status: 5 });
    expect(refused.stderr + refused.stdout).toMatch(/>>> 5#\w+\|four = FOUR/);
    expect(apply(replace("four = 4", "four = 5")).status).not.toBe(0);
    expect(apply(setLine(anchorIn(shown, 2), "two = TWO"))).toMatchObject({ status: 0 });
    expect(head(text())).toBe(edited);
    expect(apply(replace("three = 3", "three = THREE"))).toMatchObject({ status: 0 });
    expect(head(text())).toBe(edited.replace("three = 3", "three = THREE"));
  });

  test("by the library", async () => {
    const { place, path, disturb, text } = make(name, more);
    const files = nodeFiles({ roots: [place.folder], confine: false, state: place.state });
    const store = nodeStore({ state: place.state, workspace: { key: place.folder } });
    const session = new Session({ files, store, agent: "one", clock: Date.now });
    const shown = await session.read({ path, ranges: [{ start: 1, end: 4 }] });
    const [, second, , fourth] = shown.text.split("\n").flatMap((row) => /^\d+#\w+/.exec(row) ?? []);
    disturb();
    const refused = await session.edit({ path, edits: [setLine(fourth as string, "four = 5")] });
    expect(refused.details).toMatchObject({ status: "refused", code: "stale" });
    const done = await session.edit({ path, edits: [setLine(second as string, "two = TWO")] });
    expect(done.details).toMatchObject({ status: "applied" });
    expect(head(text())).toBe(edited);
  });
});
