/** The guard with files, ledger and notes in memory: what it would have done, without a disk, a clock or git. */
import { dirname, extname } from "node:path";
import type { Consideration, ForeignWrite } from "../../foreign/index.js";
import {
  type Adapter,
  type Answer,
  answer,
  type Event,
  type GuardContext,
  type Recalled,
} from "../../guard/index.js";
import type { LostCause, LostEdit } from "../../lost/index.js";
import { type Commits, type Committed, type Json, memoryFiles, memoryStore } from "../../ports/index.js";
import { Session } from "../../session/index.js";
import { utf8 } from "../../text/index.js";
import { isSame, type Text } from "./timeline.js";

/** The guard's decision on a write, and the edits that it found to be lost. */
export interface Findings {
  considered: Awaited<ReturnType<Session["preview"]>> | Consideration | null;
  lost: readonly LostEdit[];
}

/** A session that tells what it found: the guard makes words of it. */
class ToldSession extends Session {
  readonly findings: Findings = { considered: null, lost: [] };

  override async consider(write: ForeignWrite): Promise<Consideration> {
    const found = await super.consider(write);
    this.findings.considered = found;
    return found;
  }

  override async preview(write: ForeignWrite): ReturnType<Session["preview"]> {
    const found = await super.preview(write);
    this.findings.considered = found;
    return found;
  }

  /** No file has changed by somebody else: no edit has got lost. */
  isUntouched = false;

  override async lostBy(cause: LostCause): Promise<readonly LostEdit[]> {
    if (this.isUntouched) return [];
    const found = await super.lostBy(cause);
    this.findings.lost = found;
    return found;
  }
}

/** The agent that asks, where, when, and what the model has been sent. */
interface Asking {
  readonly agent: string;
  readonly cwd: string;
  readonly time: number;
  recall(): Recalled;
}

interface TextNow {
  readonly text: string;
  lines?: readonly string[];
  readonly changed: number;
}

interface Encoded {
  readonly text: string;
  readonly bytes: Uint8Array;
}

const latelyKept = 4;

/** The surroundings that all events of an agent have in common. */
type Lasting = Omit<GuardContext, "cwd" | "root" | "recall" | "room">;

const nothingSent: Recalled = { sent: [], isComplete: true };

export class GuardInMemory {
  /** Bytes that were put are never written to. */
  private readonly files = Object.assign(memoryFiles(), { isLasting: true });
  private readonly store = Object.assign(memoryStore({ keptBytes: mostKept, isLasting: true }), {
    notes: new NotesInMemory(),
    tidy() {},
  });
  private readonly sessions = new Map<string, ToldSession>();
  private readonly texts = new Map<string, TextNow>();
  /** Texts that each file had lately, as bytes: what comes back is not read anew. */
  private readonly lately = new Map<string, Encoded[]>();
  private readonly lasting = new Map<ToldSession, Lasting>();
  private readonly committed = new Map<string, Committed[]>();
  private now = 0;

  constructor(private readonly adapter: Adapter) {}

  /** Sets the clock; it never goes back. */
  tick(time: number): void {
    this.now = Math.max(this.now + 1, time);
  }

  put(path: string, text: Text): void {
    const known = this.texts.get(path);
    if (text === undefined || (known && isSame(known.text, text))) return;
    if (text === null) {
      this.texts.delete(path);
      this.files.files.delete(keyOf(path));
      return;
    }
    this.texts.set(path, { text, changed: this.now });
    this.files.files.set(keyOf(path), this.bytesOf(path, text));
  }

  private bytesOf(path: string, text: string): Uint8Array {
    const known = this.lately.get(path) ?? [];
    const found = known.find((one) => one.text === text) ?? { text, bytes: utf8(text) };
    this.lately.set(path, [found, ...known.filter((one) => one !== found)].slice(0, latelyKept));
    return found.bytes;
  }

  /** Somebody else has changed a file: agents that have seen it are told with their next event. */
  notice(path: string): void {
    for (const agent of this.sessions.keys()) this.store.notes.add("news", agent, path);
  }

  text(path: string): Text {
    return this.texts.get(path)?.text ?? null;
  }

