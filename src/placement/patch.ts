/** Patches as OpenAI's models write them: hunks found by the lines they quote, never by number. */
import type { Hunk } from "../text/index.js";

export interface PatchHunk {
  /** `@@` lines: the hunk is somewhere below them. */
  readonly headers: readonly string[];
  /** The headers as they were written, if the tool looks for them in another form. */
  readonly written?: readonly string[];
  /** Context and removed lines. */
  readonly quoted: readonly string[];
  /** Counted from the first quoted line. */
  readonly replacements: readonly Hunk<string>[];
  /** The quoted lines are the last of the file; `meant` if the patch says so but the tool takes no notice. */
  readonly atEnd: boolean | "meant";
  /** The tool ignores lines that may be quoted, because they have no sign. */
  readonly unsigned: boolean;
}

export class PatchError extends Error {
  override readonly name = "PatchError";
}

const frame = /^\*\*\* (Begin Patch|End Patch|Update File:|Add File:|Move to:)/;

const isEnd = (line: string | undefined): boolean => line?.trimEnd() === "*** End of File";

function linesOf(diff: string): string[] {
  const lines = diff.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.filter((line) => !frame.test(line));
}

/** Parses the lines of a new file. `isLenient`: lines without a sign are ignored. */
export function parseCreation(diff: string, isLenient = false): string[] {
  const lines = linesOf(diff);
  return (isLenient ? lines.filter((line) => line.startsWith("+")) : lines).map((line) => {
    if (!line.startsWith("+"))
      throw new PatchError(`every line of a new file begins with "+"; got ${quote(line)}`);
    return line.slice(1);
  });
}

/** Parses the hunks of an update. `isLenient`: as opencode does, which ignores what it does not understand. */
export function parseUpdate(diff: string, isLenient = false): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  const lines = isLenient ? understood(linesOf(diff)) : linesOf(diff);
  let at = 0;
  while (at < lines.length) {
    const written: string[] = [];
    for (; lines[at]?.startsWith("@@"); at++) {
      const header = (lines[at] as string).slice(2).replace(/^ /, "").trimEnd();
      if (header !== "") written.push(header);
    }
    const headers = isLenient ? written.map((header) => header.trimStart()) : written;
    const start = at;
    while (at < lines.length && !(lines[at] as string).startsWith("@@") && !isEnd(lines[at])) at++;
    const body = lines.slice(start, at);
    const atEnd = isEnd(lines[at]) && (isLenient ? "meant" : true);
    if (atEnd)
      do at++;
      while (lines[at] === "");
    if (body.length === 0 && isLenient) continue;
    if (body.length === 0) throw new PatchError("a hunk has no lines");
    const isTrimmed = headers.some((header, index) => header !== written[index]);
    hunks.push({ headers, ...(isTrimmed ? { written } : {}), atEnd, ...parseBody(body, isLenient) });
  }
  if (hunks.length === 0) throw new PatchError("the diff is empty");
  return hunks;
}

/** Returns the lines from the first `@@` to the first `***`. */
function understood(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const rest = first < 0 ? [] : lines.slice(first);
  const mark = rest.findIndex((line) => line.startsWith("***"));
  return mark < 0 ? rest : rest.slice(0, isEnd(rest[mark]) ? mark + 1 : mark);
}

function parseBody(
  body: readonly string[],
  isLenient: boolean,
): Omit<PatchHunk, "headers" | "written" | "atEnd"> {
  const quoted: string[] = [];
  const replacements: Hunk<string>[] = [];
  let [remove, unsigned, isOverlooked] = [0, false, false];
  let insert: string[] = [];
  const flush = (): void => {
    const end = quoted.length;
    if (remove > 0 || insert.length > 0) replacements.push({ start: end - remove, end, lines: insert });
    remove = 0;
    insert = [];
  };
  for (const line of body) {
    const text = line.slice(1);
    // Models leave the blank off an empty line of context.
    const sign = line === "" && !isLenient ? " " : line[0];
    if (isLenient && !/^[-+ ]/.test(line)) {
      isOverlooked = true;
      continue;
    }
    unsigned ||= isOverlooked;
    if (sign === "+") insert.push(text);
    else if (sign === "-") {
      // Lines added before this one stay before it, because both are in one replacement.
      quoted.push(text);
      remove++;
    } else if (sign === " ") {
      flush();
      quoted.push(text);
    } else throw new PatchError(`a line begins with " ", "-", "+" or "@@"; got ${quote(line)}`);
  }
  flush();
  return { quoted, replacements, unsigned };
}

function quote(line: string): string {
  return JSON.stringify(line.length > 80 ? `${line.slice(0, 80)}…` : line);
}
