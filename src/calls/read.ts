import {
  defaultLimit,
  formatRow,
  isPrintable,
  type Labels,
  type Listing,
  listRows,
  type SchemeName,
  selectLines,
} from "../anchors/index.js";
import { notRead } from "../answers/index.js";
import {
  type CallEnv,
  contextOf,
  type Deletion,
  deletion,
  describe,
  type Env,
  hasSeen,
  isShownLast,
  isTooLarge,
  type OpenFile,
  openAny,
  peek,
  withFile,
  withFiles,
} from "../ledger/index.js";
import {
  type Cancellation,
  type FileId,
  PortError,
  type SearchHit,
  type SearchQuery,
} from "../ports/index.js";
import { type Document, LineSet, mergeRanges, type Range } from "../text/index.js";
import { takenBackNotes } from "./refuse.js";
import type { ReadDetails, Result, SearchDetails } from "./result.js";

export interface ReadRequest {
  readonly path: string;
  /** Overrides offset and limit; an empty list counts as absent. */
  readonly ranges?: readonly Range[];
  /** First line, 1-based. */
  readonly offset?: number;
  readonly limit?: number;
  /** Only what others changed since it was shown. */
  readonly delta?: boolean;
  readonly anchors?: Labels;
  readonly signal?: Cancellation | undefined;
}

export async function read(request: ReadRequest, env: CallEnv): Promise<Result<ReadDetails>> {
  checkRanges(request);
  const file = await env.files.identify(request.path);
  env.watch?.reads(file);
  try {
    return await readText(file, request, env);
  } catch (error) {
    throw isTooLarge(error) ? await measured(file, error, env) : error;
  }
}

/** Size and hash of a file that is too large are shown: it may be deleted or moved after that. */
async function measured(file: FileId, error: PortError, env: CallEnv): Promise<PortError> {
  return withFiles([file], env, async (held, inner) => {
    const opened = await openAny(held, file, await contextOf(inner));
    if (!opened.measure) return error;
    const { hash } = opened.measure;
    opened.showed(LineSet.all(opened.text.lineCount), null, "observed");
    opened.save();
    return new PortError("too_large", `${error.message}; hash ${hash}. It can be deleted or moved now`);
  });
}

async function readText(file: FileId, request: ReadRequest, env: CallEnv): Promise<Result<ReadDetails>> {
  const again = await readAgain(file, request, env);
  if (again) return again;
  return withFile(file, env, async (opened, inner) => {
    const text = shownText(opened);
    const result = request.delta ? await delta(opened, text, request, env) : list(opened, text, request, env);
    const notes = await takenBackNotes(opened, inner);
    opened.save();
    return { ...result, text: [result.text, ...notes.map((note) => `[${note}]`)].join("\n") };
  });
}

/** Nothing happened since it was shown last, in the same rows: that is written down already, and takes no lock. */
async function readAgain(file: FileId, request: ReadRequest, env: Env): Promise<Result<ReadDetails> | null> {
  if (request.delta) return null;
  const known = await peek(file, env, ({ showings }, { lineCount }) => {
    const asked = selectLines(lineCount, request);
    return showings.at(-1)?.rows.isEqual(LineSet.of(asked.spans)) ?? false;
  });
  if (typeof known !== "object" || known.document.isBinary) return null;
  const { document, agent, state } = known;
  const { listing, anchors } = listed(document, request, env);
  const scheme = anchors === "none" ? null : anchors;
  if (!isShownLast(agent, { state, rows: listing.shown, scheme, printer: "read" })) return null;
  return { text: listing.text, isError: false, details: detailsOf(file, document, listing, anchors) };
}

function checkRanges({ ranges }: ReadRequest): void {
  if (ranges !== undefined && !Array.isArray(ranges))
    throw new PortError("bad_request", 'ranges is a list like [{"start":1,"end":20}]');
  for (const { start, end } of (ranges ?? []).map((range) => range ?? {}) as readonly Range[]) {
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1)
      throw new PortError(
        "bad_request",
        `a range is {"start":n,"end":m} with lines from 1; got ${start} to ${end}`,
      );
    if (start > end) throw new PortError("bad_request", `range ${start}-${end} ends before it begins`);
  }
}

