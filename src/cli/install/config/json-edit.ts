/**
 * Changes of JSON text that leave everything else as it is: comments, order, blanks, line ends. jsonc-parser 3.3 was
 * tried: it lays out the entries beside the one it adds anew, and a comment behind the last one goes to ours.
 */
import {
  childAt,
  type JsonChild,
  type JsonNode,
  type JsonPath,
  JsonProblem,
  parseJsonc,
  plainValue,
} from "./jsonc.js";

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What stands at the path; undefined if nothing does. */
export function valueAt(text: string, path: JsonPath): unknown {
  const child = childAt(rootOf(text), path);
  return child === null ? undefined : plainValue(child.node);
}

/** Sets the value at the end of the path, and makes the objects on the way that are missing. */
export function setAt(text: string, path: JsonPath, value: unknown): string {
  const root = rootOf(text);
  const there = childAt(root, path);
  if (there === null) return insertMissing(text, root, path, value);
  if (isSameValue(plainValue(there.node), value)) return text;
  const { start, end } = there.node;
  return spliced(text, [{ start, end, text: written(text, value, indentOfLine(text, there.start)) }]);
}

/** Puts a value at the end of the array at the path, and makes what is missing on the way. */
export function appendAt(text: string, path: JsonPath, value: unknown): string {
  const root = rootOf(text);
  const there = childAt(root, path);
  if (there === null) return insertMissing(text, root, path, [value]);
  if (there.node.kind !== "array") throw wrongKind(path, "a list", there);
  const { start, end, children } = there.node;
  const line = written(text, value, "");
  if (line.includes("\n") || text.slice(start, end).includes("\n"))
    return insertInto(text, there.node, (indent) => written(text, value, indent));
  // A list on one line stays on one.
  const last = children.at(-1);
  const at = last ? last.node.end : start + 1;
  return spliced(text, [{ start: at, end: at, text: last ? `, ${line}` : line }]);
}

/** Takes out what stands at the path; the text as it is if nothing does. */
export function removeAt(text: string, path: JsonPath): string {
  const root = rootOf(text);
  const above = childAt(root, path.slice(0, -1));
  const child = childAt(root, path);
  if (above === null || child === null) return text;
  const siblings = above.node.children;
  const previous = siblings[siblings.indexOf(child) - 1];
  if (siblings.length === 1) return collapsed(text, above.node, child);
  if (child.comma !== null) return spliced(text, [withComma(text, child)]);
  const comma = previous?.comma as number;
  return spliced(text, [
    { start: comma, end: comma + 1, text: "" },
    { start: Math.max(comma + 1, withBlanks(text, child.start)), end: child.node.end, text: "" },
  ]);
}

/** Configuration is an object, whatever else JSON can be. */
function rootOf(text: string): JsonNode {
  const root = parseJsonc(text);
  if (root.kind !== "object") throw new JsonProblem("an object is wanted here", root.start);
  return root;
}

export function isSameValue(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

function insertMissing(text: string, root: JsonNode, path: JsonPath, value: unknown): string {
  let depth = path.length - 1;
  while (childAt(root, path.slice(0, depth)) === null) depth--;
  const above = childAt(root, path.slice(0, depth)) as JsonChild;
  if (above.node.kind !== "object") throw wrongKind(path.slice(0, depth), "an object", above);
  const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value);
  const name = JSON.stringify(path[depth]);
  return insertInto(text, above.node, (indent) => `${name}: ${written(text, inner, indent)}`);
}

function wrongKind(path: JsonPath, wanted: string, { node }: JsonChild): JsonProblem {
  return new JsonProblem(`${path.join(".")} is not ${wanted}`, node.start);
}

/** At the end of a container, on a line of its own. */
function insertInto(text: string, node: JsonNode, make: (indent: string) => string): string {
  const eol = lineEnd(text);
  const outer = indentOfLine(text, node.start);
  const last = node.children.at(-1);
  const indent = (last && ownIndent(text, last.start)) ?? outer + indentUnit(text);
  const close = node.end - 1;
  if (!last) {
    const inside = text.slice(node.start + 1, close).trimEnd();
    const start = node.start + 1 + inside.length;
    return spliced(text, [{ start, end: close, text: `${eol}${indent}${make(indent)}${eol}${outer}` }]);
  }
  const point = endOfRemark(text, last.comma === null ? last.node.end : last.comma + 1);
  const closesHere = !text.slice(point, close).includes("\n");
  const added = `${eol}${indent}${make(indent)}${last.comma === null ? "" : ","}`;
  return spliced(text, [
    { start: last.node.end, end: last.node.end, text: last.comma === null ? "," : "" },
    { start: point, end: closesHere ? close : point, text: closesHere ? added + eol + outer : added },
  ]);
}

/** Comments behind a value on its line say something about it, and stay with it. */
function endOfRemark(text: string, from: number): number {
  const remark = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;
  remark.lastIndex = from;
  remark.exec(text);
  return remark.lastIndex;
}

/** An only child goes with the blanks around it; comments beside it stay. */
function collapsed(text: string, { start, end }: JsonNode, child: JsonChild): string {
  const before = text.slice(start + 1, child.start);
  const after = text.slice(child.comma === null ? child.node.end : child.comma + 1, end - 1);
  const isBlank = (before + after).trim() === "";
  const kept = before.trimEnd() + (after.trim() === "" ? closingBlanks(after) : after);
  return spliced(text, [{ start: start + 1, end: end - 1, text: isBlank ? "" : kept }]);
}

const closingBlanks = (after: string): string => /\r?\n[ \t]*$/.exec(after)?.[0] ?? "";

/** A child that others follow, with its comma; with its line if nothing else stands on it. */
function withComma(text: string, child: JsonChild): Splice {
  const comma = (child.comma as number) + 1;
  const end = comma + blanksAt(text, comma);
  const isLast = text[end] === "\n" || text[end] === "\r";
  return isLast
    ? { start: withBlanks(text, child.start), end: comma, text: "" }
    : { start: child.start, end, text: "" };
}

/** Where the blanks before a place begin: with the line break, so that no empty line stays. */
function withBlanks(text: string, place: number): number {
  let at = place;
  while (text[at - 1] === " " || text[at - 1] === "\t") at--;
  if (text[at - 1] === "\n") at -= text[at - 2] === "\r" ? 2 : 1;
  return at;
}

function blanksAt(text: string, place: number): number {
  let at = place;
  while (text[at] === " " || text[at] === "\t") at++;
  return at - place;
}

/** Lists of plain values on one line, as people write them. */
function written(text: string, value: unknown, indent: string): string {
  const pretty = JSON.stringify(value, null, indentUnit(text));
  const lists = pretty.replace(/\[\n\s*([^[\]{}\n]+(?:,\n[^[\]{}\n]+)*)\n\s*\]/g, (_, inside: string) => {
    return `[${inside.replace(/,\n\s*/g, ", ")}]`;
  });
  return lists.replaceAll("\n", lineEnd(text) + indent);
}

const lineEnd = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** What one level is indented by: as the first member of the file is. */
function indentUnit(text: string): string {
  const [first] = parseJsonc(text).children;
  return (first && ownIndent(text, first.start)) || "  ";
}

/** The blanks before a place, if nothing else stands before it on its line. */
function ownIndent(text: string, at: number): string | undefined {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return line.trim() === "" ? line : undefined;
}

function indentOfLine(text: string, at: number): string {
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  return text.slice(start, start + blanksAt(text, start));
}

function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, text: added } of splices) {
    result += text.slice(at, start) + added;
    at = end;
  }
  return result + text.slice(at);
}
