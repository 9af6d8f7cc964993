import {
  changedRanges,
  type Document,
  type EditToolDetails,
  LineSet,
  problem,
  resultText,
  type SchemeName,
  unifiedDiff,
} from "../core/index.js";
import { agentRecord, type Retry, takeRetry } from "./agent.js";
import { type Entry, entryOf, judge, refused, type Verdict } from "./judge.js";
import { wrote } from "./ledger.js";
import { type Context, OpenFile } from "./open.js";
import { type FileId, type Held, type Json, PortError, type Write } from "./ports.js";
import { entryId, refuse } from "./refuse.js";
import { type BatchDetails, type BatchResult, type EditResult, type Env, requestKey } from "./result.js";

export interface FileRequest {
  readonly path: string;
  readonly edits: unknown;
}

/** A call on one or several files, all or nothing. */
export interface Call {
  readonly tool: string;
  readonly request: string;
  readonly entries: readonly Entry[];
  /** As they came, for the retry handle. */
  readonly given: Retry["entries"];
  readonly single: boolean;
  readonly dryRun: boolean;
}

const attempts = 3;

export function callOf(
  tool: string,
  files: readonly FileRequest[],
  options: { single: boolean; dryRun: boolean },
): Call {
  return {
    tool,
    request: requestKey(files),
    entries: files.map(({ path, edits }) => entryOf(path, edits, !options.single)),
    given: files.map(({ path, edits }) => ({ path, edits: edits as Json })),
    ...options,
  };
}

/** The call a handle stands for. It is used up, whatever comes of it. */
export async function retryOf(
  tool: string,
  handle: string,
  options: { single: boolean; dryRun: boolean },
  env: Env,
): Promise<Call> {
  const found = await takeRetry(env.store, env.agent, handle);
  if (!found)
    throw new PortError(
      "bad_request",
      `there is no call to retry under ${JSON.stringify(handle)}: a handle is good once; send the edits again`,
    );
  const call = callOf(tool, found.entries, { ...options, single: found.single });
  const entries = await Promise.all(
    call.entries.map(async (entry): Promise<Entry> => {
      const { key } = await env.files.identify(entry.path);
      const kept = found.files.find((file) => file.key === key);
      return kept ? { ...entry, forced: { version: kept.version, splices: kept.splices } } : entry;
    }),
  );
  return { ...call, request: found.request, entries };
}

/** One file of a call, found. */
interface Target {
  readonly entry: Entry;
  readonly file: FileId;
  /** Where a move goes. */
  readonly to: FileId | null;
}

/** One file of a call, judged. */
interface Judged extends Target {
  readonly opened: OpenFile;
  readonly destination: OpenFile | null;
  readonly verdict: Verdict;
}

export async function execute(call: Call, env: Env): Promise<EditResult | BatchResult> {
  const targets = await find(call, env);
  const { epoch } = await agentRecord(env.store, env.agent);
  const context: Context = { ...env, epoch, now: env.clock() };
  const held = targets.flatMap(({ file, to }) => (to ? [file, to] : [file]));
  return env.files.hold(held, async (locked) => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const judged: Judged[] = [];
      for (const target of targets) judged.push(await judgeOne(target, locked, context, { call, env }));
      if (judged.some(({ verdict }) => verdict.kind === "refused"))
        return refuse({ ...call, entries: call.given }, judged, env);
      if (call.dryRun || (await locked.commit(judged.flatMap(writesOf)))) return finish(call, judged, env);
    }
    throw new PortError(
      "busy",
      `${targets.map(({ file }) => file.path).join(", ")}: the file keeps changing while it is written`,
    );
  });
}

/** A file named twice, also through links or case, is one list of edits. */
async function find(call: Call, env: Env): Promise<Target[]> {
  const found = new Map<string, Target>();
  for (const entry of call.entries) {
    const file = await env.files.identify(entry.path);
    const to = entry.operation?.op === "move_file" ? await env.files.identify(entry.operation.to) : null;
    const before = found.get(file.key);
    found.set(
      file.key,
      before ? { ...before, entry: joined(before.entry, entry), to: before.to ?? to } : { entry, file, to },
    );
  }
  return [...found.values()];
}

function joined(one: Entry, two: Entry): Entry {
  const edits = [...one.edits, ...two.edits].map((edit, index) => ({ ...edit, index }));
  return {
    ...one,
    edits,
    operation: one.operation ?? two.operation,
    problems: [...one.problems, ...two.problems],
  };
}

async function judgeOne(
  target: Target,
  held: Held,
  context: Context,
  { call, env }: { call: Call; env: Env },
): Promise<Judged> {
  const opened = await OpenFile.open(held, target.file, context);
  const destination = target.to && (await OpenFile.open(held, target.to, context));
  const verdict = judge(target.entry, opened, call.request, env);
  if (destination?.document && verdict.kind !== "refused") {
    const there = refused([problem("exists", [], `${destination.file.path} is already there`)]);
    return { ...target, opened, destination, verdict: there };
  }
  return { ...target, opened, destination, verdict };
}

function writesOf({ opened, destination, verdict }: Judged): Write[] {
  if (verdict.kind !== "applied") return [];
  const before = opened.document?.toBytes() ?? null;
  const after = verdict.after?.toBytes() ?? null;
  if (!destination) return [{ file: opened.file, before, after }];
  return [
    { file: destination.file, before: null, after },
    { file: opened.file, before, after: null },
  ];
}

