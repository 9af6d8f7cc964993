/** Every public function has an example in its comment, and the example prints what it says. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import * as kedge from "../src/index.js";
import * as node from "../src/node.js";
import * as aiSdk from "../src/sdk/ai-sdk.js";
import * as anthropic from "../src/sdk/anthropic.js";
import * as openai from "../src/sdk/openai.js";

const sources = join(import.meta.dirname, "../src");
const publicNames = new Set(
  [kedge, node, aiSdk, anthropic, openai].flatMap((entry) => Object.keys(entry)).concat("Edit"),
);
const entries = { "": kedge, "sdk/ai-sdk.ts": aiSdk, "sdk/anthropic.ts": anthropic, "sdk/openai.ts": openai };

interface Example {
  readonly path: string;
  readonly name: string;
  readonly code: string;
}

/** Finds the examples in the comments of the exported names. */
function examplesIn(path: string): Example[] {
  const text = readFileSync(join(sources, path), "utf8");
  const commented =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?(?:function\*?|class|const|type|interface) (\w+)/g;
  return [...text.matchAll(commented)].flatMap(([, comment = "", name = ""]) => {
    const code = comment.split("@example")[1]?.replace(/^ *\* ?/gm, "");
    return code === undefined || !publicNames.has(name) ? [] : [{ path, name, code }];
  });
}

const examples = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => examplesIn(path.replaceAll("\\", "/")));

/** Runs an example on a file of two lines, in memory and on the disk. */
async function printed({ path, code }: Example): Promise<string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kedge-example-")));
  const [root, state] = [join(folder, "work"), join(folder, "state")];
  const text = "const a = 1;\nconst b = 2;\n";
  mkdirSync(root);
  writeFileSync(join(root, "a.ts"), text);
  const [files, store] = [kedge.memoryFiles({ "a.ts": text }), kedge.memoryStore()];
  const session = new kedge.Session({ files, store, agent: "main", clock: Date.now });
  const lines: string[] = [];
  const console = { log: (...values: unknown[]) => lines.push(values.map(String).join(" ")) };
  const env = { ...process.env, KEDGE_STATE: state };
  const own = path in entries ? entries[path as keyof typeof entries] : {};
  const open = (options: node.OpenOptions) => node.openSession({ ...options, env });
  const optionsOf = (options: node.OpenOptions) => node.sessionOptions({ ...options, env });
  const scope = {
    ...{ ...kedge, ...node, ...own, openSession: open, sessionOptions: optionsOf },
    ...{ files, store, session, root, state, console, process: { env } },
  };
  const { code: plain } = transformSync(`(async () => {{${code}}})()`, { loader: "ts", target: "node20" });
  try {
    await new Function(...Object.keys(scope), `return ${plain}`)(...Object.values(scope));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines.map((line) => line.replaceAll("\n", "\\n"));
}

describe("the example in the comment of", () => {
  it.each(examples.map((one) => [one.name, one.path, one] as const))("%s (%s)", async (_, __, example) => {
    const expected = [...example.code.matchAll(/\/\/ → (.*)$/gm)].map(([, said]) => said);
    expect(expected.length).toBeGreaterThan(0);
    expect(await printed(example)).toEqual(expected);
  });
});

it("no public function is without one", () => {
  const values = [kedge, node, aiSdk, anthropic, openai].flatMap((entry) =>
    Object.entries(entry).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
  );
  const named = new Set(examples.map(({ name }) => name));
  expect(values.filter((name) => !named.has(name))).toEqual([]);
});
