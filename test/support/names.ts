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

/** The name of the function that a call begins with: `test` for `test.each(rows)(…)`. */
function calledName(call: Node): unknown {
  let called = call.callee;
  while (isNode(called) && called.name === undefined) called = called.object ?? called.callee ?? called.tag;
  return isNode(called) ? called.name : undefined;
}

/** The text of a literal or a template, in which each value that is put in is `%s`. */
function literalText(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "TemplateLiteral")
    return (value.quasis as { value: { cooked: string } }[]).map((one) => one.value.cooked).join("%s");
  return typeof value.value === "string" ? value.value : undefined;
}

/** The names of the tests in a source, each behind those of the groups that it is in. */
function testNames(text: string, path: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, above: string) => {
    if (Array.isArray(value)) for (const one of value) visit(one, above);
    if (!isNode(value)) return;
    const given = value.type === "CallExpression" ? (value.arguments as unknown[]) : [];
    const name = given.length > 1 ? literalText(given[0]) : undefined;
    const called = name === undefined ? undefined : calledName(value);
    if (called === "test" || called === "it") found.push(`${above}${name}`);
    for (const child of Object.values(value))
      visit(child, called === "describe" ? `${above}${name} ` : above);
  };
  visit(parseSync(path, text).program, "");
  return found;
}

/**
 * Tests whose name is no sentence, with the names of its groups: fewer than three words, of which a name that a row of a
 * table puts in counts for two.
 */
export function bareTestNames(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    testNames(text, path)
      .filter(
        (name) =>
          name
            .replace(/%[a-z]|\$\w+/g, "two words")
            .trim()
            .split(/\s+/).length < 3,
      )
      .map((name) => `${path}: ${name}`),
  );
}
