/** Calls that a client sends without waiting for answers. */
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { nodeFiles } from "../../src/node.js";
import { Raw, type Workspace, workspace } from "./program.js";

let places: Workspace[] = [];
let running: Raw[] = [];

afterEach(async () => {
  await Promise.all(running.map((raw) => raw.end()));
  for (const place of places) place.remove();
  places = [];
  running = [];
});

async function start(files: Record<string, string>) {
  const place = workspace(files);
  places.push(place);
  const raw = await Raw.start(place);
  running.push(raw);
  await raw.initialise();
  return { place, raw };
}

const message = (id: number, name: string, args: object): object => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: args },
});

const cancelled = (requestId: number): object => ({
  ...{ jsonrpc: "2.0", method: "notifications/cancelled" },
  params: { requestId },
});

const append = (path: string, text: string) => ({ path, edits: [{ op: "append", text }] });

/** All in one piece, so that the server has the last before it has begun the first. */
function send(raw: Raw, messages: readonly object[]): void {
  raw.write(messages.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

const answersTo = (raw: Raw): unknown[] =>
  raw.lines.map((line) => JSON.parse(line).id).filter((id) => typeof id === "number");

describe("in the order of arrival", () => {
  test("edits of one file and batches that hold it with others", async () => {
    const { raw, place } = await start({ "a.ts": "a\n", "b.ts": "b\n" });
    const calls = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0
        ? message(at, "multi_edit", { files: [append("a.ts", `${at}`), append("b.ts", `${at}`)] })
        : message(at, "edit_file", append("b.ts", `${at}`)),
    );
    const reads = ["a.ts", "b.ts"].map((path, at) => message(100 + at, "read_file", { path }));
    send(raw, [...reads, ...calls]);
    for (let at = 0; at < 12; at++) expect((await raw.answer(at)).result.isError).toBeUndefined();
    expect(place.text("b.ts")).toBe(`b\n${Array.from({ length: 12 }, (_, at) => `${at}\n`).join("")}`);
    expect(place.text("a.ts")).toBe("a\n0\n2\n4\n6\n8\n10\n");
  });

  test("a read shows what the calls before it wrote, and nothing of those after it", async () => {
    const { raw } = await start({});
    send(raw, [
      message(1, "write_file", { path: "new.ts", content: "one\n" }),
      message(2, "read_file", { path: "new.ts" }),
      message(3, "edit_file", append("new.ts", "two")),
      message(4, "grep", { pattern: "^two$" }),
    ]);
    expect((await raw.answer(2)).result.content[0].text).toMatch(/^1#\w+\|one$/);
    expect((await raw.answer(4)).result.content[0].text).toContain("|two");
  });
});

describe("a call that is cancelled before it began", () => {
  test.each([
    ["behind another on its file", [message(1, "write_file", { path: "a.ts", content: "a\n" })]],
    ["with none before it", []],
  ])("is not carried out, nor answered: %s", async (_, before) => {
    const { raw, place } = await start({ "b.ts": "b\n" });
    send(raw, [
      ...before,
      message(2, "write_file", { path: "a.ts", content: "not wanted\n" }),
      cancelled(2),
      message(3, "write_file", { path: "c.ts", content: "c\n" }),
    ]);
    await raw.answer(3);
    expect(await raw.end()).toBe(0);
    expect(new Set(answersTo(raw))).toEqual(new Set([...before.map(() => 1), 3]));
    if (before.length > 0) expect(place.text("a.ts")).toBe("a\n");
    else expect(() => place.text("a.ts")).toThrow();
    expect(place.text("c.ts")).toBe("c\n");
    expect(raw.complaints).toBe("");
  });
});

describe("while another program holds a file", () => {
  async function held() {
    const { place, raw } = await start({ "a.ts": "a\n", "b.ts": "b\n" });
    const state = place.env.KEDGE_STATE as string;
    const files = nodeFiles({ roots: [place.root], state });
    const id = await files.identify("a.ts");
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    await new Promise<void>((resolve) => {
      void files.hold([id], async () => {
        resolve();
        await until;
      });
    });
    send(raw, [
      message(1, "read_file", { path: "b.ts" }),
      message(2, "edit_file", append("a.ts", "not wanted")),
      message(3, "edit_file", append("./a.ts", "wanted")),
    ]);
    await raw.answer(1);
    return { place, raw, release };
  }

  test("calls on other files go on, a ping is answered, and the waiting call can be cancelled", async () => {
    const { place, raw, release } = await held();
    send(raw, [
      message(4, "edit_file", append("b.ts", "more")),
      message(5, "grep", { pattern: "^more$", path: "b.ts" }),
      { jsonrpc: "2.0", id: "ping", method: "ping" },
      cancelled(2),
    ]);
    expect((await raw.answer("ping")).result).toEqual({});
    expect((await raw.answer(4)).result.isError).toBeUndefined();
    expect((await raw.answer(5)).result.content[0].text).toContain("more");
    release();
    // The file was not read: what was appended to it is refused, or written, only now.
    await raw.answer(3);
    expect(new Set(answersTo(raw))).toEqual(new Set([1, 3, 4, 5]));
    expect(place.text("a.ts")).not.toContain("not wanted");
  });

  test("a large file is measured beside other calls, and no further once that is cancelled", async () => {
    const { place, raw } = await start({ "b.ts": "b\n" });
    const large = join(place.root, "large");
    const fd = openSync(large, "w");
    ftruncateSync(fd, 6 * 2 ** 30);
    closeSync(fd);
    send(raw, [
      message(1, "read_file", { path: "large" }),
      message(2, "read_file", { path: "b.ts" }),
      { jsonrpc: "2.0", id: "ping", method: "ping" },
    ]);
    await raw.answer("ping");
    await raw.answer(2);
    send(raw, [cancelled(1), message(3, "write_file", { path: "large", content: "x" })]);
    expect((await raw.answer(3)).result.isError).toBe(true);
    expect(new Set(answersTo(raw))).toEqual(new Set([2, 3]));
  });

  test.each(["SIGINT", "SIGTERM"] as const)("%s ends the program", async (signal) => {
    const { raw, release } = await held();
    raw.child.kill(signal);
    expect([0, 130, 143, null]).toContain(await raw.exited);
    release();
  });
});

describe("the end of the input", () => {
  test("comes after the answers to all that was sent, the last without a line end too", async () => {
    const { raw, place } = await start({ "a.ts": `${"x".repeat(100)}\n`.repeat(3000) });
    const reads = Array.from({ length: 40 }, (_, at) => message(at, "read_file", { path: "a.ts" }));
    send(raw, [
      ...reads,
      message(40, "write_file", { path: "b.ts", content: "b\n" }),
      cancelled(99),
      message(41, "grep", { pattern: "^b$" }),
    ]);
    raw.write(JSON.stringify(message(42, "edit_file", append("b.ts", "c"))));
    expect(await raw.end()).toBe(0);
    expect(new Set(answersTo(raw))).toEqual(new Set(Array.from({ length: 43 }, (_, at) => at)));
    expect(place.text("b.ts")).toBe("b\nc\n");
    expect(raw.complaints).toBe("");
  });
});
