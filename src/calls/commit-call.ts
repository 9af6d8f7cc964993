import type { SchemeName } from "../anchors/index.js";
import {
  againLine,
  changedRanges,
  dryRunBegins,
  type EditToolDetails,
  overText,
  resultText,
} from "../answers/index.js";
import { unifiedDiff } from "../changes/index.js";
import { problem } from "../edits/index.js";
import {
  batchId,
  besideGap,
  type CallEnv,
  contextOf,
  type Deletion,
  type Done,
  type Env,
  type FileContext,
  journalChange,
  keepParsed,
  newestFor,
  OpenFile,
  openAny,
  Recording,
  type UnitEnv,
  untoldLines,
  versionOf,
  withFiles,
  writer,
  writtenLines,
  wrote,
} from "../ledger/index.js";
import {
  type FileId,
  type Held,
  PortError,
  type TreeWatch,
  throwIfAborted,
  type Write,
} from "../ports/index.js";
import { type Document, LineSet } from "../text/index.js";
import { type Call, find, isRespelled, type Target } from "./call.js";
import { type Entry, hasQuotes, judge, namedRows, refused, type Verdict } from "./judge.js";
import { type Named, namedAnew, showNamed } from "./new-anchors.js";
import { sentIn, unseenLines } from "./quoted-lines.js";
import { deletionNotes } from "./read.js";
import { keepHandle, refuse, takenBackNotes } from "./refuse.js";
import type { BatchDetails, BatchResult, EditResult } from "./result.js";
import { handleFor, plainSplices } from "./retry-handles.js";

/** One file of a call, judged. */
interface Judged extends Target {
  readonly opened: OpenFile;
  readonly destination: OpenFile | null;
  readonly verdict: Verdict;
  /** To be made for it, if it is new. */
  readonly folders: number;
}

type Applied = Extract<Verdict, { kind: "applied" }>;

const attempts = 3;
/** Places where others took lines out that one result tells of. */
const toldDeletions = 5;

export async function execute(call: Call, outer: CallEnv): Promise<EditResult | BatchResult> {
  const { targets, request } = await find(call, outer);
  const files = targets.flatMap(({ file, to }) => (to ? [file, to] : [file]));
  const judging = { ...call, request, targets };
  const tried = (watch: TreeWatch | null): Promise<EditResult | BatchResult | "untold"> =>
    withFiles(files, outer, (held, env) => carryOut(judging, held, env, watch), !call.dryRun);
  const done = await tried(outer.watch ?? null);
  if (done !== "untold") return done;
  await outer.watch?.before(files);
  const again = await tried(null);
  return again as EditResult | BatchResult;
}

type Judging = Asked & { readonly targets: readonly Target[] };

/** Judges and commits while the files are held; "untold" where somebody has to look at them before they are changed. */
async function carryOut(
  { targets, ...call }: Judging,
  held: Held,
  env: UnitEnv,
  watch: TreeWatch | null,
): Promise<EditResult | BatchResult | "untold"> {
  const { request } = call;
  const context = await contextOf(env);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const judged: Judged[] = [];
    for (const target of targets) judged.push(await judgeOne(target, held, context, { request, env }));
    if (judged.some(({ verdict }) => verdict.kind === "refused")) {
      const outdated = judged.filter(({ entry: { forced }, opened }) => isOutdated(forced, opened));
      const refusal = { ...call, entries: call.given };
      return refuse({ ...refusal, outdated: outdated.map(({ opened }) => opened.file.path) }, judged, env);
    }
    throwIfAborted(env.signal);
    if (watch && !call.dryRun && judged.some(isUntold)) return "untold";
    if (call.dryRun || (await commit(held, judged, env))) return finish(call, request, judged, env);
  }
  const paths = targets.map(({ file }) => file.path).join(", ");
  const keep = targets.length === 1 ? "it keeps" : "the files keep";
  throw new PortError("busy", `${paths}: ${keep} changing while being written`);
}

/** Whether the journal may not tell how a file that is to change came to be as it is. */
function isUntold({ verdict, opened, destination }: Judged): boolean {
  if (verdict.kind !== "applied") return false;
  return [opened, ...(destination ? [destination] : [])].some(
    ({ isFresh, states }) => isFresh || !states.at(-1)?.by,
  );
}

