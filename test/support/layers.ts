import { posix } from "node:path";
import { parseSync } from "vite";

/** Path from the project root ("src/text/hash.ts") → source text. */
export type Sources = ReadonlyMap<string, string>;

interface Layer {
  /** The folders of src that it may import. */
  readonly may: readonly string[];
  /** No node:* module, no package: it runs wherever the language runs. */
  readonly pure?: boolean;
  readonly why: string;
}

/**
 * The folders of src in their order: each may import those above it in its list, through their index.ts. Pure folders touch no
 * platform; folders of the machine know the ports and each other; doors join both.
 */
const pure = [
  "text",
  "anchors",
  "changes",
  "edits",
  "merge",
  "placement",
  "answers",
  "ports",
  "ledger",
  "calls",
  "foreign",
  "lost",
];
const machine = ["host", "locks", "disk", "search", "git", "store", "fleet", "workspace"];
const values = ["text", "anchors", "changes", "edits", "merge", "placement", "answers"];
const agent = [...pure, "session"];
const below = [...agent, "tools", ...machine, "tree", "authors"];

const isValue = "it is values in, values out";
const isPort = "a session reaches the machine through its ports only";
const isMachine = "the machine knows the ports and the folders of the machine before it, and no door";
const isDoor = "a door joins tools and machine; the files directly in src join the doors";

const before = (folders: readonly string[], folder: string) => folders.slice(0, folders.indexOf(folder));
const row = (folder: string, layer: Layer): readonly [string, Layer] => [folder, layer];

const layers: Readonly<Record<string, Layer>> = Object.fromEntries([
  ...values.map((folder) => row(folder, { may: before(values, folder), pure: true, why: isValue })),
  ...agent
    .slice(values.length)
    .map((folder) => row(folder, { may: before(agent, folder), pure: true, why: isPort })),
  row("tools", { may: agent, why: "a tool is the same behind every door" }),
  ...machine.map((folder) =>
    row(folder, { may: ["text", "anchors", "merge", "ports", ...before(machine, folder)], why: isMachine }),
  ),
  row("tree", {
    may: [...agent, ...machine],
    why: "the tree is looked at through git and the disk, and knows no door",
  }),
  row("authors", {
    may: [...agent, ...machine, "tree"],
    why: "authors of lines are found in the journal and in git; a door asks for them",
  }),
  ...["mcp", "guard", "sdk"].map((folder) => row(folder, { may: below, why: isDoor })),
  ...["view", "serve"].map((folder) => row(folder, { may: below, why: isDoor })),
  row("cli", { may: [...below, "replay", "audit", "view", "serve"], why: isDoor }),
  row("audit", {
    may: [...agent, "guard"],
    why: "an audit reads session files and drives the guard in memory: it writes nothing and starts nothing",
  }),
  row("replay", {
    may: [...agent, "host", "git"],
    why: "replay plays cases through a session in memory, starts git by the one function, and knows no door",
  }),
]);
const root: Layer = { may: Object.keys(layers), why: "a file directly in src is an entry point" };

const mcpPackage = /^@modelcontextprotocol\//;
const schemaPackage =
  /^(zod|ajv|ajv-formats|typebox|@sinclair\/typebox|valibot|arktype|effect|joi|yup)(\/|$)/;
const platformNames = new Set(["Buffer", "process", "performance", "globalThis", "require"]);
const platformMembers = new Set(["Date.now", "Math.random"]);

interface Module {
  readonly path: string;
  /** "" for a file directly in src. */
  readonly folder: string;
  readonly packages: readonly string[];
  /** Project paths; what does not resolve keeps the path it would have. */
  readonly files: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly makesProxy: boolean;
}

/** Every broken rule as a sentence "file: what; why". An empty answer means the layers hold. */
export function brokenLayers(sources: Sources): string[] {
  const modules = new Map([...sources].map(([path, text]) => [path, readModule(path, text)]));
  return [
    ...[...modules.values()].flatMap((module) => [
      ...directions(module, modules),
      ...purity(module),
      ...disguises(module),
    ]),
    ...hookWeight(modules),
    ...cycles(modules),
  ];
}

function directions(module: Module, modules: ReadonlyMap<string, Module>): string[] {
  const layer = module.folder === "" ? root : layers[module.folder];
  if (!layer)
    return [`${module.path}: src/${module.folder} has no layer; give it one in test/support/layers.ts`];
  return module.files.flatMap((path) => {
    const target = modules.get(path);
    if (!target) return [`${module.path}: imports ${path}, which is not a source file`];
    if (target.folder === module.folder) return [];
    if (!layer.may.includes(target.folder)) return [`${module.path}: imports ${path}; ${layer.why}`];
    if (path === `src/${target.folder}/index.ts`) return [];
    return [`${module.path}: imports ${path}; another folder is entered through its index.ts only`];
  });
}

