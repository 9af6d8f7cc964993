import { type HashMismatch, type RefusalDetails, rejected } from "../../answers/index.js";
import { failureResult, type Result, refusalResult } from "../../calls/index.js";
import type { PortError } from "../../ports/index.js";
import { visible } from "../../text/index.js";
import type { Context } from "../context.js";
import { statusOf } from "../flag-types.js";
import type { Opened } from "../open-workspace.js";
import { type Stream, wrap } from "./output.js";

/** Prints the answer to a call that writes. A refused caller without a name is told how to give one. */
export function showEdit(context: Context, { identity }: Opened, result: Result): number {
  const status = showResult(context, result, withText(result));
  if (result.isError && identity.source === "shared" && !context.args.has("stateless"))
    context.output.err.line(
      "kedge: nothing tells who is calling; give --session ID in every call, or set KEDGE_SESSION",
    );
  return status;
}

/** Rows of the answer count as shown, so a caller of `--json` gets its text too. */
function withText({ details, text }: Result): object {
  return { ...(details as object), text };
}

/** By its name: a door in a file of its own has a class of its own. */
export function isPortError(error: unknown): error is PortError {
  return error instanceof Error && error.name === "PortError" && "code" in error;
}

const writing: ReadonlySet<string> = new Set(["edit", "apply", "write", "retry", "undo", "restore"]);

/** Makes an answer of what a port throws outside of a session's own calls. */
export function portRefusal({ code, message }: PortError, { args }: Context): Result<RefusalDetails> {
  const refuse = writing.has(args.command.name) ? refusalResult : failureResult;
  return refuse("", code, message, visible(message));
}

/** Prints a result where it belongs, coloured if somebody looks at it, and gives its exit status. */
export function showResult(
  context: Pick<Context, "args" | "output">,
  result: Result,
  json?: unknown,
): number {
  const { args, output } = context;
  const status = statusOf(result.details);
  if (args.has("json")) output.out.line(JSON.stringify(json ?? result.details));
  if (result.isError) showRefusal(result as Result<RefusalDetails>, output.err, status);
  else if (!args.has("json")) output.out.line(paintResult(result.text, output.out));
  return status;
}

function showRefusal({ text, details }: Result<RefusalDetails>, err: Stream, status: number): void {
  const isWrite = text.startsWith(rejected);
  const said = isWrite ? text : `kedge: ${text}`;
  const lines = said.split("\n").flatMap((line) => (err.isTerminal ? fitted(line, err.columns) : [line]));
  err.line(lines.map((line, at) => paintRefusalLine(line, at, err)).join("\n"));
  if (status !== 5) return;
  const diff = staleDiff(details);
  if (diff !== "") err.raw(`\n${paintDiff(diff, err)}`);
}

/** Sentences are wrapped; rows and commands stay as they are, to be copied. */
function fitted(line: string, width: number): string[] {
  return line.length <= width || /^(>>>| {4})|`/.test(line) ? [line] : wrap(line, width);
}

function paintRefusalLine(line: string, at: number, stream: Stream): string {
  if (at === 0 && line.startsWith(rejected)) return stream.paint("red", stream.paint("bold", line));
  if (line.startsWith(">>> ")) return stream.paint("yellow", line);
  return paintRow(line, stream, /^( {4})(\d+#[0-9a-f]{4,6}|[a-z]{3}\d+)([|\t])/);
}

/** Colours the anchor of a row; the text after it stays as it is. */
export function paintRow(
  line: string,
  stream: Stream,
  row = /^()(\d+#[0-9a-f]{4,6}|[a-z]{3}\d+)([|\t])/,
): string {
  const found = row.exec(line);
  if (!found) return line.startsWith("[") ? stream.paint("dim", line) : line;
  const [all, indent = "", anchor = "", separator = ""] = found;
  return `${indent}${stream.paint("cyan", anchor)}${stream.paint("dim", separator)}${line.slice(all.length)}`;
}

export function paintListing(text: string, stream: Stream): string {
  if (stream.paint("dim", "x") === "x") return text;
  return text
    .split("\n")
    .map((line) => paintRow(line, stream))
    .join("\n");
}

/** Words about an edit, with anchors and rows, or with a diff. */
function paintResult(text: string, stream: Stream): string {
  if (text.includes("\n--- ")) return paintDiff(text, stream);
  const anchors = /^(\d+#[0-9a-f]{4,6}|[a-z]{3}\d+)( \S+)*$/;
  return text
    .split("\n")
    .map((line) => (anchors.test(line) ? stream.paint("cyan", line) : paintRow(line, stream)))
    .join("\n");
}

export function paintDiff(text: string, stream: Stream): string {
  return text
    .split("\n")
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return stream.paint("bold", line);
      if (line.startsWith("@@")) return stream.paint("cyan", line);
      if (line.startsWith("-")) return stream.paint("red", line);
      return line.startsWith("+") ? stream.paint("green", line) : line;
    })
    .join("\n");
}

type Refusal = RefusalDetails & { readonly files?: readonly RefusalDetails[] };

/** Returns a diff of the lines as they were shown and as they are now; "" if none differs. */
export function staleDiff(refusal: Refusal): string {
  return (refusal.files ?? [refusal]).map(fileDiff).join("");
}

function fileDiff({ path, mismatches, remaps }: RefusalDetails): string {
  const rows = [...mismatches.flatMap(hunk), ...moves(mismatches, remaps)];
  return rows.length > 0
    ? `${[`--- ${visible(path)} as shown`, `+++ ${visible(path)} now`, ...rows].join("\n")}\n`
    : "";
}

function hunk({ anchor, line, shown, now, cause, actual }: HashMismatch): string[] {
  // The line is as it was; nobody ever showed the anchor.
  if (cause === "miscopied" && line !== null)
    return [`@@ ${anchor} was not shown; line ${line} is @@`, ` ${actual}|${now}`];
  if (shown === null && now === null && cause !== "deleted") return [];
  const place = `@@ ${anchor || "new"}${line === null ? "" : `, line ${line} now`} @@`;
  if (shown === now && now !== null) return [place, ` ${now}`];
  const unknown = cause === "inserted" ? [] : [`-[${anchor}: its text is not on record]`];
  return [place, ...(shown === null ? unknown : [`-${shown}`]), ...(now === null ? [] : [`+${now}`])];
}

/** Lines that are unchanged and have moved. */
function moves(mismatches: readonly HashMismatch[], remaps: RefusalDetails["remaps"]): string[] {
  const told = new Set(mismatches.map(({ anchor }) => anchor));
  return remaps
    .filter(({ from, kind }) => kind === "moved" && !told.has(from))
    .map(({ from, to }) => `@@ ${from} is ${to} now, unchanged @@`);
}