/** Ledger, journal and the answer, once the files are written (or would be). */
async function finish(call: Call, judged: readonly Judged[], env: Env): Promise<EditResult | BatchResult> {
  const texts: string[] = [];
  const details: EditToolDetails[] = [];
  const batch = judged.length > 1 ? batchId(judged, env) : null;
  for (const one of judged) {
    const { text, details: told } = await finishFile(call, one, batch, env);
    texts.push(text);
    details.push(told);
  }
  const text = texts.join("\n");
  if (call.single) return { text, isError: false, details: details[0] as EditToolDetails };
  const status = call.dryRun
    ? "dry_run"
    : details.some((one) => one.status === "applied")
      ? "applied"
      : "noop";
  const merged: BatchDetails = { status, files: details };
  return { text, isError: false, details: merged };
}

function batchId(judged: readonly Judged[], env: Env): string {
  return `b${env.clock().toString(36)}-${judged.map(({ opened }) => opened.tick().toString(36)).join("-")}`;
}

async function finishFile(call: Call, one: Judged, batch: string | null, env: Env) {
  const { opened, verdict, destination } = one;
  if (verdict.kind === "refused") throw new Error("a refused file cannot be finished");
  const { applied } = verdict;
  const path = opened.file.path;
  const before = opened.document;
  const after = verdict.kind === "applied" ? verdict.after : before;
  const diff = before ? unifiedDiff(path, before, applied.document, applied.change.map) : "";
  const scheme = schemeOf(one, env);
  const target = destination ?? opened;
  const recorded = !call.dryRun && verdict.kind === "applied" && after !== null;
  if (recorded) record(one, after);
  const foreign = recorded ? target.agent.pending : LineSet.empty;
  const note = verdict.kind === "noop" && verdict.note ? { note: verdict.note } : {};
  const { text, printed } = resultText({
    path,
    applied,
    scheme,
    dryRun: call.dryRun,
    diff,
    foreign,
    ...note,
  });
  let id: string | undefined;
  if (!call.dryRun) {
    if (verdict.kind === "applied") id = await journal(call, one, batch, env);
    if (after) await remember(call, target, { applied: verdict.kind === "applied", printed, scheme });
  }
  const ranges = changedRanges(applied.change.map);
  const told: EditToolDetails = {
    status: call.dryRun ? "dry_run" : verdict.kind === "applied" ? "applied" : "noop",
    path: target.file.path,
    before: before?.version ?? null,
    after: after?.version ?? null,
    edits: applied.edits,
    diff,
    firstChangedLine: ranges[0]?.start ?? null,
    changedRanges: ranges,
    warnings: applied.warnings,
    ...(id === undefined ? {} : { id }),
  };
  return { text: operationText(one) ?? text, details: told };
}

function operationText({ entry, opened, destination, verdict }: Judged): string | null {
  if (verdict.kind !== "applied") return null;
  if (entry.operation?.op === "delete_file") return `${opened.file.path}: deleted`;
  if (destination && entry.edits.length === 0)
    return `${opened.file.path}: moved to ${destination.file.path}`;
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

function record({ opened, destination, verdict, entry }: Judged, after: Document): void {
  if (verdict.kind !== "applied") return;
  const { change } = verdict.applied;
  const target = destination ?? opened;
  const exact = destination || !opened.document ? null : change.map;
  target.committed(after, exact);
  const whole = entry.content !== undefined || entry.operation !== null;
  const written = whole
    ? LineSet.all(after.lineCount)
    : LineSet.of(
        change.map.regions
          .map(({ bStart, bEnd }) => [bStart, bEnd] as const)
          .filter(([start, end]) => start < end),
      );
  target.update(wrote(target.agent, target.history, written));
}

async function remember(
  call: Call,
  target: OpenFile,
  done: { applied: boolean; printed: LineSet; scheme: SchemeName },
): Promise<void> {
  const order = target.showed(done.printed, done.scheme, "edit");
  const { past } = target.agent;
  const count = past.noop?.request === call.request ? past.noop.count + 1 : 1;
  const next = done.applied
    ? { ...past, committed: { request: call.request, order }, noop: null }
    : { ...past, noop: { request: call.request, count } };
  target.update({ ...target.agent, past: next });
  await target.save();
}

async function journal(call: Call, one: Judged, batch: string | null, env: Env): Promise<string> {
  const { opened, destination, verdict } = one;
  if (verdict.kind !== "applied") return "";
  const { applied, after } = verdict;
  const time = env.clock();
  const target = destination ?? opened;
  const id = entryId(time, target);
  await env.store.append({
    id,
    time,
    agent: env.agent,
    tool: call.tool,
    kind: "commit",
    path: opened.file.path,
    file: opened.file.key,
    before: opened.document?.version ?? null,
    after: after?.version ?? null,
    lines: changedRanges(applied.change.map),
    change: applied.change.map.toJSON(),
    relocated: applied.edits.filter(({ status }) => status === "relocated").length,
    ...(batch ? { batch } : {}),
    ...(destination ? { to: destination.file.path } : {}),
  });
  if (!after || destination) {
    if (opened.document && opened.file.keep)
      await env.store.keepVersion(opened.document.version, opened.document.toBytes());
    await opened.forget();
  }
  return id;
}