/**
 * The text of a file that can be shown. Size and version of a binary file are shown: it may be deleted or moved after
 * that.
 */
function shownText(opened: OpenFile): Document {
  const { document, file } = opened;
  if (!document) throw new PortError("not_found", `${file.path} does not exist`);
  if (!document.isBinary) return document;
  opened.showed(LineSet.all(document.lineCount), null, "observed");
  opened.save();
  throw new PortError(
    "binary",
    `${file.path} is binary: ${document.bytes.length} bytes, version ${document.version}`,
  );
}

function list(opened: OpenFile, text: Document, request: ReadRequest, env: Env): Result<ReadDetails> {
  const { listing, anchors } = listed(text, request, env);
  showed(opened, listing, anchors);
  return { text: listing.text, isError: false, details: detailsOf(opened.file, text, listing, anchors) };
}

function showed(
  opened: OpenFile,
  { shown, rows }: Pick<Listing, "shown" | "rows">,
  anchors: Labels,
  printer: "read" | "delta" = "read",
): void {
  if (!shown.isEmpty || rows.length === 0 || rows.some(({ line }) => isPrintable(opened.text, line - 1)))
    opened.showed(shown, anchors === "none" ? null : anchors, printer);
  else opened.met();
}

function listed(text: Document, request: ReadRequest, env: Env): { listing: Listing; anchors: Labels } {
  const anchors = request.anchors ?? env.anchors;
  const ranges = request.ranges && request.ranges.length > 0 ? mergeRanges(request.ranges) : null;
  const asked = {
    ...(ranges ? { ranges } : {}),
    ...(request.offset === undefined ? {} : { offset: request.offset }),
    ...(request.limit === undefined ? {} : { limit: request.limit }),
  };
  const listing = listRows(text, { ...asked, scheme: anchors });
  const { numbered } = env.voice;
  if (!numbered) return { listing, anchors };
  for (const { line, anchor, cut } of listing.rows) if (!cut) numbered(line, anchor);
  const { rows, notes, shown } = listing;
  return {
    listing: { rows, notes, shown, text: listRows(text, { ...asked, scheme: "none" }).text },
    anchors,
  };
}

function detailsOf(
  { path }: FileId,
  { version, lineCount }: Document,
  listing: Pick<Listing, "rows" | "shown">,
  scheme: Labels,
): ReadDetails {
  let rows: ReadDetails["rows"] | undefined;
  return {
    ...{ status: "read" as const, path, version, scheme, totalLines: lineCount },
    ranges: listing.shown.ranges(),
    get rows() {
      rows ??= listing.rows.map(({ line, anchor, text }) => ({ line, anchor, text }));
      return rows;
    },
  };
}

/** Places where lines were deleted that one delta tells of. */
const mostDeletions = 200;

/**
 * Prints what others changed in lines the agent has seen; then nothing is pending. Beyond the rows of one read the rest
 * stays pending, for the next delta. Unseen lines stay unseen.
 */
async function delta(
  opened: OpenFile,
  text: Document,
  request: ReadRequest,
  env: Env,
): Promise<Result<ReadDetails>> {
  const agent = opened.agent;
  if (!hasSeen(agent)) throw new PortError("not_read", notRead(request.path, env.voice.door, text));
  if (agent.newest) await opened.load([agent.newest.state]);
  if (agent.newest && !opened.history.follow(agent.newest.state))
    throw new PortError("stale", `${request.path} has changed, and the text that was shown is not kept`);
  const anchors = request.anchors ?? env.anchors;
  const known = opened.seen("").known.union(agent.pending);
  const unseen = LineSet.all(text.lineCount).subtract(known);
  const lines: string[] = [];
  const empty = { rows: [], shown: LineSet.empty, text: "" };
  const told = agent.pending.first(request.limit ?? defaultLimit);
  const untold = { pending: agent.pending.subtract(told), deletions: agent.deletions.slice(mostDeletions) };
  const listing = told.isEmpty ? empty : listRows(text, { scheme: anchors, ranges: told.ranges() });
  if (listing.rows.length > 0) lines.push(listing.rows.map((row) => rowText(row, anchors, env)).join("\n"));
  lines.push(...deletionNotes(agent.deletions.slice(0, mostDeletions)));
  if (lines.length === 0) lines.push("[nothing changed]");
  const left = untold.pending.size + untold.deletions.length;
  if (left > 0) lines.push(`[${left} more changes not shown: read the delta again]`);
  if (!unseen.isEmpty) lines.push(`[${describe(unseen.ranges())} never shown]`);
  showed(opened, listing, anchors, "delta");
  opened.update({ ...opened.agent, ...untold });
  const deletions = agent.deletions.slice(0, mostDeletions).map(({ gap, count }) => ({ after: gap, count }));
  const details = { ...detailsOf(opened.file, text, listing, anchors), deletions };
  return { text: lines.join("\n"), isError: false, details };
}

