import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Where the clients keep their conversations, below the home folder. */
const kept = /^\.(?:claude\/projects|codex\/sessions|gemini\/tmp|pi\/agent\/sessions)\/.*\.jsonl$/;

export function sessionFiles(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  return names.filter((name) => kept.test(name)).map((name) => join(home, name));
}
