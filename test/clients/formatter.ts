import { join } from "node:path";
import type { Place } from "./place.js";

/** A formatter as a program: in the TypeScript files where it is run, declarations get the semicolon they lack. */
const source = `
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
for (const path of readdirSync(".").filter((name) => name.endsWith(".ts"))) {
  const text = readFileSync(path, "utf8");
  const formatted = text.replace(/^( *const .*[^;{(])$/gm, "$1;");
  if (formatted !== text) writeFileSync(path, formatted);
}
`;

/** Puts it where no client looks, and gives its path. */
export function putFormatter(place: Place): string {
  place.putHome("formatter.cjs", source);
  return join(place.home, "formatter.cjs");
}