/** Says in words what others removed from seen territory. */
export function deletionNotes(deletions: readonly Deletion[]): string[] {
  return deletions.map((one) => `[${deletion(one)}]`);
}

function rowText(row: Listing["rows"][number], anchors: Labels, { voice }: Env): string {
  if (voice.numbered && !row.cut) voice.numbered(row.line, row.anchor);
  return formatRow(row, voice.numbered ? "none" : anchors);
}

export interface GrepRequest {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignoreCase?: boolean;
  readonly literal?: boolean;
  /** Only whole words. */
  readonly word?: boolean;
  /** Lines around each hit. */
  readonly context?: number;
  readonly maxResults?: number;
  readonly anchors?: SchemeName;
  readonly signal?: Cancellation;
  readonly onProgress?: (filesSearched: number) => void;
}

const defaultResults = 100;

export async function grep(request: GrepRequest, env: CallEnv): Promise<Result<SearchDetails>> {
  if (request.pattern === "") throw new PortError("bad_request", "pattern is empty");
  const query: SearchQuery = {
    pattern: request.pattern,
    literal: request.literal ?? false,
    ignoreCase: request.ignoreCase ?? false,
    word: request.word ?? false,
    maxResults: request.maxResults ?? defaultResults,
    ...(request.path === undefined ? {} : { path: request.path }),
    ...(request.glob === undefined ? {} : { glob: request.glob }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
  };
  const { hits, limited } = await env.files.search(query);
  const files: ReadDetails[] = [];
  const parts: string[] = [];
  let matches = 0;
  for (const hit of hits) {
    const found = await hitsIn(hit, request, env);
    if (!found) continue;
    files.push(found.details);
    parts.push(`${hit.path}\n${found.text}`);
    matches += hit.lines.length;
  }
  if (limited)
    parts.push(
      `[more lines match than the ${query.maxResults} shown: narrow pattern, path or glob, or raise max_results]`,
    );
  const text = parts.length > 0 ? parts.join("\n") : "[no match]";
  return { text, isError: false, details: { status: "found", files, matches, limited } };
}

/** A search shows rows like a read does, but retires none. A file that vanished or cannot be shown is passed over. */
async function hitsIn(hit: SearchHit, request: GrepRequest, env: CallEnv) {
  const file = await env.files.identify(hit.path);
  env.watch?.reads(file);
  const { signal } = request;
  return withFile(file, { ...env, ...(signal ? { signal } : {}) }, async (opened) => {
    const { document } = opened;
    if (!document || document.isBinary) return null;
    const around = request.context ?? 0;
    const anchors = request.anchors ?? env.anchors;
    const lines = hit.lines.filter((line) => line <= document.lineCount);
    if (lines.length === 0) return null;
    const ranges = lines.map((line) => ({ start: Math.max(1, line - around), end: line + around }));
    const listing = listRows(document, { scheme: anchors, ranges });
    opened.showed(listing.shown, anchors, "search");
    opened.save();
    const text = listing.rows.map((row) => rowText(row, anchors, env)).join("\n");
    return { text, details: detailsOf(opened.file, document, listing, anchors) };
  });
}
