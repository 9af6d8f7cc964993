/** The edits of a call as a program writes them: every operation that is advertised to models, with its fields. */

/** Lines of text: a string, whose lines are joined by `\n` (one final newline only ends the last line), or a list of lines. */
export type Lines = string | readonly string[];

/** Replaces the line of `anchor`. `text` may have any number of lines; `null` or `[]` deletes the line. */
export interface SetLine {
  readonly op: "set_line";
  /** An anchor as it was shown, such as `12#0f0dd9`. */
  readonly anchor: string;
  readonly text: Lines | null;
}

/** Replaces the lines from `start` to `end`, both included. `null` or `[]` deletes them. */
export interface ReplaceLines {
  readonly op: "replace_lines";
  readonly start: string;
  readonly end: string;
  readonly text: Lines | null;
}

/** Inserts lines directly after or before the line of `anchor`. `""` is one empty line. */
export interface InsertLines {
  readonly op: "insert_after" | "insert_before";
  readonly anchor: string;
  readonly text: Lines;
}

/** Deletes the lines from `start` to `end`, both included; without `end` the one line of `start`. */
export interface DeleteLines {
  readonly op: "delete_lines";
  readonly start: string;
  readonly end?: string | undefined;
}

/** Adds lines at the end (`append`) or the start (`prepend`) of the file as it is now. */
export interface AddLines {
  readonly op: "append" | "prepend";
  readonly text: Lines;
}

/** Replaces literal text that has to match once, in the file or in the lines from `anchor` to `end`, unless `all` is true. */
export interface ReplaceText {
  readonly op: "replace_text";
  readonly old: string;
  readonly new: string;
  readonly anchor?: string | undefined;
  /** Needs `anchor`, the first line of the range. */
  readonly end?: string | undefined;
  readonly all?: boolean | undefined;
}

/** Moves or copies the lines from `start` to `end` to the place directly after the line of `after`. */
export interface PlaceLines {
  readonly op: "move_lines" | "copy_lines";
  readonly start: string;
  readonly end?: string | undefined;
  readonly after: string;
}

/** Creates the file. In `multiEdit` only, as the one edit of its file. */
export interface CreateFile {
  readonly op: "create_file";
  readonly text: Lines;
}

/** Deletes the file. In `multiEdit` only, as the one edit of its file. */
export interface DeleteFile {
  readonly op: "delete_file";
}

/** Moves the file. In `multiEdit` only; edits of lines may go with it. */
export interface MoveFile {
  readonly op: "move_file";
  readonly to: string;
}

/**
 * One edit of a call. All anchors of one call speak of the text as it was shown, not of the text after an earlier edit of
 * the same call.
 *
 * @example
 * const edits: Edit[] = [
 *   { op: "set_line", anchor: "1#0f0dd9", text: "baz" },
 *   { op: "append", text: ["", "// the end"] },
 * ];
 * console.log(JSON.stringify(applyEdits("foo\n", edits).text)); // → "baz\n\n// the end\n"
 */
export type Edit =
  | SetLine
  | ReplaceLines
  | InsertLines
  | DeleteLines
  | AddLines
  | ReplaceText
  | PlaceLines
  | CreateFile
  | DeleteFile
  | MoveFile;

/** Takes JSON of a model for edits: the call reads it, also in shapes that are not advertised, and answers what is wrong with it. */
export function editsFromJson(json: unknown): readonly Edit[] {
  return json as readonly Edit[];
}
