/** JSON with comments and trailing commas, as a tree that knows where everything stands in the text. */

export interface JsonNode {
  readonly kind: "object" | "array" | "scalar";
  readonly start: number;
  readonly end: number;
  readonly children: readonly JsonChild[];
  /** Of a scalar. */
  readonly scalar?: unknown;
}

/** A member of an object, or an element of an array. */
export interface JsonChild {
  /** Of a member. */
  readonly key?: string;
  /** Where it begins: a member with its key. */
  readonly start: number;
  readonly node: JsonNode;
  /** Where the comma after it stands; null if there is none. */
  readonly comma: number | null;
}

/** The text is not what it should be; `offset` says where. */
export class JsonProblem extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const deepest = 200;
const trivia = /(?:[ \t\r\n]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const quotedText = /"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"/y;

export function parseJsonc(text: string): JsonNode {
  return new Parser(text).whole();
}

/** Where a text is more than plain JSON: its first comment, and its first comma at the end of a container. */
export function beyondJson(text: string): { readonly comment: number | null; readonly comma: number | null } {
  const parser = new Parser(text);
  parser.whole();
  return parser;
}

class Parser {
  comment: number | null = null;
  comma: number | null = null;
  private at = 0;

  constructor(private readonly text: string) {
    if (text.startsWith("\ufeff")) this.at = 1;
  }

  whole(): JsonNode {
    this.skip();
    const node = this.value(0);
    this.skip();
    if (this.at < this.text.length) this.fail("nothing may follow here");
    return node;
  }

  private value(depth: number): JsonNode {
    const next = this.text[this.at];
    if (depth > deepest) this.fail("this is nested too deeply");
    if (next === "{") return this.container("object", depth);
    if (next === "[") return this.container("array", depth);
    const start = this.at;
    const scalar = next === '"' ? this.string() : this.word();
    return { kind: "scalar", start, end: this.at, children: [], scalar };
  }

  private container(kind: "object" | "array", depth: number): JsonNode {
    const closing = kind === "object" ? "}" : "]";
    const start = this.at++;
    const children: JsonChild[] = [];
    for (;;) {
      this.skip();
      if (this.text[this.at] === closing) break;
      const last = children.at(-1);
      if (last && last.comma === null) this.fail(`"," or "${closing}" is missing here`);
      children.push(this.child(kind, depth));
    }
    const trailing = children.at(-1)?.comma ?? null;
    if (trailing !== null) this.comma ??= trailing;
    this.at++;
    return { kind, start, end: this.at, children };
  }

  private child(kind: "object" | "array", depth: number): JsonChild {
    const start = this.at;
    const key = kind === "object" ? this.key() : undefined;
    const node = this.value(depth + 1);
    this.skip();
    const comma = this.text[this.at] === "," ? this.at++ : null;
    return { ...(key === undefined ? {} : { key }), start, node, comma };
  }

  private key(): string {
    if (this.text[this.at] !== '"') this.fail("a name in double quotes is missing here");
    const key = this.string();
    this.skip();
    if (this.text[this.at] !== ":") this.fail('":" is missing here');
    this.at++;
    this.skip();
    return key;
  }

  private string(): string {
    const start = this.at;
    const found = this.match(quotedText);
    if (found === null) this.fail("this text has no end, or holds a character that has to be escaped");
    try {
      return JSON.parse(found) as string;
    } catch {
      this.at = start;
      return this.fail("this text holds a wrong escape");
    }
  }

  private word(): unknown {
    const found = this.match(word);
    if (found !== null) return JSON.parse(found);
    return this.fail(this.at < this.text.length ? "this is not a JSON value" : "the text ends too early");
  }

  private skip(): void {
    const start = this.at;
    const comment = this.match(trivia)?.indexOf("/") ?? -1;
    if (comment >= 0) this.comment ??= start + comment;
    if (this.text.startsWith("/*", this.at)) this.fail("this comment has no end");
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  private fail(message: string): never {
    throw new JsonProblem(message, this.at);
  }
}

/** The value that a tree stands for. Of several members with one name the last counts, as everywhere. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === "scalar") return node.scalar;
  if (node.kind === "array") return node.children.map((child) => plainValue(child.node));
  return Object.fromEntries(node.children.map((child) => [child.key, plainValue(child.node)]));
}

export type JsonPath = readonly (string | number)[];

/** The child at the end of the path; null if there is none. */
export function childAt(root: JsonNode, path: JsonPath): JsonChild | null {
  let child: JsonChild = { start: root.start, node: root, comma: null };
  for (const step of path) {
    const next = typeof step === "number" ? child.node.children[step] : memberOf(child.node, step);
    if (!next) return null;
    child = next;
  }
  return child;
}

function memberOf(node: JsonNode, key: string): JsonChild | undefined {
  return node.kind === "object" ? node.children.findLast((child) => child.key === key) : undefined;
}

/** "line 3, column 7" */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
}
