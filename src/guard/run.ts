import { isAbsolute, resolve } from "node:path";
import { appendLog, StateError, stateFolder } from "../host/index.js";
import { nodeStore } from "../store/index.js";
import { failsClosed, workspaceFor } from "../workspace/index.js";
import { type GuardContext, openPlace, workspaceOf } from "./context.js";
import type { Adapter, Answer, Event, Mark, Payload, Understood } from "./event.js";
import { answer } from "./guard.js";
import * as words from "./messages.js";
import { isRecord } from "./payload.js";

interface HookStart {
  readonly adapter: Adapter;
  /** The event, as the client sent it. */
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => number;
  /** Milliseconds that it may take to list the tree. */
  readonly patience?: number;
}

/**
 * Answers one event. Failures are logged, and the call goes through unless the person chose otherwise: a guard that locks
 * people out gets removed.
 */
export async function hook(start: HookStart): Promise<string | null> {
  const { adapter } = start;
  let payload: Payload = {};
  let understood: Understood | null = null;
  try {
    const parsed: unknown = JSON.parse(start.input);
    if (!isRecord(parsed)) throw new Error("the event is not a JSON object");
    payload = parsed;
    understood = adapter.understand(payload, start.env);
    if (!understood || understood.events.length === 0) return null;
    const recall: GuardContext["recall"] = (isLate) =>
      adapter.recall?.(payload, isLate, start.env) ?? { sent: [], isComplete: true };
    const { takenBack } = adapter;
    const back = takenBack ? { takenBack: () => takenBack.call(adapter, payload) } : {};
    const place = { ...openPlace(understood.caller, start, recall), ...back };
    const answers: Answer[] = [];
    const events = [...(await missed(adapter, payload, place)), ...understood.events];
    for (const event of events) answers.push(await answer(placed(event, place.cwd), place));
    return printed(adapter.reply(merged(answers), payload));
  } catch (error) {
    return printed(adapter.reply(afterFailure(error, understood, start), payload));
  }
}

/** Returns, once, what a transcript says and no event did. */
async function missed(
  adapter: Adapter,
  payload: Payload,
  { store, agent }: GuardContext,
): Promise<readonly Event[]> {
  if (!adapter.missed) return [];
  const key = `transcript of ${agent}`;
  const record = await store.record(key);
  const before = (record?.value ?? { to: 0, seen: "" }) as unknown as Mark;
  const { events, mark } = adapter.missed(payload, before);
  if (mark.to !== before.to) await store.putRecord(key, { ...mark });
  return events;
}

function printed(reply: unknown): string | null {
  return reply === null || reply === undefined ? null : JSON.stringify(reply);
}

function merged(answers: readonly Answer[]): Answer {
  const joined = (name: "deny" | "tell" | "say"): object => {
    const parts = answers.flatMap((one) => one[name] ?? []);
    return parts.length > 0 ? { [name]: parts.join("\n\n") } : {};
  };
  const last: Answer = Object.assign({}, ...answers);
  return { ...last, ...joined("deny"), ...joined("tell"), ...joined("say") };
}

/** Makes paths absolute, so that they mean the same from every folder. */
export function placed(event: Event, cwd: string): Event {
  const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(cwd, path));
  const all = <T extends { readonly path: string }>(writes: readonly T[]): T[] =>
    writes.map((write) => ({ ...write, path: absolute(write.path) }));
  switch (event.kind) {
    case "change":
    case "changed":
      return { ...event, writes: all(event.writes) };
    case "read":
      return { ...event, path: absolute(event.path) };
    case "settled":
      return { ...event, paths: event.paths.map(absolute), refused: all(event.refused) };
    default:
      return event;
  }
}

/** Answers after a failure. The person is told; if no note can be kept of that, only when a conversation begins. */
function afterFailure(error: unknown, understood: Understood | null, start: HookStart): Answer {
  const cause = causeOf(error);
  const closed = isClosed(start.env, understood);
  const writes = understood?.events.flatMap((event) => (event.kind === "change" ? event.writes : [])) ?? [];
  let isNews: boolean;
  try {
    isNews = noteFailure(error, understood, start);
  } catch {
    isNews = understood?.events.some(({ kind }) => kind === "begin") ?? false;
  }
  const said = isNews ? { say: words.notGuarding(cause, closed) } : {};
  if (!closed || (understood && writes.length === 0)) return said;
  const paths = writes.map(({ path }) => path).join(", ") || "a file";
  return { ...said, deny: words.unchecked(paths, cause) };
}

function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Logs a failure; true if the person has to be told. */
function noteFailure(
  error: unknown,
  understood: Understood | null,
  { adapter, env, clock }: HookStart,
): boolean {
  const cause = causeOf(error);
  const state = stateFolder({ env });
  const log = (line: string): void => appendLog(line, { state, clock });
  log(`${adapter.client}: ${(env.KEDGE_DEBUG && (error as Error)?.stack) || cause}`);
  // The path is left out, or each file would be another message of the same fault.
  const fault = error instanceof StateError ? "state folder" : cause;
  return understood !== null && isFirst(fault, understood, { adapter, state, log });
}

/** The state folder, or the folder the client names, may be what is wrong. */
function isClosed(env: HookStart["env"], understood: Understood | null): boolean {
  const { cwd = "/", project = cwd } = understood?.caller ?? {};
  const found = [
    () => understood && workspaceOf(understood.caller, { state: stateFolder({ env }), log: () => {} }),
    () => workspaceFor(project, []),
  ];
  for (const find of found)
    try {
      const workspace = find();
      if (workspace) return failsClosed({ env, workspace: workspace.root, hook: true });
    } catch {}
  return failsClosed({ env, workspace: "/", hook: true });
}

/** Tells the person once in a conversation, in whatever folder or agent the failure occurs, and once after a resume. */
function isFirst(
  cause: string,
  { caller: { conversation }, events }: Understood,
  {
    adapter,
    state,
    log,
  }: { readonly adapter: Adapter; readonly state: string; readonly log: (line: string) => void },
): boolean {
  const { notes } = nodeStore({ state, workspace: { key: "conversations" }, brief: true, report: log });
  const name = `${adapter.client}:${conversation} ${cause}`;
  if (notes.has("failed", name)) return false;
  notes.add("failed", name, cause);
  // A full disk takes the name of a note, if not its text. Where the client takes no name either, a conversation that
  // goes on would be told with every call.
  return notes.has("failed", name) || events.some(({ kind }) => kind === "begin");
}
