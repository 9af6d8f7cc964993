// The pictures of the live view in docs/, taken by a real browser from `kedge demo --ui`. Look at them before you commit them.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { browserPackages, packagedChromium } from "./browser-packages.mjs";
import { onDemand, root } from "./shell.mjs";

const size = { width: 1360, height: 800 };
/** Until the page has drawn what the demo did last, in milliseconds. */
const settle = 2500;

const folder = onDemand("ui", browserPackages);
const require = createRequire(join(folder, "node_modules", "pictures.cjs"));
const { chromium } = require("playwright-core");

const demo = spawn(process.execPath, [join(root, "dist/bin.cjs"), "demo", "--ui", "--fast", "--no-open"]);
const address = await new Promise((done) =>
  demo.stdout.once("data", (data) => done(String(data).split("\n")[0].trim())),
);
const args = ["--no-sandbox", "--disable-gpu", "--no-zygote", "--use-gl=angle", "--use-angle=swiftshader"];
const browser = await chromium.launch({ executablePath: await packagedChromium(folder), args });
const page = await browser.newPage({ viewport: size });
await page.goto(address);
await page.waitForSelector(".banner");
await page.waitForTimeout(settle);
for (const [colorScheme, name] of [
  ["light", "view.png"],
  ["dark", "view-dark.png"],
]) {
  await page.emulateMedia({ colorScheme });
  await page.screenshot({ path: join(root, "docs", name) });
  console.log(`docs/${name}`);
}
await browser.close();
demo.kill("SIGINT");
