/** Who has seen what: compaction, formatters, subagents. */
import { expect } from "vitest";
import { exchange, judge, type Scenario } from "../scenario.js";
import { prices, small } from "./source.js";

// A client may put the files that were read last back into the conversation after compaction: these come last.
const others = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`other-${at + 1}.ts`, small]));

export const memory: readonly Scenario[] = [
  {
    name: "compaction",
    title: "edit after compaction has taken away what was read",
    files: { "prices.ts": prices, ...others },
    needs: "compaction",
    right: ["refused until shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        const written = exchange(prices, "rate = 0.19", "rate = 0.07");
        const outcomes = { refused: prices, written };
        const edit = () => agent.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
        for (const path of ["prices.ts", ...Object.keys(others)]) await agent.read(path);
        await agent.compact();
        expect(stage.model.requests.at(-1)?.question.history).not.toContain("rate = 0.19");
        const received = await edit();
        if (judge(stage.place, "prices.ts", outcomes) === "written") {
          return { verdict: "written", received };
        }
        await agent.read("prices.ts");
        await edit();
        const isOpened = judge(stage.place, "prices.ts", outcomes) === "written";
        return { verdict: isOpened ? "refused until shown" : "refused for good", received };
      }),
  },
  {
    name: "rewind",
    title: "edit after the conversation was taken back to before the read",
    files: { "prices.ts": prices },
    needs: "rewind",
    right: ["refused until shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        const written = exchange(prices, "rate = 0.19", "rate = 0.07");
        const outcomes = { refused: prices, written };
        const edit = () => agent.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
        await agent.rewind(async () => {
          await agent.read("prices.ts");
        });
        expect(stage.model.requests.at(-1)?.question.history).not.toContain("rate = 0.19");
        const received = await edit();
        if (judge(stage.place, "prices.ts", outcomes) === "written") return { verdict: "written", received };
        await agent.read("prices.ts");
        await edit();
        const isOpened = judge(stage.place, "prices.ts", outcomes) === "written";
        return { verdict: isOpened ? "refused until shown" : "refused for good", received };
      }),
  },
  {
    name: "formatter",
    title: "edit after a formatter went over the agent's last edit",
    files: { "prices.ts": prices },
    needs: "formatter",
    right: ["written"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts");
        // Without its semicolon: the formatter puts one there.
        const first = await agent.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07\n");
        if (stage.isGuarded && stage.driver.formatsFirst)
          expect(first, "the model is told what the formatter did").toContain("  const rate = 0.07;");
        const formatted = exchange(prices, "rate = 0.19", "rate = 0.07");
        judge(stage.place, "prices.ts", { written: formatted });
        const received = await agent.edit("prices.ts", "  const base = 4.9;\n", "  const base = 5.9;\n");
        const written = exchange(formatted, "base = 4.9", "base = 5.9");
        const verdict = judge(stage.place, "prices.ts", { refused: formatted, written });
        return { verdict, received };
      }),
  },
  {
    name: "subagent",
    title: "edit by a subagent of what only its parent has read",
    files: { "prices.ts": prices },
    needs: "subagents",
    right: ["refused until shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        const written = exchange(prices, "rate = 0.19", "rate = 0.07");
        const outcomes = { refused: prices, written };
        await agent.read("prices.ts");
        let received = "";
        const verdicts: ("refused" | "written")[] = [];
        await agent.delegate(async (child) => {
          const edit = () => child.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
          received = await edit();
          verdicts.push(judge(stage.place, "prices.ts", outcomes));
          if (verdicts[0] === "written") return;
          await child.read("prices.ts");
          await edit();
          verdicts.push(judge(stage.place, "prices.ts", outcomes));
        });
        if (verdicts[0] === "written") return { verdict: "written", received };
        const isOpened = verdicts[1] === "written";
        return { verdict: isOpened ? "refused until shown" : "refused for good", received };
      }),
  },
];
