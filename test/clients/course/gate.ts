/** What an agent may write to: what it was shown, or wrote itself. */
import { exchange, judge, type Scenario } from "../scenario.js";
import { prices, small } from "./source.js";

const rate = "  const rate = 0.19;\n";
const newRate = "  const rate = 0.07;\n";
const edited = exchange(prices, rate, newRate);

/** Not part of the course: shows in one run that the guard is there and can be satisfied. */
export const opening: Scenario = {
  name: "opening",
  title: "edit before and after reading",
  files: { "prices.ts": prices },
  right: ["refused until shown"],
  play: (stage) =>
    stage.play(async (agent) => {
      const outcomes = { refused: prices, written: edited };
      const received = await agent.edit("prices.ts", rate, newRate);
      const first = judge(stage.place, "prices.ts", outcomes);
      if (first === "written") return { verdict: first, received };
      await agent.read("prices.ts");
      await agent.edit("prices.ts", rate, newRate);
      const isOpened = judge(stage.place, "prices.ts", outcomes) === "written";
      return { verdict: isOpened ? "refused until shown" : "refused for good", received };
    }),
};

export const gate: readonly Scenario[] = [
  {
    name: "unread-edit",
    title: "edit of a file that was never read",
    files: { "prices.ts": prices },
    right: ["refused"],
    play: (stage) =>
      stage.play(async (agent) => {
        const received = await agent.edit("prices.ts", rate, newRate);
        const verdict = judge(stage.place, "prices.ts", { refused: prices, written: edited });
        return { verdict, received };
      }),
  },
  {
    name: "unread-overwrite",
    title: "whole-file write over a file that was never read",
    files: { "small.ts": small },
    right: ["refused"],
    play: (stage) =>
      stage.play(async (agent) => {
        const content = "export const limit = 20;\n";
        const received = await agent.write("small.ts", content);
        const verdict = judge(stage.place, "small.ts", { refused: small, "written over": content });
        return { verdict, received };
      }),
  },
  {
    name: "partial-overwrite",
    title: "whole-file write after reading five lines",
    files: { "prices.ts": prices },
    right: ["refused"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts", { first: 1, count: 5 });
        const content = 'export const currency = "USD";\n';
        const received = await agent.write("prices.ts", content);
        const verdict = judge(stage.place, "prices.ts", { refused: prices, "written over": content });
        return { verdict, received };
      }),
  },
  {
    name: "read-edit",
    title: "edit after reading",
    files: { "prices.ts": prices },
    right: ["written"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts");
        const received = await agent.edit("prices.ts", rate, newRate);
        const verdict = judge(stage.place, "prices.ts", { refused: prices, written: edited });
        return { verdict, received };
      }),
  },
  {
    name: "shell-read",
    title: "edit after reading with the shell",
    files: { "prices.ts": prices },
    right: ["written"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.shell("cat prices.ts");
        const received = await agent.edit("prices.ts", rate, newRate);
        const verdict = judge(stage.place, "prices.ts", { refused: prices, written: edited });
        return { verdict, received };
      }),
  },
  {
    name: "own-write",
    title: "edit of a file the agent has just written",
    files: {},
    right: ["written"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.write("new.ts", small);
        const received = await agent.edit(
          "new.ts",
          "export const limit = 10;\n",
          "export const limit = 20;\n",
        );
        const written = exchange(small, "limit = 10", "limit = 20");
        return { verdict: judge(stage.place, "new.ts", { refused: small, written }), received };
      }),
  },
];
