/** Lines that a client's own tool for reading cuts: some other call has to show them. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Door } from "../answers/index.js";
import { gitCommits } from "../git/index.js";
import { appendLog, StateError, stateFolder, type Workspace } from "../host/index.js";
import { type Commits, type Files, type Json, type LedgerStore, PortError } from "../ports/index.js";
import { Session } from "../session/index.js";
import { type NodeStore, nodeStore } from "../store/index.js";
import type { Range } from "../text/index.js";
import { openTree, type Tree } from "../tree/index.js";
import { failsClosed, isWithin, loadConfig, openFiles, openStore, workspaceFor } from "../workspace/index.js";
import { type DiskView, nodeDisk } from "./disk-view.js";
import type { Adapter, Caller, Environment, QuoteNames, Recalled } from "./event.js";
import * as words from "./messages.js";
import { sedCommand } from "./payload.js";

interface LongLine {
  readonly line: number;
  /** In bytes. */
  readonly size: number;
}

/** The client's door, which names a call that can work. */
function doorFor({ door, cuts }: Pick<Adapter, "door" | "cuts">, cwd: string): Door {
  if (!cuts) return door;
  return {
    ...door,
    read(path, ranges) {
      const long = longLines(resolve(cwd, path), cuts.longest, ranges);
      const huge = long.find(({ size }) => size > cuts.printed);
      if (huge && ranges)
        return `call ${cuts.quoting} with a quote of what is to change: line ${huge.line} is too long to be shown whole`;
      const shown = printable(long, cuts.printed).map(({ line }) => ({ start: line, end: line }));
      if (shown.length === 0) return door.read(path, ranges);
      const run = `run \`${sedCommand(path, shown)}\``;
      return ranges ? run : `${door.read(path)}, and ${run}`;
    },
  };
}

/** As many of them as one command shows. */
function printable(long: readonly LongLine[], most: number): LongLine[] {
  let room = most;
  return long.filter(({ size }) => {
    const fits = size < room;
    if (fits) room -= size + 1;
    return fits;
  });
}

