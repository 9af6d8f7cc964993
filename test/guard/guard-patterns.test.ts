/** Which patterns forbid a client's own tools a file. */
import { describe, expect, test } from "vitest";
import { adapters } from "../../src/guard/index.js";
import { drivers } from "./drivers/index.js";
import { Stage } from "./stage.js";

describe.each(
  drivers.filter(({ client }) => adapters[client]).map((driver) => [driver.client, driver] as const),
)("%s", (_, driver) => {
  test("the patterns that bind kedge's own tools do not bind the client's", async () => {
    const stage = new Stage(driver, { "a.txt": "a\n", "key.pem": "one line\nanother line\n" }, { git: true });
    const agent = stage.agent();
    expect((await agent.write(stage.path(".git/hooks/x"), "#!/bin/sh\n")).deny).toBeNull();
    expect(stage.text(".git/hooks/x")).toBe("#!/bin/sh\n");
    await agent.read(stage.path("key.pem"));
    expect((await agent.edit(stage.path("key.pem"), { old: "one line", new: "1" })).deny).toBeNull();
    expect(stage.log()).toBe("");
  });

  test("a person's own pattern binds them", async () => {
    const stage = new Stage(driver, { "a.txt": "a\n" });
    stage.put(".kedge.json", '{"deny":["*.lock"]}');
    expect((await stage.agent().write(stage.path("x.lock"), "x\n")).deny).toContain("*.lock");
  });
});
