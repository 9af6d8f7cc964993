/** Checks that a client can read a TOML file. The values are not parsed: our entries are a block at the end. */
import { JsonProblem } from "./jsonc.js";

const trivia = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const blanks = /[ \t]*/y;
const restOfLine = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
const word = String.raw`(?:[\w-]+|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*')`;
const key = new RegExp(String.raw`${word}(?:[ \t]*\.[ \t]*${word})*`, "y");
const header = new RegExp(String.raw`(\[\[?)[ \t]*(${key.source})[ \t]*(\]\]?)`, "y");
const strings = [
  /"""(?:\\[\s\S]|[^\\])*?"{3,5}/y,
  /'''[\s\S]*?'{3,5}/y,
  /"(?!"")(?:\\.|[^"\\\r\n])*"/y,
  /'(?!'')[^'\r\n]*'/y,
];
const scalar =
  /(?:true|false|[+-]?(?:inf|nan)|[+-]?\d[\w.:+-]*(?: \d\d:[\d:.]+(?:[Zz]|[+-][\d:]+)?)?)(?![\w.:+-])/y;

/** Throws where the file stops being TOML. Faults that only a strict reader minds are passed over. */
export function checkToml(text: string): void {
  new Reader(text).whole();
}

class Reader {
  private at = 0;
  /** Tables of the file, and keys of the table that is being read. */
  private tables = new Set<string>();
  private keys = new Set<string>();

  constructor(private readonly text: string) {
    if (text.startsWith("\ufeff")) this.at = 1;
  }

  whole(): void {
    for (this.take(trivia); this.at < this.text.length; this.take(trivia)) {
      if (this.text[this.at] === "[") this.table();
      else this.member(this.keys);
      if (this.take(restOfLine) === null) throw this.wrong("something else follows in this line");
    }
  }

  private table(): void {
    const start = this.at;
    const [, open = "", name = "", close = ""] = this.match(header) ?? [];
    if (name === "" || open.length !== close.length)
      throw this.wrong("a table is wanted, like [name]", start);
    this.keys = new Set();
    // Tables inside a list of tables come again with each of them.
    if (open === "[[") this.tables = new Set();
    else if (this.tables.has(name)) throw this.wrong(`the table [${name}] is there twice`, start);
    else this.tables.add(name);
  }

  private member(keys: Set<string>): void {
    const start = this.at;
    const name = this.take(key);
    this.take(blanks);
    if (name === null || this.text[this.at] !== "=")
      throw this.wrong("a line like key = value is wanted", start);
    if (keys.has(name)) throw this.wrong(`${name} is there twice`, start);
    keys.add(name);
    this.at += 1;
    this.take(blanks);
    this.value();
  }

  private value(): void {
    const first = this.text[this.at];
    const keys = new Set<string>();
    if (first === "[") this.list("]", () => this.value());
    else if (first === "{") this.list("}", () => this.member(keys));
    else if (first === '"' || first === "'") {
      if (strings.every((kind) => this.take(kind) === null)) throw this.wrong("a text has no closing quote");
    } else if (this.take(scalar) === null) throw this.wrong("a value is wanted; text stands in quotes");
  }

  private list(close: string, element: () => void): void {
    const start = this.at;
    this.at += 1;
    for (this.take(trivia); this.text[this.at] !== close; this.take(trivia)) {
      if (this.at >= this.text.length) throw this.wrong(`its ${close} is missing`, start);
      element();
      this.take(trivia);
      if (this.text[this.at] === ",") this.at += 1;
      else if (this.text[this.at] !== close) throw this.wrong(`a comma or ${close} is wanted`);
    }
    this.at += 1;
  }

  private take(pattern: RegExp): string | null {
    return this.match(pattern)?.[0] ?? null;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private wrong(message: string, at = this.at): JsonProblem {
    return new JsonProblem(message, at);
  }
}
