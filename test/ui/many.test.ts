import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWorkspace } from "../../src/host/index.js";
import type { JournalEntry } from "../../src/ports/index.js";
import { nodeStore } from "../../src/store/index.js";
import { type Browser, missing, type Page, startBrowser } from "./browser.js";
import { Tree } from "./tree.js";

const many = 100_000;
const agents = 64;
const files = 500;

describe.skipIf(missing !== null)(`the page of a tree with ${many} events of ${agents} agents`, () => {
  let tree: Tree;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    tree = new Tree({ "a.ts": "one\n" });
    const here = { cwd: tree.root, root: tree.root };
    const state = join(tree.env.XDG_STATE_HOME ?? "", "kedge");
    const store = nodeStore({ state, workspace: findWorkspace(tree.root), here });
    const now = Date.now();
    const entry = (at: number): JournalEntry => ({
      ...{
        id: `x${at}`,
        time: now - (many - at) * 300,
        agent: `claude-code:${String(at % agents).padStart(12, "0")}`,
      },
      ...{
        tool: "Edit",
        kind: "commit",
        before: "a",
        after: "b",
        lines: [{ start: 1 + (at % 90), end: 3 + (at % 90) }],
      },
      ...{ path: join(tree.root, `f${at % files}.ts`), file: join(tree.root, `f${at % files}.ts`) },
    });
    for (let from = 0; from < many; from += 5000)
      await store.append(Array.from({ length: 5000 }, (_, at) => entry(from + at)));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    tree?.clear();
  });

  test("is painted and filled, and stays small; older events come by pages", async () => {
    page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    const started = performance.now();
    const { address } = await tree.ui();
    await page.goto(address);
    await page.waitForSelector("#page *");
    const painted = performance.now() - started;
    await page.waitForSelector(".event");
    const filled = performance.now() - started;
    // Printed, not judged: speed is a matter of bench/, and a busy machine is no failure.
    console.log(`the page: painted after ${painted.toFixed(0)} ms, filled after ${filled.toFixed(0)} ms`);
    expect(await page.locator("[data-agent]").count()).toBe(agents);
    const shown = await page.locator(".event").count();
    await page.getByRole("button", { name: "older events" }).first().click();
    await page.waitForSelector(`.event:nth-child(${shown + 50})`);
    expect(await page.evaluate<number>("document.querySelectorAll('*').length")).toBeLessThan(8000);
  });
});
