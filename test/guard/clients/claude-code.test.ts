import { expect, test } from "vitest";
import { claudeCode } from "../drivers/claude-code.js";
import { captured, moved, type Payload } from "../drivers/driver.js";
import { guards } from "../every-client.js";
import { Stage } from "../stage.js";

guards("claude-code");

/** Settings written by hand may name this event alone: no batch follows. */
const alone: readonly (readonly [event: string, command: string | null])[] = [
  ["PostToolUse-Read", null],
  ["PostToolUse-Bash", "cat a.txt"],
];

for (const [name, command] of alone)
  test(`${name} shows lines without a batch after it`, async () => {
    const place = new Stage(claudeCode, { "a.txt": "alpha\nbeta\ngamma\n" });
    const sent = (event: string): Payload =>
      moved(captured(`claude-code-2.1.325/${event}`) as Payload, place.folder);
    const shown = sent(name);
    const response = { ...(shown.tool_response as Payload), stdout: "alpha\nbeta\ngamma" };
    const output = command === null ? {} : { tool_input: { command }, tool_response: response };
    const edit = {
      file_path: place.path("a.txt"),
      old_string: "beta",
      new_string: "BETA",
      replace_all: false,
    };
    const asked = { ...sent("PreToolUse-Edit"), tool_input: edit };
    expect(claudeCode.reply(await place.send(asked)).deny).toContain("was not read in this session");
    await place.send({ ...shown, ...output });
    expect(claudeCode.reply(await place.send(asked)).deny).toBeNull();
  });
