/** Sessions as clients may leave them: resumed, copied, cut off, damaged, hostile. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { audit } from "../../src/audit/index.js";
import { numbersOf } from "./course.js";
import { sessionFolder } from "./session-folder.js";

const fixtures = join(import.meta.dirname, "fixtures");
const recorded = readFileSync(join(fixtures, "claude-code-2.1.325.jsonl"), "utf8");

const audited = (...paths: readonly string[]) => audit({ paths, env: {}, home: "/nowhere" });
const numbers = async (...paths: readonly string[]): Promise<object> =>
  numbersOf(JSON.stringify((await audited(...paths)).report));

describe("a session", () => {
  test("that was copied counts once, by the newest file", async () => {
    const path = sessionFolder({ "old.jsonl": recorded, "new.jsonl": recorded });
    utimesSync(join(path, "old.jsonl"), 1000, 1000);
    const { report } = await audited(path);
    expect(numbersOf(JSON.stringify(report))).toEqual(await numbers(join(path, "new.jsonl")));
    expect(new Set(report.cases.map(({ session }) => session))).toEqual(new Set(["new"]));
  });

  test("that was resumed into another file and went on counts what is new in each", async () => {
    const lines = recorded.trimEnd().split("\n");
    const half = lines.slice(0, 14).join("\n");
    const path = sessionFolder({ "a.jsonl": half, "b.jsonl": recorded });
    utimesSync(join(path, "b.jsonl"), 1000, 1000);
    const both = (await audited(path)).report;
    expect([both.edits, both.sessions, both.failed.total]).toEqual([9, 2, 4]);
  });

  test.each(readdirSync(fixtures).filter((name) => name.endsWith(".jsonl")))(
    "%s that another program wrote anew, with blanks and its names in another order, counts alike",
    async (name) => {
      const sorted = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(sorted)
          : typeof value === "object" && value !== null
            ? Object.fromEntries(
                Object.entries(value)
                  .sort(([one], [two]) => (one < two ? 1 : -1))
                  .map(([key, one]) => [key, sorted(one)]),
              )
            : value;
      const anew = (line: string): string =>
        line === "" ? "" : JSON.stringify(sorted(JSON.parse(line)), null, 1).replace(/\n */g, " ");
      const lines = readFileSync(join(fixtures, name), "utf8").split("\n").map(anew);
      const path = sessionFolder({ [name]: lines.join("\n") });
      expect(await numbers(join(path, name))).toEqual(await numbers(join(fixtures, name)));
    },
  );

  test("of pi keeps what a compaction kept", async () => {
    const lines = readFileSync(join(fixtures, "pi-0.73.1.jsonl"), "utf8").trimEnd().split("\n");
    const edit = lines.findIndex((line) => line.includes('"name":"edit"'));
    const first = JSON.parse(lines[2] as string).id;
    const compacted = async (firstKeptEntryId: string) => {
      const fold = { type: "compaction", id: "c0", parentId: null, summary: "done so far", firstKeptEntryId };
      const all = [...lines.slice(0, edit), JSON.stringify(fold), ...lines.slice(edit)];
      return (await audited(sessionFolder({ "a.jsonl": all.join("\n") }))).report;
    };
    const { edits, kedge } = (await audited(join(fixtures, "pi-0.73.1.jsonl"))).report;
    expect(await compacted(first)).toMatchObject({ edits, kedge });
    expect((await compacted("none")).kedge.inTheWay).toBeGreaterThan(kedge.inTheWay);
  });

  test("of older builds, with arrows behind line numbers and subagents in files beside it, counts alike", async () => {
    const arrow = (text: string): string => text.replace(/^(\d+)\t/gm, "     $1→");
    const older = (line: string): string => {
      const entry = JSON.parse(line);
      for (const block of entry.message?.content ?? [])
        if (/^1?5?\t/.test(block.content?.slice?.(0, 2) ?? "")) block.content = arrow(block.content);
      return JSON.stringify(entry);
    };
    const arrows = recorded.trimEnd().split("\n").map(older).join("\n");
    expect(arrows).toContain("     1→export");
    const session = /"sessionId":"([^"]+)"/.exec(recorded)?.[1];
    const path = sessionFolder({ [`${session}.jsonl`]: arrows });
    const same = { recovery: expect.anything() };
    expect(await numbers(path)).toMatchObject({
      ...(await numbers(join(fixtures, "claude-code-2.1.325.jsonl"))),
      ...same,
    });
    const side = recorded
      .replaceAll('"isSidechain":false', '"isSidechain":true')
      .replaceAll("toolu_", "side_");
    const both = sessionFolder({ [`${session}.jsonl`]: arrows, "agent-1.jsonl": side });
    expect(await numbers(both)).toMatchObject({ sessions: 1, agents: 2, edits: 18 });
  });

  test("that was cut off in the middle of a line keeps what came before", async () => {
    const path = sessionFolder({ "a.jsonl": recorded.slice(0, recorded.lastIndexOf('"tool_result"') + 200) });
    const { report, extent } = await audited(path);
    expect([report.edits, extent.damagedLines]).toEqual([8, 1]);
  });

  test("with damaged lines loses these alone", async () => {
    const damaged = recorded.replace(
      "\n",
      `\n{"parentUuid":null,"tool_result"\n\0\0\0tool_use\n[]\n"tool_result"\n`,
    );
    const path = sessionFolder({ "a.jsonl": damaged });
    const { report, extent } = await audited(path);
    expect([report.edits, report.failed.total]).toEqual([9, 4]);
    expect(extent.damagedLines).toBe(1);
  });

  test("of another shape than any client's does no harm", async () => {
    const odd = [
      null,
      1,
      "x",
      [],
      { message: 1 },
      { message: { content: [1, null, { type: "tool_result" }] } },
    ];
    const uses = odd.map(
      (value) => `{"parentUuid":null,"x":"tool_use tool_result",${JSON.stringify({ value }).slice(1)}`,
    );
    const calls = [
      {
        type: "assistant",
        message: { content: [{ type: "tool_use", id: "t1", name: "Edit", input: { file_path: 7 } }] },
      },
      {
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: "t1", content: { a: 1 } }] },
        toolUseResult: [],
      },
    ].map((one) => `{"parentUuid":null,"isSidechain":false,"sessionId":"s",${JSON.stringify(one).slice(1)}`);
    const files = Object.fromEntries(
      ["a.jsonl", "rollout-1.jsonl"].map((name) => [
        name,
        [...odd.map((one) => JSON.stringify(one)), ...uses, ...calls].join("\n"),
      ]),
    );
    const path = sessionFolder({
      ...files,
      "pi.jsonl": `{"type":"session","cwd":5}\n{"type":"message","message":{"role":"toolResult","toolCallId":{}}}\n`,
      "gemini.json": `{"sessionId":1,"projectHash":2,"messages":[null,{"toolCalls":[1,{"status":"success"}]}]}`,
      "opencode.db": new Uint8Array(
        Buffer.from(`SQLite format 3\0${"\x10\0\x01\x01\0".padEnd(4080, "\x07")}`, "latin1"),
      ),
    });
    const { report } = await audited(path);
    expect(report.failed.total).toBe(0);
  });

  test("of SQLite with any byte changed is read or left out, and ends", async () => {
    const whole = readFileSync(join(fixtures, "opencode-1.18.33.db"));
    for (let at = 0; at < 60; at++) {
      const broken = Buffer.from(whole);
      for (let more = 0; more < 40; more++)
        broken[(at * 7919 + more * 1847 + 24) % broken.length] = (at * 31 + more) % 256;
      const path = sessionFolder({
        "opencode.db": broken.subarray(0, at % 3 === 0 ? broken.length - at * 900 : undefined),
      });
      expect((await audited(path)).report.edits).toBeLessThanOrEqual(9);
    }
  });

  test("with the paths of this machine changes nothing on it", async () => {
    const path = sessionFolder({ "secret.ts": "mine\n", "sessions/a.jsonl": recorded });
    const hostile = recorded.replaceAll("/home/user/project/src/b.ts", join(path, "secret.ts"));
    writeFileSync(
      join(path, "sessions/a.jsonl"),
      hostile.replaceAll("git checkout src/a.ts", `rm -rf ${path}`),
    );
    const before = readdirSync(path, { recursive: true });
    await audited(join(path, "sessions"));
    expect(readdirSync(path, { recursive: true })).toEqual(before);
    expect(readFileSync(join(path, "secret.ts"), "utf8")).toBe("mine\n");
  });
});
