import {
  applySplices,
  type Change,
  changedRanges,
  Document,
  History,
  LineMap,
  LineSet,
  type Named,
  type Piece,
  type Problem,
  resolveNamed,
  type Splice,
  type State,
  unifiedDiff,
} from "../core/index.js";
import { wrote } from "./ledger.js";
import { OpenFile } from "./open.js";
import { type FileId, type JournalEntry, PortError, type Write } from "./ports.js";
import { contextOf } from "./reading.js";
import { entryId } from "./refuse.js";
import type { Env, Result } from "./result.js";
import { writtenLines } from "./texts.js";

export interface UndoRequest {
  /** Only edits of this file. */
  readonly path?: string;
  readonly id?: string;
  /** How many of the last edits; default 1. */
  readonly last?: number;
  /** A batch, by its id. */
  readonly batch?: string;
  /** Edits of all agents, not only of this one. */
  readonly anyone?: boolean;
  readonly dryRun?: boolean;
}

export interface UndoDetails {
  readonly status: "applied" | "dry_run";
  readonly undone: readonly { readonly id: string; readonly path: string; readonly diff: string }[];
}

/** Takes edits back, newest first: the inverse of each, carried to the file now by the rules that edits follow. */
export async function undo(request: UndoRequest, env: Env): Promise<Result<UndoDetails>> {
  const chosen = await choose(request, env);
  const files = new Map<string, FileId>();
  for (const entry of chosen)
    for (const path of entry.to === undefined ? [entry.path] : [entry.path, entry.to]) {
      const file = await env.files.identify(path);
      files.set(file.key, file);
    }
  const context = await contextOf(env);
  return env.files.hold([...files.values()], async (held) => {
    const undone: { id: string; path: string; diff: string }[] = [];
    const texts = new Map<string, Restored>();
    for (const file of files.values()) {
      const opened = await OpenFile.open(held, file, context);
      texts.set(file.key, { opened, text: opened.document, maps: [] });
    }
    for (const entry of chosen) undone.push(await takeBack(entry, texts, env));
    if (request.dryRun) return answer("dry_run", undone);
    const writes: Write[] = [...texts.values()].map(({ opened, text }) => ({
      file: opened.file,
      before: opened.document?.toBytes() ?? null,
      after: text?.toBytes() ?? null,
    }));
    if (!(await held.commit(writes)))
      throw new PortError("busy", "a file changed while it was being restored: try again");
    for (const one of texts.values()) await record(one, chosen, env);
    return answer("applied", undone);
  });
}

function answer(status: UndoDetails["status"], undone: UndoDetails["undone"]): Result<UndoDetails> {
  const verb = status === "dry_run" ? "would be undone" : "undone";
  const text = undone.map(({ id, path, diff }) => `${path}: edit ${id} ${verb}\n${diff}`).join("\n");
  return { text, isError: false, details: { status, undone } };
}

/** The commits to take back, newest first. What was undone already, or is an undo, is passed over. */
async function choose(request: UndoRequest, env: Env): Promise<JournalEntry[]> {
  const { last } = request;
  if (last !== undefined && (!Number.isInteger(last) || last < 1))
    throw new PortError(
      "bad_request",
      `last is how many edits to take back, from 1; got ${JSON.stringify(last)}`,
    );
  if (request.path !== undefined && typeof request.path !== "string")
    throw new PortError("bad_request", "path is a string");
  const all = await env.store.journal();
  const undone = new Set(
    all.filter(({ kind }) => kind === "undo").flatMap(({ cause }) => (cause ?? "").split(" ")),
  );
  const key = request.path === undefined ? null : (await env.files.identify(request.path)).key;
  const commits = all.filter((entry) => entry.kind === "commit" && !undone.has(entry.id)).reverse();
  if (request.id !== undefined || request.batch !== undefined) {
    const found = commits.filter(
      ({ id, batch }) =>
        id === request.id || (batch !== undefined && batch === (request.batch ?? request.id)),
    );
    if (found.length === 0)
      throw new PortError("not_found", `there is no edit ${request.id ?? request.batch} to undo`);
    return found;
  }
  const mine = commits.filter(
    (entry) =>
      (key === null || entry.file === key) && (request.anyone || key !== null || entry.agent === env.agent),
  );
  const chosen = mine.slice(0, request.last ?? 1);
  const batches = new Set(chosen.flatMap(({ batch }) => (batch === undefined ? [] : [batch])));
  const whole = mine.filter(
    (entry) => chosen.includes(entry) || (entry.batch !== undefined && batches.has(entry.batch)),
  );
  if (whole.length === 0) throw new PortError("not_found", "there is no edit to undo");
  return whole;
}

/** One file of an undo: its text so far, how it came from the file as found, and whose record it takes over. */
interface Restored {
  readonly opened: OpenFile;
  text: Document | null;
  readonly maps: LineMap[];
  from?: OpenFile;
}

type Texts = Map<string, Restored>;

