/** JSON with comments and trailing commas, as a tree that knows where everything stands in the text. */
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit,
} from "jsonc-parser";

/** The text is not what it should be; `offset` says where. */
export class JsonProblem extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** A value, or a member of an object with its name. */
export type JsonNode = Node;
export type JsonPath = readonly (string | number)[];

const deepest = 200;

/** By the names that the parser gives them. */
const problems: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a JSON value, nor a name in double quotes",
  ValueExpected: "a value is missing here",
  PropertyNameExpected: "a name in double quotes is missing here",
  ColonExpected: '":" is missing here',
  CommaExpected: "a comma is missing here",
  UnexpectedEndOfComment: "this comment has no end",
  UnexpectedEndOfString: "this text has no end",
  InvalidEscapeCharacter: "this text holds a wrong escape",
  InvalidUnicode: "this text holds a wrong escape",
  InvalidCharacter: "this text holds a character that has to be escaped",
};

export function parseJsonc(text: string): JsonNode {
  const errors: ParseError[] = [];
  let root: JsonNode | undefined;
  try {
    root = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  // Without a tree and without an error the parser's own calls were nested too deeply.
  if (errors.length === 0 && !root) throw new JsonProblem("this is nested too deeply", 0);
  if (root && isDeeper(root, deepest)) throw new JsonProblem("this is nested too deeply", root.offset);
  const [first] = errors;
  if (first) throw problemOf(first, root, text);
  return root as JsonNode;
}

/** A byte order mark is as wide as a blank. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, " ");

function isDeeper({ children = [] }: JsonNode, depth: number): boolean {
  return children.some((child) => depth === 0 || isDeeper(child, depth - 1));
}

function problemOf({ error, offset }: ParseError, root: JsonNode | undefined, text: string): JsonProblem {
  const name = printParseErrorCode(error);
  const said = problems[name] ?? name;
  if (offset >= text.length) return new JsonProblem("the text ends too early", offset);
  return new JsonProblem(root && offset >= endOf(root) ? "nothing may follow here" : said, offset);
}

export const endOf = ({ offset, length }: JsonNode): number => offset + length;

/** Returns the offset of the comma after a node; null if there is none. */
export function commaAfter(text: string, node: JsonNode): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === "," ? next : null;
}

/** Returns the offsets at which a text is more than plain JSON: its first comment and its first trailing comma. */
export function beyondJson(text: string): { readonly comment: number | null; readonly comma: number | null } {
  const comments: number[] = [];
  visit(withoutMark(text), { onComment: (offset) => void comments.push(offset) });
  return { comment: comments[0] ?? null, comma: trailingComma(text, parseJsonc(text)) };
}

function trailingComma(text: string, node: JsonNode): number | null {
  const { type, children = [] } = node;
  const last = type === "property" ? undefined : children.at(-1);
  const inner = children.map((child) => trailingComma(text, child));
  const commas = [...inner, last ? commaAfter(text, last) : null].filter((comma) => comma !== null);
  return commas.length > 0 ? Math.min(...commas) : null;
}

/** The value of a member, or the node itself. */
export function valueNode(node: JsonNode): JsonNode {
  return node.type === "property" ? (node.children?.[1] as JsonNode) : node;
}

/** Returns the member or element at a path; null if there is none. If members share a name, the last counts. */
export function nodeAt(root: JsonNode, path: JsonPath): JsonNode | null {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    const { type, children = [] }: JsonNode = valueNode(node);
    if (typeof step === "number") node = type === "array" ? children[step] : undefined;
    else
      node =
        type === "object" ? children.findLast((child) => child.children?.[0]?.value === step) : undefined;
    if (!node) return null;
  }
  return node;
}

/** "line 3, column 7" */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
}
