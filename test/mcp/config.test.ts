/** Which `.kedge.json` counts: that of the folders worked on, not that of the working directory. */
import { afterEach, describe, expect, test } from "vitest";
import { type Connected, connect, type Workspace, workspace } from "./program.js";

let places: Workspace[] = [];
let connections: Connected[] = [];

afterEach(async () => {
  await Promise.all(connections.map(({ client }) => client.close()));
  for (const place of places) place.remove();
  places = [];
  connections = [];
});

const settings = {
  ".kedge.json": { anchors: "hex4", gate: "off", roots: ["one"], deny: ["open.ts"] },
  "one/.kedge.json": { anchors: "lean", deny: ["closed.ts"] },
  "two/.kedge.json": { deny: ["hidden.ts"], roots: ["in"] },
};

type Roots = { readonly args?: readonly string[]; readonly roots?: readonly string[] };

async function open({ args = [], roots }: Roots, extra: Record<string, string> = {}) {
  const place = workspace({
    ...Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, JSON.stringify(value)])),
    ...{ "one/open.ts": "open\n", "one/closed.ts": "closed\n", "one/hidden.ts": "hidden\n" },
    ...{ "two/in/open.ts": "open\n", "two/in/hidden.ts": "hidden\n", "two/out.ts": "out\n" },
    ...extra,
  });
  places.push(place);
  const named = roots?.map((root) => `${place.root}/${root}`);
  const connected = await connect(place, { args, ...(named ? { roots: named } : {}) });
  connections.push(connected);
  const code = async (path: string, name = "read_file", more: object = {}): Promise<string> => {
    const { details } = await connected.call(name, { path: `${place.root}/${path}`, ...more });
    return details?.code ?? details?.status;
  };
  return { ...connected, code };
}

describe.each<[string, Roots]>([
  ["--root", { args: ["--root", "one"] }],
  ["a client's root", { roots: ["one"] }],
])("%s", (_, given) => {
  test("has its own anchors, gate and deny patterns", async () => {
    const { call, code } = await open(given);
    expect((await call("read_file", { path: "open.ts" })).text).toMatch(/^[a-z]{3}1\topen$/);
    expect(await code("one/closed.ts")).toBe("denied");
    expect(await code("one/hidden.ts", "write_file", { content: "x" })).toBe("not_read");
  });
});

test("a client's root is kept inside the roots of its own configuration", async () => {
  const { code } = await open({ roots: ["two"] });
  expect(await code("two/in/open.ts")).toBe("read");
  expect(await code("two/out.ts")).toBe("outside_roots");
  expect(await code("one/open.ts")).toBe("outside_roots");
});

test("what one of several roots denies is denied", async () => {
  const { code } = await open({ roots: ["one", "two"] });
  expect(await code("one/open.ts")).toBe("read");
  expect(await code("one/closed.ts")).toBe("denied");
  expect(await code("two/in/open.ts")).toBe("read");
  expect(await code("two/in/hidden.ts")).toBe("denied");
});

test("a root whose configuration is wrong is not worked on, nor another in its place", async () => {
  const { call, code } = await open({ roots: ["two"] }, { "two/.kedge.json": "{" });
  const { text, isError } = await call("read_file", { path: "in/open.ts" });
  expect(isError).toBe(true);
  expect(text).toContain("two/.kedge.json is not JSON");
  expect(await code("one/open.ts")).toBeUndefined();
});
