/** Sessions as fixtures: what the agent did, without the client's own prompts and without this machine's paths. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "./place.js";
import { root } from "./root.js";

/** Lines that tell nothing of what the agent did; some of them hold the client's own words. */
const isOwn = (line: string): boolean =>
  line === "" ||
  /^\{"type":"(?:api-request|queue|atis|last-prompt|tools-used)/.test(line) ||
  /"type":"(?:world_state|token_usage_record|token_count|turn_context|task_started)"|"role":"developer"|session_context/.test(
    line,
  ) ||
  (line.includes('"attachment":') && !line.includes('"edited_text_file"'));

export function recordSession(name: string, session: string, place: Place): void {
  const lines = readFileSync(session, "utf8")
    .split("\n")
    .filter((line) => !isOwn(line));
  const kept = lines.map((line) => `${scrubbed(line, place)}\n`).join("");
  const path = join(root, "test/audit/fixtures", `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, kept);
}

function scrubbed(text: string, { project, home }: Place): string {
  const plain = text.replace(/"base_instructions":\{(?:[^"{}]|"(?:[^"\\]|\\.)*"|\{[^}]*\})*\},/, "");
  const untold = plain.replace(/"description":"Replaces text(?:[^"\\]|\\.)*"/g, '"description":""');
  return untold.replaceAll(project, "/home/user/project").replaceAll(home, "/home/user");
}
