import { type Door, removeFirst } from "../answers/index.js";
import { compare, hunksOf, LineChange } from "../changes/index.js";
import {
  type FileOperation,
  type Mismatch,
  mismatch,
  normaliseEdits,
  type ParsedEdit,
  type Problem,
  problem,
  unrecordedView,
  type View,
} from "../edits/index.js";
import {
  type Decision,
  type Env,
  gate,
  gateLines,
  type NamedRow,
  neverShown,
  newestFor,
  type OpenFile,
  shownRows,
} from "../ledger/index.js";
import {
  type Applied,
  applySplices,
  copiedAnchors,
  type EngineOptions,
  hinted,
  nulMakesBinary,
  openAnchors,
  type Refused,
  runEdits,
  shapeProblems,
  withoutCopied,
} from "../merge/index.js";
import { type Document, type Hunk, LineSet, wholeFile } from "../text/index.js";
import type { Meant } from "./retry-handles.js";

/** The request about one file. */
export interface Entry {
  readonly path: string;
  readonly edits: readonly ParsedEdit[];
  readonly operations: readonly FileOperation[];
  /** Whole-file content, of a write. */
  readonly content?: string | readonly string[];
  /** The retry to carry out, if the file is still the version its refusal showed. */
  readonly forced?: {
    readonly version: string;
    readonly splices: readonly Hunk[];
    /** The decision of its handle, which holds whatever became of the file. */
    readonly meant?: Meant;
  };
  readonly problems: readonly Problem[];
}

/** The file may become `after` (null: it goes), and `applied` says how; or it must not. */
export type Verdict =
  | { readonly kind: "applied"; readonly applied: Applied; readonly after: Document | null }
  | {
      readonly kind: "noop";
      readonly applied: Applied;
      readonly note?: string;
      /** It was applied before, then taken back: what applies it again. */
      readonly again?: readonly Hunk[];
    }
  | { readonly kind: "refused"; readonly refused: Refused };

const noopsBeforeRefusal = 2;

/** Reads one entry of a call: the shapes of its edits, and what it wants of the file as a whole. */
export function entryOf(path: string, edits: unknown): Entry {
  const { edits: list, operations, complaints } = normaliseEdits(edits);
  return { path, edits: list, operations, problems: shapeProblems(complaints) };
}

/** Two entries for one file, also through links or case, are one. */
export function joined(one: Entry, two: Entry): Entry {
  const edits = [...one.edits, ...two.edits].map((edit, index) => ({ ...edit, index }));
  const operations = [...one.operations, ...two.operations];
  return { ...one, edits, operations, problems: [...one.problems, ...two.problems] };
}

/** The parts of an entry must go together. `door`: of a call that is no batch. */
export function contradictions(entry: Entry, door: Door | null): Problem[] {
  const { edits, operations } = entry;
  const [operation, ...more] = operations;
  if (!operation) return [];
  if (door) {
    const request = batchFor(entry, operation);
    const words = door.batch?.(request) ?? `a batch, ${request}`;
    return [problem("bad_request", [], `${operation.op} works on whole files: send ${words}`)];
  }
  if (more.length > 0)
    return [problem("bad_request", [], "a file takes one of create_file, delete_file, move_file")];
  if (operation.op !== "move_file" && edits.length > 0)
    return [problem("bad_request", [], `${operation.op} cannot be combined with edits of the same file`)];
  return [];
}

/**
 * The same request as a batch: copied, it does what was asked for. A field that is left out is no JSON, and cannot be
 * sent.
 */
function batchFor({ path, edits, operations }: Entry, operation: FileOperation): string {
  const words = operation.op === "create_file" ? '{"op":"create_file","text":…}' : JSON.stringify(operation);
  const rest = edits.length + operations.length > 1 ? ",…" : "";
  return `{"files":[{"path":${JSON.stringify(path)},"edits":[${words}${rest}]}]}`;
}

