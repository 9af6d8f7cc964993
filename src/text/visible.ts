/** Controls (C0, C1, DEL), line and paragraph separators, and the characters that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * A name from the world (a path, an agent, a command, a branch) as people and models may see it: on one line, and
 * without what a terminal would obey. Everything else stays as it is. In a JSON text it means the same name.
 */
export function visible(name: string): string {
  return name.replace(hidden, (one) => short[one] ?? escaped(one));
}

/** A text of several lines, for a terminal: lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(hidden, (one) => (one === "\t" || one === "\n" ? one : escaped(one)));
}

function escaped(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The ways in which a text may hold a name: as it is, in JSON, and between a shell's quotes. */
const spellings = (name: string): string[] => [
  ...new Set([name, JSON.stringify(name).slice(1, -1), name.replaceAll("'", "'\\''")]),
];

/** A text with these names made visible. The rest of the text, rows of files above all, stays as it is. */
export function withVisible(text: string, names: Iterable<string>): string {
  const odd = [...new Set(names)].filter((name) => visible(name) !== name);
  const all = odd.flatMap(spellings).sort((one, two) => two.length - one.length);
  return all.reduce((shown, name) => shown.replaceAll(name, () => visible(name)), text);
}

/** A path in the header of a diff: quoted the way git does it, where it would not be read otherwise. */
export function diffName(path: string): string {
  if (visible(path) === path) return path;
  const bytes = [...new TextEncoder().encode(path)];
  const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
  const shown = bytes.map((byte) => {
    const one = String.fromCharCode(byte);
    if (one === '"' || one === "\\") return `\\${one}`;
    return byte < 32 || byte > 126 ? (short[one] ?? octal(byte)) : one;
  });
  return `"${shown.join("")}"`;
}
