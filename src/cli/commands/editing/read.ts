import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Labels, listRows, streamHashLines } from "../../../anchors/index.js";
import type { ReadDetails, ReadRequest } from "../../../calls/index.js";
import { findWorkspace } from "../../../host/index.js";
import { Document, type Range, visible } from "../../../text/index.js";
import { loadConfig } from "../../../workspace/index.js";
import { parseRanges, UsageError } from "../../args.js";
import type { Context, Run } from "../../context.js";
import { done } from "../../flag-types.js";
import { readStdin, stdin } from "../../input.js";
import { open, settingsOf } from "../../open-workspace.js";
import { isPipeBroken, type Output } from "../../print/output.js";
import { paintListing, showResult } from "../../print/result.js";

export const run: Run = async (context) => {
  const { args, output } = context;
  const names = args.positionals;
  if (names.includes("-") && names.length > 1) throw new UsageError("stdin is read by itself: kedge read -");
  if (names.includes("-")) return listStdin(context);
  const requests = names.map((name) => requestOf(name, context));
  const { editor, settings } = await open(
    context,
    requests.map(({ path }) => path),
  );
  const { anchors } = settings;
  let status = done;
  for (const request of requests) {
    const result = await editor.read(anchors === undefined ? request : { ...request, anchors });
    if (result.isError) {
      const refused = showResult(context, result);
      status = status === done ? refused : status;
    } else if (args.has("json"))
      output.out.line(JSON.stringify(withoutStatus(result.details as ReadDetails)));
    else show(result.text, request, names.length > 1, output);
  }
  return status;
};

/**
 * Rows go to stdout, and to stderr the notes on what they leave out: rows never begin with a bracket. The notes of a
 * delta are what it says, so they stay with its rows. If there are several files, each has its name above its rows.
 */
function show(text: string, { path, delta }: ReadRequest, isNamed: boolean, { out, err }: Output): void {
  const lines = text.split("\n");
  const isTalk = (line: string): boolean => !delta && line.startsWith("[");
  const rows = lines.filter((line) => !isTalk(line));
  const notes = lines.filter(isTalk);
  const name = visible(path);
  if (isNamed) out.line(out.paint("bold", name));
  if (rows.length > 0) out.line(paintListing(rows.join("\n"), out));
  for (const note of isPipeBroken ? [] : notes)
    err.line(`kedge: ${isNamed ? `${name}: ` : ""}${withFlags(note.slice(1, -1))}`);
}

function withoutStatus({ path, version, scheme, totalLines, rows, deletions }: ReadDetails): object {
  return { path, version, scheme, totalLines, rows, ...(deletions ? { deletions } : {}) };
}

/** Says how to go on in flags, where a listing says it in the words of a tool call. */
function withFlags(note: string): string {
  return note.replace(/; next: offset=(\d+)$/, "; next: --start $1");
}

interface Named {
  readonly path: string;
  readonly ranges?: readonly Range[];
}

/** Splits `a.ts:10-20`, as compilers and searches name lines. A file of that very name is taken first. */
function splitName(name: string, cwd: string): Named {
  const [, path, lines] = /^(.+?):(\d[\d,-]*):?$/s.exec(name) ?? [];
  if (path === undefined || lines === undefined || existsSync(resolve(cwd, name))) return { path: name };
  return { path, ranges: parseRanges(lines) };
}

function requestOf(name: string, { args, cwd }: Context): ReadRequest {
  const named = splitName(name, cwd);
  const start = args.number("start");
  const end = args.number("end");
  const ranges = args.text("ranges");
  if (ranges !== undefined && (start !== undefined || end !== undefined))
    throw new UsageError("--ranges and --start or --end exclude each other");
  if (named.ranges && (ranges ?? start ?? end) !== undefined)
    throw new UsageError(`${visible(name)} names lines already; leave out --start, --end and --ranges`);
  if (args.has("delta") && (named.ranges ?? ranges ?? start ?? end) !== undefined)
    throw new UsageError("--delta shows all changes of a file; leave the lines out");
  if (args.has("delta") && args.has("stateless"))
    throw new UsageError("--delta needs the record, and --stateless keeps none");
  if (end !== undefined && end < (start ?? 1))
    throw new UsageError(`--end ${end} lies before --start ${start}`);
  return {
    ...named,
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
  for await (const chunk of streamHashLines(stdin(context), { scheme })) {
    if (chunk.startsWith("[")) {
      output.err.line(`kedge: ${chunk.slice(1, -1)}`);
      return done;
    }
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
