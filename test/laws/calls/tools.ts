/** Tools that take several edits in one call: how their clients word a call, and where they put each part. */
import type { Payload } from "../../../src/guard/event.js";
import { type Applied, batch, claudeCode, type Hunk, opencode, type PatchLine } from "../guard/client.js";
import type { Tool } from "../guard/room.js";

/** Lines that stand one below the other, what becomes of them, and what else a patch says of their place. */
export interface Part {
  readonly lines: readonly PatchLine[];
  readonly header: string | null;
  readonly atEnd: boolean;
  /** A blank line of context has no blank before it. */
  readonly bare: boolean;
  /** Which of its old lines a tool reads; left out: all. */
  readonly read?: readonly number[];
}

/** Where a part is put: lines of the text, half-open, and what stands there afterwards. */
export interface Placed {
  readonly start: number;
  readonly end: number;
  readonly made: readonly string[];
  /** Which of the part's old lines these are. */
  readonly rows: readonly number[];
}

export interface Several extends Tool<readonly Part[]> {
  readonly label: string;
  /** Parts are quotes: of a blank line at either end they say no more than a newline. */
  readonly quotes: boolean;
  /** As its tool does it to lines, part by part; null if it refuses. `isEnded`: the last line has a newline. */
  place(lines: readonly string[], parts: readonly Part[], isEnded?: boolean): readonly Placed[] | null;
}

const side = ({ lines }: Pick<Part, "lines">, other: "+" | "-"): string[] =>
  lines.filter(({ sign }) => sign !== other).map(({ text }) => text);

export const oldLines = (part: Pick<Part, "lines">): string[] => side(part, "+");
const newLines = (part: Pick<Part, "lines">): string[] => side(part, "-");

const looser: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

function seek(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of looser) {
    const [have, want] = [lines.map(form), wanted.map(form)];
    for (let at = from; at + want.length <= have.length; at++)
      if (want.every((line, index) => line === have[at + index])) return at;
  }
  return -1;
}

/** Each hunk below its header and below the hunk before; at the end of the file only there. */
function placeHunks(
  lines: readonly string[],
  hunks: readonly Part[],
  empty: boolean,
): readonly Placed[] | null {
  const found: Placed[] = [];
  let cursor = 0;
  for (const hunk of hunks) {
    if (hunk.header !== null) {
      const header = seek(lines, [hunk.header], cursor);
      if (header < 0) return null;
      cursor = header + 1;
    }
    const [old, made] = [oldLines(hunk), newLines(hunk)];
    if (old.length === 0) {
      found.push({ start: lines.length, end: lines.length, made, rows: [] });
      continue;
    }
    const from = (): number => (hunk.atEnd ? Math.max(0, lines.length - old.length) : cursor);
    let at = seek(lines, old, from());
    if (at < 0 && old.at(-1) === "") {
      old.pop();
      if (made.at(-1) === "") made.pop();
      at = old.length > 0 ? seek(lines, old, from()) : empty ? cursor : -1;
    }
    if (at < 0) return null;
    const rows = hunk.read ?? old.map((_, row) => row);
    found.push({ start: at, end: at + old.length, made, rows: rows.slice(0, old.length) });
    cursor = at + old.length;
  }
  return found;
}

const linesIn = (text: string): string[] => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

const isOverlapping = (placed: readonly Placed[]): boolean =>
  placed.some(({ start }, at) => at > 0 && start < placed[at - 1]!.end);

function patched(text: string, placed: readonly Placed[] | null): Applied | null {
  if (!placed) return null;
  const lines = linesIn(text);
  const offset = (line: number): number =>
    Math.min(
      text.length,
      lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0),
    );
  const sorted = placed.toSorted((one, two) => one.start - two.start);
  if (isOverlapping(sorted)) return { splices: [{ from: -1, to: -1, made: "" }], text };
  const splices = sorted.map(({ start, end, made }): Hunk => {
    const lead = start === lines.length && !text.endsWith("\n") && text !== "" ? "\n" : "";
    return { from: offset(start), to: offset(end), made: lead + made.map((line) => `${line}\n`).join("") };
  });
  // The last line has a newline afterwards.
  const isEnded = text.endsWith("\n") || splices.some(({ to }) => to === text.length);
  return spliced(text, isEnded ? splices : [...splices, { from: text.length, to: text.length, made: "\n" }]);
}

