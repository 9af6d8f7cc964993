import { computeLineHash } from "../anchors/index.js";
import { type Door, nextStep, type RefusalDetails } from "../answers/index.js";
import type { Result } from "../calls/index.js";

/** Takes note of a row that was printed, under the number it was printed with. */
type Remember = (line: number, anchor: string) => void;

const row = /^(>>> | {4})?(\d+)(#[0-9a-f]{6})\|(.*)$/s;
const anchorsOnly = /^(\d+#[0-9a-f]{6}( \d+#[0-9a-f]{6})*|\[anchors of .*\])$/;

/**
 * A session's answer in the words of tools that know line numbers and quoted text, but no anchors. Every row of it is
 * kept: what the ledger counts as shown has to be shown.
 */
export function withoutAnchors(result: Result, door: Door, remember: Remember = () => {}): Result {
  const steps = stepsOf(result, door);
  const lines = result.text.split("\n").flatMap((line) => {
    const found = row.exec(line);
    if (!found) return anchorsOnly.test(line) ? [] : [steps.has(line) ? quoteAgain : reworded(line)];
    const [, mark = "", number, hash, text = ""] = found;
    if (`#${computeLineHash(text)}` === hash) remember(Number(number), `${number}${hash}`);
    return [`${mark}${number}\t${text}`];
  });
  return { ...result, text: lines.join("\n") };
}

/** The next step of a refusal whose rows have no anchors. */
export const quoteAgain = "Decide again with the text as it is now, and quote that.";

/** The next steps a refusal may end with, as far as they speak of anchors. */
function stepsOf({ details }: Result, door: Door): ReadonlySet<string | null> {
  const refusal = details as RefusalDetails;
  if (refusal.status !== "refused") return new Set();
  const steps = [0, 1].map((rows) => nextStep(refusal, rows, door));
  return new Set(steps.filter((step) => step !== null && /anchors/.test(step)));
}

function reworded(line: string): string {
  return line
    .replace(/; keep using the anchors you were shown$/, "")
    .replace(/\. Use the updated LINE#ID references shown below \((.*)\)\.$/, "; the text as it is now ($1):")
    .replace(/; quote more of it, give anchor, or set all$/, "; quote more of it")
    .replace(/^(\d+)#[0-9a-f]{6} (was|is) /, "line $1 $2 ");
}
