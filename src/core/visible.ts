/** Controls (C0, C1, DEL), line and paragraph separators, and the characters that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * A name from the world (a path, an agent, a command, a branch) as people and models may see it: on one line, and
 * without what a terminal would obey. Everything else stays as it is.
 */
export function visible(name: string): string {
  return name.replace(hidden, (one) => short[one] ?? escaped(one));
}

/** A line of a file's text as a terminal may get it: a tab stays. */
export function visibleText(text: string): string {
  return text.replace(hidden, (one) => (one === "\t" || one === "\n" ? one : (short[one] ?? escaped(one))));
}

function escaped(one: string): string {
  const code = one.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}