/** Rows that the anchors of an entry name, in its edits and copied into its text. */
export function namedRows({ edits, problems, content }: Entry): NamedRow[] {
  const rows: NamedRow[] = problems.flatMap(({ unread: line }) => (line === undefined ? [] : [{ line }]));
  for (const edit of edits) {
    if ("start" in edit && edit.start && edit.end) rows.push(edit.start.anchor, edit.end.anchor);
    if ("anchor" in edit) rows.push(edit.anchor.anchor);
    if ("after" in edit) rows.push(edit.after.anchor);
    if ("text" in edit) for (const { anchor } of copiedAnchors(edit.text)) rows.push(anchor);
  }
  if (content !== undefined)
    for (const { anchor } of copiedAnchors(contentLines(content).lines)) rows.push(anchor);
  return rows;
}

/** Whole-file content as lines; `end` is what stands behind the last one. */
function contentLines(content: string | readonly string[]): { lines: readonly string[]; end: string } {
  if (typeof content !== "string") return { lines: content, end: "" };
  const end = content.endsWith("\n") ? "\n" : "";
  return { lines: content.slice(0, content.length - end.length).split("\n"), end };
}

export function hasQuotes({ edits }: Entry): boolean {
  return edits.some(({ op }) => op === "replace_text");
}

/** Shape, existence, gate, resolution, in this order, for one file as it is now. */
export function judge(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  if (entry.problems.length > 0) return misshapen(entry, opened, request, env);
  const verdict = judgeOnce(entry, opened, request, env);
  const repeats = verdict.kind === "noop" && !verdict.again ? repeatedNoop(opened, request) : null;
  return repeats ? refused([repeats]) : verdict;
}

/** Conflicts of the edits that could be read are told at once. */
function misshapen(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  const problems = opened.document ? hinted(entry.problems, opened.view(request)) : entry.problems;
  const rest = entry.operations.length > 0 ? null : judgeOnce(entry, opened, request, env);
  const { problems: others, remaps } = rest?.kind === "refused" ? rest.refused : refused([]).refused;
  return { kind: "refused", refused: { ...refused([...problems, ...others]).refused, remaps } };
}

function judgeOnce(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  const [operation = null] = entry.operations;
  const { document, file } = opened;
  if (operation?.op === "create_file")
    return document
      ? refused([problem("exists", [], `${file.path} is already there`)])
      : written(wholeFile(operation.text, null), null);
  if (!document) {
    if (entry.content !== undefined) return written(wholeFile(entry.content, null), null);
    return refused([problem("not_found", [], `${file.path} does not exist`)]);
  }
  // Reading it first would not help: it cannot be shown.
  if (entry.content !== undefined && document.isBinary && env.gate !== "off")
    return refused([problem("binary", [], `${file.path} is binary, and was never shown: ${notOverwritten}`)]);
  const isWhole = entry.content !== undefined || operation !== null;
  const decision = gate(isWhole ? "whole" : "touch", opened.seen(request), env.gate);
  if (!("allow" in decision))
    return refused([opened.measure ? unmeasured(decision, file.path) : blocked(decision, opened)]);
  if (entry.content !== undefined) return overwritten(entry.content, document, opened.view(request));
  if (operation?.op === "delete_file") return deleted(document);
  if (operation && entry.edits.length === 0) return unchanged(document);
  if (document.isBinary) return refused([problem("binary", [], `${file.path} is binary`)]);
  return edited(entry, opened, request, env);
}

const notOverwritten = `its content is not overwritten with text; ${removeFirst}`;

/** A call that changed nothing twice changes nothing the third time. */
function repeatedNoop({ agent, file }: OpenFile, request: string): Problem | null {
  const { noop } = agent.past;
  if (noop?.request !== request || noop.count < noopsBeforeRefusal) return null;
  return problem(
    "noop_repeat",
    [],
    `this call has changed nothing ${noop.count} times: ${file.path} already reads like this`,
  );
}

