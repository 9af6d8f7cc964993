/** Looks at the working tree when something happens, and tells agents early of what others changed. */
import { relative, resolve } from "node:path";
import { reason } from "../host/index.js";
import { type Moment, type Observed, recording } from "../tree/index.js";
import type { GuardContext } from "./context.js";
import type { Event } from "./event.js";
import * as words from "./messages.js";

/** Files of which one event tells; the others wait for the next. */
const toldAtOnce = 3;
/** Characters of rows: with the words around them about 120 tokens. */
const earlyRoom = 240;

/** A tree that cannot be looked at stands in nobody's way. */
export async function watch(
  moment: Omit<Moment, "agent" | "cwd"> & { readonly where?: string | undefined },
  place: GuardContext,
): Promise<Observed | null> {
  const { tree, agent, cwd, call, parallel, store, log } = place;
  if (!tree) return null;
  const { where, ...what } = moment;
  const told = { ...what, agent, cwd: resolve(cwd, where ?? "."), isSequential: !parallel };
  try {
    const observed = await tree.observe(call === undefined ? told : { ...told, call });
    const { isFirst, kept, left } = observed;
    if (isFirst && kept + left > 0) store.notes.add("recording", "first", { kept, left });
    return observed;
  } catch (error) {
    log(`the tree was not looked at: ${reason(error)}`);
    return null;
  }
}

/** Before and after a tool writes: what the file was belongs to somebody else, what it is to the tool. */
export async function watchWrites(
  { kind, writes }: Pick<Extract<Event, { kind: "change" | "changed" }>, "kind" | "writes">,
  place: GuardContext,
): Promise<void> {
  const isDone = kind === "changed";
  await watch({ kind: "edit", paths: writes.map(({ path }) => path), isDone }, place);
}

/**
 * Lines that others changed since the agent saw them, told once. The next event tells what one event has no room for.
 */
export async function earlyNotes(place: GuardContext): Promise<string[]> {
  const { store, agent, room, door } = place;
  const paths = await changedPaths(place);
  const notes: string[] = [];
  for (const path of paths.slice(0, toldAtOnce)) {
    const news = await place
      .sessionFor(path)
      .news(path, Math.min(room.left, earlyRoom), "others")
      .catch(() => null);
    if (!news) continue;
    const note = words.earlyNote(nearPath(path, place), news, door);
    room.left -= note.length;
    notes.push(note);
  }
  for (const path of paths.slice(toldAtOnce)) store.notes.add("news", agent, path);
  return notes;
}

/** Files that the agent has seen and somebody else changed since it was told last. */
async function changedPaths({ store, agent }: GuardContext): Promise<string[]> {
  const name = `news of ${agent}`;
  const told = await store.record(name);
  const mark = typeof told?.value === "string" ? told.value : null;
  const news = await store.journalSince(mark);
  if (news.mark !== mark) await store.putRecord(name, news.mark);
  const others = news.entries.filter(
    (entry) => entry.agent !== agent && (entry.kind === "commit" || entry.kind === "undo"),
  );
  const waiting = store.notes.take("news", agent);
  if (others.length + waiting.length === 0) return [];
  const files = new Set(others.flatMap(({ path, file }) => [path, file]));
  const seen = store.notes.all("seen", agent).filter((path) => typeof path === "string");
  return [
    ...new Set([
      ...waiting.filter((path) => typeof path === "string"),
      ...seen.filter((path) => files.has(path)),
    ]),
  ];
}

/** As the agent would write it. */
export function nearPath(path: string, { cwd }: Pick<GuardContext, "cwd">): string {
  const way = relative(cwd, path);
  return way.startsWith("..") ? path : way;
}

/** Said once in a workspace, at the start of a conversation, after its first texts went on record. */
export function recordingNotes({ store }: GuardContext): string[] {
  const [first] = store.notes.take("recording", "first") as unknown as { kept: number; left: number }[];
  return first ? [recording(first)] : [];
}