/** The file is not the one any more that a handle was given for. */
function isOutdated(forced: Entry["forced"], { document }: OpenFile): boolean {
  return forced !== undefined && forced.version !== document?.version;
}

function commit(held: Held, judged: readonly Judged[], { files }: Env): Promise<boolean> {
  for (const { verdict } of judged)
    if (verdict.kind === "applied" && verdict.after) keepParsed(verdict.after, files);
  return held.commit(judged.flatMap(writesOf));
}

async function judgeOne(
  target: Target,
  held: Held,
  context: FileContext,
  call: { request: string; env: UnitEnv },
): Promise<Judged> {
  const open = (file: FileId): Promise<OpenFile> =>
    isWhole(target.entry) ? openAny(held, file, context) : OpenFile.open(held, file, context);
  const opened = await open(target.file);
  const destination = target.to && (await open(target.to));
  if (opened.document) await opened.prepare(namedRows(target.entry), hasQuotes(target.entry));
  const verdict = judge(target.entry, opened, call.request, call.env);
  const isTaken = destination?.document && !isRespelled(target) && verdict.kind !== "refused";
  const there = [problem("exists", [], `${destination?.file.path} is already there`)];
  const made = destination ?? opened;
  const isNew = verdict.kind === "applied" && !made.document && verdict.after !== null;
  const folders = isNew ? ((await held.missingFolders?.(made.file)) ?? 0) : 0;
  return { ...target, opened, destination, folders, verdict: isTaken ? refused(there) : verdict };
}

/** Nothing is done to it but a deletion or a move, for which its content need not be known. */
function isWhole({ edits, operations, content, problems }: Entry): boolean {
  const isOther = edits.length > 0 || content !== undefined || problems.length > 0;
  return !isOther && operations.length === 1 && operations[0]?.op !== "create_file";
}

function writesOf(judged: Judged): Write[] {
  const { opened, destination, verdict } = judged;
  if (verdict.kind !== "applied") return [];
  const { measure } = opened;
  const before = measure ?? opened.document?.toBytes() ?? null;
  const after = verdict.after && (measure ?? verdict.after.toBytes());
  if (!destination) return [{ file: opened.file, before, after }];
  const gone = { file: opened.file, before, after: null };
  const made = { file: destination.file, before: null, after, from: opened.file };
  return isRespelled(judged) ? [gone, made] : [made, gone];
}

/** Ledger, journal and the answer, once the files are written (or would be). */
async function finish(
  call: Call,
  request: string,
  judged: readonly Judged[],
  env: UnitEnv,
): Promise<EditResult | BatchResult> {
  const batch = judged.length > 1 ? batchId((judged[0] as Judged).opened, env) : null;
  const finished: Finished[] = [];
  for (const one of judged) finished.push(await finishFile({ ...call, request }, one, batch, env));
  const retry = await keepAgain({ ...call, request }, judged, env);
  const recording = new Recording();
  if (finished.some(({ isWritten }) => isWritten)) await recording.try(() => env.store.finish());
  else await env.store.finish();
  const told = finished.map((one) => withWarnings(one, recording.warnings));
  const texts = told.map(({ text }) => text);
  const details = told.map((one) => one.details);
  const handle = retry === null ? {} : { retry };
  const first = details[0] as EditToolDetails;
  if (retry !== null) texts.push(againLine(call.single ? first.path : null, retry, env.voice.door));
  const text = texts.join("\n");
  if (call.single) return { text, isError: false, details: { ...first, ...handle } };
  const isApplied = details.some((one) => one.status === "applied");
  const status = call.dryRun ? "dry_run" : isApplied ? "applied" : "noop";
  const merged: BatchDetails = { status, files: details, ...handle };
  return { text, isError: false, details: merged };
}

