/** Who has seen what: compaction, formatters, subagents. */
import { expect } from "vitest";
import { exchange, type Finding, judge, type Scenario } from "../scenario.js";
import type { Agent, Stage } from "../stage.js";
import { prices, small } from "./source.js";

// A client may put the files that were read last back into the conversation after compaction: these come last.
const others = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`other-${at + 1}.ts`, small]));

/** Edits what the agent does not have in view; refused, it reads the file and tries again. */
async function editBlindly({ place }: Stage, agent: Agent): Promise<Finding> {
  const written = exchange(prices, "rate = 0.19", "rate = 0.07");
  const isWritten = () => judge(place, "prices.ts", { refused: prices, written }) === "written";
  const edit = () => agent.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
  const received = await edit();
  if (isWritten()) return { verdict: "written", received };
  await agent.read("prices.ts");
  await edit();
  return { verdict: isWritten() ? "refused until shown" : "refused for good", received };
}

export const memory: readonly Scenario[] = [
  {
    name: "compaction",
    title: "edit after compaction has taken away what was read",
    files: { "prices.ts": prices, ...others },
    needs: "compaction",
    right: ["refused until shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        for (const path of ["prices.ts", ...Object.keys(others)]) await agent.read(path);
        await agent.compact();
        expect(stage.model.requests.at(-1)?.question.history).not.toContain("rate = 0.19");
        return editBlindly(stage, agent);
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
        await agent.rewind(async () => {
          await agent.read("prices.ts");
        });
        expect(stage.model.requests.at(-1)?.question.history).not.toContain("rate = 0.19");
        return editBlindly(stage, agent);
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
        await agent.read("prices.ts");
        const found: Finding[] = [];
        await agent.delegate(async (child) => {
          found.push(await editBlindly(stage, child));
        });
        return found[0] as Finding;
      }),
  },
];
