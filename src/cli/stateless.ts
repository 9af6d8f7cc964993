import type { SchemeName } from "../anchors/index.js";
import {
  changedRanges,
  type Door,
  dryRunBegins,
  type EditToolDetails,
  editsAgain,
  libraryDoor,
  type RefusalDetails,
  refusalDetails,
  refusalText,
  resultText,
  selectRows,
  spokenScheme,
} from "../answers/index.js";
import type { BatchResult, EditResult, FileRequest } from "../calls/index.js";
import { unifiedDiff } from "../changes/index.js";
import { normaliseEdits, problem } from "../edits/index.js";
import { type Applied, nulMakesBinary, type Refused, runStateless } from "../merge/index.js";
import { type FileId, type Held, PortError, type Write } from "../ports/index.js";
import { type EditRequest, type MultiEditRequest, Session, type SessionOptions } from "../session/index.js";
import { Document, wholeFile } from "../text/index.js";

/** A session, as far as commands use one: with or without a record of what was shown. */
export type Editor = Pick<Session, "read" | "grep" | "edit" | "multiEdit" | "write">;

/** One file of a call, judged: what to write, or why not. */
interface Judged {
  readonly writes: readonly Write[];
  readonly text: string;
  readonly details: EditToolDetails | RefusalDetails;
}

/**
 * Edits without a record of what was shown: a line must carry its hash, or be the one line near it that does. Reading,
 * searching and writing are those of a session that nobody remembers.
 */
export function statelessEditor(options: SessionOptions): Editor {
  const session = new Session(options);
  return {
    read: (request) => session.read(request),
    grep: (request) => session.grep(request),
    write: (request) => session.write(request),
    edit: async (request: EditRequest) => {
      if ("retry" in request) throw noHandles();
      const { path, edits, dryRun = false } = request as Extract<EditRequest, { edits: unknown }>;
      const [judged] = await run([{ path, edits }], { options, dryRun, batch: false });
      const { text, details } = judged as Judged;
      return { text, isError: details.status === "refused", details } as EditResult;
    },
    multiEdit: async (request: MultiEditRequest) => {
      if ("retry" in request) throw noHandles();
      const { files, dryRun = false } = request as Extract<MultiEditRequest, { files: unknown }>;
      return batchResult(await run(files, { options, dryRun, batch: true }), dryRun);
    },
  };
}

function noHandles(): PortError {
  return new PortError("bad_request", `with --stateless no refused call is kept: ${editsAgain}`);
}

function batchResult(judged: readonly Judged[], dryRun: boolean): BatchResult {
  const refused = judged.filter(({ details }) => details.status === "refused");
  const text = (refused.length > 0 ? refused : judged).map((one) => one.text).join("\n");
  if (refused.length > 0) {
    const files = refused.map(({ details }) => details as RefusalDetails);
    return { text, isError: true, details: { ...(files[0] as RefusalDetails), files } };
  }
  const files = judged.map(({ details }) => details as EditToolDetails);
  const applied = files.some(({ status }) => status === "applied");
  return {
    text,
    isError: false,
    details: { status: dryRun ? "dry_run" : applied ? "applied" : "noop", files },
  };
}

interface CallSetup {
  readonly options: SessionOptions;
  readonly dryRun: boolean;
  readonly batch: boolean;
}

async function run(requests: readonly FileRequest[], setup: CallSetup): Promise<Judged[]> {
  const { files } = setup.options;
  const named = await Promise.all(
    requests.map(async ({ path, edits }) => {
      const move = normaliseEdits(edits).operations.find(({ op }) => op === "move_file");
      const to = move && "to" in move ? await files.identify(move.to) : null;
      return { file: await files.identify(path), to, edits };
    }),
  );
  const ids = named.flatMap(({ file, to }) => (to ? [file, to] : [file]));
  if (new Set(ids.map(({ key }) => key)).size < ids.length)
    throw new PortError("bad_request", "with --stateless a batch names each file once");
  return files.hold(ids, async (held) => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const judged: Judged[] = [];
      for (const one of named) judged.push(await judge(one, held, setup));
      const refused = judged.some(({ details }) => details.status === "refused");
      if (refused || setup.dryRun || (await held.commit(judged.flatMap(({ writes }) => writes))))
        return judged;
    }
    throw new PortError("busy", "the file keeps changing while it is written");
  });
}

interface Named {
  readonly file: FileId;
  readonly to: FileId | null;
  readonly edits: unknown;
}