function edited(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  const { past } = opened.agent;
  const document = opened.text;
  const { forced } = entry;
  if (forced && forced.version === document.version) {
    const isNothing = forced.splices.length === 0 && entry.operations.length === 0;
    return isNothing ? { kind: "noop", applied: nothing(document) } : sentAgain(forced.splices, document);
  }
  // The same request with another line decided is another one.
  const isRepeat = past.committed?.request === request && !isShownSince(opened) && !forced?.meant;
  if (isRepeat && !isTakenBack(opened)) return repeated(opened);
  // Text that is quoted in a retry is looked for in the version that its handle was given with, whatever was shown
  // since.
  const newest = forced && opened.states.findLastIndex(({ version }) => version === forced.version);
  const view: View = {
    ...opened.view(request),
    ...(env.gate === "lines" ? {} : { within: 0 }),
    ...(env.within === undefined ? {} : unrecordedView(document, env.within)),
    ...(newest === undefined ? {} : { newest }),
  };
  const { onStale, unmoved } = env;
  const made = runDecided(entry, view, opened, { gate: gateLines(env.gate), onStale, unmoved });
  // A handle had decided what its anchors mean: that is asked for again.
  const isOpen = made.status === "refused" && openAnchors(made.problems).length > 0;
  if (isRepeat && !isOpen)
    return repeated(opened, made.status === "applied" ? hunksOf(made.change.regions, made.document) : []);
  if (made.status === "refused") return { kind: "refused", refused: made };
  if (made.status !== "applied") return { kind: "noop", applied: made };
  const applied = { ...made, warnings: [...made.warnings, ...unknownChanges(opened, request, env)] };
  return { kind: "applied", applied, after: made.document };
}

/**
 * A handle that decided what an ambiguous anchor means is asked for again if the anchor is ambiguous still. If it is not
 * any more, it may name a line that was not chosen: the chosen one is followed instead, and no other is taken.
 */
function runDecided(entry: Entry, view: View, { states }: OpenFile, options: EngineOptions) {
  const plain = runEdits(entry.edits, view, options);
  const meant = entry.forced?.meant;
  if (!meant || (plain.status === "refused" && openAnchors(plain.problems).length > 0)) return plain;
  const state = states.findLastIndex(({ version }) => version === meant.version);
  const lines = new Map(Object.entries(meant.lines));
  return runEdits(entry.edits, { ...view, meant: { state, lines } }, options);
}

/** Something of the file was shown since the last call was committed, but its own result. */
function isShownSince({ agent }: OpenFile): boolean {
  return (newestFor(agent, null)?.order ?? 0) > (agent.past.committed?.order ?? 0);
}

/** The file reads again as it did before the last call was committed. */
function isTakenBack({ agent, states, text }: OpenFile): boolean {
  const made = states.findLastIndex(({ version }) => version === agent.past.committed?.version);
  return states.slice(0, Math.max(0, made)).some(({ version }) => version === text.version);
}

function repeated({ file: { path }, text }: OpenFile, again?: readonly Hunk[]): Verdict {
  const begin = "NO CHANGE: this very call was applied before";
  if (!again) return { kind: "noop", applied: nothing(text), note: `${begin} to ${path}.` };
  const note = `${begin}, then taken back: ${path} reads again as it did before it.`;
  return { kind: "noop", applied: nothing(text), note, again };
}

/** Text put at an end of the file is all that can be done to one whose shown text is gone: nobody can say then what others did. */
function unknownChanges({ agent, history, file }: OpenFile, request: string, { voice }: Env): string[] {
  const shown = newestFor(agent, request);
  if (!shown || history.believed(shown.state)) return [];
  const read = voice.door.read(file.path);
  return [
    `${file.path} has changed since it was shown, and that text is not kept: ${read} before you use its anchors`,
  ];
}

function sentAgain(splices: readonly Hunk[], document: Document): Verdict {
  const made = applySplices(document, splices);
  if (!("document" in made)) return refused([made]);
  const applied = { ...nothing(made.document), status: "applied" as const, change: made.change };
  return { kind: "applied", applied, after: made.document };
}

