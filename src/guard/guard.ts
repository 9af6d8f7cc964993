/**
 * The gatekeeper in front of a client's own tools. The guard sees what they show and write, and says before a change whether
 * the lines that the agent saw are still there. Clients differ only in their adapters.
 */

import { join, relative } from "node:path";
import { rejected } from "../answers/index.js";
import { type Result, withNamesEscaped } from "../calls/index.js";
import type { Quote } from "../edits/index.js";
import type { Consideration, Healed, News, QuotedRows } from "../foreign/index.js";
import { nameByPrompt } from "../ledger/index.js";
import { type Json, PortError } from "../ports/index.js";
import { visible } from "../text/index.js";
import { isRulesFile } from "../workspace/index.js";
import { afterOutput, lossNotes } from "./after-command.js";
import { commitNote } from "./commit-note.js";
import { attempt, type GuardContext, seen } from "./context.js";
import type { Answer, Event, Write } from "./event.js";
import * as words from "./messages.js";
import { recall } from "./recall.js";
import { earlyNotes, recordingNotes, watch, watchWrites } from "./tree-watch.js";

/** Agents that did something within this time count as present. */
const present = 30 * 60_000;

export async function answer(event: Event, place: GuardContext): Promise<Answer> {
  const { notes } = place.store;
  for (const taken of notes.take("unannounced", place.agent)) {
    const writes = taken as unknown as readonly Write[];
    for (const note of await changed({ kind: "changed", writes, settled: false }, place))
      notes.add("told", place.agent, note);
  }
  if (event.kind === "begin" || event.kind === "prompt") {
    lookLater(place);
    place.store.tidy();
  } else await foldIfTakenBack(place);
  switch (event.kind) {
    case "begin": {
      // Without a place to record anything nothing can be guarded: this write fails then, and the person is told.
      await place.store.putRecord(`beginning of ${place.agent}`, { time: place.clock() });
      const others = place.store.notes.others("seen", place.agent, place.clock() - present);
      await watch({ kind: "begin" }, place);
      const asides = [...place.asides, ...recordingNotes(place)];
      return { say: words.guarding(others, { ...place, asides }) };
    }
    case "fold":
      await fold(place);
      return {};
    case "change": {
      await watchWrites(event, place);
      const judged = await change(event, place);
      // A refused tool writes nothing, so the file is looked at again.
      if (judged.deny !== undefined) await watchWrites({ kind: "changed", writes: event.writes }, place);
      return judged;
    }
    case "changed": {
      const notes = await changed(event, place);
      await watchWrites(event, place);
      return told(place, notes);
    }
    case "command": {
      const { command, where, isBackground = false } = event;
      await watch({ kind: "before", command, where, isBackground }, place);
      return commitNote(event, place);
    }
    case "read":
      await observe(event, place);
      return told(place, []);
    case "output":
      return told(place, await afterOutput(event, place));
    case "settled":
      return told(place, await settled(event, place));
    case "own":
      return { input: { ...event.input, session: place.agent } };
    case "prompt": {
      await nameByPrompt(place.agent, event.text ?? "", place.store).catch(() => {});
      const found = await watch({ kind: "prompt" }, place);
      // A person may have taken work back, or another program written over it.
      const notes = found?.isUnderWay ? [] : await lossNotes({ tool: "prompt" }, place);
      return told(place, notes);
    }
  }
}

/** Notes to look for a rewind later: it shows in the transcript only when the conversation has gone on. */
function lookLater({ takenBack, store, agent }: GuardContext): void {
  if (takenBack) store.notes.add("prompted", agent, true);
}

async function foldIfTakenBack(place: GuardContext): Promise<void> {
  const { takenBack, store, agent } = place;
  if (!takenBack || store.notes.take("prompted", agent).length === 0) return;
  const left = takenBack();
  if (left === null || store.notes.all("left", agent).includes(left)) return;
  store.notes.add("left", agent, left);
  await fold(place);
}

/** Folds in every workspace that the agent has been in. */
async function fold(place: GuardContext): Promise<void> {
  await place.session.fold();
  for (const root of place.store.notes.all("elsewhere", place.agent))
    if (typeof root === "string") await place.sessionFor(join(root, "any")).fold();
}

