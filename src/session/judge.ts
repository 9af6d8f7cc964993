import {
  type Applied,
  applySplices,
  Change,
  compare,
  type Document,
  type Edit,
  type FileOperation,
  LineSet,
  normaliseEdits,
  type Problem,
  problem,
  type Refused,
  runEdits,
  type Splice,
  shownFor,
  type View,
  wholeFile,
} from "../core/index.js";
import { type Decision, gate, gateLines, shownRows } from "./gate.js";
import type { OpenFile } from "./open.js";
import type { Env } from "./result.js";

/** What is asked of one file. */
export interface Entry {
  readonly path: string;
  readonly edits: readonly Edit[];
  readonly operation: FileOperation | null;
  /** Whole-file content, of a write. */
  readonly content?: string | readonly string[];
  /** Of a retry: what to do, if the file is still the version its refusal showed. */
  readonly forced?: { readonly version: string; readonly splices: readonly Splice[] };
  readonly problems: readonly Problem[];
  /** A line whose anchor could not be read, for telling the right one. */
  readonly unread?: number;
}

/** The file may become `after` (null: it goes), and `applied` says how; or it must not. */
export type Verdict =
  | { readonly kind: "applied"; readonly applied: Applied; readonly after: Document | null }
  | { readonly kind: "noop"; readonly applied: Applied; readonly note?: string }
  | { readonly kind: "refused"; readonly refused: Refused };

const noopsBeforeRefusal = 2;

/** Reads one entry of a call: the shapes of its edits, and what it wants of the file as a whole. */
export function entryOf(path: string, edits: unknown, batch: boolean): Entry {
  const { edits: list, operations, complaints } = normaliseEdits(edits);
  const problems = complaints.map((one) => problem(one.code, [one.index], one.message));
  const [operation = null, ...more] = operations;
  if (operation && !batch)
    problems.push(
      problem(
        "bad_request",
        [],
        `${operation.op} works on whole files: send it in a batch, as {"files":[{"path":…,"edits":[…]}]}`,
      ),
    );
  if (more.length > 0)
    problems.push(problem("bad_request", [], "a file takes one of create_file, delete_file, move_file"));
  if (operation && operation.op !== "move_file" && list.length > 0)
    problems.push(problem("bad_request", [], `${operation.op} cannot be combined with edits`));
  const unread = complaints.find(({ line }) => line !== undefined)?.line;
  return { path, edits: list, operation, problems, ...(unread === undefined ? {} : { unread }) };
}

/** Shape, existence, gate, resolution, in this order, for one file as it is now. */
export function judge(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  if (entry.problems.length > 0) return refused(hinted(entry, opened, request));
  const { operation } = entry;
  const { document, file } = opened;
  if (operation?.op === "create_file")
    return document
      ? refused([problem("exists", [], `${file.path} is already there`)])
      : written(wholeFile(operation.text, null), null);
  if (!document) {
    if (entry.content !== undefined) return written(wholeFile(entry.content, null), null);
    return refused([problem("not_found", [], `${file.path} does not exist`)]);
  }
  const isWhole = entry.content !== undefined || operation !== null;
  if (isWhole) {
    const decision = gate("whole", opened.seen(), env.gate);
    if (!("allow" in decision)) return refused([blocked(decision, document)]);
  }
  if (entry.content !== undefined) return overwritten(entry.content, document);
  if (operation?.op === "delete_file") return deleted(document);
  if (document.binary && entry.edits.length > 0)
    return refused([problem("binary", [], `${file.path} is binary`)]);
  const decision = gate("touch", opened.seen(), env.gate);
  if (!("allow" in decision)) return refused([blocked(decision, document)]);
  if (operation?.op === "move_file" && entry.edits.length === 0) return unchanged(document, "applied");
  return edited(entry, opened, request, env);
}

