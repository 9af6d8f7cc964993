// A process of its own for the tests that need several, or one that dies. The task is the argument, as JSON.
import { appendFileSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Io, nodeIo, thisPlatform } from "../../src/host/index.js";
import { agentIdentity, type NodeFiles, nodeFiles, nodeStore } from "../../src/node.js";
import { PortError, type Write } from "../../src/ports/files.js";
import { Session } from "../../src/session/session.js";
import { Document } from "../../src/text/document.js";
import { faultyIo } from "../support/faulty.js";

export type Task =
  | { kind: "commit"; root: string; state: string; changes: Record<string, string | null>; killAt: number }
  | { kind: "try"; root: string; state: string; changes: Record<string, string | null>; brief?: boolean }
  | { kind: "respell"; root: string; state: string; from: string; to: string; after: string; killAt: number }
  | { kind: "ledger"; root: string; state: string; count: number; name: string }
  | { kind: "crowd"; root: string; state: string; anchors: Readonly<Record<string, readonly string[]>> }
  | { kind: "forget"; root: string; state: string; milliseconds: number }
  | { kind: "who" }
  | {
      kind: "edit";
      root: string;
      state: string;
      paths: readonly string[];
      count: number;
      name: string;
      brief?: boolean;
      /** The change to the disk before which it is killed; 0: none. */
      killAt?: number;
    }
  | { kind: "stall"; root: string; state: string; changes: Record<string, string>; until: string }
  | {
      kind: "foreign";
      root: string;
      path: string;
      milliseconds: number;
      everyMilliseconds: number;
      name: string;
    };

/** What came of a commit. */
export interface Tried {
  readonly done: boolean | null;
  /** "code: message" of the error. */
  readonly error: string | null;
  readonly reports: readonly string[];
}

export interface Edited {
  /** Milliseconds from the first to the last edit. */
  readonly took: number;
  /** Milliseconds of each edit. */
  readonly each: number[];
  /** Edits that had to start over because somebody who does not lock was faster. */
  readonly again: number;
  readonly busy: number;
}

const task = JSON.parse(process.argv[2] ?? "null") as Task;
if (task.kind === "commit") await commitAndDie(task);
else if (task.kind === "respell") await respell(task);
else if (task.kind === "ledger") process.stdout.write(JSON.stringify(await keepBooks(task)));
else if (task.kind === "crowd") process.stdout.write(JSON.stringify(await editByTurns(task)));
else if (task.kind === "forget") process.stdout.write(String(await forgetAll(task)));
else if (task.kind === "stall") process.stdout.write(JSON.stringify(await stall(task)));
else if (task.kind === "who") process.stdout.write(`${(await agentIdentity({ env: process.env })).id}\n`);
else if (task.kind === "try") process.stdout.write(JSON.stringify(await attempt(task)));
else if (task.kind === "edit") process.stdout.write(JSON.stringify(await edit(task)));
else process.stdout.write(JSON.stringify(writeBlindly(task)));

/** Opening counts if it makes the file: flags, the second argument, say so. */
function changes(call: string, args: readonly unknown[]): boolean {
  if (call.startsWith("open ")) return (Number(args[1]) & constants.O_CREAT) !== 0;
  return /^(write|truncate|mkdir|rmdir|rename|link|unlink) /.test(call);
}

/** SIGKILL instead of the n-th call that changes something; prints how many there are if it lives. */
async function commitAndDie({
  root,
  state,
  changes: wanted,
  killAt,
}: Task & { kind: "commit" }): Promise<void> {
  const { io, calls } = mortalIo(killAt);
  await commitAll(nodeFiles({ roots: [root], state, io }), wanted);
  process.stdout.write(String(calls.length));
}

/** Where names do not differ by case, the same name in another. */
async function respell(given: Task & { kind: "respell" }): Promise<void> {
  const { io, calls } = mortalIo(given.killAt);
  const platform = { ...thisPlatform, ignoresCase: true };
  const files = nodeFiles({ roots: [given.root], state: given.state, io, platform });
  const [old, fresh] = [await files.identify(given.from), await files.identify(given.to)];
  await files.hold([old, fresh], async (held) =>
    held.commit([
      { file: old, before: await held.read(old), after: null },
      { file: fresh, before: null, after: new TextEncoder().encode(given.after), from: old },
    ]),
  );
  process.stdout.write(String(calls.length));
}

export interface Books {
  readonly applied: readonly string[];
  readonly refused: readonly string[];
  /** What was said of those that were written and not recorded. */
  readonly unrecorded: readonly string[];
}

/** Edits by a session whose ledger is on disk, each after a look at the file. */
async function keepBooks({ root, state, count, name }: Task & { kind: "ledger" }): Promise<Books> {
  const files = nodeFiles({ roots: [root], state, limits: { wait: 60_000 } });
  const store = nodeStore({ state, workspace: { key: root } });
  const session = new Session({ files, store, agent: name, clock: Date.now });
  const applied: string[] = [];
  const refused: string[] = [];
  const unrecorded: string[] = [];
  for (let number = 0; number < count; number++) {
    const line = `${name} ${number}`;
    await session.read({ path: "a.txt" });
    const { isError, text } = await session.edit({ path: "a.txt", edits: [{ op: "append", text: line }] });
    if (isError) refused.push(text);
    else applied.push(line);
    if (!isError) unrecorded.push(...text.split("\n").filter((told) => told.startsWith("! ")));
  }
  return { applied, refused, unrecorded };
}