/** The handle that applies a call again that was applied before, then taken back. */
async function keepAgain(call: Asked, judged: readonly Judged[], env: UnitEnv): Promise<string | null> {
  const isAgain = judged.some(({ verdict }) => verdict.kind === "noop" && (verdict.again ?? []).length > 0);
  if (!isAgain || judged.some(({ opened }) => !opened.isKeepable || !opened.document)) return null;
  const files = judged.map(({ opened, verdict }) => ({
    key: opened.file.key,
    version: opened.text.version,
    splices: plainSplices(verdict.kind === "noop" ? (verdict.again ?? []) : []),
  }));
  const versions = files.map(({ version }) => version);
  const handle = handleFor(call.request, ["again", ...versions]);
  await keepHandle(handle, { ...call, entries: call.given }, files, env);
  return handle;
}

type Asked = Call & { readonly request: string };

/** One file of a call that was done. */
interface Finished {
  readonly text: string;
  readonly details: EditToolDetails;
  readonly isWritten: boolean;
}

/** A failure to record is told beside each file that is written. */
function withWarnings({ text, details, isWritten }: Finished, failures: readonly string[]) {
  const warnings = isWritten ? failures : [];
  return {
    text: [text, ...warnings.map((warning) => `! ${warning}`)].join("\n"),
    details: { ...details, warnings: [...details.warnings, ...warnings] },
  };
}

async function finishFile(call: Asked, one: Judged, batch: string | null, env: UnitEnv): Promise<Finished> {
  const { opened, verdict, destination } = one;
  if (verdict.kind === "refused") throw new Error("a refused file cannot be finished");
  const notes = opened.document ? await takenBackNotes(opened, env) : [];
  const over = verdict.applied.over ?? LineSet.empty;
  const others = new Set(over.indexes().flatMap((line) => writer(opened, line) ?? []));
  const applied = { ...verdict.applied, warnings: [...notes, ...verdict.applied.warnings] };
  const path = opened.file.path;
  const before = opened.document;
  const after = verdict.kind === "applied" ? verdict.after : before;
  const diff = opened.measure ? "" : unifiedDiff(path, before, after, applied.change);
  const scheme = schemeOf(one, env);
  const target = destination ?? opened;
  const isRecorded = !call.dryRun && verdict.kind === "applied" && after !== null;
  const unseen = isRecorded && env.within === undefined ? quotedUnseen(one, after) : LineSet.empty;
  if (isRecorded) record(one, after, unseen);
  const own = isRecorded ? writtenLines(applied.change).subtract(unseen) : LineSet.empty;
  const renamed = env.voice.numbered ? [] : await namedAnew(target, own, scheme);
  const { told, untold } = isRecorded ? deletionsOf(target) : { told: [], untold: [] };
  const note = verdict.kind === "noop" && verdict.note ? { note: verdict.note } : {};
  const { text, printed } = resultText({
    path,
    applied,
    scheme,
    voice: env.voice,
    dryRun: call.dryRun,
    created: before === null,
    ...(destination ? { movedTo: destination.file.path } : {}),
    diff,
    foreign: isRecorded ? untoldLines(target.agent) : LineSet.empty,
    unseen,
    notes: deletionNotes(told),
    untold,
    newNames: renamed,
    ...note,
  });
  const done = { applied: isRecorded, printed, scheme, renamed, told };
  let id: string | undefined;
  const isWritten = !call.dryRun && verdict.kind === "applied";
  if (isWritten) {
    if (env.within === undefined) id = journalChange(opened, doneTo(one, verdict, call.tool, batch), env);
    if (!after || destination) opened.release();
  }
  if (!call.dryRun && after) remember(call, target, done);
  const ranges = changedRanges(applied.change);
  const replaced = over.isEmpty ? [] : [overText(over, [...others], id)];
  const details: EditToolDetails = {
    status: call.dryRun ? "dry_run" : verdict.kind === "applied" ? "applied" : "noop",
    path: target.file.path,
    before: versionOf(opened),
    after: after && (opened.measure ? versionOf(opened) : after.version),
    edits: applied.edits,
    diff,
    firstChangedLine: ranges[0]?.start ?? null,
    changedRanges: ranges,
    warnings: [...applied.warnings, ...replaced],
    ...(id === undefined ? {} : { id }),
  };
  const lines = [operationText(one, call.dryRun, diff) ?? text, ...replaced.map((warning) => `! ${warning}`)];
  return { text: lines.join("\n"), details, isWritten };
}

