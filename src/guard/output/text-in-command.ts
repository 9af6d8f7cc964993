/**
 * Text that a command itself carries into files: heredoc bodies, here-strings, the arguments of echo and printf. The agent
 * wrote this text, so it has seen it.
 */
export function carriedText(command: string): string {
  const { bodies, rest } = withoutHeredocs(command);
  const texts = simpleCommands(rest).flatMap(({ words, strings }) => [...strings, ...spoken(words)]);
  return [...bodies, ...texts.map((text) => text.replace(/\n$/, ""))].map((text) => `${text}\n`).join("");
}

const heredoc = /(?<!<)<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|(\\?)([A-Za-z_][\w.-]*))/g;

function withoutHeredocs(command: string): { readonly bodies: string[]; readonly rest: string } {
  const lines = command.split("\n").map((line) => line.replace(/\r$/, ""));
  const bodies: string[] = [];
  const rest: string[] = [];
  const ends = lastPlaces(lines);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    rest.push(line);
    for (const [, dash, single, double, backslash, bare] of line.matchAll(heredoc)) {
      const untabbed = (text: string): string => (dash === "" ? text : text.replace(/^\t+/, ""));
      const mark = (single ?? double ?? bare)!;
      // Without an end it is no heredoc but `1 << shift` or the like.
      if ((ends.get(mark) ?? -1) <= at) continue;
      const end = lines.findIndex((text, index) => index > at && untabbed(text) === mark);
      if (end < 0) continue;
      const body = lines
        .slice(at + 1, end)
        .map(untabbed)
        .join("\n");
      const literal = bare === undefined || backslash !== "";
      if (end > at + 1) bodies.push(literal ? body : body.replace(/\\([\\$`])|\\\n/g, "$1"));
      at = end;
    }
  }
  return { bodies, rest: rest.join("\n") };
}

/** Returns the last line that has each text, without leading tabs. */
function lastPlaces(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lines.map((line, at) => [line.replace(/^\t+/, ""), at]));
}

interface SimpleCommand {
  readonly words: string[];
  /** Here-strings. */
  readonly strings: string[];
}

/** One quoted or escaped part of a word, an operator, or plain characters. */
const token =
  /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([ \t\r]+)|([;&|()\n]+)|(\d*(?:<<<|>>|>&|<&|&>|<<-?|[<>]))|((?:[^\s;&|()<>\\'"$]|\$(?!'))+|.)/gsy;

function simpleCommands(text: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [{ words: [], strings: [] }];
  let word: string | null = null;
  let into: "words" | "strings" | "target" = "words";
  const finish = (): void => {
    if (word === null) return;
    if (into !== "target") commands.at(-1)![into].push(word);
    into = "words";
    word = null;
  };
  for (const [, escaped, single, double, character, space, end, operator, plain] of text.matchAll(token)) {
    if (space !== undefined) finish();
    else if (end !== undefined) {
      finish();
      into = "words";
      commands.push({ words: [], strings: [] });
    } else if (operator !== undefined) {
      finish();
      into = operator.endsWith("<<<") ? "strings" : "target";
    } else {
      const part: string =
        (escaped !== undefined ? unescaped(escaped) : single) ??
        double?.replace(/\\([\\$`"])|\\\n/g, "$1") ??
        (character === "\n" ? "" : character) ??
        plain!;
      word = (word ?? "") + part;
    }
  }
  finish();
  return commands;
}

const before = /^(?:[A-Za-z_]\w*=.*|then|do|else|elif|if|while|!|\{|sudo|command|builtin|time|\$?)$/s;

/** Returns what echo or printf prints. */
function spoken(words: readonly string[]): string[] {
  const at = words.findIndex((word) => !before.test(word));
  const name = words[at]?.replace(/^.*\//, "");
  const rest = words.slice(at + 1);
  if (name === "echo") {
    const first = rest.findIndex((word) => !/^-[neE]+$/.test(word));
    if (first < 0) return [];
    const text = rest.slice(first).join(" ");
    return [rest.slice(0, first).some((flag) => flag.includes("e")) ? unescaped(text) : text];
  }
  if (name !== "printf") return [];
  const [format, ...values] = rest[0] === "--" ? rest.slice(1) : rest;
  return format === undefined ? [] : [formatted(format, values)];
}

/** Repeats the format while values are left, as printf does. */
function formatted(format: string, values: readonly string[]): string {
  let used = 0;
  let text = "";
  do {
    const start = used;
    text += unescaped(format).replace(/%(?:%|[-+ #0]*\d*(?:\.\d+)?([a-zA-Z]))/g, (_, kind?: string) => {
      if (kind === undefined) return "%";
      const value = values[used++] ?? "";
      return kind === "b" ? unescaped(value) : value;
    });
    if (used === start) break;
  } while (used < values.length);
  return text;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  a: "\x07",
  b: "\b",
};

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|(.))/gs, (whole, hex, octal, letter) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (letter === "e") return String.fromCharCode(27);
    return escapes[letter] ?? (/[\\'"]/.test(letter) ? letter : whole);
  });
}
