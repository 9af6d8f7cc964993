/** Our MCP server beside the reference filesystem server, in one run: start-up, read, edit, and the same stale edits. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Row } from "./harness.js";
import { type Answer, type Client, setUp } from "./servers.js";
import { sourceText } from "./text.js";

const rounds = 101;
const starts = 11;

const median = (values: readonly number[]): number =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] as number;

async function measure(
  work: string,
  own: () => Promise<unknown>,
  other: () => Promise<unknown>,
  { count, goal }: { readonly count: number; readonly goal: number },
): Promise<Row> {
  const time = async (run: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await run();
    return performance.now() - start;
  };
  for (let at = 0; at < 3; at++) {
    await time(own);
    await time(other);
  }
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let at = 0; at < count; at++) {
    mine.push(await time(own));
    theirs.push(await time(other));
  }
  const ratios = mine.map((value, at) => value / (theirs[at] as number)).sort((one, two) => one - two);
  return {
    work,
    goal,
    ratio: median(mine) / median(theirs),
    spread: [ratios[Math.floor(count * 0.1)] as number, ratios[Math.floor(count * 0.9)] as number],
    milliseconds: median(mine),
    baseline: "the reference filesystem server",
  };
}

/** Start-up, read and edit of a 1,000-line file, against the reference server in the same run. */
export async function mcpRows(): Promise<Row[]> {
  const setup = await setUp();
  const { root } = setup;
  try {
    const startUp = await measure(
      "MCP start-up, to the list of tools, and end",
      async () => (await setup.kedge()).stop(),
      async () => (await setup.filesystem()).stop(),
      { count: starts, goal: 1 },
    );
    const [kedge, filesystem] = [await setup.kedge(), await setup.filesystem()];
    for (const name of ["ours.ts", "theirs.ts"]) writeFileSync(join(root, name), sourceText(1000));
    const read = await measure(
      "MCP read, 1,000 lines",
      () => kedge.call("read_file", { path: "ours.ts" }),
      () => filesystem.call("read_text_file", { path: join(root, "theirs.ts") }),
      { count: rounds, goal: 1 },
    );
    const edit = await measure(
      "MCP edit, 1,000 lines",
      editOurs(kedge),
      editTheirs(filesystem, join(root, "theirs.ts")),
      { count: rounds, goal: 1.5 },
    );
    await Promise.all([kedge.stop(), filesystem.stop()]);
    return [startUp, read, edit];
  } finally {
    rmSync(setup.folder, { recursive: true, force: true });
  }
}

const line = 500;

function editOurs(client: Client): () => Promise<void> {
  let anchor: string | undefined;
  let turn = 0;
  return async () => {
    anchor ??= (
      await client.call("read_file", { path: "ours.ts", ranges: [{ start: line, end: line }] })
    ).text.split("|")[0];
    const edits = [{ op: "set_line", anchor, text: `edited ${++turn};` }];
    const { text, isError } = await client.call("edit_file", { path: "ours.ts", edits });
    if (isError) throw new Error(text);
    anchor = /^500#\w{6}/m.exec(text)?.[0];
  };
}

function editTheirs(client: Client, path: string): () => Promise<void> {
  let old = sourceText(1000).split("\n")[line - 1] as string;
  let turn = 0;
  return async () => {
    const fresh = `edited ${++turn};`;
    const { text, isError } = await client.call("edit_file", {
      path,
      edits: [{ oldText: old, newText: fresh }],
    });
    if (isError) throw new Error(text);
    old = fresh;
  };
}

export interface StaleRow {
  readonly work: string;
  readonly ours: string;
  /** The reference server, given the line alone, and given the whole function. */
  readonly line: string;
  readonly block: string;
}

const block = (name: string): string => `function ${name}() {\n  start();\n  return 1;\n}\n`;
const original = `${block("one")}\n${block("two")}\n${block("three")}`;

interface Case {
  readonly work: string;
  /** The edit of somebody else between read and edit. */
  readonly foreign: (text: string) => string;
  /** The text the edit should leave, or null if it should not be made. */
  readonly right: string | null;
}

/** The agent read the file and wants line 8, `return 1;` of the second function, to become `return 2;`. */
const cases: readonly Case[] = [
  {
    work: "nothing happened",
    foreign: (text) => text,
    right: original.replace(block("two"), block("two").replace("return 1", "return 2")),
  },
  {
    work: "others moved the line",
    foreign: (text) => `// head\n${text}`,
    right: `// head\n${original.replace(block("two"), block("two").replace("return 1", "return 2"))}`,
  },
  {
    work: "others changed the line",
    foreign: (text) => text.replace(block("two"), block("two").replace("return 1", "return 7")),
    right: null,
  },
  {
    work: "others deleted the function",
    foreign: (text) => text.replace(`${block("two")}\n`, ""),
    right: null,
  },
];

const changed = block("two").replace("return 1", "return 2");

/** The same edit by each server: by its anchor, by quoting the line, by quoting the function. */
export async function staleRows(): Promise<StaleRow[]> {
  const setup = await setUp();
  const [kedge, filesystem] = [await setup.kedge(), await setup.filesystem()];
  try {
    const rows: StaleRow[] = [];
    for (const [at, one] of cases.entries()) {
      const file = (name: string): string => join(setup.root, `${name}${at}.ts`);
      const theirs = (name: string, oldText: string, newText: string): Promise<string> =>
        tryOut(one, file(name), async (path) => {
          await filesystem.call("read_text_file", { path });
          return () => filesystem.call("edit_file", { path, edits: [{ oldText, newText }] });
        });
      const ours = tryOut(one, file("ours"), async (path) => {
        const { text } = await kedge.call("read_file", { path });
        const edits = [{ op: "set_line", anchor: text.split("\n")[7]?.split("|")[0], text: "  return 2;" }];
        return () => kedge.call("edit_file", { path, edits });
      });
      rows.push({
        work: one.work,
        ours: await ours,
        line: await theirs("line", "  return 1;", "  return 2;"),
        block: await theirs("block", block("two"), changed),
      });
    }
    return rows;
  } finally {
    await Promise.all([kedge.stop(), filesystem.stop()]);
    rmSync(setup.folder, { recursive: true, force: true });
  }
}

/** Reads, lets somebody else work, edits, and looks at the file. */
async function tryOut(
  { foreign, right }: Case,
  path: string,
  read: (path: string) => Promise<() => Promise<Answer>>,
): Promise<string> {
  writeFileSync(path, original);
  const edit = await read(path);
  writeFileSync(path, foreign(original));
  const { text, isError } = await edit();
  const now = readFileSync(path, "utf8");
  const tokens = `${countTokens(text)} tokens`;
  if (isError) return now === foreign(original) ? `refused, ${tokens}` : "REFUSED BUT WRITTEN";
  return now === right ? `right, ${tokens}` : `WRONG PLACE, ${tokens}`;
}

export function reportStale(rows: readonly StaleRow[]): void {
  console.log("\nOne edit of a line that stands three times in the file, after a read");
  const columns = (...texts: string[]): void =>
    console.log(
      texts
        .map((text, at) => text.padEnd(at === 0 ? 30 : 26))
        .join("")
        .trimEnd(),
    );
  columns("", "kedge", "reference, line quoted", "reference, function quoted");
  for (const { work, ours, line: one, block: whole } of rows) columns(work, ours, one, whole);
}
