/** Reads the edits of a call, in every accepted shape, as one. */
import { type Anchor, parseLineRef } from "../anchors/index.js";
import { splitText } from "../text/index.js";
import type { Code } from "./codes.js";

/** An anchor as the caller wrote it, and as it was read. */
export interface Ref {
  readonly given: string;
  readonly anchor: Anchor;
}

/** One member for each name, so that checking the name narrows the fields. */
type Operation<Name extends string, Fields> = Name extends string
  ? { readonly op: Name; readonly index: number } & Readonly<Fields>
  : never;

/** The one shape the engine sees. `op` is the advertised name, `index` the place in the caller's list. */
export type ParsedEdit =
  | Operation<
      "set_line" | "replace_lines" | "delete_lines",
      { start: Ref; end: Ref; text: readonly string[] }
    >
  | Operation<"insert_after" | "insert_before", { anchor: Ref; text: readonly string[] }>
  | Operation<"append" | "prepend", { text: readonly string[] }>
  | Operation<"replace_text", { old: string; new: string; start: Ref | null; end: Ref | null; all: boolean }>
  | Operation<"move_lines" | "copy_lines", { start: Ref; end: Ref; after: Ref }>;

/** An operation of a batch entry on the file as a whole. */
export type FileOperation =
  | { readonly op: "create_file"; readonly text: string | readonly string[] }
  | { readonly op: "delete_file" }
  | { readonly op: "move_file"; readonly to: string };

export interface Complaint {
  readonly code: Code;
  readonly index: number;
  readonly message: string;
  /** A line number in an anchor that could not be read: its right anchor can be told. */
  readonly line?: number;
}

interface Normalised {
  readonly edits: readonly ParsedEdit[];
  readonly operations: readonly FileOperation[];
  readonly complaints: readonly Complaint[];
}

/** An object of JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export const operations = [
  "set_line",
  "replace_lines",
  "insert_after",
  "insert_before",
  "delete_lines",
  "append",
  "prepend",
  "replace_text",
  "move_lines",
  "copy_lines",
] as const;

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  set_line: ["anchor", "text"],
  replace_lines: ["start", "end", "text"],
  insert_after: ["anchor", "text"],
  insert_before: ["anchor", "text"],
  delete_lines: ["start", "end"],
  append: ["text"],
  prepend: ["text"],
  replace_text: ["old", "new", "anchor", "end", "all"],
  move_lines: ["start", "end", "after"],
  copy_lines: ["start", "end", "after"],
  create_file: ["text"],
  delete_file: [],
  move_file: ["to"],
};
const telling = ["anchor", "pos", "start", "end", "after", "text", "old", "new", "to", "dry_run", "dryRun"];

const example = '{"op":"set_line","anchor":"12#0f0dd9","text":"new line"}';

/** Reads the caller's `edits`, in the advertised shape or one of those understood, into the one shape. */
export function normaliseEdits(input: unknown): Normalised {
  const edits: ParsedEdit[] = [];
  const found: FileOperation[] = [];
  const complaints: Complaint[] = [];
  const list = listOf(input);
  if (typeof list === "string") complaints.push({ code: "bad_request", index: 0, message: list });
  else
    list.forEach((item, index) => {
      const reader = new Reader(index, complaints);
      const fields = reader.fields(item);
      if (!fields) return;
      const edit = reader.edit(flatten(fields));
      if (!edit) return;
      if ("index" in edit) edits.push(edit);
      else found.push(edit);
    });
  return { edits, operations: found, complaints };
}

