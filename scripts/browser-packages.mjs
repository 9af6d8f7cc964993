// Fetched when a browser is first asked for: its driver, Chromium itself (Linux on x64), and the check of accessibility.
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const browserPackages = ["playwright-core@1.65.1", "@sparticuz/chromium@147.0.0", "axe-core@4.14.0"];

/**
 * Unpacks Chromium beside the packages, once, and returns its program. The package unpacks into the folder for scratch files
 * and takes whatever stands there, also what another test is still writing: so each unpacks for itself, and renames.
 */
export async function packagedChromium(folder) {
  const home = join(folder, "chromium");
  const program = join(home, "chromium");
  if (existsSync(program)) return program;
  const own = mkdtempSync(`${home}.`);
  const require = createRequire(join(folder, "node_modules", "any.cjs"));
  const { default: chromium } = await import(pathToFileURL(require.resolve("@sparticuz/chromium")).href);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  // The folder is read before the first wait.
  const unpacked = chromium.executablePath();
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await unpacked;
  try {
    renameSync(own, home);
  } catch {
    // Another test was first.
    rmSync(own, { recursive: true, force: true });
  }
  return program;
}
