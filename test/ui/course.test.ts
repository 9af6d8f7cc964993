import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, faultsOf, missing, type Page, startBrowser } from "./browser.js";
import { Tree } from "./tree.js";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `const line${at + 1} = ${at + 1};\n`).join("");
const files = { "auth.ts": numbered(80), "api.ts": numbered(40) };
const [alice, bob] = [
  "aaaa1111-0000-4000-8000-000000000001",
  "bbbb2222-0000-4000-8000-000000000002",
] as const;

if (missing) console.log(`the page in a browser: skipped, ${missing}`);

describe.skipIf(missing !== null)("the page in a real browser", () => {
  let tree: Tree;
  let browser: Browser;
  let page: Page;
  let running: Awaited<ReturnType<Tree["ui"]>>;
  let one: ReturnType<Tree["agent"]>;
  let two: ReturnType<Tree["agent"]>;
  const errors: string[] = [];
  const asked: string[] = [];

  const watch = async (): Promise<Page> => {
    const opened = await browser.newPage({ viewport: { width: 1400, height: 860 }, reducedMotion: "reduce" });
    opened.on("pageerror", (error) => errors.push(String(error)));
    opened.on("request", (request) => asked.push(request.url()));
    return opened;
  };
  const shows = (selector: string) => page.waitForSelector(selector, { timeout: 30_000 });
  const top = (selector: string) =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`);
  const text = (selector: string) => page.locator(selector).first().innerText();

  beforeAll(async () => {
    tree = new Tree(files);
    browser = await startBrowser();
    running = await tree.ui();
    page = await watch();
    await page.goto(running.address);
  });
  afterAll(async () => {
    await browser?.close();
    tree?.clear();
  });

  test("a quiet repository says what to do next", async () => {
    await shows(".welcome");
    expect(await text(".welcome")).toContain("kedge install");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("both agents show up, and the stale view before any collision", async () => {
    [one, two] = [tree.agent(alice), tree.agent(bob)];
    one.read("auth.ts");
    two.read("auth.ts");
    await shows(`[data-agent="claude-code:${bob}"]`);
    expect(one.edit("auth.ts", "const line44 = 44;", "const line44 = 'four';")).toBe(true);
    await shows(".stale-note");
    expect(await text(".stale-note")).toMatch(
      /claude-code:bbbb has not seen that line 44 was changed by\s+claude-code:aaaa/,
    );
    expect(await text(".agents")).toContain("1 line behind in auth.ts");
  });

  test("shows the refusal", async () => {
    expect(two.edit("auth.ts", "const line44 = 44;", "const line44 = 0;")).toBe(false);
    await shows(".event.refusal");
    expect(await text(".event.refusal")).toMatch(/claude-code:bbbb/);
    expect(await text(".agents .bad")).toBe("last call refused (stale)");
    await page.keyboard.press("j");
    await shows(".event.refusal .diff");
    expect(await text(".event.refusal .details")).toMatch(
      /have changed since they were shown\. Nothing was written\.[\s\S]*claude-code:aaaa edited auth\.ts:44[\s\S]*-const line44 = 44;\s+\+const line44 = 'four';/,
    );
    expect(await text(".event.refusal .details")).not.toContain("-const line1 = 1;");
    await page.keyboard.press("Escape");
  });

  test("shows the loss, and a click on Restore brings the bytes back", async () => {
    const wanted = tree.text("auth.ts");
    await two.run("git checkout -- .", () => void tree.git("checkout", "--", "."));
    expect(tree.text("auth.ts")).toBe(files["auth.ts"]);
    const place = await top(".panel.agents");
    // The survey may find the loss before the hook has told of the command.
    await shows(".banner code");
    expect(await text(".event.lost")).toMatch(/claude-code:bbbb took away an edit of claude-code:aaaa/);
    expect(await text(".files")).not.toMatch(/claude-code:bbbb has not seen/);
    expect(await text(".banner")).toMatch(
      /1 edit lost of\s+claude-code:aaaa[\s\S]*claude-code:bbbb[\s\S]*git checkout -- \./,
    );
    expect(await top(".panel.agents"), "nothing moves for the banner").toBe(place);
    expect(await faultsOf(page)).toEqual([]);
    await page
      .locator(".banner")
      .getByRole("button", { name: /Restore/ })
      .click();
    await shows("dialog .diff");
    expect(tree.text("auth.ts")).toBe(files["auth.ts"]);
    await page
      .locator("dialog")
      .getByRole("button", { name: /^Restore$/ })
      .click();
    await shows("dialog .good");
    expect(tree.text("auth.ts")).toBe(wanted);
    await page.keyboard.press("Escape");
    await page.locator(".banner").waitFor({ state: "detached", timeout: 30_000 });
  });

  test("what a person saves while a command runs is on record, since somebody watches", async () => {
    const typed = `${files["api.ts"]}// typed by a person\n`;
    await two.run("sh slow.sh", async () => {
      tree.write("api.ts", typed);
      await page
        .locator(".event")
        .getByRole("button", { name: /api\.ts:41/ })
        .first()
        .waitFor({ timeout: 30_000 });
      tree.write("api.ts", files["api.ts"]);
    });
    const entries = tree.kedge("log", "--json", "--file", "api.ts").trim().split("\n");
    const saved = entries.map((line) => JSON.parse(line)).find(({ lines }) => lines[0]?.start === 41);
    expect(tree.kedge("show", saved.id)).toContain("+// typed by a person");
  });

  test("the keyboard opens events, goes back in time and returns", async () => {
    await page.keyboard.press("j");
    await shows(".details");
    await page.keyboard.press("Escape");
    await page.keyboard.press("[");
    await shows(".app.paused");
    await page.keyboard.press("]");
    await shows(".app:not(.paused)");
  });

  test("axe finds nothing, and nothing is wider than the page, in light and dark, wide and narrow", async () => {
    tree.git("checkout", "-q", "-b", `feature/${"long".repeat(30)}`);
    await shows('.branch[title*="longlong"]');
    for (const colorScheme of ["dark", "light"] as const)
      for (const size of [
        { width: 1400, height: 860 },
        { width: 480, height: 900 },
      ]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        expect(await faultsOf(page), `${colorScheme} ${size.width}`).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(size.width);
      }
    await page.setViewportSize({ width: 1400, height: 860 });
    await page.keyboard.press("?");
    await shows("dialog");
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
  });

  test("a code opens one page, once; another page without a key is told how to get one", async () => {
    const stranger = await watch();
    await stranger.goto(running.address);
    await stranger.waitForSelector(".locked");
    const second = await watch();
    await second.goto(await running.another());
    await second.waitForSelector(".app");
    await stranger.close();
    await second.close();
  });

  test("nothing leaves the machine, and nothing breaks", () => {
    const own = new URL(running.address).origin;
    expect(asked.filter((url) => !url.startsWith(own) && !url.startsWith("data:"))).toEqual([]);
    expect(errors).toEqual([]);
  });

  test("the page says so when the command has ended", async () => {
    await running.stop();
    await page.waitForSelector(".link.waiting", { timeout: 30_000 });
    await page.waitForSelector(".headline.cut", { timeout: 30_000 });
    expect(await text(".headline")).toMatch(/does not answer, and what you see is of \d\d:\d\d:\d\d/);
  });
});