/** Returns what the model is told now, with the notes that waited for it. */
async function told(place: GuardContext, notes: readonly string[]): Promise<Answer> {
  const early = await earlyNotes(place);
  const waiting = place.store.notes.take("told", place.agent).filter((one) => typeof one === "string");
  const all = [...waiting, ...notes, ...early];
  const said = place.store.notes.take("saying", place.agent).filter((one) => typeof one === "string");
  return {
    ...(all.length > 0 ? { tell: all.join("\n\n") } : {}),
    ...(said.length > 0 ? { say: said.join("\n") } : {}),
  };
}

async function change(
  { writes, unannounced }: Extract<Event, { kind: "change" }>,
  place: GuardContext,
): Promise<Answer> {
  const reasons: string[] = [];
  let carried: { readonly quotes: readonly Quote[]; readonly tell: string } | null = null;
  const refused = new Set<string>();
  const failures: unknown[] = [];
  for (const write of writes) {
    // One reason for a file is enough.
    if (refused.has(write.path)) continue;
    if (isRulesFile(write.path, place.disk.leadsTo(write.path))) {
      reasons.push(words.ownRules(write.path));
      refused.add(write.path);
      continue;
    }
    try {
      const found = await consider(write, place);
      if (found.kind === "later") return { recall: true };
      if (found.kind === "refused") {
        reasons.push(refusalText(write, found.result, place));
        refused.add(write.path);
      }
      const canCarry = place.rewrites && writes.length === 1 && write.change.kind === "quotes";
      if (found.kind === "healed") {
        if (canCarry && found.even) carried = { quotes: found.quotes, tell: words.healedNote(write.path) };
        else reasons.push(`${rejected}\n${healedText(write, found, place)}`);
      }
      if (found.kind !== "carried") continue;
      if (canCarry) carried = { quotes: found.quotes, tell: words.carriedNote(write.path) };
      else reasons.push(await carriedReason(write, found.quotes, place));
    } catch (error) {
      // One file that cannot be checked does not open the others of the call.
      if (!(error instanceof PortError)) failures.push(error);
      else reasons.push(...failure(error, write.path, place));
    }
  }
  const { notes } = place.store;
  if (reasons.length > 0) return { deny: reasons.join("\n\n") };
  if (failures.length > 0) throw failures[0];
  if (unannounced) notes.add("unannounced", place.agent, writes as unknown as Json);
  if (place.parallel)
    for (const { path } of writes) notes.add("begun", `${place.agent} ${path}`, place.clock());
  if (!carried) return {};
  if (place.tellsBefore) return carried;
  notes.add("told", place.agent, carried.tell);
  return { quotes: carried.quotes };
}

/** Judges a write. Before it is refused as unread, everything that the model was sent is searched. */
async function consider(write: Write, place: GuardContext): Promise<Consideration | { kind: "later" }> {
  const session = place.sessionFor(write.path);
  if ((await session.glance(write)) === "allowed") return { kind: "allowed" };
  const found = await session.preview(write);
  if (found.kind !== "unsure") return found;
  const looked = await recall(write, found, place);
  if (looked === "later") return { kind: "later" };
  if (looked === "searched" || !found.isUnread)
    return session.consider(place.call === undefined ? write : { ...write, call: place.call });
  // A text that could not be searched may have shown the lines.
  const again = await session.preview(write);
  if (again.kind !== "unsure") return again;
  throw new PortError("too_large", words.notSearched);
}

async function observe(event: Extract<Event, { kind: "read" }>, place: GuardContext): Promise<void> {
  await attempt(place, event.path, async () => {
    await place.sessionFor(event.path).observe(event);
    seen(place, event.path);
  });
}

function refusalText({ path }: Write, result: Result, { cwd, agent }: GuardContext): string {
  return withNamesEscaped([{ path }, { path: relative(cwd, path) }], result, agent).text;
}

async function carriedReason(write: Write, quotes: readonly Quote[], place: GuardContext): Promise<string> {
  const note = await newsOf(write.path, place);
  return [
    rejected,
    note,
    words.carriedEdit({ quotes, isPatch: write.change.kind === "patch", names: place.names }),
  ].join("\n");
}

function healedText(write: Write, healed: Healed, place: GuardContext): string {
  return `${alikeText(write, healed.rows, place)}\n${words.healedEdit(healed.quotes, place.names)}`;
}