async function judge({ file, to, edits }: Named, held: Held, setup: CallSetup): Promise<Judged> {
  const { options, batch } = setup;
  const before = await held.read(file);
  const document = before && (await parse(before, options));
  const { operations, edits: list } = normaliseEdits(edits);
  const [operation] = operations;
  const refuse = (refused: Refused): Judged => refusalOf(refused, file.path, document, options);
  const deny = (code: Parameters<typeof problem>[0], message: string): Judged =>
    refuse({ status: "refused", problems: [problem(code, [], message)], remaps: [], forced: null });
  if (operation && batch) {
    if (list.length > 0) return deny("bad_request", `${operation.op} cannot be combined with edits here`);
    if (to && (await held.read(to))) return deny("exists", `${to.path} is already there`);
    if (operation.op === "create_file" ? before : !before)
      return before
        ? deny("exists", `${file.path} is already there`)
        : deny("not_found", `${file.path} does not exist`);
    const made = operation.op === "create_file" ? wholeFile(operation.text, null) : null;
    if (made && "unencodable" in made)
      return deny("unencodable", `${made.encoding} cannot hold ${JSON.stringify(made.unencodable)}`);
    if (made?.binary) return deny("binary", nulMakesBinary);
    return wholeFileJudged(made?.toBytes() ?? null, { file, to, before }, setup.dryRun);
  }
  if (!document) return deny("not_found", `${file.path} does not exist`);
  if (document.binary) return deny("binary", `${file.path} is binary`);
  const made = runStateless(edits, document, options.onStale === "refuse" ? { window: 0 } : {});
  if (made.status === "refused") return refuse(made);
  const anchor = list.flatMap((edit) =>
    "start" in edit ? [edit.start] : "anchor" in edit ? [edit.anchor] : [],
  )[0];
  const scheme = anchor?.anchor.scheme ?? options.anchors ?? "hex6";
  const { door = libraryDoor } = options;
  return applied(made, { file, document, scheme, door, dryRun: setup.dryRun });
}

async function parse(bytes: Uint8Array, { files }: SessionOptions): Promise<Document> {
  const document = Document.parse(bytes);
  if (document.encoding !== "latin1" || document.binary || !files.codec) return document;
  const fallback = await files.codec(bytes, null);
  return fallback ? Document.parse(bytes, { fallback }) : document;
}

function wholeFileJudged(
  after: Uint8Array | null,
  { file, to, before }: { file: FileId; to: FileId | null; before: Uint8Array | null },
  dryRun: boolean,
): Judged {
  const writes = to
    ? [
        { file: to, before: null, after: before },
        { file, before, after: null },
      ]
    : [{ file, before, after }];
  const done = to ? `moved to ${to.path}` : after ? "created" : "deleted";
  const version = (bytes: Uint8Array | null): string | null => bytes && Document.parse(bytes).version;
  const details: EditToolDetails = {
    status: dryRun ? "dry_run" : "applied",
    path: (to ?? file).path,
    before: version(before),
    after: version(to ? before : after),
    ...{ edits: [], diff: "", firstChangedLine: null, changedRanges: [], warnings: [] },
  };
  return {
    writes,
    text: `${dryRun ? `${dryRunBegins}${file.path}: would be ` : `${file.path}: `}${done}`,
    details,
  };
}

interface Told {
  readonly file: FileId;
  readonly document: Document;
  readonly scheme: SchemeName;
  readonly door: Door;
  readonly dryRun: boolean;
}

function applied(made: Applied, { file, document, scheme, door, dryRun }: Told): Judged {
  const { path } = file;
  const diff = unifiedDiff(path, document, made.document, made.change);
  const ranges = changedRanges(made.change);
  const details: EditToolDetails = {
    status: dryRun ? "dry_run" : made.status,
    path,
    before: document.version,
    after: made.document.version,
    edits: made.edits,
    diff,
    firstChangedLine: ranges[0]?.start ?? null,
    changedRanges: ranges,
    warnings: made.warnings,
  };
  const { text } = resultText({ path, applied: made, scheme, voice: { door }, dryRun, diff });
  const writes =
    made.status === "noop" ? [] : [{ file, before: document.toBytes(), after: made.document.toBytes() }];
  return { writes, text, details };
}

function refusalOf(
  refused: Refused,
  path: string,
  now: Document | null,
  { anchors = "hex6", door = libraryDoor }: SessionOptions,
): Judged {
  const details = refusalDetails(path, refused);
  const { problems } = refused;
  const { rows, complete } = now ? selectRows(problems, now) : { rows: [], complete: true };
  const scheme = spokenScheme(problems, anchors);
  const text = refusalText({ details, problems, rows, complete, now, scheme, voice: { door } });
  return { writes: [], text, details };
}