/** A number or a broken anchor is answered with the anchor that was shown for that line. */
function hinted({ problems, unread }: Entry, opened: OpenFile, request: string): readonly Problem[] {
  if (unread === undefined || !opened.document) return problems;
  const hint = shownFor(unread, opened.view(request));
  return problems.map((one) => (one.code === "bad_anchor" ? { ...one, message: one.message + hint } : one));
}

function edited(entry: Entry, opened: OpenFile, request: string, env: Env): Verdict {
  const { past } = opened.agent;
  const document = opened.text;
  const { forced } = entry;
  if (forced && forced.version === document.version) return sentAgain(forced.splices, document);
  const last = past.committed;
  if (last?.request === request && !opened.agent.showings.some(({ order }) => order > last.order))
    return {
      kind: "noop",
      applied: nothing(document),
      note: `NO CHANGE: this very call was applied before to ${opened.file.path}.`,
    };
  const view: View = { ...opened.view(request), open: env.gate !== "lines" };
  const made = runEdits(entry.edits, view, { gate: gateLines(env.gate), onStale: env.onStale });
  if (made.status === "refused") return { kind: "refused", refused: made };
  if (made.status === "applied") return { kind: "applied", applied: made, after: made.document };
  if (past.noop?.request === request && past.noop.count >= noopsBeforeRefusal)
    return refused([
      problem(
        "noop_repeat",
        [],
        `this call has changed nothing ${past.noop.count} times: ${opened.file.path} already reads like this`,
        { rows: made.rows },
      ),
    ]);
  return { kind: "noop", applied: made };
}

function sentAgain(splices: readonly Splice[], document: Document): Verdict {
  const made = applySplices(document, splices);
  if (!("document" in made)) return refused([made]);
  const applied = { ...nothing(made.document), status: "applied" as const, change: made.change };
  return { kind: "applied", applied, after: made.document };
}

function overwritten(content: string | readonly string[], before: Document): Verdict {
  const after = wholeFile(content, before);
  if ("unencodable" in after) return written(after, before);
  return after.version === before.version
    ? { kind: "noop", applied: nothing(before) }
    : written(after, before);
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
  const lines = after.lines();
  const map = before && compare(before, after);
  const hunks = map
    ? map.regions.map((region) => ({
        start: region.aStart,
        end: region.aEnd,
        lines: lines.slice(region.bStart, region.bEnd),
      }))
    : [{ start: 0, end: 0, lines }];
  const change = Change.of(before?.lineCount ?? 0, hunks);
  return { kind: "applied", applied: { ...nothing(after), status: "applied", change }, after };
}

function deleted(document: Document): Verdict {
  const change = Change.of<string>(document.lineCount, [{ start: 0, end: document.lineCount, lines: [] }]);
  return { kind: "applied", applied: { ...nothing(document), status: "applied", change }, after: null };
}

function unchanged(document: Document, status: "applied" | "noop"): Verdict {
  return { kind: "applied", applied: { ...nothing(document), status }, after: document };
}

function nothing(document: Document): Applied {
  return {
    status: "noop",
    document,
    change: Change.of<string>(document.lineCount, []),
    edits: [],
    warnings: [],
    rows: LineSet.empty,
  };
}

export function refused(problems: readonly Problem[]): Verdict {
  return { kind: "refused", refused: { status: "refused", problems, remaps: [], forced: null } };
}

/** A few missing rows are shown at once; many have to be asked for. */
function blocked(decision: Exclude<Decision, { allow: true }>, document: Document): Problem {
  const { missing, code, reason } = decision;
  const few = missing.size <= shownRows && code === "not_shown";
  return problem(code, [], reason, {
    rows: few ? missing : LineSet.empty,
    mismatches: missing
      .ranges()
      .slice(0, 100)
      .map(({ start }) => ({
        anchor: "",
        line: Math.min(start, document.lineCount),
        expected: null,
        actual: null,
        cause: "never_shown",
        shown: null,
        now: null,
      })),
  });
}