function overwritten(content: string | readonly string[], before: Document, view: View): Verdict {
  const { lines, end } = contentLines(content);
  const { lines: kept, warning } = withoutCopied(lines, view);
  const plain = typeof content === "string" ? kept.join("\n") + end : kept;
  const after = wholeFile(kept === lines ? content : plain, before);
  if ("unencodable" in after) return written(after, before);
  const verdict: Verdict =
    after.version === before.version ? { kind: "noop", applied: nothing(before) } : written(after, before);
  if (warning === null || verdict.kind === "refused") return verdict;
  return { ...verdict, applied: { ...verdict.applied, warnings: [warning] } };
}

function written(after: ReturnType<typeof wholeFile>, before: Document | null): Verdict {
  if ("unencodable" in after)
    return refused([
      problem(
        "unencodable",
        [],
        `the file's encoding ${after.encoding} cannot hold ${JSON.stringify(after.unencodable)}`,
      ),
    ]);
  if (after.isBinary) return refused([problem("binary", [], nulMakesBinary)]);
  const change = before ? compare(before, after) : LineChange.whole(0, after.lineCount);
  return { kind: "applied", applied: { ...nothing(after), status: "applied", change }, after };
}

function deleted(document: Document): Verdict {
  const change = LineChange.whole(document.lineCount, 0);
  return { kind: "applied", applied: { ...nothing(document), status: "applied", change }, after: null };
}

function unchanged(document: Document): Verdict {
  return { kind: "applied", applied: { ...nothing(document), status: "applied" }, after: document };
}

function nothing(document: Document): Applied {
  return {
    status: "noop",
    document,
    change: LineChange.identity(document.lineCount),
    edits: [],
    warnings: [],
    rows: LineSet.empty,
  };
}

export function refused(problems: readonly Problem[]): Extract<Verdict, { kind: "refused" }> {
  return { kind: "refused", refused: { status: "refused", problems, remaps: [], forced: null } };
}

/** There is nothing of it that could be shown but its size and hash. */
function unmeasured({ code, reason }: Exclude<Decision, { allow: true }>, path: string): Problem {
  const changed = `${path} has changed since its size and hash were shown, or they were not`;
  return problem(code, [], code === "not_read" ? reason : changed);
}

/** A few missing rows are shown at once, with what became of those that were shown; many have to be asked for. */
export function blocked(
  { missing, code, reason }: Exclude<Decision, { allow: true }>,
  opened: OpenFile,
): Problem {
  // No rows of a binary file can be shown.
  if (opened.text.isBinary) return problem(code, [], reason, { missing });
  const rows = missing.size <= shownRows ? missing : LineSet.empty;
  const changes = rows.isEmpty ? [] : changedLines(opened.agent.pending.intersect(missing), opened);
  const changed = LineSet.lines(changes.map(([line]) => line));
  const unseen = neverShown(missing.subtract(changed), "");
  return problem(code, [], reason, {
    ...{ rows, missing, changed },
    mismatches: [...changes.map(([, one]) => one), ...unseen],
  });
}

/** Lines that others wrote where something was shown, with what that was. */
function changedLines(lines: LineSet, { agent, history }: OpenFile): (readonly [number, Mismatch])[] {
  return lines.indexes().flatMap((line) => {
    for (const { state, rows } of agent.showings.toReversed()) {
      const document = history.document(state);
      const regions = history.follow(state)?.regions ?? [];
      const region = regions.find(({ bStart, bEnd }) => bStart <= line && line < bEnd);
      if (!document || !region) continue;
      const index = region.aStart + line - region.bStart;
      if (index >= region.aEnd)
        return [[line, mismatch(null, { document: history.now, index: line }, "hex6")]];
      if (rows.has(index))
        return [[line, mismatch({ document, index }, { document: history.now, index: line }, "hex6")]];
    }
    return [];
  });
}
