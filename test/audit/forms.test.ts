/** Other forms of the recorded sessions: what older builds write, and what is left when one is resumed, copied or cut off. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { audit } from "../../src/audit/index.js";
import { SqliteFile } from "../../src/audit/sessions/sqlite.js";
import { expected, numbersOf } from "./course.js";
import { sessionFolder } from "./session-folder.js";

const fixtures = join(import.meta.dirname, "fixtures");

const audited = (path: string, show?: string) => audit({ paths: [path], env: {}, home: "/nowhere", show });
const numbers = async (path: string) => numbersOf(JSON.stringify((await audited(path)).report));
const recorded = (name: string): string => readFileSync(join(fixtures, name), "utf8");
const entriesOf = (name: string) =>
  recorded(name)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const jsonl = (entries: readonly unknown[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

describe("an older form of", () => {
  test.each(["codex-0.166.0", "codex-0.169.0"])(
    "%s, items without an envelope, counts alike",
    async (name) => {
      const text = "<environment_context>\n  <cwd>/home/user/project</cwd>\n</environment_context>";
      const context = { type: "message", role: "user", content: [{ type: "input_text", text }] };
      const items = entriesOf(`${name}.jsonl`).flatMap(({ type, payload, timestamp }) =>
        type === "response_item" ? [{ timestamp, ...payload }] : [],
      );
      const head = {
        id: "5973b6c0-94b8-487b-a530-2aeb6098ae0e",
        timestamp: items[0].timestamp,
        instructions: null,
      };
      const path = sessionFolder({
        "rollout-2025-05-07-5973b6c0-94b8-487b-a530-2aeb6098ae0e.jsonl": jsonl([head, context, ...items]),
      });
      expect(await numbers(path)).toEqual(expected[name]);
    },
  );

  test("Gemini CLI, one object, counts alike", async () => {
    const [head, ...rest] = entriesOf("gemini-cli-0.61.0.jsonl");
    const messages = new Map(
      rest.filter(({ id }) => id !== undefined).map((message) => [message.id, message]),
    );
    const whole = { ...head, messages: [...messages.values()] };
    const path = sessionFolder({ "session-1.json": JSON.stringify(whole, null, 2) });
    expect(await numbers(path)).toEqual(expected["gemini-cli-0.61.0"]);
  });

  test.each([
    ["a folder for messages and one for parts", "message", (_: string, message: string) => `part/${message}`],
    [
      "both in the folder of sessions",
      "session/message",
      (session: string, message: string) => `session/part/${session}/${message}`,
    ],
  ])("opencode, %s, counts alike", async (_, messages, partsOf) => {
    const database = new SqliteFile(join(fixtures, "opencode-1.18.33.db"));
    const files: Record<string, string> = {};
    const put = (name: string, value: unknown): void => {
      files[`storage/${name}.json`] = typeof value === "string" ? value : JSON.stringify(value);
    };
    const column = (values: object, name: string): string =>
      String((values as Record<string, unknown>)[name]);
    for (const { values } of database.rows("session"))
      put(`session/${messages === "message" ? "project" : "info"}/${column(values, "id")}`, {
        ...{ id: column(values, "id"), directory: column(values, "directory") },
        ...(values.parent_id === null ? {} : { parentID: values.parent_id }),
      });
    for (const { values } of database.rows("message"))
      put(`${messages}/${column(values, "session_id")}/${column(values, "id")}`, column(values, "data"));
    for (const { values } of database.rows("part")) {
      const place = partsOf(column(values, "session_id"), column(values, "message_id"));
      put(`${place}/${column(values, "id")}`, column(values, "data"));
    }
    database.close();
    expect(await numbers(sessionFolder(files))).toEqual(expected["opencode-1.18.33"]);
  });
});

describe.each(readdirSync(fixtures).filter((name) => name.endsWith(".jsonl")))("%s", (name) => {
  const whole = expected[name.replace(/\.jsonl$/, "")];

  test("counts once with copies of it and of its beginning", async () => {
    const lines = recorded(name).split("\n");
    const path = sessionFolder({ [name]: recorded(name), [`x/${name}`]: recorded(name) });
    writeFileSync(join(path, `cut-${name}`), lines.slice(0, lines.length / 2).join("\n"));
    utimesSync(join(path, "x", name), 1000, 1000);
    utimesSync(join(path, `cut-${name}`), 2000, 2000);
    expect(await numbers(path)).toEqual(whole);
  });

  test("cut off anywhere is read up to there", async () => {
    const text = recorded(name);
    let before = 0;
    for (let part = 1; part <= 6; part++) {
      const cut = text.slice(0, (text.length * part) / 6);
      const { report, extent } = await audited(sessionFolder({ [name]: cut }));
      expect(report.edits).toBeGreaterThanOrEqual(before);
      expect(extent.damagedLines).toBeLessThanOrEqual(1);
      expect(extent.unreadableFiles).toEqual([]);
      before = report.edits;
    }
    expect(before).toBe(9);
  });
});

test.each(readdirSync(fixtures))(
  "every number of %s is that of its cases, and each can be shown",
  async (name) => {
    const path = join(fixtures, name);
    const { report } = await audited(path);
    const count = (kind: string): number => report.cases.filter((one) => one.kind === kind).length;
    const { failed, kedge, recovery, shellChanges, repeatedReads, lostByCommands, undecided } = report;
    for (const [kind, number] of Object.entries(failed))
      if (kind !== "total") expect(count(`failed.${kind}`)).toBe(number);
    for (const [kind, number] of Object.entries(kedge)) expect(count(`kedge.${kind}`)).toBe(number);
    const others = { recovery: recovery.calls, shellChanges, repeatedReads, lostByCommands, undecided };
    for (const [kind, number] of Object.entries(others)) expect(count(kind)).toBe(number);
    expect(new Set(report.cases.map(({ id }) => id)).size).toBe(report.cases.length);
    for (const one of report.cases) {
      const { details } = await audited(path, one.id);
      expect(details.map((detail) => detail.case)).toEqual([one]);
      expect(details[0]?.input).not.toBe("");
    }
  },
);
