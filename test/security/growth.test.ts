/**
 * Inputs that a careless caller, or a hostile one, may send: each call ends soon, and its answer stays small. A quadratic
 * step takes minutes at these sizes; ten seconds are far beyond what any of them needs on a busy machine.
 */
import { describe, expect, test } from "vitest";
import { memoryFiles, memoryStore } from "../../src/ports/index.js";
import { Session } from "../../src/session/session.js";
import { tools } from "../../src/tools/index.js";

const soon = 10_000;
/** Characters of an answer, with its details as JSON; a call itself may be larger. */
const small = 4_000_000;

function opened(files: Record<string, string | Uint8Array>) {
  const disk = memoryFiles(files as Record<string, string>);
  const session = new Session({ files: disk, store: memoryStore(), agent: "a", clock: Date.now });
  return { disk, session };
}

async function timed(session: Session, name: string, args: object) {
  const tool = tools.find((one) => one.name === name);
  const started = performance.now();
  const result = await tool?.run(session, args);
  const took = performance.now() - started;
  const size = (result?.text.length ?? 0) + JSON.stringify(result?.details).length;
  if (process.env.KEDGE_GROWTH)
    console.log("GROW", name, Math.round(took), size, JSON.stringify(result?.text.slice(0, 100)));
  return { took, size, result };
}

async function quick(session: Session, name: string, args: object): Promise<string> {
  const { took, size, result } = await timed(session, name, args);
  expect.soft(took, `${name}: ${result?.text.slice(0, 200)}`).toBeLessThan(soon);
  expect.soft(size, `${name}: ${result?.text.slice(0, 200)}`).toBeLessThan(small);
  return result?.text ?? "";
}

