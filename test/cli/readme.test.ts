import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/table/command-table.js";
import { Place } from "./support.js";

const readme = readFileSync("README.md", "utf8");
const blocks = [...readme.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block]) => block as string);
const [listing, carried, refused] = blocks.filter((block) => block.startsWith("$ kedge ")) as [
  string,
  string,
  string,
];

const [command, expected] = split(listing);
const source = "function hello() {\n  return 41;\n}\n";
const header = "// SPDX-License-Identifier: MIT\n\n";

function split(block: string): [command: string, output: string] {
  const [first = "", ...rest] = block.split("\n");
  return [first.slice(2), rest.join("\n")];
}

describe.skipIf(process.platform === "win32")("README.md shows what happens", () => {
  /** Somebody who was shown the file, and a header that came after. */
  function shown(): Place {
    const place = new Place({ "a.ts": source });
    expect(place.shell(command)).toEqual({ status: 0, stdout: expected, stderr: "" });
    place.put("a.ts", header + source);
    return place;
  }

  test("an edit whose line moved", () => {
    const place = shown();
    const [edit, answer] = split(carried);
    expect(place.shell(edit)).toEqual({ status: 0, stdout: answer, stderr: "" });
    expect(place.text("a.ts")).toBe(header + source.replace("41", "42"));
  });

  test("a refusal, and the call that it ends with", () => {
    const place = shown();
    const other = { env: { KEDGE_SESSION: "agent-b" } };
    place.shell("kedge read a.ts", other);
    place.shell("kedge edit a.ts 4#1f0001 '  return 40;'", other);
    const [edit, answer] = split(refused);
    const { status, stderr } = place.shell(edit);
    const handle = /kedge retry (\w+)/;
    const told = answer.replace(handle, `kedge retry ${handle.exec(stderr)?.[1]}`);
    expect([status, stderr.slice(0, told.length)]).toEqual([5, told]);
    expect(place.shell(/`(kedge retry .*)`/.exec(stderr)?.[1] as string).status).toBe(0);
    expect(place.text("a.ts")).toBe(header + source.replace("41", "42"));
  });

  test("commands that there are", () => {
    const known = new Set(commands.map(({ name }) => name));
    const named = blocks.flatMap((block) => [...block.matchAll(/(?:^|\| )\$? ?kedge (\w+)/gm)]);
    expect(named.map(([, name]) => name).filter((name) => !known.has(name as string))).toEqual([]);
    expect(named.length).toBeGreaterThan(3);
  });
});

test("README.md: the anchor in the library's example is the one that is printed", async () => {
  const { formatLineTag } = await import("../../src/index.js");
  expect(readme).toContain(`// ${formatLineTag(1, "const a = 1;")}|const a = 1; …`);
});
