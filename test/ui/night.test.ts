import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ViewEvent } from "../../src/view/contract.js";
import { startViewServer, type ViewServer } from "../../src/view/server.js";
import { sample } from "../view/sample.js";
import { type Browser, missing, type Page, startBrowser } from "./browser.js";

const { state, events } = sample({ agents: 64, files: 500, events: 200, time: Date.now() });
const [first] = events as [ViewEvent];
/** Events that arrive while nobody looks, all in all and with each message of the feed. */
const night = { rounds: 6, events: 3000 };

const asset = (name: string, type: string) => ({ type, bytes: readFileSync(`dist/ui/${name}`) });

describe.skipIf(missing !== null)("a page left open over a night with 64 agents and 500 files", () => {
  let server: ViewServer;
  let browser: Browser;
  let page: Page;
  let round = 0;
  /** Rounds that may be told: on a busy machine the second would be gone before it is looked for. */
  let allowed = 2;

  beforeAll(async () => {
    server = await startViewServer({
      ...{ port: 0, clock: Date.now, report: () => {}, actions: null },
      assets: new Map([
        ["/", asset("index.html", "text/html")],
        ["/page.js", asset("page.js", "text/javascript")],
        ["/page.css", asset("page.css", "text/css")],
      ]),
      source: {
        state: async () => ({ ...state, time: Date.now(), counts: { ...state.counts, edits: round } }),
        news: async (mark) => {
          if (mark === null || round >= allowed) return { events: [], mark: "m" };
          round += 1;
          const made = Array.from({ length: night.events }, (_, at) => ({
            ...first,
            ...{ id: `n${round}-${at}`, time: Date.now() + at, path: `src/file-${at % 500}.ts` },
          }));
          return { events: made, mark: "m" };
        },
        history: async () => ({ events, next: null }),
        event: async () => null,
        activity: async (from) => ({ from, to: Date.now(), slices: [] }),
      },
    });
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    await page.goto(server.newAddress());
    await page.waitForSelector(".app");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const elements = () => page.evaluate<number>("document.querySelectorAll('*').length");
  const heap = () => page.evaluate<number>("(globalThis.gc?.(), performance.memory.usedJSHeapSize)");

  test("keeps a bounded number of elements and bytes, however many events come", async () => {
    await page.waitForSelector('[data-event^="n2-"]', { timeout: 60_000 });
    const [few, small] = [await elements(), await heap()];
    allowed = night.rounds;
    await page.waitForSelector(`[data-event^="n${night.rounds}-"]`, { timeout: 60_000 });
    expect(round).toBe(night.rounds);
    expect(await page.locator(".event").count()).toBeLessThanOrEqual(400);
    expect(await elements()).toBeLessThan(1.2 * few);
    expect(await elements()).toBeLessThan(8000);
    expect(await heap()).toBeLessThan(2 * small + 20e6);
  });
});