/** Several agents by turns: each replaces the lines of its anchors, one with each call. Returns what was refused. */
async function editByTurns({ root, state, anchors }: Task & { kind: "crowd" }): Promise<readonly string[]> {
  const files = nodeFiles({ roots: [root], state, limits: { wait: 300_000 } });
  const store = nodeStore({ state, workspace: { key: root } });
  const sessions = Object.entries(anchors).map(
    ([agent, own]) => [new Session({ files, store, agent, clock: Date.now }), own] as const,
  );
  const refused: string[] = [];
  const turns = Math.max(...sessions.map(([, own]) => own.length));
  for (let turn = 0; turn < turns; turn++)
    for (const [session, own] of sessions) {
      const [anchor = "", text] = [own[turn], `${session.agent} ${turn}`];
      const done = await session.edit({ path: "a.txt", edits: [{ op: "set_line", anchor, text }] });
      if (done.isError) refused.push(done.text);
    }
  return refused;
}

async function forgetAll({ root, state, milliseconds }: Task & { kind: "forget" }): Promise<number> {
  const bounds = { age: 1, size: 1 };
  const store = nodeStore({ state, workspace: { key: root }, bounds });
  const end = performance.now() + milliseconds;
  let times = 0;
  for (; performance.now() < end; times++) {
    await (times % 2 === 0 ? store.purge() : store.prune());
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  return times;
}

function mortalIo(killAt: number): ReturnType<typeof faultyIo> {
  let steps = 0;
  const only = (call: string, args: readonly unknown[]): boolean => {
    if (!changes(call, args)) return false;
    steps += 1;
    if (steps === killAt) process.kill(process.pid, "SIGKILL");
    return true;
  };
  return faultyIo({ at: 0, error: "", forGood: false, only });
}

/** A lock is made, and the process stands still before it says whose it is, until a file is there. */
function stall({ root, state, changes: wanted, until }: Task & { kind: "stall" }): Promise<Tried> {
  const { write } = nodeIo;
  let isFirst = true;
  const io: Io = {
    ...nodeIo,
    write(fd, bytes, position) {
      if (isFirst) {
        isFirst = false;
        process.stderr.write("standing still\n");
        const nothing = new Int32Array(new SharedArrayBuffer(4));
        while (!existsSync(until)) Atomics.wait(nothing, 0, 0, 10);
      }
      return write(fd, bytes, position);
    },
  };
  return attempted(nodeFiles({ roots: [root], state, io, brief: true, limits: { wait: 5000 } }), wanted, []);
}

async function commitAll(files: NodeFiles, wanted: Record<string, string | null>): Promise<boolean> {
  const ids = await Promise.all(Object.keys(wanted).map((path) => files.identify(path)));
  return files.hold(ids, async (held) => {
    const writes: Write[] = [];
    for (const file of ids) {
      const after = wanted[file.path];
      writes.push({
        file,
        before: await held.read(file),
        after: typeof after === "string" ? new TextEncoder().encode(after) : null,
      });
    }
    return held.commit(writes);
  });
}

async function attempt({
  root,
  state,
  changes: wanted,
  brief = false,
}: Task & { kind: "try" }): Promise<Tried> {
  const reports: string[] = [];
  const files = nodeFiles({
    ...{ roots: [root], state, brief, limits: { wait: 300 } },
    report: (line) => void reports.push(line),
  });
  return attempted(files, wanted, reports);
}

async function attempted(
  files: NodeFiles,
  wanted: Record<string, string | null>,
  reports: readonly string[],
): Promise<Tried> {
  try {
    return { done: await commitAll(files, wanted), error: null, reports };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { done: null, error: `${error.code}: ${error.message}`, reports };
  }
}

/** Inserts a line of its own at a place that depends on what stands there, again and again. */
async function edit(given: Task & { kind: "edit" }): Promise<Edited> {
  const { root, state, paths, count, name, brief = false, killAt = 0 } = given;
  const { io } = killAt ? mortalIo(killAt) : { io: nodeIo };
  const files = nodeFiles({ roots: [root], state, io, brief, limits: { wait: 60_000 } });
  const tally = { again: 0, busy: 0 };
  const each: number[] = [];
  const started = performance.now();
  for (let number = 0; number < count; number++) {
    const from = performance.now();
    await insert(files, paths[number % paths.length] ?? "", { line: `${name} ${number}`, tally });
    each.push(performance.now() - from);
  }
  return { took: performance.now() - started, each, ...tally };
}

async function insert(
  files: NodeFiles,
  path: string,
  { line, tally }: { line: string; tally: { again: number; busy: number } },
): Promise<void> {
  const file = await files.identify(path);
  for (;;) {
    const done = await files
      .hold([file], async (held) => {
        const before = await held.read(file);
        const document = Document.parse(before ?? new Uint8Array(0));
        // An agent's edit names lines. In a file that somebody else has just emptied they are gone: not now, then.
        if (!document.lines().includes("last")) return false;
        const at = Math.floor(document.lineCount / 2);
        const edited = document.splice([{ start: at, end: at, lines: [line] }]);
        if ("unencodable" in edited) throw new Error("unencodable");
        return held.commit([{ file, before, after: edited.toBytes() }]);
      })
      .catch((error: unknown) => {
        if (!(error instanceof PortError) || error.code !== "busy") throw error;
        tally.busy += 1;
        return false;
      });
    if (done) return;
    tally.again += 1;
  }
}

/** Somebody who never heard of locks: reads, adds a line, writes the whole, as editors and formatters do. */
function writeBlindly(foreign: Task & { kind: "foreign" }): string[] {
  const path = `${foreign.root}/${foreign.path}`;
  const written: string[] = [];
  const end = performance.now() + foreign.milliseconds;
  while (performance.now() < end) {
    const line = `${foreign.name} ${written.length}`;
    if (foreign.name.startsWith("append")) appendFileSync(path, `${line}\n`);
    else writeFileSync(path, `${readFileSync(path, "utf8")}${line}\n`);
    written.push(line);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, foreign.everyMilliseconds);
  }
  return written;
}
