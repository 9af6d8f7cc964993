/**
 * A conversation that is taken back goes on from an earlier line of its transcript, without an event: what was shown
 * after that line, the model no longer has. Lines name the one they came after.
 */

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { Event, Payload, Recalled, Sent } from "../event.js";
import { isRefusal } from "../messages.js";
import { linesIn } from "../output/file-lines.js";
import { isRecord, list, number, partsText, record, text } from "../payload.js";
import { linesSince, parsedLine, tailOf } from "./transcript-tail.js";

interface Entry {
  readonly id: string;
  readonly after: string;
  readonly isResult: boolean;
  /**
   * Names the answer that a part belongs to: results of one answer come in any order, and only the last is gone on
   * from.
   */
  readonly answer: string | null;
}

const head = /^\{"parentUuid":(?:"([^"]+)"|null),"isSidechain":/;

function entryOf(line: string): Entry[] {
  const found = head.exec(line);
  const id = /"uuid":"([^"]+)"/.exec(line)?.[1];
  if (!found || id === undefined) return [];
  const isAnswer = line.includes('"type":"assistant"');
  const answer = isAnswer ? text(record(parsedLine(line), "message"), "id") : undefined;
  const isResult = !isAnswer && line.includes('"type":"tool_result"');
  return [{ id, after: found[1] ?? beginning, answer: answer ?? null, isResult }];
}

/** The entry that the beginning of a conversation follows. */
const beginning = "";

/**
 * Lines that were left behind: those whose own way up joins the present one above its end. A way that ends at a line
 * that is missing tells nothing.
 */
class Branches {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #present = new Set<string>();
  /** Whether a way up from a line joins the present one. */
  readonly #joins = new Map<string, boolean>();

