/** What others changed in lines that an agent knows is told with its next event, once, and briefly. */
import { countTokens } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { adapters } from "../../src/guard/index.js";
import { drivers } from "./drivers/index.js";
import { Stage } from "./stage.js";

const source = Array.from(
  { length: 60 },
  (_, at) => `export const value${at} = compute(${at}, "some text");\n`,
).join("");
const id = "2114cf24-e226-421b-a9e0-fcca7d493fb1";

for (const driver of drivers)
  describe.skipIf(!adapters[driver.client])(driver.client, () => {
    test("a change by another agent's command, with numbers, rows and a short name", async () => {
      const stage = new Stage(driver, { "a.js": source, "b.js": "calm\n" }, { git: true });
      const [one, two] = [stage.agent("one"), stage.agent(id)];
      await one.begin();
      await two.begin();
      await one.read(stage.path("a.js"));
      await two.shell("sed -i 's/compute(7,/measure(7,/' a.js");
      const { tell } = await one.read(stage.path("b.js"));
      expect(tell).toBe(
        `kedge: ${driver.client}:2114 changed a.js: lines you have seen; now:\n8\texport const value7 = measure(7, "some text");`,
      );
      expect((await one.read(stage.path("b.js"))).tell).toBeNull();
      await two.shell("sed -i 's/some text/other text/' a.js");
      const long = (await one.read(stage.path("b.js"))).tell ?? "";
      expect(long).toContain("[also lines");
      expect(countTokens(long)).toBeLessThanOrEqual(120);
      expect((await one.read(stage.path("b.js"))).tell).toBeNull();
    });

    test("nothing of lines that it never saw, and nothing of its own", async () => {
      const stage = new Stage(driver, { "a.js": source, "b.js": "calm\n" }, { git: true });
      const [one, two] = [stage.agent("one"), stage.agent("two")];
      await one.begin();
      await one.read(stage.path("a.js"), { first: 1, last: 5 });
      await two.shell("sed -i 's/compute(50,/measure(50,/' a.js");
      expect((await one.read(stage.path("b.js"))).tell).toBeNull();
      expect((await one.shell("sed -i 's/compute(2,/measure(2,/' a.js")).tell).toBeNull();
      expect(
        (
          await one.edit(stage.path("a.js"), {
            old: 'export const value0 = compute(0, "some text");',
            new: "// gone",
          })
        ).deny,
      ).toBeNull();
    });

    test("a command is the author of what it did after an edit of another agent was refused", async () => {
      const stage = new Stage(driver, { "a.js": source }, { git: true });
      const [one, two] = [stage.agent("one"), stage.agent("two")];
      await one.begin();
      await two.begin();
      await one.read(stage.path("a.js"));
      await two.read(stage.path("a.js"));
      await two.shell("sed -i 's/compute(7,/measure(7,/' a.js");
      const old = 'export const value7 = compute(7, "some text");';
      expect((await one.asksEdit(stage.path("a.js"), { old, new: "// gone" })).deny).not.toBeNull();
      await two.shell("sed -i 's/compute(9,/measure(9,/' a.js");
      const log = (await stage.kedge("log", "--json")).trim().split("\n");
      const made = log.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "commit");
      const by = { agent: `${driver.client}:two`, tool: "shell" };
      expect(made).toMatchObject([by, by]);
    });

    test("nothing of what its own command took away, though others had changed the file before", async () => {
      const stage = new Stage(driver, { "a.js": source, "b.js": "calm\n" }, { git: true });
      const [one, two] = [stage.agent("one"), stage.agent("two")];
      await one.begin();
      await two.begin();
      await one.read(stage.path("a.js"));
      await two.shell("sed -i 's/compute(7,/measure(7,/; 9a // one more' a.js");
      expect((await one.read(stage.path("b.js"))).tell).toContain("lines you have seen");
      await two.shell("sed -i 's/compute(9,/measure(9,/' a.js");
      const { tell } = await one.shell("git checkout -- .");
      expect(tell).toContain("kedge restore");
      expect(tell).not.toContain("lines you have seen");
      expect((await one.read(stage.path("b.js"))).tell).toBeNull();
    });
  });
