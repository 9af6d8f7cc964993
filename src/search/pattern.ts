import { expressionOf, type SearchQuery } from "../ports/index.js";
import type { Document } from "../text/index.js";

export interface Pattern {
  readonly ignoreCase: boolean;
  /** Text that stands in every line that matches; null: none is known. ASCII, so that it is the same in any encoding. */
  readonly literal: string | null;
  /** False only if no line of these bytes can match. */
  isPossibleIn(bytes: Uint8Array): boolean;
  /** False only if no line of this text can match. A hundred times faster than looking at each line. */
  isPossibleInText(text: string): boolean;
  /** Matching lines, 1-based. */
  lines(document: Document): number[];
}

export function compile(query: SearchQuery): Pattern {
  const { pattern, literal } = query;
  const { expression, source, ignoreCase } = expressionOf(query);
  // A lookaround sees neighbouring lines in the whole text, and none in a single line.
  const whole = /\(\?<?[=!]/.test(source) ? null : new RegExp(expression.source, `${expression.flags}m`);
  const certain = literal ? asciiOnly(pattern) : requiredText(source);
  const needle = certain === null || ignoreCase ? null : Buffer.from(certain);
  return {
    ignoreCase,
    literal: certain,
    isPossibleIn: (bytes) =>
      needle === null ||
      isWide(bytes) ||
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(needle),
    isPossibleInText: (text) => whole === null || whole.test(text),
    lines: (document) =>
      document.lines().flatMap((line, index) => (expression.test(line) ? [index + 1] : [])),
  };
}

const asciiOnly = (text: string): string | null => (/^[\x20-\x7e]+$/.test(text) ? text : null);

const isWide = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/**
 * The longest run of plain characters that a match cannot do without. Careful rather than clever: with alternatives,
 * groups or classes there may be one, but none is claimed.
 */
export function requiredText(source: string): string | null {
  if (/[|()[\]{}\\]/.test(source)) return requiredBetweenEscapes(source);
  return longest(source);
}

// Escapes of one letter stand for one place each and bind nothing to their left or right.
function requiredBetweenEscapes(source: string): string | null {
  if (/[|()[\]{}]/.test(source)) return null;
  if (!/^(?:[^\\]|\\[bBdDwWsStnr.*+?^$/"'-])*$/.test(source)) return null;
  return longest(source.replace(/\\./g, "\0"));
}

function longest(source: string): string | null {
  let best = "";
  // A character before a quantifier may be absent.
  for (const run of source
    .replace(/.[*?]/g, "\0")
    .replace(/\+/g, "\0")
    .split(/[\0.^$]/)) {
    if (run.length > best.length && asciiOnly(run) !== null) best = run;
  }
  return best.length > 1 ? best : null;
}

const place = Symbol.for("kedge.search");

/**
 * Runs the work, null if it takes longer. A pattern can take longer than the universe lasts on a line of thirty
 * characters, and only the engine itself can be told to stop then.
 */
export async function withinTime<T>(milliseconds: number, work: () => T): Promise<T | null> {
  if (milliseconds < 1) return null;
  const { Script } = await import("node:vm");
  const shared = globalThis as { [place]?: () => T };
  shared[place] = work;
  try {
    const script = new Script("globalThis[Symbol.for('kedge.search')]()");
    return script.runInThisContext({ timeout: Math.ceil(milliseconds), breakOnSigint: true }) as T;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    if (code !== "ERR_SCRIPT_EXECUTION_INTERRUPTED") throw error;
    // Ctrl-C ended the work, and nobody else has heard of it.
    process.kill(process.pid, "SIGINT");
    throw Object.assign(new Error("interrupted"), { name: "AbortError" });
  } finally {
    delete shared[place];
  }
}
