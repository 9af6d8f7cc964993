import { type EditToolDetails, type HashMismatch, type RefusalDetails, rejected } from "../core/index.js";
import {
  type BatchResult,
  type EditRequest,
  type EditResult,
  type FileId,
  type Files,
  type MultiEditRequest,
  type Plan,
  PortError,
  type ReadDetails,
  Session,
  type SessionOptions,
} from "../session/index.js";

type Request = EditRequest | MultiEditRequest;

/** A file is not what it was when the call was tried out: it is tried again. */
class Changed extends Error {}

const attempts = 3;

/**
 * Commits a call only if every line it names is where it was shown: for helpers that name lines by number and hash
 * and know no relocation. `onStale: refuse` is another thing: there nobody else may have changed anything in the file,
 * and lines that the agent's own edits moved are followed.
 */
export async function editUnmoved(
  request: Request,
  options: SessionOptions,
): Promise<EditResult | BatchResult> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const seen = new Map<string, Uint8Array | null>();
    const trial = new Session({
      ...options,
      files: watched(options.files, (file, bytes) => seen.set(file.key, bytes)),
    });
    const plan = await trial.plan(request);
    if (plan.result.isError) return plan.result;
    const moves = filesOf(plan.result).flatMap(movesOf);
    if (moves.length > 0) return refuse(moves, plan, options);
    if (request.dryRun) return plan.result;
    const same = new Session({
      ...options,
      files: watched(options.files, (file, bytes) => {
        if (!isEqual(seen.get(file.key) ?? null, bytes)) throw new Changed();
      }),
    });
    try {
      return withAdvice(await same.commit(plan));
    } catch (error) {
      if (!(error instanceof Changed)) throw error;
    }
  }
  throw new PortError("busy", "the file keeps changing while it is written");
}

const usualAdvice = "; keep using the anchors you were shown";

/** Where lines do not relocate, anchors below an edit that added or removed lines are of no use. */
function withAdvice<Done extends EditResult | BatchResult>(result: Done): Done {
  if (result.isError) return result;
  const moved = filesOf(result).some(({ diff }) => {
    const rows = diff.split("\n").slice(2);
    return (
      rows.filter((row) => row.startsWith("+")).length !== rows.filter((row) => row.startsWith("-")).length
    );
  });
  const advice = moved ? "; lines below it have moved: read them again before you name them" : "";
  return { ...result, text: result.text.replaceAll(usualAdvice, advice) };
}

function isEqual(one: Uint8Array | null, two: Uint8Array | null): boolean {
  return one === null || two === null ? one === two : Buffer.compare(one, two) === 0;
}

/** The same files; whatever is read while one is held is told. */
function watched(files: Files, tell: (file: FileId, bytes: Uint8Array | null) => void): Files {
  return {
    identify: (path) => files.identify(path),
    read: (file) => files.read(file),
    search: (query) => files.search(query),
    ...(files.codec ? { codec: files.codec.bind(files) } : {}),
    hold: (ids, body) =>
      files.hold(ids, (held) =>
        body({
          commit: (writes) => held.commit(writes),
          ...(held.measure ? { measure: held.measure.bind(held) } : {}),
          async read(file) {
            const bytes = await held.read(file);
            tell(file, bytes);
            return bytes;
          },
        }),
      ),
  };
}

function filesOf({ details }: EditResult | BatchResult): readonly EditToolDetails[] {
  return "files" in details && details.files
    ? (details.files as EditToolDetails[])
    : [details as EditToolDetails];
}

interface Move {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly last: number;
}

function movesOf({ path, edits }: EditToolDetails): Move[] {
  return edits.flatMap(({ status, from, to }) =>
    status === "relocated" && from && to ? [{ path, from: from.start, to: to.start, last: to.end }] : [],
  );
}

const around = 2;

async function refuse(moves: readonly Move[], plan: Plan, options: SessionOptions): Promise<EditResult> {
  const session = new Session(options);
  const told: string[] = [];
  const mismatches: HashMismatch[] = [];
  for (const path of new Set(moves.map((move) => move.path))) {
    const own = moves.filter((move) => move.path === path);
    const ranges = own.map(({ to, last }) => ({ start: Math.max(1, to - around), end: last + around }));
    const shown = await session.showRefused(plan, { path, ranges });
    const rows = shown.isError ? [] : (shown.details as ReadDetails).rows;
    mismatches.push(...own.map((move) => mismatch(move, rows)));
    const lines = shown.text.split("\n").filter((line) => !line.startsWith("["));
    told.push("", ...lines.map((line) => `    ${line}`));
  }
  const [first] = moves as [Move];
  const lines = mismatches.map(({ path, anchor, movedTo }) => `${path}: ${anchor} is ${movedTo} now`);
  const details: RefusalDetails = {
    ...{ status: "refused", code: "stale", path: first.path, message: lines.join("; "), mismatches },
    affectedRanges: moves.map(({ to, last }) => ({ start: to, end: last })),
    remaps: mismatches.map(({ anchor, movedTo = "" }) => ({ from: anchor, to: movedTo, kind: "moved" })),
  };
  await journal(details, options);
  const next = "Decide again with these rows, and use their anchors.";
  return { text: [rejected, ...lines, ...told, "", next].join("\n"), isError: true, details };
}

function mismatch({ path, from, to }: Move, rows: ReadDetails["rows"]): HashMismatch {
  const row = rows.find(({ line }) => line === to);
  const movedTo = row?.anchor ?? String(to);
  const anchor = movedTo.replace(/^\d+(?=#)|\d+$/, String(from));
  const text = row?.text ?? null;
  const seen = { expected: anchor, actual: movedTo, shown: text, now: text };
  return { path, anchor, line: to, cause: "moved", movedTo, ...seen };
}

async function journal(
  details: RefusalDetails,
  { files, store, agent, clock }: SessionOptions,
): Promise<void> {
  const { path, affectedRanges: lines, code, message } = details;
  const time = clock();
  await store.append({
    ...{ id: `${time.toString(36)}-moved`, time, agent, tool: "edit", kind: "refusal", path, lines, code },
    ...{ file: (await files.identify(path)).key, before: null, after: null, cause: message.slice(0, 200) },
  });
}