function longLines(path: string, longest: number, ranges: readonly Range[] | undefined): LongLine[] {
  const isAsked = (line: number): boolean =>
    !ranges || ranges.some(({ start, end }) => line >= start && line <= end);
  return textOf(path)
    .split("\n")
    .map((text, at) => ({ line: at + 1, size: text.length > longest ? Buffer.byteLength(text) : 0 }))
    .filter(({ line, size }) => size > 0 && isAsked(line));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
/** Opens what a guard works with. */

/** Clients wait ten seconds for a hook: what takes longer is answered before. */
const longestWait = 2_500;
const largestFile = 16 * 1024 * 1024;

interface Start {
  readonly adapter: Adapter;
  readonly env: Environment;
  readonly clock: () => number;
  /** Milliseconds that it may take to list the tree. */
  readonly patience?: number;
}

/** What is the same in every workspace that one call touches. */
interface Opening extends Start {
  readonly agent: string;
  readonly cwd: string;
  readonly state: string;
  readonly log: (line: string) => void;
}

export function openPlace(caller: Caller, start: Start, recall: GuardContext["recall"]): GuardContext {
  const { adapter, env, clock } = start;
  const { cwd } = caller;
  const troubles: string[] = [];
  const asides: string[] = [];
  const state = stateFolder({ env, report: (line) => troubles.push(line) });
  const log = (line: string): void => appendLog(line, { state, clock });
  const agent = agentOf(adapter, caller);
  const opening: Opening = { ...start, agent, cwd, state, log };
  const workspace = workspaceOf(caller, opening);
  const { config, ...own } = open(workspace, opening);
  asides.push(...words.asides(config));
  const others = new Map<string, Session>();
  const { rewrites, tellsBefore, parallel } = adapter;
  return {
    ...{
      ...own,
      agent,
      ...(caller.call === undefined ? {} : { call: caller.call }),
      cwd,
      root: workspace.root,
      disk: nodeDisk,
      commits: gitCommits({ base: cwd, root: workspace.root }),
      clock,
      door: doorFor(adapter, cwd),
      ...(adapter.names ? { names: adapter.names } : {}),
      rewrites,
      tellsBefore,
      parallel,
      troubles,
      asides,
      log,
      recall,
    },
    room: { left: adapter.room },
    failsClosed: (path) =>
      [workspace, workspaceFor(workspace.root, [path])].some(({ root }) =>
        failsClosed({ env, workspace: root, hook: true }),
      ),
    // A file has one ledger, from wherever it is named.
    sessionFor(path) {
      if (isWithin(resolve(workspace.root, path), workspace.root)) return own.session;
      const there = workspaceFor(workspace.root, [path]);
      if (there.key === workspace.key) return own.session;
      const session = others.get(there.key) ?? open(there, opening).session;
      if (!others.has(there.key) && !own.store.notes.all("elsewhere", agent).includes(there.root))
        own.store.notes.add("elsewhere", agent, there.root);
      others.set(there.key, session);
      return session;
    },
  };
}

function open(workspace: Workspace, { adapter, env, clock, patience, agent, cwd, state, log }: Opening) {
  const config = loadConfig({ env, workspace: workspace.root, hook: true });
  const { settings } = config;
  const { wait, size } = settings.limits ?? {};
  const limits = {
    ...settings.limits,
    ...{ wait: Math.min(wait ?? longestWait, longestWait), size: Math.min(size ?? largestFile, largestFile) },
  };
  const files = openFiles({
    settings: { ...settings, limits },
    root: workspace.root,
    base: cwd,
    state,
    report: log,
    brief: true,
    foreign: true,
  });
  const store = openStore({ settings, state, workspace, brief: true, report: log, clock });
  const { gate, onStale, keepOnFold } = settings;
  const session = new Session({
    ...{ files, store, agent, clock, door: doorFor(adapter, cwd), numbered: true },
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(keepOnFold ? { keepOnFold } : {}),
  });
  const mode = settings.tree ?? "dirty";
  const longest = patience === undefined ? {} : { patience };
  const tree = openTree({ root: workspace.root, files, store, clock, env, mode, ...longest });
  return { files, store, session, config, tree };
}

/**
 * A conversation may go to another folder. In a repository that is the same workspace; elsewhere it is the one in which
 * it began.
 */
export function workspaceOf(
  { cwd, project = cwd, conversation }: Caller,
  { state, log }: Pick<Opening, "state" | "log">,
): Workspace {
  const here = workspaceFor(project, []);
  if (here.key !== here.root) return here;
  const { notes } = nodeStore({ state, workspace: { key: "conversations" }, brief: true, report: log });
  const [first] = notes.all("began", conversation);
  if (typeof first !== "string") notes.add("began", conversation, here.root);
  if (typeof first !== "string" || first === here.root) return here;
  return isWithin(here.root, first) ? workspaceFor(first, []) : here;
}

/** As everything else that the client starts is called, so that all of it is one agent. */
function agentOf({ client }: Adapter, { conversation, subagent }: Caller): string {
  return `${client}:${conversation}${subagent ? `/${subagent}` : ""}`;
}

/** The ledger, and notes from process to process. */
interface GuardStore extends LedgerStore {
  readonly notes: Pick<NodeStore["notes"], "add" | "all" | "take" | "others">;
  tidy(): void;
}

/** The surroundings of a guard: one agent's session in one workspace. */
export interface GuardContext {
  readonly session: Session;
  /** The session of the workspace that a file belongs to. */
  readonly sessionFor: (path: string) => Session;
  readonly files: Files;
  readonly store: GuardStore;
  /** Files as they are, looked at without a ledger. */
  readonly disk: DiskView;
  /** The working tree; absent where nothing of it is to be watched. */
  readonly tree?: Pick<Tree, "observe">;
  /** Work that is in a commit is not lost. */
  readonly commits: Commits;
  readonly agent: string;
  readonly cwd: string;
  /** The client's name for the call that the event is about. */
  readonly call?: string;
  /** The top of the workspace. */
  readonly root: string;
  readonly clock: () => number;
  readonly door: Door;
  readonly names?: QuoteNames;
  readonly tellsBefore: boolean;
  /** Calls of one answer run at the same time. */
  readonly parallel: boolean;
  /** Arguments can be rewritten. */
  readonly rewrites: boolean;
  /** The texts that the model was sent since the last compaction. */
  readonly recall: (isLate: () => boolean) => Recalled | "later";
  /** A name for what the conversation has left behind, if it was taken back; absent where that cannot be told. */
  readonly takenBack?: () => string | null;
  /** A file that cannot be checked is not let through. */
  readonly failsClosed: (path: string) => boolean;
  /** Characters of notes that still reach the model with this answer. */
  readonly room: { left: number };
  /** Faults that do not keep it from working. */
  readonly troubles: readonly string[];
  /** Remarks on the project's configuration for the person. */
  readonly asides: readonly string[];
  readonly log: (line: string) => void;
}

/** Files the agent has seen are those that shell output may show more of. */
export function seen({ store, agent }: GuardContext, path: string): void {
  const known = store.notes.all("seen", agent);
  if (!known.includes(path as Json)) store.notes.add("seen", agent, path);
}

/** Observing never hinders an edit: a file that cannot be looked at is not counted as seen. */
export async function attempt(place: GuardContext, path: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof PortError) || error instanceof StateError) throw error;
    if (error.code !== "not_found") place.log(`${path}: ${error.code}: ${error.message}`);
  }
}
