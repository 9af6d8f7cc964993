import { formatLineTag } from "../../src/anchors/scheme.js";
import type { Result } from "../../src/calls/result.js";
import type { Edit } from "../../src/edits/index.js";
import { memoryFiles, memoryStore } from "../../src/ports/index.js";
import type { EditRequest } from "../../src/session/index.js";
import { Session } from "../../src/session/session.js";
import { corpus } from "./corpus.js";
import { type Counts, middle, plus, tokens } from "./count.js";

export interface CallRow {
  readonly work: string;
  readonly way: string;
  readonly call: Counts;
  readonly answer: Counts;
}

const path = "src/ledger/file-ledger.ts";
const json = (value: unknown): Counts => tokens(JSON.stringify(value));

interface Desk {
  readonly session: Session;
  readonly lines: string[];
  /** Somebody else changes a line; numbers are 1-based. */
  disturb(line: number): void;
  anchor(line: number): string;
}

/** An agent that has read all of a file. */
async function desk(length: number): Promise<Desk> {
  const lines = corpus(length);
  const text = lines.map((line) => `${line}\n`).join("");
  const files = memoryFiles({ [path]: text });
  const session = new Session({ files, store: memoryStore(), agent: "agent", clock: () => 0 });
  for (let start = 1; start <= length; start += 1000) {
    const end = Math.min(length, start + 999);
    await session.read({ path, ranges: [{ start, end }] });
  }
  return {
    ...{ session, lines },
    anchor: (line) => formatLineTag(line, lines[line - 1] as string),
    disturb(line) {
      const now = lines.with(line - 1, `${lines[line - 1]} // reviewed`);
      files.set(path, now.map((one) => `${one}\n`).join(""));
    },
  };
}

function accepted({ text, isError }: Result<unknown>): Counts {
  if (isError) throw new Error(text);
  return tokens(text);
}

const body = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `  const value${at} = read(source, ${at});`);

/** Places spread over a file. */
const places = (length: number): number[] =>
  Array.from({ length: 39 }, (_, at) => Math.floor((length * (at + 1)) / 40));

const done = tokens(`The file ${path} has been updated.`);

interface Edited {
  readonly call: Counts;
  readonly answer: Counts;
}

async function kedge({ session, anchor }: Desk, from: number, count: number): Promise<Edited> {
  const text = body(count).join("\n");
  const edits: Edit[] = [{ op: "replace_lines", start: anchor(from), end: anchor(from + count - 1), text }];
  const answer = accepted(await session.edit({ path, edits }));
  return { call: json({ path, edits }), answer };
}

function replacement({ lines }: Desk, from: number, count: number): Edited {
  const old = lines.slice(from - 1, from - 1 + count).join("\n");
  return { call: json({ path, old_string: old, new_string: body(count).join("\n") }), answer: done };
}

function unified({ lines }: Desk, from: number, count: number): Edited {
  const context = (at: number): string[] => lines.slice(at, at + 3).map((line) => ` ${line}`);
  const old = lines.slice(from - 1, from - 1 + count).map((line) => `-${line}`);
  const fresh = body(count).map((line) => `+${line}`);
  const size = count + 6;
  const patch = [
    ...[`--- a/${path}`, `+++ b/${path}`, `@@ -${from - 3},${size} +${from - 3},${size} @@`],
    ...[...context(from - 4), ...old, ...fresh, ...context(from - 1 + count)],
  ].join("\n");
  return { call: json({ patch }), answer: done };
}

/** The same edit, ten lines by ten others and one by one, in three languages. */
export async function editRows(): Promise<CallRow[]> {
  const ways = { kedge, "string replacement": replacement, "unified diff": unified };
  const rows: CallRow[] = [];
  for (const count of [1, 10])
    for (const [way, write] of Object.entries(ways)) {
      const all: Edited[] = [];
      for (const from of places(400)) all.push(await write(await desk(400), from, count));
      const [call, answer] = [middle(all.map((one) => one.call)), middle(all.map((one) => one.answer))];
      rows.push({ work: `replace ${count} line${count > 1 ? "s" : ""}`, way, call, answer });
    }
  return rows;
}

export interface RecoveryRow {
  readonly lines: number;
  /** The refusal, the call that answers it, and its result. */
  readonly retry: Counts;
  readonly anchors: Counts;
  /** An error, a full read, and the call once more. */
  readonly reread: Counts;
}

type Once = Omit<RecoveryRow, "lines">;
const wanted = "  return value;";

async function refused(length: number, line: number) {
  const agent = await desk(length);
  agent.disturb(line);
  const edits: Edit[] = [{ op: "set_line", anchor: agent.anchor(line), text: wanted }];
  const result = await agent.session.edit({ path, edits });
  if (!result.isError) throw new Error("a changed line was overwritten");
  return { agent, text: result.text, handle: (result.details as { retry?: string }).retry };
}

/** The whole file, as `cat -n` prints it. */
const listed = (length: number): Counts =>
  tokens(
    corpus(length)
      .map((text, at) => `${String(at + 1).padStart(6)}\t${text}`)
      .join("\n"),
  );

async function recovery(length: number, line: number, listing: Counts): Promise<Once> {
  const first = await refused(length, line);
  if (!first.handle) throw new Error("no handle was offered");
  const again = { path, retry: first.handle };
  const retried = accepted(await first.agent.session.edit(again));
  const second = await refused(length, line);
  const anchor = new RegExp(`^>>> (${line}#[0-9a-f]{6})`, "m").exec(second.text)?.[1] ?? "";
  const fresh: EditRequest = { path, edits: [{ op: "set_line", anchor, text: wanted }] };
  const renewed = accepted(await second.agent.session.edit(fresh));
  const { lines } = second.agent;
  const quoted = { path, old_string: `${lines[line - 1]} // reviewed`, new_string: wanted };
  const error = tokens("String to replace not found in file.");
  return {
    retry: plus(plus(tokens(first.text), json(again)), retried),
    anchors: plus(plus(tokens(second.text), json(fresh)), renewed),
    reread: plus(plus(error, listing), plus(json(quoted), done)),
  };
}

/** One line of the file was changed by somebody else, and the agent's edit is about that line. */
export async function recoveryRows(): Promise<RecoveryRow[]> {
  const rows: RecoveryRow[] = [];
  for (const length of [100, 1000, 10_000]) {
    const all: Once[] = [];
    const listing = listed(length);
    for (const line of places(length)) all.push(await recovery(length, line, listing));
    rows.push({
      lines: length,
      retry: middle(all.map(({ retry }) => retry)),
      anchors: middle(all.map(({ anchors }) => anchors)),
      reread: middle(all.map(({ reread }) => reread)),
    });
  }
  return rows;
}
