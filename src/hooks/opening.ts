/** Opens what a guard works with. */
import { resolve } from "node:path";
import {
  appendLog,
  boundsOf,
  failsClosed,
  isWithin,
  loadConfig,
  nodeStore,
  openFiles,
  stateFolder,
  type Workspace,
  workspaceFor,
} from "../node/index.js";
import { Session } from "../session/index.js";
import type { Adapter, Caller, Environment } from "./event.js";
import { doorFor } from "./longlines.js";
import type { Workplace } from "./place.js";
import * as words from "./words.js";

/** Clients wait ten seconds for a hook: what takes longer is answered before. */
const longestWait = 2_500;
const largestFile = 16 * 1024 * 1024;

interface Start {
  readonly adapter: Adapter;
  readonly env: Environment;
  readonly clock: () => number;
}

/** What is the same in every workspace that one call touches. */
interface Opening extends Start {
  readonly agent: string;
  readonly cwd: string;
  readonly state: string;
  readonly log: (line: string) => void;
}

export function openPlace(caller: Caller, start: Start, recall: Workplace["recall"]): Workplace {
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

function open(workspace: Workspace, { adapter, env, clock, agent, cwd, state, log }: Opening) {
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
  const store = nodeStore({ state, workspace, bounds: boundsOf(settings), brief: true, report: log, clock });
  const { gate, onStale, keepOnFold } = settings;
  const session = new Session({
    ...{ files, store, agent, clock, door: doorFor(adapter, cwd) },
    ...(gate ? { gate } : {}),
    ...(onStale ? { onStale } : {}),
    ...(keepOnFold ? { keepOnFold } : {}),
  });
  return { files, store, session, config };
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
