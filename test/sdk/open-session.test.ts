import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withRefresh } from "../../src/index.js";
import { openSession } from "../../src/node.js";
import { kedgeTools } from "../../src/sdk/openai.js";
import { outcome } from "../support/session.js";

let top = "";
let env: Record<string, string> = {};
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "kedge-open-")));
  mkdirSync(join(top, "work"));
  writeFileSync(join(top, "work/a.ts"), "const a = 1;\nconst b = 2;\n");
  writeFileSync(join(top, "beside.ts"), "secret\n");
  env = { KEDGE_STATE: join(top, "state"), XDG_CONFIG_HOME: join(top, "config"), HOME: top };
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const open = (agent = "main", more = {}) => openSession({ root: join(top, "work"), agent, env, ...more });
const edits = [{ op: "set_line", anchor: "1#20200e", text: "const a = 3;" }] as const;

it("works with every default, and what was shown lasts from one session to the next", async () => {
  await open().read({ path: "a.ts" });
  expect(outcome(await open("other").edit({ path: "a.ts", edits }))).toBe("!not_read");
  expect(outcome(await open().edit({ path: "a.ts", edits }))).toBe("applied");
  expect(readFileSync(join(top, "work/a.ts"), "utf8")).toBe("const a = 3;\nconst b = 2;\n");
  expect(outcome(await open().undo())).toBe("applied");
});

it("touches nothing outside of its root", async () => {
  expect(outcome(await open().read({ path: "../beside.ts" }))).toBe("!outside_roots");
  expect(outcome(await open().read({ path: join(top, "beside.ts") }))).toBe("!outside_roots");
});

it("keeps the settings of environment and files, unless it is given others", async () => {
  env.KEDGE_ANCHORS = "hex4";
  expect((await open().read({ path: "a.ts" })).text).toMatch(/^1#[0-9a-f]{4}\|/);
  expect((await open("main", { anchors: "hex6" }).read({ path: "a.ts" })).text).toMatch(/^1#20200e\|/);
  writeFileSync(join(top, "work/.kedge.json"), '{ "deny": ["a.ts"] }');
  expect(outcome(await open().write({ path: "a.ts", content: "" }))).toBe("!denied");
});

it("names the tools in refusals, also through withRefresh, unless the session has a door of its own", async () => {
  const said = async (session: Parameters<typeof kedgeTools>[0]) => {
    const tool = kedgeTools(session).find((one) => one.function.name === "edit_file");
    return tool?.function.function(JSON.stringify({ path: "a.ts", edits }));
  };
  expect(await said(open())).toContain("call read_file on");
  expect(await said(withRefresh(open(), { onContext: () => {} }))).toContain("call read_file on");
  const door = { read: () => "look at it", retry: () => "again" };
  expect(await said(open("main", { door }))).toContain("look at it");
});