/** Where others took lines out: what the answer tells of, and of the others the lines beside them. */
function deletionsOf({ agent: { deletions }, text }: OpenFile) {
  const rest = deletions.slice(toldDeletions);
  return {
    told: deletions.slice(0, toldDeletions),
    untold: rest.map(({ gap }) => besideGap(gap, text.lineCount)),
  };
}

/** An operation on a file as a whole; a dry run shows what would go. */
function operationText(
  { entry, opened, destination, verdict }: Judged,
  dryRun: boolean,
  diff: string,
): string | null {
  if (verdict.kind !== "applied") return null;
  const { path } = opened.file;
  const [begin, would] = dryRun ? [dryRunBegins, "would be "] : ["", ""];
  if (entry.operations[0]?.op === "delete_file")
    return `${begin}${path}: ${would}deleted${dryRun && diff !== "" ? `\n${diff}` : ""}`;
  if (destination && entry.edits.length === 0)
    return `${begin}${path}: ${would}moved to ${destination.file.path}`;
  return null;
}

/** Rows are answered in the scheme they were asked in. */
function schemeOf({ entry }: Judged, env: Env): SchemeName {
  for (const edit of entry.edits) {
    if ("anchor" in edit) return edit.anchor.anchor.scheme;
    if ("start" in edit && edit.start) return edit.start.anchor.scheme;
  }
  return env.anchors;
}

function quotedUnseen({ opened, verdict, entry }: Judged, after: Document): LineSet {
  const { document: before } = opened;
  if (verdict.kind !== "applied" || !before || !hasQuotes(entry)) return LineSet.empty;
  const map = verdict.applied.change;
  return unseenLines({ map, before, after, known: opened.seen("").known }, sentIn(entry.edits));
}

/** `unseen`: written lines of which the agent knows only a part. */
function record({ opened, destination, verdict, entry }: Judged, after: Document, unseen: LineSet): void {
  if (verdict.kind !== "applied") return;
  const map = verdict.applied.change;
  const target = destination ?? opened;
  destination?.adopt(opened);
  if (!destination || !map.isIdentity) target.committed(after, opened.document ? map : null);
  const isWhole = entry.content !== undefined || entry.operations.length > 0;
  const written = isWhole ? LineSet.all(after.lineCount) : writtenLines(map);
  target.update(wrote(target.agent, target.history, written.subtract(unseen)));
}

interface Shown extends Named {
  readonly applied: boolean;
  readonly told: readonly Deletion[];
}

/** The printed rows name lines; the next identical call is a repeat. */
function remember(call: Asked, target: OpenFile, done: Shown): void {
  const { committed } = target.agent.past;
  const isShownSince = committed !== null && (newestFor(target.agent, null)?.order ?? 0) > committed.order;
  // Nothing was written, as in a refusal: if the same call comes again, it is judged as if this had shown nothing.
  const order = done.applied
    ? showNamed(target, done, "edit")
    : target.showed(done.printed, done.scheme, "refusal", call.request);
  const { agent } = target;
  const { past } = agent;
  const count = past.noop?.request === call.request ? past.noop.count + 1 : 1;
  const next = done.applied
    ? { ...past, committed: { request: call.request, order, version: target.text.version }, noop: null }
    : {
        ...past,
        committed: isShownSince ? committed : committed && { ...committed, order },
        noop: { request: call.request, count },
      };
  const deletions = agent.deletions.filter(({ gap }) => !done.told.some((one) => one.gap === gap));
  target.update({ ...agent, past: next, deletions });
  target.save();
}

function doneTo(one: Judged, { applied, after }: Applied, tool: string, batch: string | null): Done {
  const { opened, destination, folders } = one;
  return {
    ...{ tool, kind: "commit", before: versionOf(opened) },
    after: after && (opened.measure ? versionOf(opened) : after.version),
    change: applied.change,
    relocated: applied.edits.filter(({ status }) => status === "relocated").length,
    ...(batch ? { batch } : {}),
    ...(destination ? { to: destination } : {}),
    ...(folders > 0 ? { folders } : {}),
  };
}
