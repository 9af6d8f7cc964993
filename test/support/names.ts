import { posix } from "node:path";
import { parseSync } from "vite";
import type { Sources } from "./layers.js";

/** A node of the syntax tree, as far as names are concerned. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Declarations at the top level of a source, whether exported or not; a `declare` speaks of what is made elsewhere. */
function topLevel(text: string, path: string): Node[] {
  return (parseSync(path, text).program.body as unknown as Node[]).flatMap((one) => {
    const declared = one.type.startsWith("Export") ? one.declaration : one;
    return isNode(declared) && declared.declare !== true ? [declared] : [];
  });
}

/** A name that a declaration makes, and the text of what makes it. */
interface Declared {
  readonly name: string;
  readonly text: string;
}

/** The names that a declaration makes. Overloads of a function make theirs once. */
function namesOf(declaration: Node, source: string): Declared[] {
  const textOf = ({ start, end }: Node): string =>
    source.slice(start as number, end as number).replace(/\s+/g, " ");
  if (declaration.type === "VariableDeclaration")
    return (declaration.declarations as Node[]).flatMap((one) =>
      isNode(one.id) && one.id.name ? [{ name: `${one.id.name}`, text: textOf(one) }] : [],
    );
  if (declaration.type === "TSDeclareFunction") return [];
  return isNode(declaration.id) ? [{ name: `${declaration.id.name}`, text: textOf(declaration) }] : [];
}

/**
 * Names that more than one file of a folder declares at its top level: one word for two things, or two copies of one.
 * Files of the folders `variants` are one thing each for another client or command. Their roles have one name there, so
 * only copies count: declarations with the same text.
 */
export function repeatedNames(sources: Sources, variants: readonly string[] = []): string[] {
  const declared = new Map<string, Set<string>>();
  for (const [path, source] of sources) {
    const folder = posix.dirname(path);
    for (const { name, text } of topLevel(source, path).flatMap((one) => namesOf(one, source))) {
      const key = `${folder} ${name}`;
      const copy = variants.includes(folder) ? `${key} ${text}` : key;
      declared.set(copy, (declared.get(copy) ?? new Set()).add(posix.basename(path)));
    }
  }
  return [...declared]
    .filter(([, files]) => files.size > 1)
    .map(([copy, files]) => `${copy.split(" ", 2).join(" ")}: ${[...files].join(", ")}`);
}

const functionTypes = new Set([
  "FunctionDeclaration",
  "ArrowFunctionExpression",
  "FunctionExpression",
  "TSEmptyBodyFunctionExpression",
  "TSMethodSignature",
]);

function returnsBoolean(node: Node): boolean {
  const type = isNode(node.returnType) ? (node.returnType.typeAnnotation as Node) : null;
  return type?.type === "TSBooleanKeyword";
}

/** Functions, methods and properties that say in their type that they return a boolean, with the name they have. */
function booleanFunctions(text: string, path: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, name: string | undefined) => {
    if (Array.isArray(value)) for (const one of value) visit(one, undefined);
    if (!isNode(value)) return;
    const key = isNode(value.id) ? value.id : isNode(value.key) ? value.key : undefined;
    const own = key?.name === undefined ? name : `${key.name}`;
    if (functionTypes.has(value.type) && returnsBoolean(value) && own) found.push(own);
    for (const [field, child] of Object.entries(value))
      visit(child, field === "value" || field === "init" ? own : undefined);
  };
  visit(parseSync(path, text).program, undefined);
  return [...new Set(found)];
}

/** Verbs of functions that do something, and return whether they did it: the deed is the name. */
const deeds =
  /^(add|advance|apply|break|create|drop|explain|follow|keep|make|note|put|remove|repair|scan|take|visit)([A-Z]|$)/;

/** Functions that answer a question with a boolean and whose name does not say so with is or has. */
export function unsaidBooleans(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    booleanFunctions(text, path)
      .filter((name) => !/^(is|has)([A-Z]|$)/.test(name) && !deeds.test(name))
      .map((name) => `${path}: ${name}`),
  );
}
