/** Not part of the course: what the guard writes down of files that are indented with tabs. */
import { expect } from "vitest";
import { exchange, type Scenario } from "../scenario.js";
import { tabbed } from "./source.js";

const [go, make] = [tabbed["main.go"] as string, tabbed.Makefile as string];
const edits = [
  ["main.go", "\trate := 19\n", "\trate := 7\n"],
  ["main.go", "\tif rate > 0 {\n\t\tfmt.Println(rate)\n\t}\n", "\tfmt.Println(rate)\n"],
  ["Makefile", "\t@echo rate 19\n", "\t@echo rate 7\n"],
  ["Makefile", "\trm -f app\n", "\trm -f app\n\trm -f main.o\n"],
] as const;

export const tabs: Scenario = {
  name: "tabs",
  title: "edits of a Go file and a Makefile, taken away and restored",
  files: tabbed,
  right: ["told to both, restored"],
  play: (stage) =>
    stage.play(async (agent) => {
      const texts: Record<string, string> = { "main.go": go, Makefile: make };
      for (const path of Object.keys(texts)) await agent.read(path);
      const told: string[] = [];
      for (const [path, old, fresh] of edits) {
        // Gemini CLI asks a person before it edits a file of a build.
        if (path === "Makefile" && stage.driver.name.startsWith("gemini")) continue;
        told.push(await agent.edit(path, old, fresh));
        texts[path] = exchange(texts[path] as string, old, fresh);
        expect(stage.place.text(path), told.at(-1)).toBe(texts[path]);
      }
      const received = told.join("\n");
      expect(received).not.toContain("formatter");
      stage.place.git("checkout", "--quiet", "--", ".");
      stage.place.kedge("restore", "--all");
      for (const [path, text] of Object.entries(texts)) expect(stage.place.text(path)).toBe(text);
      return { verdict: "told to both, restored" as const, received };
    }),
};
