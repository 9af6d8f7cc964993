import type { Door, EditToolDetails } from "../answers/index.js";
import { failureResult, type Result, refusalResult } from "../calls/index.js";
import type { Edit } from "../edits/index.js";
import { Session, type SessionOptions } from "../session/index.js";
import type { Range } from "../text/index.js";
import { Arguments, BadArgument, parsed } from "../tools/index.js";

export interface TextEditorOptions extends Omit<SessionOptions, "door" | "anchors" | "numbered"> {
  /** Prints a folder. A folder is refused like an unreadable file if this is absent or answers null. */
  readonly list?: (path: string) => Promise<string | null>;
}

/** Executes one command of the tool, as the model sent it. */
export type TextEditor = (input: unknown) => Promise<Result>;

/** How refusals name the next call to a model with this tool. */
const editorDoor: Door = {
  read: (path, ranges) => {
    const [first] = ranges ?? [];
    return `call view on ${path}${first ? ` with view_range [${first.start}, ${ranges?.at(-1)?.end}]` : ""}`;
  },
  retry: () => "the call again",
};

const names = [
  "command",
  "path",
  "view_range",
  "old_str",
  "new_str",
  "insert_line",
  "insert_text",
  "file_text",
];

/** Lines shown on each side of a change, and the longest change that is shown whole. */
const around = 2;
const wholeChange = 12;

/**
 * Anthropic's `text_editor_20250728` as a function: `view`, `str_replace`, `create`, `insert`. Rows of a view count as
 * shown; `str_replace` is placed by its quote in the text that was shown; `insert` goes beside the line that was last
 * printed under that number, wherever it stands now.
 *
 * @example
 * const editor = textEditor({ files, store, agent: "a", clock: Date.now });
 * const { text, isError } = await editor({ command: "view", path: "src/a.ts" });
 */
export function textEditor(options: TextEditorOptions): TextEditor {
  const bench = new Bench(options);
  return async (input) => {
    try {
      return await bench.run(Arguments.read(input, names));
    } catch (error) {
      if (!(error instanceof BadArgument)) throw error;
      const isView = (input as { command?: unknown } | null)?.command === "view";
      return (isView ? failureResult : refusalResult)(error.path ?? "", "bad_request", error.message);
    }
  };
}

class Bench {
  private readonly session: Session;
  /** By file, however its path is spelt: the anchors of the rows that were last printed under each number. */
  private readonly printed = new Map<string, Rows>();

  constructor(private readonly options: TextEditorOptions) {
    this.session = new Session({ ...options, anchors: "hex6", door: editorDoor });
  }

  run(args: Arguments): Promise<Result> {
    const command = args.required("command");
    switch (command) {
      case "view":
        return this.view(args);
      case "str_replace":
        return this.replace(args);
      case "create":
        return this.create(args);
      case "insert":
        return this.insert(args);
      default:
        throw args.bad(
          `there is no command ${JSON.stringify(command)}: use view, str_replace, create or insert`,
        );
    }
  }