const lines = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${text(at)}\n`).join("");

const shapes: Record<string, string> = {
  "100,000 different lines": lines(100_000, (at) => `line ${at}`),
  "100,000 equal lines": lines(100_000, () => "}"),
  "100,000 blank lines": "\n".repeat(100_000),
  "two lines in turn": lines(100_000, (at) => (at % 2 ? "}" : "{")),
  "a line of 4 MB": `${"x ".repeat(2_000_000)}\n`,
  "lone carriage returns": "\r".repeat(2_000_000),
  "many NULs": "\0".repeat(1_000_000),
  brackets: "(".repeat(1_000_000),
};

describe.each(Object.entries(shapes))("%s", (_, text) => {
  test("are read, searched, quoted, edited and overwritten", { timeout: 120_000 }, async () => {
    const { session, disk } = opened({ "a.ts": text });
    await quick(session, "read_file", { path: "a.ts" });
    await timed(session, "read_file", { path: "a.ts", limit: 1_000_000 });
    await quick(session, "read_file", { path: "a.ts", delta: true });
    await quick(session, "grep", { pattern: "}", max_results: 1_000 });
    await quick(session, "edit_file", { path: "a.ts", edits: [{ op: "replace_text", old: "}", new: "};" }] });
    await quick(session, "edit_file", {
      path: "a.ts",
      edits: [{ op: "replace_text", old: text.slice(0, 200_000), new: "" }],
    });
    await quick(session, "edit_file", {
      path: "a.ts",
      edits: [{ op: "replace_text", old: `  ${text.slice(0, 100_000)}  `, new: "x" }],
    });
    await quick(session, "edit_file", {
      path: "a.ts",
      edits: [{ op: "append", text: text.slice(0, 1_000_000) }],
      dry_run: true,
    });
    disk.set("a.ts", text.split("\n").reverse().join("\n"));
    await quick(session, "edit_file", { path: "a.ts", edits: [{ op: "append", text: "x" }] });
    await quick(session, "read_file", { path: "a.ts", delta: true });
    await quick(session, "write_file", { path: "a.ts", content: text });
    await quick(session, "write_file", { path: "new.ts", content: text });
  });
});

test("an edit of all lines, each changed by somebody", { timeout: 120_000 }, async () => {
  const text = lines(50_000, (at) => `line ${at}`);
  const { session, disk } = opened({ "a.ts": text });
  const shown = await session.read({ path: "a.ts", limit: 50_000 });
  const rows = shown.text.split("\n");
  disk.set("a.ts", text.replaceAll("line", "other"));
  await quick(session, "edit_file", {
    path: "a.ts",
    edits: [{ op: "replace_lines", start: rows[0], end: rows[49_999], text: "x" }],
  });
  disk.set("a.ts", text.replaceAll("line", "third"));
  await quick(session, "write_file", { path: "a.ts", content: "x" });
});

test("a thousand edits of one call, right, wrong and malformed", { timeout: 120_000 }, async () => {
  const text = lines(20_000, (at) => `line ${at}`);
  const { session } = opened({ "a.ts": text });
  const shown = await session.read({ path: "a.ts", limit: 20_000 });
  const rows = shown.text.split("\n");
  const some = Array.from({ length: 2_000 }, (_, at) => rows[at * 10] as string);
  const edits = (make: (anchor: string, at: number) => object) => ({ path: "a.ts", edits: some.map(make) });
  await quick(
    session,
    "edit_file",
    edits(() => ({ op: "set_line", anchor: "12", text: "x" })),
  );
  await quick(
    session,
    "edit_file",
    edits(() => ({ op: "set_line", anchor: "3#ffffff", text: "x" })),
  );
  await quick(
    session,
    "edit_file",
    edits((_, at) => ({ op: "set_lien", anchor: `${at}`, text: "x" })),
  );
  await quick(
    session,
    "edit_file",
    edits(() => ({ op: "replace_text", old: "nowhere", new: "x" })),
  );
  await quick(
    session,
    "edit_file",
    edits(() => ({ op: "set_line", anchor: rows[0], text: "x" })),
  );
  // Each place of an ambiguous quote is looked at: the cost is that of the places, not of the call.
  const quotes = edits((_, at) => ({ op: "replace_text", old: `line ${at}`, new: "x" }));
  await quick(session, "edit_file", { ...quotes, edits: quotes.edits.slice(0, 300) });
  await quick(
    session,
    "edit_file",
    edits((anchor) => ({ op: "set_line", anchor, text: "x" })),
  );
});

test("arguments of odd shapes and sizes", { timeout: 120_000 }, async () => {
  const { session } = opened({ "a.ts": lines(100, (at) => `line ${at}`) });
  await session.read({ path: "a.ts" });
  const ranges = Array.from({ length: 100_000 }, (_, at) => ({ start: (at % 100) + 1, end: (at % 100) + 1 }));
  await quick(session, "read_file", { path: "a.ts", ranges });
  await quick(session, "read_file", { path: "x/".repeat(100_000) });
  await quick(session, "read_file", { path: `${"a".repeat(1_000_000)}.ts` });
  await quick(session, "grep", { pattern: "x".repeat(100_000) });
  await quick(session, "grep", { pattern: "(x+)+$", path: "a.ts" });
  await quick(session, "grep", { pattern: "line", glob: "*a".repeat(30) });
  await quick(session, "grep", { pattern: "line", glob: "**/".repeat(2_000) });
  await quick(session, "grep", { pattern: "line", glob: `{${"a,".repeat(20_000)}b}` });
  await quick(session, "grep", { pattern: "line", glob: "{a,b}".repeat(30) });
  await quick(session, "edit_file", { path: "a.ts", edits: `[${"[".repeat(50_000)}` });
  await quick(session, "edit_file", {
    path: "a.ts",
    edits: JSON.stringify([{ op: "append", text: "x\n".repeat(200_000) }]),
  });
  await quick(session, "edit_file", {
    path: "a.ts",
    edits: [{ op: "set_line", anchor: `>>> ${"> ".repeat(100_000)}1#`, text: "x" }],
  });
  await quick(session, "edit_file", {
    path: "a.ts",
    edits: [{ op: "set_line", anchor: `1#0f0dd9${"|".repeat(500_000)}`, text: "x" }],
  });
  await quick(session, "write_file", { path: "b.ts", content: Array.from({ length: 200_000 }, () => "x") });
  await quick(session, "multi_edit", {
    files: Array.from({ length: 2_000 }, (_, at) => ({
      path: `f${at}`,
      edits: [{ op: "create_file", text: "x" }],
    })),
  });
});