function purity(module: Module): string[] {
  const layer = layers[module.folder];
  const broken: string[] = [];
  for (const name of module.packages) {
    if (layer?.pure) broken.push(`${module.path}: imports ${name}; ${layer.why}`);
    else if (module.folder === "tools" && name.startsWith("node:"))
      broken.push(`${module.path}: imports ${name}; only the machine and the doors touch the platform`);
    if (mcpPackage.test(name) && module.folder !== "mcp")
      broken.push(`${module.path}: imports ${name}; only src/mcp knows the MCP SDK`);
  }
  if (layer?.pure) {
    for (const name of module.names) {
      broken.push(`${module.path}: uses ${name}; no clock, randomness or platform in ${module.folder}`);
    }
  }
  return broken;
}

/** An object that answers for another one calls from below what stands above it, and no import says so. */
function disguises({ path, makesProxy }: Module): string[] {
  if (!makesProxy) return [];
  return [
    `${path}: makes a Proxy; imports cannot show what it calls: take an option, or a class of the same port`,
  ];
}

/** A hook starts on every tool call of an agent: it must not load what costs tens of milliseconds. */
function hookWeight(modules: ReadonlyMap<string, Module>): string[] {
  const broken: string[] = [];
  const seen = new Map(
    [...modules.values()].filter(({ folder }) => folder === "guard").map((m) => [m.path, m.path]),
  );
  for (const [path, trail] of seen) {
    const module = modules.get(path);
    for (const name of module?.packages ?? []) {
      if (mcpPackage.test(name) || schemaPackage.test(name))
        broken.push(`${trail}: loads ${name}; a hook starts without MCP and schema libraries`);
    }
    for (const next of module?.files ?? []) if (!seen.has(next)) seen.set(next, `${trail} → ${next}`);
  }
  return broken;
}

function cycles(modules: ReadonlyMap<string, Module>): string[] {
  const done = new Set<string>();
  const broken: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    const at = trail.indexOf(path);
    if (at >= 0)
      broken.push(
        `${[...trail.slice(at), path].join(" → ")}: a cycle has no lowest part to understand first`,
      );
    if (at >= 0 || done.has(path)) return;
    for (const next of modules.get(path)?.files ?? []) visit(next, [...trail, path]);
    done.add(path);
  }
  for (const path of modules.keys()) visit(path, []);
  return broken;
}

interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

// Type imports count too: a type that points upward is a dependency that a reader has to follow.
function readModule(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const imported = new Set<string>();
  const names = new Set<string>();
  let makesProxy = false;
  walk(program, (node) => {
    makesProxy ||= node.type === "Identifier" && node.name === "Proxy";
    const source = node.source ?? (node.type === "TSExternalModuleReference" ? node.expression : undefined);
    if (isNode(source) && typeof source.value === "string") imported.add(source.value);
    for (const name of platformUse(node)) names.add(name);
  });
  const local = [...imported].filter((name) => name.startsWith("."));
  const files = local.map((name) => posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts"));
  const folder = path.split("/").length > 2 ? (path.split("/")[1] ?? "") : "";
  return {
    path,
    folder,
    packages: [...imported].filter((name) => !name.startsWith(".")),
    files,
    names,
    makesProxy,
  };
}

function platformUse(node: SyntaxNode): string[] {
  if (node.type === "MemberExpression" && isNode(node.object) && isNode(node.property)) {
    const member = `${node.object.name}.${node.property.name}`;
    return platformMembers.has(member) ? [member] : [];
  }
  if (node.type === "NewExpression" && isNode(node.callee) && node.callee.name === "Date")
    return Array.isArray(node.arguments) && node.arguments.length === 0 ? ["new Date()"] : [];
  return node.type === "Identifier" && platformNames.has(String(node.name)) ? [String(node.name)] : [];
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && "type" in value;

/** Visits every node, but not the names of members and keys: `row.process` is no use of the platform. */
function walk(value: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  if (!isNode(value)) return;
  visit(value);
  for (const [key, child] of Object.entries(value)) {
    if ((key === "property" || key === "key") && value.computed === false) continue;
    walk(child, visit);
  }
}