function spliced(text: string, splices: readonly Hunk[]): Applied {
  const made = splices
    .toReversed()
    .reduce((now, { from, to, made }) => now.slice(0, from) + made + now.slice(to), text);
  return { splices, text: made };
}

function patchText(path: string, parts: readonly Part[]): string {
  const hunks = parts.flatMap(({ lines, header, atEnd, bare }) => [
    header === null ? "@@" : `@@ ${header}`,
    ...lines.map(({ sign, text }) => (bare && sign === " " && text === "" ? "" : `${sign}${text}`)),
    ...(atEnd ? ["*** End of File"] : []),
  ]);
  return ["*** Begin Patch", `*** Update File: ${path}`, ...hunks, "*** End Patch"].join("\n");
}

/** What opencode reads of it: lines without a sign are none, and no end of file is. */
const readByOpencode = (parts: readonly Part[]): readonly Part[] =>
  parts.map((part) => {
    const isRead = ({ sign, text }: PatchLine): boolean => !(part.bare && sign === " " && text === "");
    const read = part.lines
      .filter(({ sign }) => sign !== "+")
      .flatMap((line, at) => (isRead(line) ? [at] : []));
    return {
      ...part,
      header: part.header?.trim() || null,
      atEnd: false,
      read,
      lines: part.lines.filter(isRead),
    };
  });

export const codexPatch: Several = {
  ...{ name: "codex", label: "codex, apply_patch", quotes: false, checksFirst: false },
  addressed: (payload, agent) => ({ ...payload, session_id: agent, cwd: "/project", tool_use_id: "call" }),
  reader: opencode,
  reading: opencode.reading,
  before: (path, parts) => ({
    ...{
      hook_event_name: "PreToolUse",
      tool_name: "apply_patch",
      tool_input: { command: patchText(path, parts) },
    },
  }),
  after: (path, parts) => [
    {
      ...{ hook_event_name: "PostToolUse", tool_name: "apply_patch", tool_response: "Success." },
      tool_input: { command: patchText(path, parts) },
    },
  ],
  // Where nothing is left to look for, it is found.
  place: (lines, parts) => placeHunks(lines, parts, true),
  apply: (text, parts) => patched(text, placeHunks(linesIn(text), parts, true)),
  carried: () => null,
};

const opencodeBase = {
  name: "opencode",
  checksFirst: false,
  addressed: opencode.addressed,
  reading: opencode.reading,
};

const opencodeArgs = (path: string, parts: readonly Part[]): Payload => ({
  patchText: patchText(path, parts),
});

export const opencodePatch: Several = {
  ...{ ...opencodeBase, label: "opencode, apply_patch", quotes: false },
  before: (path, parts) => ({
    k: "before",
    i: { tool: "apply_patch" },
    o: { args: opencodeArgs(path, parts) },
  }),
  after: (path, parts) => [
    {
      ...{ k: "after", i: { tool: "apply_patch", args: opencodeArgs(path, parts) } },
      o: { output: "Success.", metadata: {} },
    },
  ],
  place: (lines, parts) => placeHunks(lines, readByOpencode(parts), false),
  apply: (text, parts) => patched(text, placeHunks(linesIn(text), readByOpencode(parts), false)),
  carried: () => null,
};

interface Quote {
  readonly old: string;
  readonly new: string;
}

/** Lines that are taken out go with their newline. */
function quoteOf(part: Part): Quote {
  const [old, made] = [oldLines(part).join("\n"), newLines(part)];
  return made.length === 0 ? { old: `${old}\n`, new: "" } : { old, new: made.join("\n") };
}

const count = (text: string, part: string): number => text.split(part).length - 1;

/** All of them are found in the text as it was before. */
function together(text: string, quotes: readonly Quote[]): Applied | null {
  const splices = quotes.map(({ old, new: made }): Hunk => {
    const from = text.indexOf(old);
    return { from, to: from + old.length, made };
  });
  splices.sort((one, two) => one.from - two.from);
  const isBad = quotes.some(({ old, new: made }) => count(text, old) !== 1 || old === made);
  if (isBad || splices.some(({ from }, at) => at > 0 && from < splices[at - 1]!.to)) return null;
  return spliced(text, splices);
}