  /** The agent knows every line of the file as it is now: being shown them again would tell it nothing. */
  async isKnown(path: string, agent: string): Promise<boolean> {
    const all = { path, tool: "Write", change: { kind: "whole", content: null } } as const;
    return this.texts.has(path) && (await this.sessionOf(agent).glance(all)) === "allowed";
  }

  /** The file stood at another path before; what the agent knows of it goes along. */
  async follow(from: string, to: string, agent: string): Promise<void> {
    if (!this.texts.has(to)) return;
    this.put(from, null);
    await this.sessionOf(agent).follow(from, to);
  }

  /** All that is there now is in a commit. */
  commit(): void {
    for (const [path, { text }] of this.texts)
      this.committed.set(path, [{ time: this.now, bytes: utf8(text) }]);
  }

  /** `isUntouched`: nobody else has changed a file since the last event. */
  async answer(event: Event, asking: Asking, isUntouched = false): Promise<Answer & Findings> {
    const session = this.sessionOf(asking.agent);
    session.isUntouched = isUntouched;
    Object.assign(session.findings, { considered: null, lost: [] });
    const said = await answer(event, this.context(session, asking));
    return { ...said, ...session.findings };
  }

  private sessionOf(agent: string): ToldSession {
    const known = this.sessions.get(agent);
    if (known) return known;
    const { files, store, adapter } = this;
    const session = new ToldSession({
      ...{ files, store, agent, clock: () => this.now, door: adapter.door, numbered: true },
    });
    this.sessions.set(agent, session);
    return session;
  }

  /** The surroundings of one event: what is the same for all events of an agent is made once. */
  private context(session: ToldSession, asking: Asking): GuardContext {
    const { adapter } = this;
    const { cwd } = asking;
    const known = this.lasting.get(session) ?? this.surroundings(session);
    this.lasting.set(session, known);
    const recall = () => (adapter.recall ? asking.recall() : nothingSent);
    return { ...known, cwd, root: cwd, recall, room: { left: adapter.room } };
  }

  private surroundings(session: ToldSession): Lasting {
    const { files, store, adapter, committed, disk } = this;
    const { door, names, rewrites, tellsBefore, parallel } = adapter;
    const commits: Commits = {
      of: async (file, since) =>
        (committed.get(file.path) ?? committed.get(`/${file.key}`) ?? []).filter((one) => one.time >= since),
      presentPath: async () => null,
    };
    return {
      ...{
        session,
        files,
        store,
        agent: session.agent,
        door,
        rewrites,
        tellsBefore,
        parallel,
        commits,
        disk,
      },
      ...{ troubles: [], asides: [], ...(names ? { names } : {}) },
      clock: () => this.now,
      sessionFor: () => session,
      failsClosed: () => false,
      log: () => {},
    };
  }

  private readonly disk: GuardContext["disk"] = {
    isFile: (path) => this.texts.has(path),
    lines: (path) => {
      const known = this.texts.get(path);
      if (!known) return null;
      known.lines ??= linesIn(known.text);
      return known.lines;
    },
    changed: (path) => this.texts.get(path)?.changed ?? 0,
    // The paths are those of another time, and maybe of another machine: this one's disk is not asked.
    leadsTo: (path) => path,
    filesIn: (folder, ending) =>
      [...this.texts.keys()]
        .filter((path) => extname(path) === ending && dirname(path) === folder)
        .slice(0, 60),
  };
}

function linesIn(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const keyOf = (path: string): string =>
  path
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");

/** Texts of older versions that are kept, in bytes. */
const mostKept = 48 * 1024 * 1024;

class NotesInMemory {
  private readonly lists = new Map<string, Json[]>();

  add(kind: string, name: string, note: Json): void {
    const key = `${kind} ${name}`;
    const all = this.lists.get(key);
    if (all) all.push(note);
    else this.lists.set(key, [note]);
  }

  all(kind: string, name: string): Json[] {
    return [...(this.lists.get(`${kind} ${name}`) ?? [])];
  }

  take(kind: string, name: string): Json[] {
    const found = this.lists.get(`${kind} ${name}`) ?? [];
    this.lists.delete(`${kind} ${name}`);
    return found;
  }

  others(): number {
    return 0;
  }
}