  constructor(lines: readonly string[]) {
    const entries = lines.flatMap(entryOf);
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
    let at = entries.at(-1)?.id;
    for (; at !== undefined && !this.#present.has(at); at = this.#entries.get(at)?.after)
      this.#present.add(at);
    const answers = new Set(
      entries.flatMap(({ id, answer }) => (answer !== null && this.#present.has(id) ? [answer] : [])),
    );
    for (const { id, answer } of entries) if (answer !== null && answers.has(answer)) this.#present.add(id);
  }

  /** The newest result that was left behind; null: the conversation was not taken back. */
  get left(): string | null {
    const results = [...this.#entries.values()].filter(({ isResult }) => isResult);
    return results.findLast(({ id }) => this.isLeft(id))?.id ?? null;
  }

  isLeft(id: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry || this.#present.has(id)) return false;
    const { after, isResult } = entry;
    // A result of a present answer is present, whichever result the conversation goes on from.
    if (isResult && (after === beginning || this.#present.has(after))) return false;
    return this.#isJoining(after);
  }

  #isJoining(from: string): boolean {
    const way = new Set<string>();
    let at: string | undefined = from;
    while (at !== undefined && !this.#present.has(at) && !this.#joins.has(at) && !way.has(at)) {
      way.add(at);
      at = this.#entries.get(at)?.after;
    }
    const joins = at !== undefined && (this.#present.has(at) || this.#joins.get(at) === true);
    for (const one of way) this.#joins.set(one, joins);
    return joins;
  }
}
/** Instruction files that Claude Code has loaded by itself: its event names the file and not its text. */

const largest = 1024 * 1024;
/** The model gets the beginning of its own memory. */
const longestMemory = 200;

export function loaded(payload: Payload): Event[] {
  const path = text(payload, "file_path");
  const lines = path === undefined ? null : linesOf(path);
  if (path === undefined || !lines) return [];
  const count = basename(path) === "MEMORY.md" ? longestMemory : lines.length;
  const hidden = hiddenLines(lines);
  const rows = lines
    .slice(0, count)
    .flatMap((line, at) => (hidden.has(at) ? [] : [{ line: at + 1, text: line }]));
  return rows.length > 0 ? [{ kind: "read", path, rows }] : [];
}

function linesOf(path: string): readonly string[] | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= largest ? linesIn(readFileSync(path)) : null;
  } catch {
    return null;
  }
}

/** Comments, and the head that says for which files a rule is, are not sent. */
function hiddenLines(lines: readonly string[]): ReadonlySet<number> {
  const hidden = new Set<number>();
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  for (let at = 0; at <= end; at++) hidden.add(at);
  let isComment = false;
  for (const [at, line] of lines.entries()) {
    isComment ||= line.includes("<!--");
    if (isComment) hidden.add(at);
    isComment &&= !line.includes("-->");
  }
  return hidden;
}
/** Reads what Claude Code has sent to its model: its transcript holds it, one line for each message. */

const isCompaction = (line: string): boolean => line.includes('"subtype":"compact_boundary"');

/** A name for what the conversation has left behind. */
export function leftBehind(payload: Payload): string | null {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined || text(payload, "agent_id") !== undefined) return null;
  const lines = tailOf(transcript).text.split("\n");
  const own = lines.slice(lines.findLastIndex(isCompaction) + 1);
  return new Branches(own.filter((line) => !isOfSubagent(line))).left;
}

const isOfSubagent = (line: string): boolean => line.startsWith('"isSidechain":true', line.indexOf(",") + 1);

/** A subagent has a transcript of its own; older builds write it into that of the conversation. */
export function recalled(payload: Payload, isLate: () => boolean): Recalled {
  const transcript = text(payload, "transcript_path");
  if (transcript === undefined) return { sent: [], isComplete: true };
  const subagent = text(payload, "agent_id");
  const own = subagent && transcript.replace(/(\.jsonl)$/, `/subagents/agent-${subagent}$1`);
  const alone = own ? linesSince(own, isCompaction, isLate) : null;
  const { lines, isComplete } = alone?.lines.length ? alone : linesSince(transcript, isCompaction, isLate);
  const isOwn = (line: string): boolean =>
    subagent ? line.includes(`"agentId":${JSON.stringify(subagent)}`) : !isOfSubagent(line);
  return { sent: sentIn(lines.filter(isOwn), record(payload, "tool_input")), isComplete };
}

interface Call {
  readonly tool: string;
  readonly input: Payload;
  readonly time: number;
}

export function sentIn(lines: readonly string[], input: Payload = {}): Sent[] {
  const written = writtenIn(lines);
  const path = text(input, "file_path");
  // Only a quote shows that the model knows the text.
  const isQuoting = text(input, "old_string") !== undefined || Array.isArray(input.edits);
  if (path === undefined || !isQuoting || written.some(({ of }) => of === path)) return written;
  return [...shownAgain(lines[0] ?? "", path), ...written];
}

/** The last build that was seen to show files again without writing it down. */
const lastUnwritten = [2, 1, 42] as const;

/**
 * After a compaction older builds show some files again, and write it down nowhere. But they ask their hooks about an edit
 * only if their own record has the file, and a compaction empties that: a file that nothing shows since was shown again.
 */
function shownAgain(first: string, path: string): Sent[] {
  const entry = isCompaction(first) ? parsedLine(first) : null;
  const version = /^(\d+)\.(\d+)\.(\d+)$/
    .exec(text(entry, "version") ?? "")
    ?.slice(1)
    .map(Number);
  if (!version || isLater(version, lastUnwritten)) return [];
  const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
  return [{ text: "", call: "", time, of: path, whole: true }];
}

function isLater(version: readonly number[], other: readonly number[]): boolean {
  const at = version.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (version[at] as number) > (other[at] as number);
}

function writtenIn(lines: readonly string[]): Sent[] {
  const branches = new Branches(lines);
  const calls = new Map<string, Call>();
  return lines.flatMap((line) => {
    if (!line.includes('"message":') && !line.includes('"attachment":')) return [];
    const entry = parsedLine(line);
    if (branches.isLeft(text(entry, "uuid") ?? "")) return [];
    const time = Date.parse(text(entry, "timestamp") ?? "") || 0;
    const { content } = record(entry, "message");
    if (isRecord(entry) && isRecord(entry.attachment)) return attached(entry.attachment, entry, time);
    const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
    if (text(entry, "type") === "assistant") {
      for (const block of blocks) noteCall(block, time, calls);
      return [];
    }
    return blocks.flatMap((block) => {
      // Text that a person puts into a prompt may be old.
      const said = text(block, "text");
      if (said !== undefined) return [{ text: said, call: "", time: 0 }];
      return text(block, "type") === "tool_result"
        ? resultOf(block, record(entry, "toolUseResult"), calls)
        : [];
    });
  });
}

function noteCall(block: unknown, time: number, calls: Map<string, Call>): void {
  const [id, tool] = [text(block, "id"), text(block, "name")];
  if (id !== undefined && tool !== undefined) calls.set(id, { tool, input: record(block, "input"), time });
}

const editor = /^(?:Edit|MultiEdit|Write|NotebookEdit)$|^mcp__.*kedge/;
const ownError = /^\s*<tool_use_error>/;
/** The folder where it puts output that is too long to be sent. */
const savedOutput = /[\\/]tool-results[\\/]/;

function resultOf(block: unknown, told: Payload, calls: ReadonlyMap<string, Call>): Sent[] {
  const { tool, input, time } = calls.get(text(block, "tool_use_id") ?? "") ?? {
    tool: "",
    input: {},
    time: 0,
  };
  const result = partsText(isRecord(block) ? block.content : undefined);
  const isError = isRecord(block) && block.is_error === true;
  // A text like this may repeat what the model said itself.
  if (ownError.test(result) || (isError && (editor.test(tool) || isRefusal(result)))) return [];
  // A subagent's report is indented for the model.
  const report = list(told, "content").map((part) => text(part, "text") ?? "");
  const sent = {
    text: [result, ...report].join("\n\n"),
    call: text(input, "command") ?? JSON.stringify(input),
    time,
  };
  const path = text(record(told, "file"), "filePath") ?? text(input, "file_path");
  if (tool !== "Read" || path === undefined || savedOutput.test(path)) return [sent];
  return [{ ...sent, of: path, ...(path.endsWith(".ipynb") ? { whole: true } : {}) }];
}

function attached(attachment: Payload, entry: Payload, time: number): Sent[] {
  const content = record(attachment, "content");
  const file = record(content, "file");
  const of = text(file, "filePath") ?? text(attachment, "path") ?? text(attachment, "filename");
  const shown = text(file, "content");
  if (shown !== undefined && of !== undefined)
    return [{ text: numbered(shown, number(file, "startLine") ?? 1), call: "", time, of }];
  const memory = text(content, "content") ?? text(attachment, "snippet");
  if (memory !== undefined && of !== undefined) return [{ text: memory, call: "", time, of }];
  const instructions = list(attachment, "files").flatMap((one) => {
    const [path, said] = [text(one, "path"), text(one, "content")];
    return path === undefined || said === undefined ? [] : [{ text: said, call: "", time, of: path }];
  });
  if (instructions.length > 0) return instructions;
  const rendered = list(entry, "rendered").map((one) => partsText(isRecord(one) ? one.content : undefined));
  const prompt = list(attachment, "systemPrompt").filter((one) => typeof one === "string");
  const texts = [...rendered, ...prompt].filter((one) => !isRefusal(one));
  return texts.map((one) => ({ text: one, call: "", time: 0 }));
}

function numbered(shown: string, first: number): string {
  return shown
    .split("\n")
    .map((line, at) => `${Math.max(1, first) + at}\t${line}`)
    .join("\n");
}
