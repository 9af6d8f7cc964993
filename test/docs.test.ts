import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import * as kedge from "../src/index.js";
import * as node from "../src/node.js";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

function examples(path: string): string[] {
  return [...read(path).matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
}

/** Runs an example as it stands; what it prints comes back, in order. */
async function printed(source: string): Promise<string[]> {
  const body = source
    .replace(/import \{([^}]*)\} from "kedge";/g, "const {$1} = kedge;")
    .replace(/import \{([^}]*)\} from "kedge\/node";/g, "const {$1} = node;");
  const { code } = transformSync(`(async () => {${body}\n})()`, { loader: "ts", target: "node20" });
  const lines: string[] = [];
  const console = { log: (...values: unknown[]) => lines.push(values.map(String).join(" ")) };
  const state = mkdtempSync(join(tmpdir(), "kedge-docs-"));
  const process = { cwd: () => root, env: { KEDGE_STATE: state } };
  try {
    await new Function("kedge", "node", "console", "process", `return ${code}`)(
      kedge,
      node,
      console,
      process,
    );
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
  return lines;
}

describe("examples", () => {
  const pages = ["docs/library.md", "docs/embedding.md"];
  const all = pages.flatMap((page) =>
    examples(page).map((source) => [page, source.split("\n")[0], source] as const),
  );

  it.each(all)("%s: %s", async (_page, _first, source) => {
    const expected = [...source.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1] as string);
    const lines = (await printed(source)).map((line) => line.replaceAll("\n", "\\n"));
    expect(lines).toEqual(expected);
    expect(lines.length).toBeGreaterThan(0);
  });

  it("README.md: ten lines that do what they say", async () => {
    const [source] = examples("README.md");
    const lines = await printed(source as string);
    expect(lines[0]).toMatch(/^1#[0-9a-f]{6}\|const a = 1;\n2#/);
    expect(lines[1]).toBe("false // somebody was here\nconst a = 1;\nconst b = 3;\n");
  });

  it("name every public value once at least", () => {
    const text = read("docs/library.md") + read("README.md") + read("docs/embedding.md");
    const missing = Object.keys(kedge).filter((name) => !text.includes(name));
    expect(missing).toEqual([]);
  });
});

it("documents name only subpaths that a program can import", async () => {
  const { exports } = JSON.parse(read("package.json")) as { exports: Record<string, unknown> };
  const text = ["mcp", "embedding", "library", "tools"].map((page) => read(`docs/${page}.md`)).join("\n");
  const named = [...text.matchAll(/(?:`|from ")kedge(\/[a-z-]+)[`"]/g)].map((match) => `.${match[1]}`);
  expect(named.filter((path) => !Object.hasOwn(exports, path))).toEqual([]);
});

describe("documents", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "AGENTS.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
  ];
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const all = [...pages, ...docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name))];

  it.each(all)("%s points only at files that are there", (page) => {
    const text = read(page);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) =>
      join(root, page, "..", match[1] as string),
    );
    const named = [
      ...text.matchAll(/`((?:test|src|bench|scripts|data|docs|skills|examples)\/[\w./-]+\.\w+)`/g),
    ].map((match) => join(root, match[1] as string));
    expect([...links, ...named].filter((path) => !existsSync(path))).toEqual([]);
  });
});
