/**
 * Changes of JSON text that leave everything else as it is: comments, order, blanks, line ends. The changes of jsonc-parser
 * 3.3 do not: they lay out the entries beside a new one again, give it the comment behind the last one, and remove the
 * comments beside an entry with it.
 */
import { getNodeValue } from "jsonc-parser";
import {
  commaAfter,
  endOf,
  type JsonNode,
  type JsonPath,
  JsonProblem,
  nodeAt,
  parseJsonc,
  valueNode,
} from "./jsonc.js";

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the value at the path; undefined if there is none. */
export function valueAt(text: string, path: JsonPath): unknown {
  const node = nodeAt(rootOf(text), path);
  return node === null ? undefined : getNodeValue(valueNode(node));
}

/** Sets the value at the end of the path, and makes the objects on the way that are missing. */
export function setAt(text: string, path: JsonPath, value: unknown): string {
  const root = rootOf(text);
  const there = nodeAt(root, path);
  if (there === null) return insertMissing(text, root, path, value);
  const node = valueNode(there);
  if (isSameValue(getNodeValue(node), value)) return text;
  const added = written(text, value, indentOfLine(text, there.offset));
  return spliced(text, [{ start: node.offset, end: endOf(node), text: added }]);
}

/** Puts a value at the end of the array at the path, and makes what is missing on the way. */
export function appendAt(text: string, path: JsonPath, value: unknown): string {
  const root = rootOf(text);
  const there = nodeAt(root, path);
  if (there === null) return insertMissing(text, root, path, [value]);
  const list = valueNode(there);
  if (list.type !== "array") throw wrongKind(path, "a list", list);
  const { offset: start, children = [] } = list;
  const line = written(text, value, "");
  if (line.includes("\n") || text.slice(start, endOf(list)).includes("\n"))
    return insertInto(text, list, (indent) => written(text, value, indent));
  // A list on one line stays on one.
  const last = children.at(-1);
  const at = last ? endOf(last) : start + 1;
  return spliced(text, [{ start: at, end: at, text: last ? `, ${line}` : line }]);
}

/** Removes the value at the path; returns the text unchanged if there is none. */
export function removeAt(text: string, path: JsonPath): string {
  const root = rootOf(text);
  const above = nodeAt(root, path.slice(0, -1));
  const child = nodeAt(root, path);
  if (above === null || child === null) return text;
  const holder = valueNode(above);
  const siblings = holder.children as JsonNode[];
  if (siblings.length === 1) return collapsed(text, holder, child);
  if (commaAfter(text, child) !== null) return spliced(text, [withComma(text, child)]);
  const comma = commaAfter(text, siblings[siblings.indexOf(child) - 1] as JsonNode) as number;
  return spliced(text, [
    { start: comma, end: comma + 1, text: "" },
    { start: Math.max(comma + 1, withBlanks(text, child.offset)), end: endOf(child), text: "" },
  ]);
}

/** Configuration is an object, whatever else JSON can be. */
function rootOf(text: string): JsonNode {
  const root = parseJsonc(text);
  if (root.type !== "object") throw new JsonProblem("an object is wanted here", root.offset);
  return root;
}

export function isSameValue(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

function insertMissing(text: string, root: JsonNode, path: JsonPath, value: unknown): string {
  let depth = path.length - 1;
  while (nodeAt(root, path.slice(0, depth)) === null) depth--;
  const above = valueNode(nodeAt(root, path.slice(0, depth)) as JsonNode);
  if (above.type !== "object") throw wrongKind(path.slice(0, depth), "an object", above);
  const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value);
  const name = JSON.stringify(path[depth]);
  return insertInto(text, above, (indent) => `${name}: ${written(text, inner, indent)}`);
}

function wrongKind(path: JsonPath, wanted: string, { offset }: JsonNode): JsonProblem {
  return new JsonProblem(`${path.join(".")} is not ${wanted}`, offset);
}

/** Inserts a line at the end of a container. */
function insertInto(text: string, node: JsonNode, make: (indent: string) => string): string {
  const eol = lineEnd(text);
  const outer = indentOfLine(text, node.offset);
  const last = node.children?.at(-1);
  const indent = (last && ownIndent(text, last.offset)) ?? outer + indentUnit(text);
  const close = endOf(node) - 1;
  if (!last) {
    const inside = text.slice(node.offset + 1, close).trimEnd();
    const start = node.offset + 1 + inside.length;
    return spliced(text, [{ start, end: close, text: `${eol}${indent}${make(indent)}${eol}${outer}` }]);
  }
  const comma = commaAfter(text, last);
  const point = endOfRemark(text, comma === null ? endOf(last) : comma + 1);
  const closesHere = !text.slice(point, close).includes("\n");
  const added = `${eol}${indent}${make(indent)}${comma === null ? "" : ","}`;
  return spliced(text, [
    { start: endOf(last), end: endOf(last), text: comma === null ? "," : "" },
    { start: point, end: closesHere ? close : point, text: closesHere ? added + eol + outer : added },
  ]);
}

/** Returns the end of the comments behind a value on its line: they belong to the value. */
function endOfRemark(text: string, from: number): number {
  const remark = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;
  remark.lastIndex = from;
  remark.exec(text);
  return remark.lastIndex;
}

/** Removes an only child with the blanks around it. Comments beside it stay. */
function collapsed(text: string, holder: JsonNode, child: JsonNode): string {
  const [start, end] = [holder.offset, endOf(holder)];
  const comma = commaAfter(text, child);
  const before = text.slice(start + 1, child.offset);
  const after = text.slice(comma === null ? endOf(child) : comma + 1, end - 1);
  const isBlank = (before + after).trim() === "";
  const kept = before.trimEnd() + (after.trim() === "" ? closingBlanks(after) : after);
  return spliced(text, [{ start: start + 1, end: end - 1, text: isBlank ? "" : kept }]);
}

const closingBlanks = (after: string): string => /\r?\n[ \t]*$/.exec(after)?.[0] ?? "";

/** Removes a child and its comma, and its line if nothing else is on it. */
function withComma(text: string, child: JsonNode): Splice {
  const comma = (commaAfter(text, child) as number) + 1;
  const end = comma + blanksAt(text, comma);
  const isLast = text[end] === "\n" || text[end] === "\r";
  return isLast
    ? { start: withBlanks(text, child.offset), end: comma, text: "" }
    : { start: child.offset, end, text: "" };
}

/** Returns the offset at which the blanks before a place begin, the line break included: no empty line stays. */
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

/** Prints a value with lists of plain values on one line, as people write them. */
function written(text: string, value: unknown, indent: string): string {
  const pretty = JSON.stringify(value, null, indentUnit(text));
  const lists = pretty.replace(/\[\n\s*([^[\]{}\n]+(?:,\n[^[\]{}\n]+)*)\n\s*\]/g, (_, inside: string) => {
    return `[${inside.replace(/,\n\s*/g, ", ")}]`;
  });
  return lists.replaceAll("\n", lineEnd(text) + indent);
}

const lineEnd = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** Returns the indentation of one level: that of the first member of the file. */
function indentUnit(text: string): string {
  const [first] = parseJsonc(text).children ?? [];
  return (first && ownIndent(text, first.offset)) || "  ";
}

/** Returns the blanks before a place if they are all that is before it on its line. */
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
