/** One agent's command takes away another one's work. */
import { exchange, judge, type Scenario } from "../scenario.js";
import { prices, small } from "./source.js";

/** Is it said what was lost? A client may say by itself that a file changed: from the guard comes the way back as well. */
const isTold = (text: string, isGuarded: boolean): boolean =>
  text.includes("prices.ts") && (!isGuarded || text.includes("kedge restore"));

export const lost: readonly Scenario[] = [
  {
    name: "lost-work",
    title: "`git checkout -- .` by one agent over the edits of another",
    files: { "prices.ts": prices, "small.ts": small },
    right: ["told to both, restored"],
    async play(stage) {
      const edited = exchange(prices, "rate = 0.19", "rate = 0.07");
      let toCauser = "";
      const toOwner = await stage.play(async (owner) => {
        await owner.read("prices.ts");
        await owner.edit("prices.ts", "  const rate = 0.19;\n", "  const rate = 0.07;\n");
        judge(stage.place, "prices.ts", { written: edited });
        toCauser = await stage.play(async (other) => other.shell("git checkout -- ."));
        judge(stage.place, "prices.ts", { "written over": prices });
        return owner.read("small.ts");
      });
      const received = `To the one that ran it:\n${toCauser}\n\nTo the owner:\n${toOwner}`;
      const told = [toCauser, toOwner].filter((text) => isTold(text, stage.isGuarded)).length;
      if (stage.isGuarded) stage.place.kedge("restore", "--all");
      const now = judge(stage.place, "prices.ts", { written: edited, "written over": prices });
      if (told === 2 && now === "written") return { verdict: "told to both, restored", received };
      const losses = ["lost, nobody told", "lost, told to one", "lost, told to both"] as const;
      return { verdict: losses[told] ?? losses[0], received };
    },
  },
];
