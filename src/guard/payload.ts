/** Reads what a client sent. Anything may be missing or of another type. */
import type { Door } from "../answers/index.js";
import type { Quote } from "../edits/index.js";
import type { Range } from "../text/index.js";
import type { Answer, Payload, QuoteNames, Row, Sent } from "./event.js";

export function isRecord(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(from: unknown, name: string): Payload {
  const value = isRecord(from) ? from[name] : undefined;
  return isRecord(value) ? value : {};
}

export function text(from: unknown, name: string): string | undefined {
  const value = isRecord(from) ? from[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

export function number(from: unknown, name: string): number | undefined {
  const value = isRecord(from) ? from[name] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function list(from: unknown, name: string): readonly unknown[] {
  const value = isRecord(from) ? from[name] : undefined;
  return Array.isArray(value) ? value : [];
}

/** Returns the text of content that is a string or a list of parts with texts. */
export function partsText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => text(part, "text") ?? "").join("\n");
}

/** Returns the text of content, or of a message with content. */
export function textIn(content: unknown): string {
  return isRecord(content) ? textIn(content.content) : partsText(content);
}

/** Returns a text that the model was sent and that no call belongs to. */
export const sentText = (said: string): Sent => ({ text: said, call: "", time: 0 });

/** Returns the lines of a text that was shown completely from this line on. */
export function rowsFrom(shown: string, first: number): Row[] {
  const lines = (first === 1 ? shown.replace(/^\uFEFF/, "") : shown).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, at) => ({ line: first + at, text: line }));
}

/** Reads quotes under the names that a tool has for them. */
export function quotesOf(edits: readonly unknown[], names: QuoteNames): Quote[] | null {
  const quotes = edits.map((edit) => {
    const [old, fresh] = [text(edit, names.old), text(edit, names.new)];
    if (old === undefined || fresh === undefined) return null;
    return { old: plain(old), new: plain(fresh), all: isRecord(edit) && edit[names.all] === true };
  });
  return quotes.every((quote) => quote !== null) ? quotes : null;
}

/** Returns text with LF line ends: texts are compared without the file's own. */
export function plain(given: string): string {
  return given.includes("\r") ? given.replaceAll("\r\n", "\n") : given;
}

/** Returns a command that prints these lines of a file, or the whole file without any. */
export function sedCommand(path: string, ranges: readonly Range[] | undefined): string {
  const some = ranges?.map(({ start, end }) => (start === end ? `${start}p` : `${start},${end}p`)).join(";");
  const word = /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  return some ? `sed -n '${some}' ${word}` : `cat ${word}`;
}

/** Names the next call of a tool that reads a number of lines from a line on. */
export function offsetDoor(tool: string): Door {
  return {
    read: (path, ranges) => {
      const span = window(ranges);
      const some = span ? ` with offset ${span.start} and limit ${span.end - span.start + 1}` : "";
      return `call ${tool} on ${path}${some}`;
    },
    retry: () => "the call again",
  };
}

/** Returns one window that holds all ranges, for tools that take only one. */
export function window(ranges: readonly Range[] | undefined): Range | null {
  const [first, last] = [ranges?.[0], ranges?.at(-1)];
  return first && last ? { start: first.start, end: last.end } : null;
}

/** Returns the answer for plugins that run inside a client and obey it themselves. */
export function pluginReply({ deny, input, tell, say, recall }: Answer, args: Payload | null): unknown {
  const output = {
    ...(recall ? { recall } : {}),
    ...(deny === undefined ? {} : { deny }),
    ...(args ? { args } : input ? { args: input } : {}),
    ...(tell === undefined ? {} : { append: tell }),
    ...(say === undefined ? {} : { say }),
  };
  return Object.keys(output).length > 0 ? output : null;
}