function listOf(input: unknown): readonly unknown[] | string {
  let value = input;
  if (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch {
      return `edits is a string that is not JSON; send a list like [${example}]`;
    }
  }
  if (isFields(value)) value = [value];
  if (!Array.isArray(value)) return `edits must be a list like [${example}]`;
  if (value.length === 0) return `edits is empty; send at least one, like ${example}`;
  return value;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Shapes of other tools of this family, turned into the advertised one. */
function flatten(fields: Fields): Fields {
  if (fields.op === undefined) {
    for (const op of ["set_line", "replace_lines", "insert_after", "insert_before", "replace"] as const) {
      const inner = fields[op];
      if (!isFields(inner)) continue;
      if (op === "replace")
        return { op: "replace_text", old: inner.old_text, new: inner.new_text, all: inner.all };
      const text = inner.new_text ?? inner.text;
      return {
        op,
        anchor: inner.anchor,
        start: inner.start_anchor ?? inner.start,
        end: inner.end_anchor ?? inner.end,
        text: "new_text" in inner ? inner.new_text : text,
      };
    }
    return fields;
  }
  const { op, pos, end, lines } = fields;
  if (op === "replace" && pos !== undefined)
    return { op: "replace_lines", start: pos, end: end ?? pos, text: lines };
  if ((op === "append" || op === "prepend") && "lines" in fields) {
    if (pos === undefined || pos === null) return { op, text: lines };
    return { op: op === "append" ? "insert_after" : "insert_before", anchor: pos, text: lines };
  }
  return fields;
}

class Reader {
  private failed = false;

  constructor(
    private readonly index: number,
    private readonly complaints: Complaint[],
  ) {}

  private complain(message: string, code: Code = "bad_request", line?: number): void {
    this.failed = true;
    const complaint = { code, index: this.index, message: `edits[${this.index}]: ${message}` };
    this.complaints.push(line === undefined ? complaint : { ...complaint, line });
  }

  fields(item: unknown): Fields | null {
    let value = item;
    if (typeof item === "string") {
      try {
        value = JSON.parse(item);
      } catch {
        value = item;
      }
    }
    if (isFields(value)) return value;
    this.complain(`must be an object like ${example}`);
    return null;
  }

  edit(fields: Fields): ParsedEdit | FileOperation | null {
    const made = this.build(fields);
    const misfits = this.failed ? [] : this.misfits(fields);
    if (misfits.length > 0)
      this.complain(
        `${String(fields.op)} takes no ${misfits.join(", ")}: use an op that does, or leave it out`,
      );
    return this.failed ? null : made;
  }

  /** Fields that the op does not take although they mean something: one schema for all ops invites them. */
  private misfits(fields: Fields): string[] {
    const isLone = fields.op === "delete_lines" && fields.start === undefined;
    const own = isLone ? ["anchor", "end"] : (fieldsOf[String(fields.op)] ?? []);
    const said = [undefined, null, "", false, ...own.map((name) => fields[name])];
    return telling.filter((name) => !own.includes(name) && !said.includes(fields[name]));
  }

  private build(fields: Fields): ParsedEdit | FileOperation | null {
    const { index } = this;
    const { op } = fields;
    switch (op) {
      case "set_line": {
        const anchor = this.ref(fields, "anchor");
        return { op, index, start: anchor, end: anchor, text: this.text(fields) };
      }
      case "replace_lines":
        return {
          op,
          index,
          start: this.ref(fields, "start"),
          end: this.ref(fields, "end"),
          text: this.text(fields),
        };
      case "delete_lines": {
        const start = this.ref(
          fields,
          fields.start === undefined && fields.anchor !== undefined ? "anchor" : "start",
        );
        return { op, index, start, end: this.optionalRef(fields, "end") ?? start, text: [] };
      }
      case "insert_after":
      case "insert_before":
        return { op, index, anchor: this.ref(fields, "anchor"), text: this.inserted(fields) };
      case "append":
      case "prepend":
        return { op, index, text: this.inserted(fields) };
      case "replace_text":
        return this.replaceText(fields);
      case "move_lines":
      case "copy_lines": {
        const start = this.ref(fields, "start");
        const end = this.optionalRef(fields, "end") ?? start;
        return { op, index, start, end, after: this.ref(fields, "after") };
      }
      case "create_file":
        return { op, text: this.content(fields) };
      case "delete_file":
        return { op };
      case "move_file":
        return { op, to: this.string(fields, "to") };
      default: {
        const given = op === undefined ? "op is missing" : `unknown op ${JSON.stringify(op)}`;
        this.complain(`${given}; use one of ${operations.join(", ")}, like ${example}`);
        return null;
      }
    }
  }

  private replaceText(fields: Fields): ParsedEdit {
    const old = this.string(fields, "old").replaceAll("\r\n", "\n");
    if (old === "" && !this.failed) this.complain("old is empty; quote the text to replace");
    const start = this.optionalRef(fields, "anchor");
    const end = this.optionalRef(fields, "end");
    if (end && !start) this.complain("end needs anchor, the first line of the range");
    const all = fields.all;
    if (all !== undefined && all !== null && typeof all !== "boolean" && all !== "true" && all !== "false")
      this.complain("all must be true or false");
    return {
      op: "replace_text",
      index: this.index,
      old,
      new: this.string(fields, "new").replaceAll("\r\n", "\n"),
      start,
      end: end ?? start,
      all: all === true || all === "true",
    };
  }

  private missing(fields: Fields, name: string): string {
    const others = Object.keys(fields).filter((key) => key !== "op" && fields[key] !== undefined);
    return `${String(fields.op)} needs ${name}${others.length > 0 ? ` (it has ${others.join(", ")})` : ""}`;
  }

  private string(fields: Fields, name: string): string {
    const value = fields[name];
    if (typeof value === "string") return value;
    this.complain(value === undefined ? this.missing(fields, name) : `${name} must be a string`);
    return "";
  }

  private content(fields: Fields): string | readonly string[] {
    const value = fields.text;
    if (typeof value === "string" || isLines(value)) return value;
    this.complain(
      value === undefined ? this.missing(fields, "text") : "text must be a string or a list of lines",
    );
    return "";
  }

  private text(fields: Fields): readonly string[] {
    const value = fields.text;
    if (value === undefined) this.complain(this.missing(fields, "text"));
    else if (value === null || typeof value === "string" || isLines(value)) return splitText(value);
    else this.complain("text must be a string, a list of lines, or null to delete");
    return [];
  }

  private inserted(fields: Fields): readonly string[] {
    const lines = this.text(fields);
    if (!this.failed && lines.length === 0)
      this.complain(`${String(fields.op)} has nothing to insert; for an empty line use ""`);
    return lines;
  }

  private optionalRef(fields: Fields, name: string): Ref | null {
    return fields[name] === undefined || fields[name] === null ? null : this.ref(fields, name);
  }

  private ref(fields: Fields, name: string): Ref {
    const value = fields[name];
    const given = typeof value === "number" ? String(value) : value;
    if (typeof given !== "string") {
      this.complain(
        given === undefined ? this.missing(fields, name) : `${name} must be an anchor like 12#0f0dd9`,
      );
      return nowhere;
    }
    const anchor = parseLineRef(given);
    if (!("problem" in anchor)) return { given, anchor };
    this.complain(
      `${name} ${JSON.stringify(given)} ${complaintAbout[anchor.problem]}`,
      "bad_anchor",
      anchor.line,
    );
    return nowhere;
  }
}

const nowhere: Ref = { given: "", anchor: { line: 0, hash: "", scheme: "hex6" } };

const complaintAbout = {
  bare_number: "is a bare number; an anchor has line and hash, as shown",
  placeholder: "is a placeholder; copy the anchor of the line as it was shown",
  no_line: "has no line number; an anchor has line and hash, as shown",
  old_tag: "is not an anchor of this tool; copy the anchor as it was shown",
  unreadable: "is not an anchor; copy it exactly as it was shown",
} as const;

function isLines(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}