  private async view(args: Arguments): Promise<Result> {
    const path = args.path();
    const range = viewRange(args);
    const listed = await this.options.list?.(path);
    if (listed != null) return { text: listed, isError: false, details: { status: "listed", path } };
    const rows = await this.rows(path);
    const { text, ...rest } = await this.ask(rows, (session) => session.read({ path, ...window(range) }));
    return { ...rest, text: text.replace(/; next: offset=(\d+)\]$/, "; next: view_range [$1, -1]]") };
  }

  private async replace(args: Arguments): Promise<Result> {
    const path = args.path();
    const old = args.content("old_str");
    const fresh = args.content("new_str") ?? "";
    if (typeof old !== "string" || old === "")
      throw args.bad("old_str is missing: quote the text to replace");
    if (typeof fresh !== "string") throw args.bad("new_str must be a string");
    return this.edit(path, { op: "replace_text", old, new: fresh });
  }

  private async insert(args: Arguments): Promise<Result> {
    const path = args.path();
    const line = args.integer("insert_line", 0);
    const text = args.content("insert_text") ?? args.content("new_str");
    if (line === undefined)
      throw args.bad("insert_line is missing: the line to insert after, 0 for the start");
    if (typeof text !== "string") throw args.bad("insert_text is missing");
    if (line === 0) return this.edit(path, { op: "prepend", text });
    const anchor = (await this.rows(path)).get(line);
    if (anchor !== undefined) return this.edit(path, { op: "insert_after", anchor, text });
    const next = editorDoor.read(path, [{ start: Math.max(1, line - 5), end: line + 5 }]);
    return refusalResult(
      path,
      "not_shown",
      `line ${line} was not shown under this number since your last edit: ${next} first`,
    );
  }

  private async create(args: Arguments): Promise<Result> {
    const path = args.path();
    const content = args.content("file_text");
    if (typeof content !== "string") throw args.bad("file_text is missing");
    const rows = await this.rows(path);
    return this.ask(
      rows,
      (session) => session.write({ path, content }),
      ({ isError }) => isError || rows.clear(),
    );
  }

  private async edit(path: string, edit: Edit): Promise<Result> {
    const rows = await this.rows(path);
    const answer = await this.ask(
      rows,
      (session) => session.edit({ path, edits: [edit] }),
      ({ details }) => details.status === "applied" && renumber(rows, details),
    );
    const { details } = answer;
    if (details.status !== "applied") return answer;
    const ranges = details.changedRanges.flatMap(besides);
    const { text } = await this.ask(rows, (session) => session.read({ path, ranges }));
    return { ...answer, text: `${answer.text}\n${text.replace(/\n\[\d+ of \d+ lines\]$/, "")}` };
  }

  private async rows(path: string): Promise<Rows> {
    const key = await this.options.files.identify(path).then(
      (file) => file.key,
      () => path,
    );
    const rows = this.printed.get(key) ?? new Map<number, string>();
    this.printed.set(key, rows);
    return rows;
  }

  /** Asks the session, and notes the anchors of the rows it prints once `forget` has dropped what no longer holds. */
  private async ask<Answer extends Result>(
    rows: Rows,
    call: (session: Session) => Promise<Answer>,
    forget: (answer: Answer) => unknown = () => {},
  ): Promise<Answer> {
    const printed: Rows = new Map();
    const answer = await call(this.session.with({ numbered: (line, anchor) => printed.set(line, anchor) }));
    forget(answer);
    for (const [line, anchor] of printed) rows.set(line, anchor);
    return answer;
  }
}

type Rows = Map<number, string>;

/** Below a change, as the agent counts, its numbers are no longer those that were printed. */
function renumber(rows: Rows, { firstChangedLine, edits }: EditToolDetails): void {
  const starts = edits.flatMap((edit) => (edit.from ? [edit.from.start] : []));
  const first = Math.min(firstChangedLine ?? 1, ...starts);
  for (const line of [...rows.keys()]) if (line >= first) rows.delete(line);
}

function viewRange(args: Arguments): Range | undefined {
  const given = parsed(args.raw("view_range"));
  if (given === undefined) return undefined;
  const [start, end, ...more] = Array.isArray(given) ? given.map(lineNumber) : [];
  if (Number.isInteger(start) && Number.isInteger(end) && more.length === 0)
    return { start: start as number, end: end as number };
  throw args.bad("view_range must be like [10, 20], or [10, -1] for all from line 10");
}

function lineNumber(value: unknown): number {
  return value === null ? Number.NaN : Number(value);
}

/** `[start, -1]` goes to the end. */
function window(range: Range | undefined) {
  if (!range) return {};
  if (range.end < 0) return { offset: Math.max(1, range.start), limit: Number.MAX_SAFE_INTEGER };
  return { ranges: [{ start: Math.max(1, range.start), end: range.end }] };
}

function besides({ start, end }: Range): Range[] {
  const first = { start: Math.max(1, start - around), end: start + around };
  const last = { start: Math.max(1, end - around), end: end + around };
  return end - start < wholeChange ? [{ start: first.start, end: last.end }] : [first, last];
}
