/**
 * The cascade that common agents use when the old text is not there exactly: each step looser than the one before, the
 * first unique match wins.
 */
export function* candidates(text: string, old: string): Generator<string> {
  yield old;
  const [lines, wanted] = [text.split("\n"), old.split("\n")];
  for (const same of [trimmed, collapsed]) yield* windows(lines, wanted, same);
  yield* blocks(lines, wanted);
  yield* dedented(lines, wanted);
  yield* surrounded(lines, wanted);
}

type Same = (one: string, two: string) => boolean;

const trimmed: Same = (one, two) => one.trim() === two.trim();
const collapsed: Same = (one, two) => one.trim().replace(/\s+/g, " ") === two.trim().replace(/\s+/g, " ");

function* windows(lines: readonly string[], wanted: readonly string[], same: Same): Generator<string> {
  for (let at = 0; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, offset) => same(lines[at + offset] as string, line)))
      yield lines.slice(at, at + wanted.length).join("\n");
}

/** First and last line fit; of several such blocks the one whose middle is most alike, if it is alike at all. */
function* blocks(lines: readonly string[], wanted: readonly string[]): Generator<string> {
  if (wanted.length < 3) return;
  const [first, last] = [wanted[0] as string, wanted.at(-1) as string];
  const found: [from: number, to: number][] = [];
  for (let from = 0; from < lines.length; from++) {
    if (!trimmed(lines[from] as string, first)) continue;
    for (let to = from + 2; to < lines.length; to++) {
      if (!trimmed(lines[to] as string, last)) continue;
      found.push([from, to]);
      break;
    }
  }
  const likeness = ([from, to]: [number, number]): number => {
    const middle = Math.min(wanted.length, to - from + 1) - 2;
    let sum = 0;
    for (let at = 1; at <= middle; at++) sum += alike(lines[from + at] as string, wanted[at] as string);
    return middle > 0 ? sum / middle : 1;
  };
  const ranked = found
    .map((block) => ({ block, likeness: likeness(block) }))
    .sort((one, two) => two.likeness - one.likeness);
  const [best] = ranked;
  if (best && (ranked.length === 1 || best.likeness >= 0.3))
    yield lines.slice(best.block[0], best.block[1] + 1).join("\n");
}

function alike(one: string, two: string): number {
  const [left, right] = [one.trim(), two.trim()];
  const longest = Math.max(left.length, right.length);
  return longest === 0 ? 1 : 1 - levenshtein(left, right) / longest;
}

function levenshtein(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let left = 1; left <= one.length; left++) {
    const next = [left];
    for (let right = 1; right <= two.length; right++) {
      const changed = (row[right - 1] as number) + (one[left - 1] === two[right - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[right] as number) + 1, (next[right - 1] as number) + 1));
    }
    row = next;
  }
  return row[two.length] as number;
}

/** Matches the same block at another depth of indentation. */
function* dedented(lines: readonly string[], wanted: readonly string[]): Generator<string> {
  const plain = dedent(wanted);
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    const block = lines.slice(at, at + wanted.length);
    if (dedent(block) === plain) yield block.join("\n");
  }
}

function dedent(lines: readonly string[]): string {
  const depths = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const least = Math.min(...depths);
  return lines.map((line) => (line.trim() === "" ? line : line.slice(least))).join("\n");
}

/** First and last line fit, the length too, and at least half of what lies between. */
function* surrounded(lines: readonly string[], wanted: readonly string[]): Generator<string> {
  if (wanted.length < 3) return;
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    const block = lines.slice(at, at + wanted.length);
    if (!trimmed(block[0] as string, wanted[0] as string)) continue;
    if (!trimmed(block.at(-1) as string, wanted.at(-1) as string)) continue;
    const middle = wanted.slice(1, -1);
    const fitting = middle.filter((line, offset) => trimmed(line, block[offset + 1] as string)).length;
    if (fitting / middle.length >= 0.5) yield block.join("\n");
  }
}
