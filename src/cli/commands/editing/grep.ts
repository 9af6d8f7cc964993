import type { SchemeName } from "../../../anchors/index.js";
import type { RefusalDetails } from "../../../answers/index.js";
import type { GrepRequest, ReadDetails, Result, SearchDetails } from "../../../calls/index.js";
import { exitStatus } from "../../../edits/index.js";
import type { SearchHit } from "../../../ports/index.js";
import { visible } from "../../../text/index.js";
import type { Context, Run } from "../../context.js";
import { done, failed, interrupted, usage } from "../../flag-types.js";
import { type Opened, open } from "../../open-workspace.js";
import { isPipeBroken, type Stream } from "../../print/output.js";
import { isPortError, paintRow, portRefusal, showResult } from "../../print/result.js";

const defaultMax = 100;

export const run: Run = async (context) => {
  const { args, output, interrupt } = context;
  const [pattern, ...paths] = args.positionals as [string, ...string[]];
  const opened = await open(context, paths);
  const progress = showProgress(output.err);
  const query = {
    ...{ pattern, ignoreCase: args.has("ignore-case"), literal: args.has("literal"), word: args.has("word") },
    ...{ signal: interrupt, onProgress: progress.tell },
    ...(args.text("glob") === undefined ? {} : { glob: args.text("glob") as string }),
  };
  const search = args.has("files") ? nameFiles(query, context, opened) : showRows(query, context, opened);
  let status = done;
  try {
    for (const path of paths.length > 0 ? paths : [undefined]) {
      const refused = await search.in(path);
      if (refused === usage) return refused;
      if (refused !== done) status = status === done || refused === gated ? refused : status;
      if (search.isFull()) break;
    }
  } catch (error) {
    if (!interrupt.aborted) throw error;
    status = interrupted;
  } finally {
    progress.clear();
  }
  // Rows of the places before one that failed are on record as shown: they have to be.
  const count = search.print(status === done);
  if (count > 0 || status !== done) return status;
  output.err.line("kedge: no match");
  return failed;
};

const gated = exitStatus("outside_roots");

type Query = Pick<GrepRequest, "ignoreCase" | "literal" | "word" | "signal" | "onProgress" | "glob"> & {
  readonly pattern: string;
};

/** A search over several places, printed at the end. */
interface Search {
  /** Searches one place. Returns the exit status. */
  in(path: string | undefined): Promise<number>;
  isFull(): boolean;
  /** Prints what was found, and an empty answer only if nothing failed. Returns how many files. */
  print(isWhole: boolean): number;
}

function showRows(query: Query, context: Context, { editor, settings }: Opened): Search {
  const { args, output } = context;
  const max = args.number("max") ?? defaultMax;
  const around = args.number("context", 0);
  const anchors = settings.anchors === "none" ? undefined : (settings.anchors as SchemeName | undefined);
  const found: SearchDetails[] = [];
  let left = max;
  return {
    async in(path) {
      const request: GrepRequest = {
        ...{ ...query, maxResults: left },
        ...(path === undefined ? {} : { path }),
        ...(around === undefined ? {} : { context: around }),
        ...(anchors === undefined ? {} : { anchors }),
      };
      const result = await editor.grep(request);
      if (result.isError) return refuse(context, result as Result<RefusalDetails>);
      const details = result.details as SearchDetails;
      found.push(details);
      left -= details.matches;
      return done;
    },
    isFull: () => found.some(({ limited }) => limited),
    print(isWhole) {
      const files = found.flatMap((one) => one.files);
      const limited = found.some((one) => one.limited);
      if (isWhole || found.length > 0) print(files, { found, limited }, output.out, args.has("json"));
      if (limited && !args.has("json") && !isPipeBroken)
        output.err.line(
          `kedge: more lines match than the ${max} shown: narrow PATTERN, PATH or --glob, or raise --max`,
        );
      return files.length;
    },
  };
}

/** Names alone show no line, so nothing is recorded as shown. */
function nameFiles(query: Query, context: Context, { files }: Opened): Search {
  const { args, output } = context;
  const max = args.number("max") ?? Number.POSITIVE_INFINITY;
  const { ignoreCase = false, literal = false, ...rest } = query;
  const hits: SearchHit[] = [];
  return {
    async in(path) {
      const maxResults = Number.MAX_SAFE_INTEGER;
      const place = path === undefined ? {} : { path };
      try {
        hits.push(...(await files.search({ ...rest, ...place, ignoreCase, literal, maxResults })).hits);
        return done;
      } catch (error) {
        if (!isPortError(error)) throw error;
        return refuse(context, portRefusal(error, context));
      }
    },
    isFull: () => hits.length >= max,
    print() {
      for (const { path, lines } of hits.slice(0, max))
        output.out.line(args.has("json") ? JSON.stringify({ path, lines }) : visible(path));
      if (hits.length > max) output.err.line(`kedge: ${hits.length} files match; the first ${max} are named`);
      return hits.length;
    },
  };
}

function refuse(context: Context, result: Result<RefusalDetails>): number {
  const { args, output } = context;
  const status = showResult(context, result);
  if (status === usage && !args.has("literal") && args.positionals[0] !== "")
    output.err.line("kedge: -F takes PATTERN as a text");
  return status;
}

interface Total {
  readonly found: readonly SearchDetails[];
  readonly limited: boolean;
}

function print(files: readonly ReadDetails[], { found, limited }: Total, out: Stream, isJson: boolean): void {
  if (isJson) {
    const matches = found.reduce((sum, one) => sum + one.matches, 0);
    for (const { status: _, ...file } of files) out.line(JSON.stringify(file));
    out.line(JSON.stringify({ files: files.length, matches, limited }));
    return;
  }
  for (const file of files) {
    out.line(out.paint("bold", visible(file.path)));
    out.line(rowsOf(file, out));
  }
}

function rowsOf({ rows, scheme }: ReadDetails, out: Stream): string {
  const separator = scheme === "lean" ? "\t" : "|";
  return rows.map(({ anchor, text }) => paintRow(`${anchor}${separator}${text}`, out)).join("\n");
}

const quietFor = 500;
const tellEvery = 100;

/** A count of files on the terminal, once a search takes long; it leaves no trace. */
function showProgress(err: Stream): { tell: (files: number) => void; clear: () => void } {
  const started = performance.now();
  let told = 0;
  return {
    tell(files) {
      const now = performance.now();
      if (!err.isTerminal || now - started < quietFor || now - told < tellEvery) return;
      told = now;
      err.raw(`\r${files.toLocaleString("en")} files searched…`);
    },
    clear() {
      if (told > 0) err.raw("\r\x1b[K");
    },
  };
}
