import { conflictIn, type FileRequest } from "../../../calls/index.js";
import { editsFromJson } from "../../../edits/index.js";
import type { EditRequest, MultiEditRequest } from "../../../session/index.js";
import { UsageError } from "../../args.js";
import type { Run } from "../../context.js";
import { decodeText, readInput } from "../../input.js";
import { editorFor, open } from "../../open-workspace.js";
import { showEdit } from "../../print/result.js";

const example = '{"files":[{"path":"a.ts","edits":[{"op":"set_line","anchor":"12#0f0dd9","text":"…"}]}]}';

export const run: Run = async (context) => {
  const { args } = context;
  const name = args.positionals[0] ?? "-";
  const text = decodeText(await readInput(name, context), name);
  const request = parseRequest(text, args.has("dry-run"));
  const opened = await open(context, pathsOf(request));
  const editor = editorFor(args, opened);
  const result = "path" in request ? await editor.edit(request) : await editor.multiEdit(request);
  return showEdit(context, opened, result);
};

type Request = EditRequest | MultiEditRequest;

function parseRequest(text: string, dryRun: boolean): Request {
  let value: unknown;
  if (text.trim() === "") throw wrong("the request is empty");
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    // The text itself is left out: it may have many lines.
    const why = (error as Error).message.replace(/, (\.\.\.)?"[\s\S]*is not valid JSON$/, "");
    throw new UsageError(`the request is not JSON: ${why}`, `a request looks like ${example}`);
  }
  if (Array.isArray(value)) value = { files: value };
  if (typeof value !== "object" || value === null) throw wrong("the request is not an object");
  const {
    path,
    edits,
    retry,
    files,
    dry_run,
    dryRun: camel = dry_run,
    ...rest
  } = value as Record<string, unknown>;
  if (rest.session !== undefined)
    throw wrong("session is no field of the request: run kedge apply --session ID");
  checkNone(rest, "the request");
  if (camel !== undefined && typeof camel !== "boolean") throw wrong("dry_run is true or false");
  const dry = { dryRun: dryRun || camel === true };
  const conflict = conflictIn(value);
  if (conflict !== null) throw wrong(conflict);
  if (path !== undefined && typeof path !== "string") throw wrong("path is not a string");
  if (retry !== undefined) {
    if (typeof retry !== "string") throw wrong('retry is a handle like "r7"');
    return path === undefined ? { retry, ...dry } : { path, retry, ...dry };
  }
  if (path !== undefined) {
    if (edits === undefined) throw wrong("edits is missing");
    return { path, edits: editsFromJson(edits), ...dry };
  }
  return { files: filesOf(files), ...dry };
}

/** Refuses unknown fields: the caller may count on one of them to prevent the write. */
function checkNone(rest: object, where: string): void {
  const [unknown] = Object.keys(rest).filter((name) => !name.startsWith("_"));
  if (unknown !== undefined) throw wrong(`unknown field ${JSON.stringify(unknown)} in ${where}`);
}

function filesOf(files: unknown): FileRequest[] {
  if (!Array.isArray(files) || files.length === 0) throw wrong("there are no files in the request");
  return files.map((file: unknown, at) => {
    const { path, edits, ...rest } = (file ?? {}) as Record<string, unknown>;
    if (typeof path !== "string") throw wrong(`files[${at}] has no path`);
    if (edits === undefined) throw wrong(`files[${at}] has no edits`);
    checkNone(rest, `files[${at}]`);
    return { path, edits: editsFromJson(edits) };
  });
}

function wrong(what: string): UsageError {
  return new UsageError(what, `a request looks like ${example}`);
}

function pathsOf(request: Request): string[] {
  if ("path" in request) return [request.path];
  return "files" in request ? request.files.map(({ path }) => path) : [];
}
