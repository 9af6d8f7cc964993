/** What a call answers, as models and people may see it: names that a repository or another agent made are escaped. */
import { visibleText, withVisible } from "../core/index.js";
import type { Result } from "./result.js";

const naming = new Set(["path", "to", "from", "movedTo", "by", "agent", "id", "ids", "glob"]);
/** Rows are what stands in a file. */
const texts = new Set(["rows", "diff", "text", "content", "edits", "oldText", "newText"]);

/** The details stay as they are: programs read them. */
export function shown<T>(asked: unknown, answer: T, agent: string): T {
  if (typeof (answer as Result | null)?.text !== "string") return answer;
  const result = answer as Result;
  const names = [agent, ...namesIn(asked), ...namesIn(result.details)];
  const text = withVisible(result.text, names);
  const safe = result.isError ? withoutControls(text) : text;
  return safe === result.text ? answer : { ...answer, text: safe };
}

function* namesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (texts.has(key)) continue;
    if (typeof one !== "string") yield* namesIn(one);
    else if (naming.has(key)) yield one;
  }
}

/** A refusal's words; its rows are shown as they stand in the file. */
function withoutControls(text: string): string {
  const isRow = (line: string): boolean => /^(>>> | {4})/.test(line);
  const lines = text.split("\n");
  return lines.map((line) => (isRow(line) ? line : visibleText(line))).join("\n");
}
