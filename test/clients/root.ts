import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder above that has the project's settings: a bench that is bundled lies elsewhere. */
function rootAbove(folder: string): string {
  return existsSync(join(folder, "biome.json")) ? folder : rootAbove(dirname(folder));
}

/** The project's root folder. */
export const root = rootAbove(dirname(fileURLToPath(import.meta.url)));
