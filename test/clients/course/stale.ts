/** Somebody else changed the file between the reading and the edit. */
import { exchange, judge, type Scenario, type Verdict } from "../scenario.js";
import { gross, prices, small } from "./source.js";

const foreignRate = exchange(prices, "const rate = 0.19;", "const rate = 0.2;");
const foreignLabel = exchange(prices, "toFixed(2)", "toFixed(3)");

// A client that matches loosely may do more damage than that; this is what counts.
const isForeignGone = (text: string): boolean => !text.includes("const rate = 0.2;");

const connection = `export function open(): void {
  retry(3);
  listen();
}

export function close(): void {
  stop();
}
`;
const moved = exchange(exchange(connection, "  retry(3);\n", ""), "  stop();\n", "  retry(3);\n  stop();\n");

/** A refusal is explained by the line that stands there now, whole and as it is in the file. */
function explained(verdict: Verdict, received: string, now: string): Verdict {
  const isShown = received.split("\n").some((row) => row.endsWith(now));
  return verdict === "refused" && isShown ? "refused, reason shown" : verdict;
}

export const stale: readonly Scenario[] = [
  {
    name: "stale-line",
    title: "edit of a line that somebody else has changed",
    files: { "prices.ts": prices },
    right: ["refused, reason shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts");
        stage.place.put("prices.ts", foreignRate);
        const ours = exchange(gross, "rate = 0.19", "rate = 0.07");
        const received = await agent.edit("prices.ts", gross, ours);
        const verdict = judge(stage.place, "prices.ts", {
          refused: foreignRate,
          "written over": isForeignGone,
        });
        return { verdict: explained(verdict, received, "  const rate = 0.2;"), received };
      }),
  },
  {
    name: "stale-block",
    title: "edit that quotes a line somebody else has changed, and changes another",
    files: { "prices.ts": prices },
    right: ["merged", "refused, reason shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts");
        stage.place.put("prices.ts", foreignRate);
        const ours = exchange(gross, "return cents / 100;", "return cents * 0.01;");
        const received = await agent.edit("prices.ts", gross, ours);
        const verdict = judge(stage.place, "prices.ts", {
          refused: foreignRate,
          merged: exchange(foreignRate, "return cents / 100;", "return cents * 0.01;"),
          "written over": isForeignGone,
        });
        return { verdict: explained(verdict, received, "  const rate = 0.2;"), received };
      }),
  },
  {
    name: "stale-elsewhere",
    title: "edit of a file that somebody else has changed in another place",
    files: { "prices.ts": prices },
    right: ["written"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("prices.ts");
        stage.place.put("prices.ts", foreignLabel);
        const received = await agent.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
        const written = exchange(foreignLabel, "rate = 0.19", "rate = 0.07");
        const verdict = judge(stage.place, "prices.ts", { refused: foreignLabel, written });
        return {
          verdict: explained(verdict, received, '  return price.toFixed(3) + " " + currency;'),
          received,
        };
      }),
  },
  {
    name: "moved-text",
    title: "edit whose text now stands only in another place",
    files: { "connection.ts": connection },
    right: ["refused"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("connection.ts");
        stage.place.put("connection.ts", moved);
        const received = await agent.edit("connection.ts", "  retry(3);\n", "  retry(5);\n");
        const verdict = judge(stage.place, "connection.ts", {
          refused: moved,
          "written elsewhere": exchange(moved, "retry(3)", "retry(5)"),
        });
        return { verdict, received };
      }),
  },
  {
    name: "stale-overwrite",
    title: "whole-file write over what somebody else has changed since it was read",
    files: { "small.ts": small },
    right: ["refused, reason shown"],
    play: (stage) =>
      stage.play(async (agent) => {
        await agent.read("small.ts");
        const foreign = exchange(small, "limit = 10", "limit = 12");
        stage.place.put("small.ts", foreign);
        const content = exchange(small, "count <= limit", "count < limit");
        const received = await agent.write("small.ts", content);
        const verdict = judge(stage.place, "small.ts", { refused: foreign, "written over": content });
        return { verdict: explained(verdict, received, "export const limit = 12;"), received };
      }),
  },
];
