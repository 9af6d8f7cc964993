import { createReadStream } from "node:fs";
import { type Labels, listRows, streamHashLines } from "../../../anchors/index.js";
import type { ReadDetails, ReadRequest } from "../../../calls/index.js";
import { findWorkspace } from "../../../host/index.js";
import { Document } from "../../../text/index.js";
import { loadConfig } from "../../../workspace/index.js";
import { type Args, parseRanges, UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { readStdin } from "../../input.js";
import { open, settingsOf } from "../../open-workspace.js";
import { isPipeBroken } from "../../print/output.js";
import { paintListing, showResult } from "../../print/result.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  const path = args.positionals[0] as string;
  if (path === "-") return listStdin(context);
  const request = requestOf(path, args);
  const { editor, settings } = await open(context, [path]);
  const { anchors } = settings;
  const result = await editor.read(anchors === undefined ? request : { ...request, anchors });
  if (result.isError) return showResult(context, result);
  if (args.has("json")) output.out.line(JSON.stringify(withoutStatus(result.details as ReadDetails)));
  else output.out.line(paintListing(withFlags(result.text), output.out));
  return done;
};

function withoutStatus({ path, version, scheme, totalLines, rows, deletions }: ReadDetails): object {
  return { path, version, scheme, totalLines, rows, ...(deletions ? { deletions } : {}) };
}

/** A listing says how to go on in the words of a tool call. */
function withFlags(text: string): string {
  return text.replace(/(\n\[[^\n]*; next: )offset=(\d+)\]$/, "$1--start $2]");
}

function requestOf(path: string, args: Args): ReadRequest {
  const start = args.number("start");
  const end = args.number("end");
  const ranges = args.text("ranges");
  if (ranges !== undefined && (start !== undefined || end !== undefined))
    throw new UsageError("--ranges and --start or --end exclude each other");
  if (args.has("delta") && (ranges ?? start ?? end) !== undefined)
    throw new UsageError("--delta shows what changed, wherever it is; it takes no lines");
  if (args.has("delta") && args.has("stateless"))
    throw new UsageError("--delta needs the record that --stateless goes without");
  if (end !== undefined && end < (start ?? 1))
    throw new UsageError(`--end ${end} lies before --start ${start}`);
  return {
    path,
    ...(ranges === undefined ? {} : { ranges: parseRanges(ranges) }),
    ...(start === undefined && end === undefined ? {} : { offset: start ?? 1 }),
    ...(end === undefined ? {} : { limit: end - (start ?? 1) + 1 }),
    ...(args.has("delta") ? { delta: true } : {}),
  };
}

/** There is no file behind stdin that could be edited, so nothing is recorded; it may be longer than memory. */
async function listStdin(context: Context): Promise<number> {
  const { args, output, env, cwd } = context;
  for (const flag of ["start", "end", "ranges", "delta"])
    if (args.has(flag)) throw new UsageError(`--${flag} needs a file, not stdin`);
  const workspace = findWorkspace(cwd).root;
  const { settings } = loadConfig({ flags: settingsOf(args, cwd), env, workspace });
  const scheme: Labels = settings.anchors ?? "hex6";
  if (args.has("json")) return listStdinJson(context, scheme);
  for await (const chunk of streamHashLines(createReadStream("", { fd: 0 }), { scheme })) {
    output.out.raw(paintListing(chunk, output.out));
    if (isPipeBroken) return done;
  }
  output.out.raw("\n");
  return done;
}

async function listStdinJson(context: Context, scheme: Labels): Promise<number> {
  const document = Document.parse(await readStdin(context));
  const { rows } = listRows(document, { scheme, limit: Number.POSITIVE_INFINITY });
  const { version, lineCount: totalLines } = document;
  const plain = rows.map(({ line, anchor, text }) => ({ line, anchor, text }));
  context.output.out.line(JSON.stringify({ path: "-", version, scheme, totalLines, rows: plain }));
  return done;
}