async function takeBack(entry: JournalEntry, texts: Texts, env: Env) {
  const place = texts.get(entry.file) as Restored;
  const gone = (): PortError =>
    new PortError("stale", `edit ${entry.id} of ${entry.path} cannot be undone: its text is no longer kept`);
  const load = async (version: string | null): Promise<Document | null> => {
    if (version === null) return null;
    if (place.text?.version === version) return place.text;
    const bytes = await env.store.version(version);
    if (!bytes) throw gone();
    return Document.parse(bytes);
  };
  const before = await load(entry.before);
  if (entry.to !== undefined || entry.after === null || before === null)
    return replaceWhole(entry, before, texts);
  const after = await load(entry.after);
  if (!after || !place.text) throw gone();
  const now = place.text;
  if (now.version === after.version) {
    place.text = before;
    const map = entry.change ? LineMap.fromJSON(entry.change).invert() : null;
    if (map) place.maps.push(map);
    return { id: entry.id, path: entry.path, diff: map ? unifiedDiff(entry.path, now, before, map) : "" };
  }
  const change = LineMap.fromJSON(entry.change ?? [after.lineCount, after.lineCount]);
  const merged = mergeBack(entry, { before, after, change, now, opened: place.opened });
  place.text = merged.document;
  place.maps.push(merged.change.map);
  return {
    id: entry.id,
    path: entry.path,
    diff: unifiedDiff(entry.path, now, merged.document, merged.change.map),
  };
}

interface Merge {
  readonly before: Document;
  readonly after: Document;
  readonly change: LineMap;
  readonly now: Document;
  readonly opened: OpenFile;
}

/** The lines the edit took out come back, byte for byte, where nobody changed what it put there. */
function mergeBack(
  entry: JournalEntry,
  { before, after, change, now }: Merge,
): { document: Document; change: Change<string> } {
  const state = (document: Document): State => ({
    version: document.version,
    lineCount: document.lineCount,
    document,
    exact: null,
  });
  const history = new History([state(after), state(now)]);
  const hunks = change.regions.map(({ aStart, aEnd, bStart, bEnd }) => ({
    start: bStart,
    end: bEnd,
    lines: before.lines(aStart, aEnd),
  }));
  const raw = new Map(
    change.regions.map(({ aStart, aEnd }, at) => [
      hunks[at]?.lines,
      Array.from({ length: aEnd - aStart }, (_, offset) => before.raw(aStart + offset)),
    ]),
  );
  const spans = hunks.filter(({ start, end }) => start < end).map(({ start, end }) => ({ start, end }));
  const named: Named = { edits: [], base: 0, refs: [], spans, gap: null, beside: null, hunks };
  const view = { history, showings: [], known: () => LineSet.all(after.lineCount) };
  const { pieces, problems } = resolveNamed([named], view);
  if (problems.length > 0) throw standsInTheWay(entry, problems);
  const splices = pieces.map(
    (piece: Piece): Splice => ({
      start: piece.start,
      end: piece.end,
      lines: raw.get(piece.lines as string[]) ?? piece.lines,
    }),
  );
  const made = applySplices(now, splices);
  if (!("document" in made)) throw new PortError(made.code, made.message);
  return made;
}

function standsInTheWay(entry: JournalEntry, problems: readonly Problem[]): PortError {
  const lines = problems.flatMap(({ mismatches }) =>
    mismatches.flatMap(({ line }) => (line === null ? [] : [line])),
  );
  const where =
    lines.length > 0
      ? `line ${lines.slice(0, 5).join(", ")} was changed since`
      : "its lines were changed since";
  return new PortError("stale", `edit ${entry.id} of ${entry.path} cannot be undone: ${where}`);
}

/** A creation is undone by deleting, a deletion by bringing back, a move by moving back; only if unchanged since. */
function replaceWhole(entry: JournalEntry, before: Document | null, texts: Texts) {
  const place = texts.get(entry.file);
  const moved =
    entry.to === undefined ? null : [...texts.values()].find(({ opened }) => opened.file.path === entry.to);
  const current = (moved ?? place)?.text ?? null;
  const isTaken = moved !== null && place?.text;
  if ((current?.version ?? null) !== entry.after || isTaken)
    throw new PortError(
      "stale",
      `edit ${entry.id} of ${entry.path} cannot be undone: the file was changed since`,
    );
  if (moved) moved.text = null;
  if (place) {
    place.text = before;
    if (moved) place.from = moved.opened;
  }
  const what =
    entry.after === null ? "brought back" : moved ? `moved back from ${entry.to}` : "deleted again";
  return { id: entry.id, path: entry.path, diff: `[${entry.path} ${what}]` };
}

async function record(one: Restored, chosen: readonly JournalEntry[], env: Env): Promise<void> {
  const { opened, text, maps } = one;
  const undone = chosen.filter(({ file, to }) => file === opened.file.key || to === opened.file.path);
  if (undone.length === 0) return;
  const time = env.clock();
  const exact = maps.length > 0 ? maps.reduce((first, next) => first.compose(next)) : null;
  const before = opened.document?.version ?? null;
  if (one.from) opened.adopt(one.from);
  if (text && text.version !== (one.from ? one.from.document?.version : before)) {
    opened.committed(text, exact);
    const written = exact ? writtenLines(exact) : LineSet.all(text.lineCount);
    if (opened.agent.state >= 0) opened.update(wrote(opened.agent, opened.history, written));
  }
  await env.store.append({
    id: entryId(time, opened),
    time,
    agent: env.agent,
    tool: "undo",
    kind: "undo",
    path: opened.file.path,
    file: opened.file.key,
    before,
    after: text?.version ?? null,
    lines: exact ? changedRanges(exact) : [],
    ...(exact ? { change: exact.toJSON() } : {}),
    cause: undone.map(({ id }) => id).join(" "),
  });
  if (text) await opened.save();
  else await opened.forget();
}
