/**
 * A conversation that is taken back goes on from an earlier line of its transcript, without an event: what was shown
 * after that line, the model no longer has. Lines name the one they came after.
 */
import { isRecord, record, text } from "../fields.js";
import { parsedLine } from "../tail.js";

interface Entry {
  readonly line: string;
  readonly id: string;
  readonly after: string | null;
  readonly isResult: boolean;
  /** Of a part of an answer, which one: results of one answer come in any order, and only the last is gone on from. */
  readonly answer: string | null;
}

export interface Branch {
  /** Results of calls that the model has, oldest first. */
  readonly results: readonly string[];
  /** Which result it had last of those it no longer has; null: it was not taken back. */
  readonly left: string | null;
}

const head = /^\{"parentUuid":(?:"([^"]+)"|null),"isSidechain":false/;

function entryOf(line: string): Entry[] {
  const found = head.exec(line);
  const id = /"uuid":"([^"]+)"/.exec(line)?.[1];
  if (!found || id === undefined) return [];
  const isAnswer = line.includes('"type":"assistant"');
  const answer = isAnswer ? text(record(parsedLine(line), "message"), "id") : undefined;
  return [
    {
      ...{ line, id, after: found[1] ?? null, answer: answer ?? null },
      isResult: !isAnswer && line.includes('"type":"tool_result"'),
    },
  ];
}

/** The way from the newest line back to the first. */
function wayOf(entries: readonly Entry[]): ReadonlySet<string> {
  const before = new Map(entries.map(({ id, after }) => [id, after]));
  const way = new Set<string>();
  for (let at = entries.at(-1)?.id ?? null; at !== null && !way.has(at); at = before.get(at) ?? null)
    way.add(at);
  const answers = new Set(
    entries.flatMap(({ id, answer }) => (answer !== null && way.has(id) ? [answer] : [])),
  );
  return new Set([
    ...way,
    ...entries.flatMap(({ id, answer }) => (answer && answers.has(answer) ? [id] : [])),
  ]);
}

/** Lines since the last compaction. */
export function branchOf(lines: readonly string[]): Branch {
  const entries = lines.flatMap(entryOf);
  const way = wayOf(entries);
  const results = entries.filter(({ isResult }) => isResult);
  const has = ({ after }: Entry): boolean => after === null || way.has(after);
  return {
    results: results.filter(has).map(({ line }) => line),
    left: results.findLast((one) => !has(one))?.id ?? null,
  };
}

/** What a Read showed, as the model got it. */
export function readIn(line: string): { readonly path: string; readonly result: string } | null {
  const entry = parsedLine(line);
  const path = text(record(record(entry, "toolUseResult"), "file"), "filePath");
  const content = record(entry, "message").content;
  const [block] = Array.isArray(content) ? content : [];
  const shown = isRecord(block) ? block.content : undefined;
  const parts = Array.isArray(shown) ? shown.map((part) => text(part, "text") ?? "") : [shown];
  const result = parts.every((part) => typeof part === "string") ? parts.join("\n") : undefined;
  return path === undefined || result === undefined ? null : { path, result };
}