/** One after the other, each in what the one before has made; there it is put nowhere in the text before. */
function inTurn(text: string, quotes: readonly Quote[]): Applied | null {
  let now = text;
  const splices: Hunk[] = [];
  for (const { old, new: made } of quotes) {
    const from = now.indexOf(old);
    if (count(now, old) !== 1 || old === made) return null;
    splices.push({ ...before(splices, from, from + old.length), made });
    now = now.slice(0, from) + made + now.slice(from + old.length);
  }
  return { splices: splices.toSorted((one, two) => one.from - two.from), text: now };
}

function before(splices: readonly Hunk[], from: number, to: number): Omit<Hunk, "made"> {
  let shift = 0;
  for (const one of splices.toSorted((a, b) => a.from - b.from)) {
    const start = one.from + shift;
    if (to <= start) break;
    if (from < start + one.made.length) return { from: -1, to: -1 };
    shift += one.made.length - (one.to - one.from);
  }
  return { from: from - shift, to: to - shift };
}

const asParts = (quotes: readonly Quote[]): readonly Part[] =>
  quotes.map(({ old, new: made }) => ({
    ...{ header: null, atEnd: false, bare: false, text: { old, new: made } },
    lines: [],
  }));

type Worded = Part & { readonly text?: Quote };
const quotesOf = (parts: readonly Part[]): Quote[] => parts.map((part: Worded) => part.text ?? quoteOf(part));

/** Where quotes stand in lines, by what comes of them. */
function placeQuotes(
  applied: Applied | null,
  lines: readonly string[],
  parts: readonly Part[],
): readonly Placed[] | null {
  if (!applied) return null;
  const text = lines.map((line) => `${line}\n`).join("");
  return parts.map((part) => {
    const { old } = quoteOf(part);
    const start = text.slice(0, text.indexOf(old)).split("\n").length - 1;
    const rows = oldLines(part).map((_, row) => row);
    return { start, end: start + rows.length, made: newLines(part), rows };
  });
}

const whole = (lines: readonly string[], isEnded: boolean): string =>
  lines.join("\n") + (isEnded ? "\n" : "");

const piInput = (path: string, parts: readonly Part[]): Payload => ({
  path,
  edits: quotesOf(parts).map((one) => ({ oldText: one.old, newText: one.new })),
});

export const piEdit: Several = {
  ...{ name: "pi", label: "pi, edit", quotes: true, checksFirst: false },
  addressed: (payload, agent) => ({ ...payload, cwd: "/project", session: agent }),
  reading(path, { first, shown, all }) {
    const rest = all - (first + shown.length - 1);
    const more =
      rest > 0 ? `\n\n[${rest} more lines in file. Use offset=${first + shown.length} to continue.]` : "\n";
    const content = [{ type: "text", text: shown.join("\n") + more }];
    const input = { path, offset: first, limit: shown.length };
    return [{ k: "tool_result", toolName: "read", input, content, isError: false }];
  },
  before: (path, parts) => ({ k: "tool_call", toolName: "edit", input: piInput(path, parts) }),
  after: (path, parts) => [
    { k: "tool_result", toolName: "edit", input: piInput(path, parts), content: [], isError: false },
  ],
  place: (lines, parts, isEnded = true) =>
    placeQuotes(together(whole(lines, isEnded), quotesOf(parts)), lines, parts),
  apply: (text, parts) => together(text, quotesOf(parts)),
  carried: asParts,
};

const claudeInput = (file_path: string, parts: readonly Part[]): Payload => ({
  file_path,
  edits: quotesOf(parts).map((one) => ({ old_string: one.old, new_string: one.new })),
});

export const claudeMultiEdit: Several = {
  ...{ name: "claude-code", label: "claude-code, MultiEdit", quotes: true, checksFirst: true },
  addressed: claudeCode.addressed,
  reading: claudeCode.reading,
  before: (path, parts) => ({
    ...{ hook_event_name: "PreToolUse", tool_name: "MultiEdit", tool_input: claudeInput(path, parts) },
  }),
  after: (path, parts) => [
    {
      ...{ hook_event_name: "PostToolUse", tool_name: "MultiEdit", tool_response: {} },
      tool_input: claudeInput(path, parts),
    },
    batch("MultiEdit", claudeInput(path, parts), "Applied."),
  ],
  place: (lines, parts, isEnded = true) =>
    placeQuotes(inTurn(whole(lines, isEnded), quotesOf(parts)), lines, parts),
  apply: (text, parts) => inTurn(text, quotesOf(parts)),
  carried: asParts,
};
