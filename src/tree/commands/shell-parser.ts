/** Reads a line of shell as far as it takes to know which programs it starts, on which words, and where output goes. */

/** One program with its words. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Files that its output is written to. */
  readonly targets: readonly string[];
  /** Bodies of heredocs, and here-strings. */
  readonly given: readonly string[];
  /** It goes on beside what follows. */
  readonly isBackground: boolean;
}

interface Growing {
  words: string[];
  targets: string[];
  given: string[];
  isBackground: boolean;
}

interface Pending {
  readonly mark: string;
  readonly isTabbed: boolean;
  readonly command: Growing;
}

/** Stands in a word for what a substitution prints. */
export const unknownPart = "\u0000";

const mostSubstitutions = 8;
const mostCommands = 500;

/** The commands in the order in which they are written, those inside of substitutions before the one around them. */
export function parseShell(text: string, depth = 0): ShellCommand[] {
  return depth > mostSubstitutions ? [] : new ShellReader(text, depth).read();
}

type Into = "words" | "target" | "given" | "skip" | "heredoc" | "tabbed";

class ShellReader {
  private at = 0;
  private readonly done: Growing[] = [];
  private current: Growing = started();
  private word: string | null = null;
  private into: Into = "words";
  private heredocs: Pending[] = [];

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  read(): ShellCommand[] {
    while (this.at < this.text.length && this.done.length < mostCommands) this.step();
    this.endCommand();
    return this.done.filter(({ words, targets, given }) => words.length + targets.length + given.length > 0);
  }

  private step(): void {
    const { text } = this;
    const letter = text[this.at] as string;
    if (letter === "\\") this.escape();
    else if (letter === "'") this.single();
    else if (letter === '"') this.double();
    else if (letter === "$" && text[this.at + 1] === "'") this.ansi();
    else if (letter === "$" && text[this.at + 1] === "(") this.substitution(this.at + 2, ")");
    else if (letter === "`") this.substitution(this.at + 1, "`");
    else if ((letter === "<" || letter === ">") && text[this.at + 1] === "(")
      this.substitution(this.at + 2, ")");
    else if (/[ \t\r]/.test(letter)) this.skip(1, () => this.endWord());
    else if (letter === "#" && this.word === null) this.comment();
    else if (/[\n;&|()]/.test(letter)) this.operator(letter);
    else if (/[<>]/.test(letter)) this.redirection();
    else this.add(letter);
  }

  private add(part: string, length = part.length): void {
    this.word = (this.word ?? "") + part;
    this.at += length;
  }

  private skip(length: number, then: () => void): void {
    this.at += length;
    then();
  }

  private escape(): void {
    const next = this.text[this.at + 1] ?? "";
    this.add(next === "\n" ? "" : next, 2);
  }

  private single(): void {
    const end = this.text.indexOf("'", this.at + 1);
    const to = end < 0 ? this.text.length : end;
    this.add(this.text.slice(this.at + 1, to), to + 1 - this.at);
  }

  private ansi(): void {
    let to = this.at + 2;
    while (to < this.text.length && this.text[to] !== "'") to += this.text[to] === "\\" ? 2 : 1;
    const body = this.text.slice(this.at + 2, to);
    this.add(body.replace(/\\n/g, "\n").replace(/\\t/g, "\t").replace(/\\(.)/g, "$1"), to + 1 - this.at);
  }

  private double(): void {
    this.add("", 1);
    while (this.at < this.text.length) {
      const letter = this.text[this.at] as string;
      if (letter === '"') break;
      if (letter === "\\" && /["\\$`\n]/.test(this.text[this.at + 1] ?? "")) this.escape();
      else if (letter === "$" && this.text[this.at + 1] === "(") this.substitution(this.at + 2, ")");
      else if (letter === "`") this.substitution(this.at + 1, "`");
      else this.add(letter);
    }
    this.at++;
  }

  /** Runs before the command that it stands in, and prints a word that is not known. */
  private substitution(from: number, end: string): void {
    const to = end === "`" ? this.text.indexOf("`", from) : closing(this.text, from);
    const last = to < 0 ? this.text.length : to;
    for (const one of parseShell(this.text.slice(from, last), this.depth + 1))
      this.done.push({ ...(one as Growing) });
    this.add(unknownPart, last + 1 - this.at);
  }

  private comment(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private operator(letter: string): void {
    const next = this.text[this.at + 1];
    if (letter === "&" && next === ">") {
      this.redirection();
      return;
    }
    this.endWord();
    if (letter === "&" && next !== "&") this.current.isBackground = true;
    this.endCommand();
    this.at += next === letter && letter !== "\n" ? 2 : 1;
    if (letter === "|" && next === "&") this.at++;
    if (letter === "\n") this.readHeredocs();
  }

  private redirection(): void {
    if (this.word !== null && /^\d+$/.test(this.word)) this.word = null;
    this.endWord();
    const [sign = ""] =
      /^(?:<<<|<<-|<<|<>|<&|<|&>>|&>|>>|>\||>&|>)/.exec(this.text.slice(this.at, this.at + 3)) ?? [];
    this.at += sign.length;
    const kinds: Readonly<Record<string, Into>> = {
      "<<<": "given",
      "<<-": "tabbed",
      "<<": "heredoc",
      "<": "skip",
      "<&": "skip",
    };
    this.into = kinds[sign] ?? "target";
    const isCopy = sign === ">&" && /^[ \t]*[\d-]/.test(this.text.slice(this.at, this.at + 20));
    if (isCopy) this.into = "skip";
  }

  private endWord(): void {
    const { word, into, current } = this;
    if (word === null) return;
    this.word = null;
    this.into = "words";
    if (into === "words") current.words.push(word);
    else if (into === "target") current.targets.push(word);
    else if (into === "given") current.given.push(word);
    else if (into !== "skip")
      this.heredocs.push({ mark: word, isTabbed: into === "tabbed", command: current });
  }

  private endCommand(): void {
    this.endWord();
    this.into = "words";
    this.done.push(this.current);
    this.current = started();
  }

  private readHeredocs(): void {
    for (const { mark, isTabbed, command } of this.heredocs) {
      const lines: string[] = [];
      let isEnded = false;
      while (!isEnded && this.at < this.text.length) {
        const end = this.text.indexOf("\n", this.at);
        const whole = this.text.slice(this.at, end < 0 ? this.text.length : end).replace(/\r$/, "");
        const line = isTabbed ? whole.replace(/^\t+/, "") : whole;
        this.at = end < 0 ? this.text.length : end + 1;
        isEnded = line === mark;
        if (!isEnded) lines.push(line);
      }
      command.given.push(lines.join("\n"));
    }
    this.heredocs = [];
  }
}

function started(): Growing {
  return { words: [], targets: [], given: [], isBackground: false };
}

/** Where the bracket is closed that was opened before `from`. */
function closing(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === "\\") at++;
    else if (letter === "'") {
      const end = text.indexOf("'", at + 1);
      at = end < 0 ? text.length : end;
    } else if (letter === "(") open++;
    else if (letter === ")" && --open === 0) return at;
  }
  return -1;
}
