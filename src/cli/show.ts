import type { RefusalDetails } from "../core/index.js";
import type { Result } from "../session/index.js";
import type { Context } from "./context.js";
import { statusOf } from "./exit.js";
import type { Stream } from "./output.js";
import { staleDiff } from "./stale.js";
import { wrap } from "./wrap.js";

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
  const lines = text.split("\n").flatMap((line) => (err.isTerminal ? fitted(line, err.columns) : [line]));
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
  if (at === 0 && line.startsWith("REJECTED")) return stream.paint("red", stream.paint("bold", line));
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
