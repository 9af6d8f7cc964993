/** How clients word what their tools do, and what these do to a text. */
import type { Payload } from "../../../src/guard/event.js";

/** Text for text, in one place or in all; or lines for lines, in the first place where they stand. */
export type Edit =
  | { readonly kind: "quote"; readonly old: string; readonly new: string; readonly all: boolean }
  | { readonly kind: "patch"; readonly lines: readonly PatchLine[] };

export interface PatchLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

export interface Shown {
  readonly first: number;
  readonly shown: readonly string[];
  readonly all: number;
}

export interface Client {
  readonly name: string;
  /** Places that overlap count as several. */
  readonly countsOverlaps: boolean;
  /** What cannot be done is refused before the guard is asked. */
  readonly checksFirst: boolean;
  readonly patches: boolean;
  /** Text that stands nowhere is looked for without the blanks around its lines. */
  readonly loosely: boolean;
  /** Where nothing is put in the place of text that ends a line, the line's end goes too. */
  readonly takesLineEnd: boolean;
  addressed(payload: Payload, agent: string): Payload;
  reading(path: string, shown: Shown): readonly Payload[];
  before(path: string, edit: Edit): Payload;
  after(path: string, edit: Edit): readonly Payload[];
}

/** Offsets into a text, half-open, and what is put there. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly made: string;
}

export interface Applied {
  readonly splices: readonly Hunk[];
  readonly text: string;
}

/** What the tool makes of a text; null if it refuses. */
export function replaced(text: string, edit: Edit, client: Client): Applied | null {
  const splices = edit.kind === "quote" ? quoted(text, edit, client) : patched(text, edit.lines);
  if (!splices) return null;
  let [made, from] = ["", 0];
  for (const splice of splices) {
    made += text.slice(from, splice.from) + splice.made;
    from = splice.to;
  }
  return { splices, text: made + text.slice(from) };
}

function quoted(
  text: string,
  edit: Extract<Edit, { kind: "quote" }>,
  { countsOverlaps, takesLineEnd, loosely }: Client,
): readonly Hunk[] | null {
  const { new: made, all } = edit;
  if (edit.old === made) return null;
  if (loosely && !text.includes(edit.old)) return fitted(text, edit);
  if (!isFound(text, edit, countsOverlaps)) return null;
  const isLonger = takesLineEnd && made === "" && !edit.old.endsWith("\n") && text.includes(`${edit.old}\n`);
  const old = isLonger ? `${edit.old}\n` : edit.old;
  const places: Hunk[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length))
    places.push({ from: at, to: at + old.length, made });
  return all ? places : places.slice(0, 1);
}

/** Blanks around lines do not count: the first such lines whose text stands once. */
function fitted(text: string, { old, new: made }: Extract<Edit, { kind: "quote" }>): readonly Hunk[] | null {
  const lines = text.split("\n");
  const wanted = old.split("\n").map((line) => line.trim());
  if (wanted.at(-1) === "") wanted.pop();
  let from = 0;
  for (const [at, line] of lines.entries()) {
    const block = lines.slice(at, at + wanted.length);
    const isAlike =
      block.length === wanted.length && block.every((one, index) => one.trim() === wanted[index]);
    const found = block.join("\n");
    if (isAlike && found !== "" && text.indexOf(found) === text.lastIndexOf(found))
      return [{ from, to: from + found.length, made }];
    from += line.length + 1;
  }
  return null;
}

function isFound(
  text: string,
  { old, all }: Extract<Edit, { kind: "quote" }>,
  countsOverlaps: boolean,
): boolean {
  const [first, last] = [text.indexOf(old), text.lastIndexOf(old)];
  if (first < 0 || all) return first >= 0;
  return countsOverlaps ? first === last : text.indexOf(old, first + old.length) < 0;
}