function alikeText({ path }: Write, rows: QuotedRows, place: GuardContext): string {
  for (const { text } of rows) place.room.left -= text.length + rowRoom;
  return words.alikeRows(path, rows);
}

async function newsOf(path: string, place: GuardContext): Promise<string> {
  return words.newsNote(path, await news(path, place), place.door);
}

/** Returns the news of a file. Rows count as shown only as far as there is room to show them. */
async function news(path: string, place: GuardContext): Promise<News | null> {
  const found = await place.sessionFor(path).news(path, place.room.left);
  for (const { text } of found?.rows ?? []) place.room.left -= text.length + rowRoom;
  return found;
}

const rowRoom = 10;

/** Returns why a failure refuses a write: a rule of the person's forbids it, or the guard is set to fail closed. */
function failure(error: PortError, path: string, place: GuardContext): string[] {
  if (error.code === "denied" || error.code === "outside_roots")
    return [`${rejected}\n${visible(error.message)}`];
  place.log(`${path}: ${error.code}: ${error.message}`);
  return place.failsClosed(path) ? [words.unchecked(path, error.message)] : [];
}

async function changed(
  { writes, settled }: Extract<Event, { kind: "changed" }>,
  place: GuardContext,
): Promise<string[]> {
  const notes: string[] = [];
  for (const write of writes) {
    const { path, change } = write;
    await attempt(place, path, async () => {
      const { left: room } = place.room;
      const touched = await place.sessionFor(path).observeWrite(path, { ...write, room });
      if (change.kind === "delete") return;
      seen(place, path);
      if (write.modified) notes.push(words.modifiedNote(await newsOf(path, place)));
      if (touched) notes.push(words.touchedNote(path, touched, place.door));
      for (const { text } of touched?.rows ?? []) place.room.left -= text.length + rowRoom;
      if (settled && isLast(path, place)) notes.push(...(await formatted(path, place)));
    });
  }
  return notes;
}

/** Time within which a change that was let through is reported. */
const underWay = 60_000;

/** True if no other change of the same file is under way, so that other differences are not this agent's. */
function isLast(path: string, { store, agent, clock }: GuardContext): boolean {
  const name = `${agent} ${path}`;
  const begun = store.notes.take("begun", name).filter((time) => Number(time) > clock() - underWay);
  for (const time of begun.slice(1)) store.notes.add("begun", name, time);
  return begun.length <= 1;
}

async function settled(
  { paths, refused }: Extract<Event, { kind: "settled" }>,
  place: GuardContext,
): Promise<string[]> {
  const notes: string[] = [];
  for (const path of new Set(paths))
    await attempt(place, path, async () => {
      notes.push(...(await formatted(path, place)));
    });
  if (refused.length > 0) await watchWrites({ kind: "changed", writes: refused }, place);
  for (const write of refused)
    await attempt(place, write.path, async () => {
      notes.push(...(await explained(write, place)));
    });
  return notes;
}

/** Explains an edit that the client itself refused: what changed, and the edit for the text as it is now. */
async function explained(write: Write, place: GuardContext): Promise<string[]> {
  const { path, change } = write;
  const found = await place.sessionFor(path).consider(write);
  if (found.kind === "refused") {
    if (found.result.details.code === "not_read") return [];
    return [words.addedNote(path, refusalText(write, found.result, place))];
  }
  if (found.kind === "healed") return [`kedge: ${healedText(write, found, place)}`];
  if (found.kind === "allowed" && found.alike) return [`kedge: ${alikeText(write, found.alike, place)}`];
  const changed = await news(path, place);
  if (found.kind === "allowed" && !changed) return [];
  const note = words.newsNote(path, changed, place.door);
  if (found.kind === "allowed") return [`kedge: ${note}`];
  const first = place.door.read(
    path,
    changed?.rows.map(({ line }) => ({ start: line, end: line })),
  );
  const edit = words.carriedEdit({
    quotes: found.quotes,
    isPatch: change.kind === "patch",
    first,
    names: place.names,
  });
  return [`kedge: ${note}\n${edit}`];
}

async function formatted(path: string, place: GuardContext): Promise<string[]> {
  const found = await place.sessionFor(path).formatted(path, place.room.left);
  for (const { text } of found?.rows ?? []) place.room.left -= text.length + rowRoom;
  return found ? [words.formattedNote(path, found, place.door)] : [];
}
