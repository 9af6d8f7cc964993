import type { SchemeName } from "../../../anchors/index.js";
import type { RefusalDetails } from "../../../answers/index.js";
import type { GrepRequest, ReadDetails, Result, SearchDetails } from "../../../calls/index.js";
import { exitStatus } from "../../../edits/index.js";
import { visible } from "../../../text/index.js";
import type { Context, Run } from "../../context.js";
import { done, interrupted, usage } from "../../flag-types.js";
import { open } from "../../open-workspace.js";
import type { Stream } from "../../print/output.js";
import { paintRow, showResult } from "../../print/result.js";

const defaultMax = 100;

export const run: Run = async (context) => {
  const { args, output, interrupt } = context;
  const [pattern, ...paths] = args.positionals as [string, ...string[]];
  const max = args.number("max") ?? defaultMax;
  const around = args.number("context", 0);
  const { editor, settings } = await open(context, paths);
  const anchors = settings.anchors === "none" ? undefined : (settings.anchors as SchemeName | undefined);
  const glob = args.text("glob");
  const progress = showProgress(output.err);
  const found: SearchDetails[] = [];
  let left = max;
  let status = done;
  try {
    for (const path of paths.length > 0 ? paths : [undefined]) {
      const request: GrepRequest = {
        ...{ pattern, ignoreCase: args.has("ignore-case"), literal: args.has("literal"), maxResults: left },
        ...{ signal: interrupt, onProgress: progress.tell },
        ...(path === undefined ? {} : { path }),
        ...(glob === undefined ? {} : { glob }),
        ...(around === undefined ? {} : { context: around }),
        ...(anchors === undefined ? {} : { anchors }),
      };
      const result = await editor.grep(request);
      if (result.isError) {
        const refused = refuse(context, result as Result<RefusalDetails>);
        if (refused === usage) return refused;
        status = status === done || refused === gated ? refused : status;
        continue;
      }
      const details = result.details as SearchDetails;
      found.push(details);
      left -= details.matches;
      if (details.limited) break;
    }
  } catch (error) {
    if (!interrupt.aborted) throw error;
    status = interrupted;
  } finally {
    progress.clear();
  }
  // Rows of the places before one that failed are on record as shown: they have to be.
  if (status === done || found.length > 0) print(context, found, max);
  return status;
};

const gated = exitStatus("outside_roots");

function refuse(context: Context, result: Result<RefusalDetails>): number {
  const { args, output } = context;
  const status = showResult(context, result);
  if (status === usage && !args.has("literal") && args.positionals[0] !== "")
    output.err.line("kedge: -F takes PATTERN as a text");
  return status;
}

function print({ args, output: { out } }: Context, found: readonly SearchDetails[], max: number): void {
  const files = found.flatMap((one) => one.files);
  const matches = found.reduce((sum, one) => sum + one.matches, 0);
  const limited = found.some((one) => one.limited);
  if (args.has("json")) {
    for (const { status: _, ...file } of files) out.line(JSON.stringify(file));
    out.line(JSON.stringify({ files: files.length, matches, limited }));
    return;
  }
  for (const file of files) {
    out.line(out.paint("bold", visible(file.path)));
    out.line(rowsOf(file, out));
  }
  if (files.length === 0) out.line("[no match]");
  if (limited)
    out.line(`[more lines match than the ${max} shown: narrow PATTERN, PATH or --glob, or raise --max]`);
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