const looser: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** As the tools of Codex and opencode do it: a last line that is blank may be missing. */
function patched(text: string, given: readonly PatchLine[]): readonly Hunk[] | null {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const side = (sign: string) => given.filter((one) => one.sign !== sign).map((one) => one.text);
  let [old, fresh] = [side("+"), side("-")];
  let at = placeOf(lines, old);
  if (at < 0 && old.at(-1) === "") {
    [old, fresh] = [old.slice(0, -1), fresh.at(-1) === "" ? fresh.slice(0, -1) : fresh];
    at = old.length > 0 ? placeOf(lines, old) : -1;
  }
  if (at < 0) return null;
  const offset = (line: number) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  const made = fresh.map((line) => `${line}\n`).join("");
  const splice = { from: offset(at), to: Math.min(offset(at + old.length), text.length), made };
  // The last line has a newline afterwards.
  const end = { from: text.length, to: text.length, made: "\n" };
  return splice.to < text.length && !text.endsWith("\n") ? [splice, end] : [splice];
}

function placeOf(lines: readonly string[], wanted: readonly string[]): number {
  for (const form of looser) {
    const [have, want] = [lines.map(form), wanted.map(form)];
    for (let start = 0; start + want.length <= have.length; start++)
      if (want.every((line, index) => line === have[start + index])) return start;
  }
  return -1;
}

function patchText(path: string, lines: readonly PatchLine[]): string {
  const body = lines.map(({ sign, text }) => `${sign}${text}`);
  return ["*** Begin Patch", `*** Update File: ${path}`, "@@", ...body, "*** End Patch", ""].join("\n");
}

type Call = readonly [tool: string, args: Payload];

const opencodeCall = (filePath: string, edit: Edit): Call =>
  edit.kind === "patch"
    ? ["apply_patch", { patchText: patchText(filePath, edit.lines) }]
    : [
        "edit",
        { filePath, oldString: edit.old, newString: edit.new, ...(edit.all ? { replaceAll: true } : {}) },
      ];

const opencodeAfter = ([tool, args]: Call, o: Payload): Payload => ({ k: "after", i: { tool, args }, o });

export const opencode: Client = {
  name: "opencode",
  countsOverlaps: true,
  checksFirst: false,
  patches: true,
  loosely: true,
  takesLineEnd: false,
  addressed: (payload, agent) => ({
    ...{ ...payload, directory: "/project" },
    i: { ...(payload.i as Payload), sessionID: agent, callID: "call" },
  }),
  reading(filePath, { first, shown, all }) {
    const last = first + shown.length - 1;
    const counts = { lineStart: first, lineEnd: last, totalLines: all, truncated: last < all };
    const display = { type: "file", path: filePath, text: shown.join("\n"), ...counts };
    const output = shown.map((line, at) => `${first + at}: ${line}`).join("\n");
    return [opencodeAfter(["read", { filePath }], { output, metadata: { display } })];
  },
  before(filePath, edit) {
    const [tool, args] = opencodeCall(filePath, edit);
    return { k: "before", i: { tool }, o: { args } };
  },
  after: (filePath, edit) => [
    opencodeAfter(opencodeCall(filePath, edit), { output: "Edit applied successfully.", metadata: {} }),
  ],
};

const claudeInput = (file_path: string, edit: Edit): Payload =>
  edit.kind === "patch"
    ? {}
    : { file_path, old_string: edit.old, new_string: edit.new, replace_all: edit.all };

export const batch = (tool_name: string, tool_input: Payload, tool_response: string): Payload => ({
  hook_event_name: "PostToolBatch",
  tool_calls: [{ tool_name, tool_input, tool_use_id: "toolu_1", tool_response }],
});

export const claudeCode: Client = {
  ...{
    name: "claude-code",
    countsOverlaps: false,
    checksFirst: true,
    patches: false,
    loosely: false,
    takesLineEnd: true,
  },
  addressed: (payload, agent) => ({ ...payload, session_id: agent, cwd: "/project" }),
  reading(file_path, { first, shown, all }) {
    const end = first + shown.length > all ? [""] : [];
    const output = [...shown, ...end].map((line, at) => `${first + at}\t${line}`).join("\n");
    return [batch("Read", { file_path }, output)];
  },
  before: (path, edit) => ({
    ...{ hook_event_name: "PreToolUse", tool_name: "Edit", tool_input: claudeInput(path, edit) },
  }),
  after(path, edit) {
    const tool_input = claudeInput(path, edit);
    const told = { hook_event_name: "PostToolUse", tool_name: "Edit", tool_input, tool_response: {} };
    return [told, batch("Edit", tool_input, `The file ${path} has been updated successfully.`)];
  },
};
