/** One agent, a process of its own: it reads, thinks, edits, and adds a mark of its own to what it saw there. */

import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Edit } from "../../src/edits/index.js";
import { nodeFiles, nodeStore } from "../../src/node.js";
import { isUnique, type Quote, quotes } from "../../src/replay/mechanisms/quotes.js";
import type { EditRequest } from "../../src/session/index.js";
import { Session } from "../../src/session/session.js";

export type Way = "kedge" | "string replacement" | "full re-read";

export interface Task {
  readonly way: Way;
  readonly name: string;
  readonly root: string;
  readonly state: string;
  readonly files: readonly string[];
  readonly edits: number;
}

export interface Report {
  /** Marks of accepted edits. */
  readonly marks: string[];
  readonly relocated: number;
  readonly refused: number;
  readonly givenUp: number;
  /** All that went to and from the model. */
  readonly spoken: string[];
  /** Milliseconds of processor time, from when all began. */
  readonly processor: number;
}

interface Work {
  readonly path: string;
  readonly line: number;
  readonly mark: string;
  readonly inserts: boolean;
}

type Tally = { -readonly [Key in keyof Report]: Report[Key] };

const span = 40;
const tries = 6;

function randomOf(name: string): (below: number) => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An agent that edits with the line in view keeps the marks of others: a mark that is missing in the end was lost. */
const marked = (text: string, mark: string): string => `${text} ${mark}`;

class KedgeAgent {
  private readonly session: Session;

  constructor(
    { root, state, name }: Task,
    private readonly tally: Tally,
  ) {
    const files = nodeFiles({ roots: [root], state, limits: { wait: 60_000 } });
    const store = nodeStore({ state, workspace: { key: root }, brief: true });
    this.session = new Session({ files, store, agent: name, clock: Date.now });
  }

  async read({ path, line }: Work): Promise<Map<number, { anchor: string; text: string }>> {
    const ranges = [{ start: Math.max(1, line - span / 2), end: line + span / 2 }];
    const { text } = await this.session.read({ path, ranges });
    this.tally.spoken.push(JSON.stringify({ path, ranges }), text);
    return rowsOf(text);
  }

  async work(work: Work, think: () => Promise<void>): Promise<boolean> {
    let rows = await this.read(work);
    for (let turn = 0; turn < tries; turn++) {
      await think();
      const seen = rows.get(work.line) ?? [...rows.values()][0];
      if (!seen) return false;
      const edit: Edit = work.inserts
        ? { op: "insert_after", anchor: seen.anchor, text: `// ${work.mark}` }
        : { op: "set_line", anchor: seen.anchor, text: marked(seen.text, work.mark) };
      const request: EditRequest = { path: work.path, edits: [edit] };
      const result = await this.session.edit(request);
      this.tally.spoken.push(JSON.stringify(request), result.text);
      if (!result.isError) {
        if (result.text.includes("relocated")) this.tally.relocated++;
        return true;
      }
      this.tally.refused++;
      // A refusal shows the lines as they are now: nothing has to be read again.
      const shown = rowsOf(result.text, true);
      rows = shown.size > 0 ? shown : await this.read(work);
      const [first] = shown.keys();
      if (first !== undefined) work = { ...work, line: first };
    }
    return false;
  }
}

function rowsOf(text: string, changedOnly = false): Map<number, { anchor: string; text: string }> {
  const pattern = changedOnly ? /^>>> (\d+)(#\w+)\|(.*)$/gm : /^(?:>>> | {4})?(\d+)(#\w+)\|(.*)$/gm;
  return new Map(
    [...text.matchAll(pattern)].map(([, line, hash, content]) => [
      Number(line),
      { anchor: `${line}${hash}`, text: content as string },
    ]),
  );
}

/** As common tools do it: read the file, find the old text once, write the file. The agent quotes as much as is unique. */
class StringAgent {
  constructor(
    private readonly task: Task,
    private readonly tally: Tally,
  ) {}

  private async read({ path, line }: Work): Promise<string[]> {
    const lines = (await readFile(join(this.task.root, path), "utf8")).split("\n").slice(0, -1);
    const [from, to] =
      this.task.way === "full re-read"
        ? [0, lines.length]
        : [Math.max(0, line - span / 2 - 1), line + span / 2];
    const shown = lines.slice(from, to).map((text, at) => `${String(from + at + 1).padStart(6)}\t${text}`);
    this.tally.spoken.push(JSON.stringify({ path, offset: from + 1, limit: to - from }), shown.join("\n"));
    return lines;
  }

  async work(work: Work, think: () => Promise<void>): Promise<boolean> {
    for (let turn = 0; turn < tries; turn++) {
      const lines = await this.read(work);
      await think();
      const at = Math.min(work.line, lines.length) - 1;
      const seen = lines[at] as string;
      const fresh = work.inserts ? [seen, `// ${work.mark}`] : [marked(seen, work.mark)];
      const [quote] = quotes(lines.map((text) => `${text}\n`).join(""), [
        { start: at, count: 1, lines: fresh },
      ]);
      const { old, fresh: replacement } = quote as Quote;
      const request = { path: work.path, old_string: old, new_string: replacement };
      const path = join(this.task.root, work.path);
      const now = await readFile(path, "utf8");
      const isThere = isUnique(now, old);
      if (isThere)
        await writeFile(
          path,
          now.replace(old, () => replacement),
        );
      const answer = isThere
        ? `The file ${work.path} has been updated.`
        : "String to replace not found in file.";
      this.tally.spoken.push(JSON.stringify(request), answer);
      if (isThere) return true;
      this.tally.refused++;
    }
    return false;
  }
}

export async function runWorker(task: Task): Promise<void> {
  const tally: Tally = { marks: [], relocated: 0, refused: 0, givenUp: 0, spoken: [], processor: 0 };
  const agent = task.way === "kedge" ? new KedgeAgent(task, tally) : new StringAgent(task, tally);
  const random = randomOf(task.name);
  process.stdout.write("ready\n");
  // All begin together, when the last one has started.
  await once(process.stdin.resume(), "end");
  const before = process.cpuUsage();
  for (let number = 0; number < task.edits; number++) {
    const mark = `${task.name}.${number}`;
    // Most work is in one hot part of each file, as it is when several agents are on one task.
    const line = 1 + (random(10) < 7 ? 100 + random(60) : random(280));
    const path = task.files[random(task.files.length)] as string;
    const done = await agent.work({ path, line, mark, inserts: random(10) < 3 }, () =>
      sleep(20 + random(60)),
    );
    if (done) tally.marks.push(mark);
    else tally.givenUp++;
  }
  const { user, system } = process.cpuUsage(before);
  tally.processor = (user + system) / 1000;
  process.stdout.write(JSON.stringify(tally));
}
