import { errorCode, type Io, readFile } from "./io.js";
import { type Platform, system, thisPlatform } from "./platform.js";

/** Names the holder of a lock so exactly that a process which got the same number later is not taken for it. */
export interface Holder {
  readonly host: string;
  /** Changes with every start of the machine; "" where the system does not tell cheaply. */
  readonly boot: string;
  /** The set of process numbers it lives in: containers of one machine have their own. */
  readonly space: string;
  readonly pid: number;
  /** When the process started, as the system counts; "" where it does not tell cheaply. */
  readonly start: string;
  /** Which copy of this module: threads of one process have the same number and start. */
  readonly copy: string;
}

export interface Ancestor {
  readonly pid: number;
  readonly name: string;
  readonly start: string;
  /** The program it runs, if its name does not tell: the interpreter of a script, and the script. */
  readonly runs?: readonly string[];
}

export interface Processes {
  self(): Holder;
  /** null: it cannot be told from here, only by time. */
  isAlive(holder: Holder): boolean | null;
  /** The processes above this one, nearest first, as far as the system tells. */
  ancestors(): Promise<Ancestor[]>;
}

/** Locks held here. On the global object, so that a library loaded twice does not take its own locks for leaked ones. */
interface Held {
  readonly copy: string;
  readonly tokens: Set<string>;
  /** Runs it when the process ends by itself, unless it is taken back; a failure then is nobody's concern. */
  clearAtExit(action: () => void): () => void;
}

function newHeld(): Held {
  const actions = new Set<() => void>();
  let isWatched = false;
  const runAll = (): void => {
    for (const action of actions) {
      try {
        action();
      } catch {}
    }
  };
  return {
    copy: Math.random().toString(36).slice(2),
    tokens: new Set(),
    clearAtExit(action) {
      if (!isWatched) process.once("exit", runAll);
      isWatched = true;
      actions.add(action);
      return () => actions.delete(action);
    },
  };
}

const place = Symbol.for("kedge.locks");
const shared = globalThis as { [place]?: Held };
shared[place] ??= newHeld();

export const held: Held = shared[place];

export function systemProcesses(io: Io, platform: Platform = thisPlatform): Processes {
  let known: Holder | undefined;
  const self = (): Holder => {
    known ??= describeSelf(io);
    return known;
  };
  return {
    self,
    isAlive(holder) {
      const own = self();
      const near = holder.host === own.host && holder.boot === own.boot && holder.space === own.space;
      if (!near) return null;
      if (!isRunning(holder.pid)) return false;
      if (holder.start === "") return null;
      const start = readProcess(io, holder.pid)?.start;
      if (start === undefined) return null;
      return start === holder.start;
    },
    async ancestors() {
      if (platform.name === "linux") return linuxAncestors(io);
      return platform.name === "win32" ? [] : listedAncestors();
    },
  };
}

function describeSelf(io: Io): Holder {
  return {
    host: system().hostname(),
    boot: textOf(io, "/proc/sys/kernel/random/boot_id").trim(),
    space: linkOf(io, "/proc/self/ns/pid"),
    pid: process.pid,
    start: readProcess(io, process.pid)?.start ?? "",
    copy: held.copy,
  };
}

function textOf(io: Io, path: string): string {
  try {
    return new TextDecoder().decode(readFile(io, path) ?? undefined);
  } catch {
    return "";
  }
}

function linkOf(io: Io, path: string): string {
  try {
    return io.readlink(path);
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return errorCode(error) !== "ESRCH";
  }
}

/** /proc/<pid>/stat: number (name) state parent …, the 22nd being the start; the name may hold blanks and brackets. */
function readProcess(io: Io, pid: number): (Ancestor & { readonly parent: number }) | null {
  const text = textOf(io, `/proc/${pid}/stat`);
  const end = text.lastIndexOf(")");
  if (end < 0) return null;
  const fields = text.slice(end + 2).split(" ");
  const name = text.slice(text.indexOf("(") + 1, end);
  return { pid, name, parent: Number(fields[1]), start: fields[19] ?? "" };
}

const deepest = 64;

function linuxAncestors(io: Io): Ancestor[] {
  const found: Ancestor[] = [];
  let pid = process.ppid;
  while (pid > 0 && found.length < deepest) {
    const ancestor = readProcess(io, pid);
    if (ancestor === null) break;
    found.push({ pid, name: ancestor.name, start: ancestor.start, runs: programsOf(io, pid) });
    pid = ancestor.parent;
  }
  return found;
}

/** A script is called by its own name, and one that node runs is called node. */
function programsOf(io: Io, pid: number): string[] {
  const script = textOf(io, `/proc/${pid}/cmdline`).split("\0")[1] ?? "";
  const paths = [linkOf(io, `/proc/${pid}/exe`), script.startsWith("-") ? "" : script];
  return paths.map((path) => path.split("/").at(-1) ?? "").filter((name) => name !== "");
}

// Loaded late: child_process adds a quarter to the start of a hook, and Linux never needs it.
async function listedAncestors(): Promise<Ancestor[]> {
  const { execFileSync } = await import("node:child_process");
  let table: string;
  try {
    table = execFileSync("/bin/ps", ["-axo", "pid=,ppid=,lstart=,comm="], {
      encoding: "utf8",
      timeout: 2000,
    });
  } catch {
    return [];
  }
  const rows = new Map(table.split("\n").flatMap((row) => parseRow(row)));
  const found: Ancestor[] = [];
  for (let row = rows.get(process.ppid); row && found.length < deepest; row = rows.get(row.parent)) {
    found.push({ pid: row.pid, name: row.name, start: row.start });
  }
  return found;
}

/** "  501   1 Mon Nov  2 10:00:00 2026 /bin/zsh" */
export function parseRow(row: string): [number, Ancestor & { parent: number }][] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(row);
  if (!match) return [];
  const [, pid, parent, start, command] = match;
  const name = (command ?? "").split("/").at(-1) ?? "";
  return [
    [
      Number(pid),
      { pid: Number(pid), parent: Number(parent), name, start: (start ?? "").replace(/\s+/g, " ") },
    ],
  ];
}
