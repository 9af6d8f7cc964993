/** The colour of an agent: the same on the page, in the terminal and from start to start. */
import { shortAgentName } from "./agent-name.js";
import { shortHash } from "./hash.js";

/** Red and orange, up to this hue, are for lost work and stale views. */
const firstHue = 115;
const lastHue = 345;

/** Returns degrees on the colour circle, by the name that people read. */
export function hueOf(agent: string): number {
  const spread = Number.parseInt(shortHash(shortAgentName(agent)), 36);
  return firstHue + (spread % (lastHue - firstHue));
}

/** Hues that are closer to each other look alike in a small dot. */
const leastGap = 18;

/**
 * Colours for those who are seen together: each agent has its own, and one that would look like another's gets the middle of the
 * widest gap that is left.
 */
export class AgentColours {
  private readonly taken = new Map<string, number>();

  hueOf(agent: string): number {
    const known = this.taken.get(agent);
    if (known !== undefined) return known;
    const others = [...this.taken.values()];
    const own = hueOf(agent);
    const isFree = others.every((hue) => Math.abs(hue - own) >= leastGap);
    const hue = isFree ? own : widestGap(others);
    this.taken.set(agent, hue);
    return hue;
  }

  /** Frees the colours of all others: agents come and go. */
  keep(agents: Iterable<string>): void {
    const kept = new Set(agents);
    for (const agent of this.taken.keys()) if (!kept.has(agent)) this.taken.delete(agent);
  }
}

function widestGap(taken: readonly number[]): number {
  const sorted = [...taken].sort((one, two) => one - two);
  // The ends have no neighbour on one side: half of the gap would be next to nothing.
  const from = [2 * firstHue - (sorted[0] as number), ...sorted];
  const to = [...sorted, 2 * lastHue - (sorted.at(-1) as number)];
  const gaps = from.map((hue, at) => ({ hue, width: (to[at] as number) - hue }));
  const widest = gaps.reduce((best, gap) => (gap.width > best.width ? gap : best));
  return Math.round(widest.hue + widest.width / 2);
}

/** The colours of a terminal with 256 of them that are nearest to the hues, in their order around the circle. */
const terminalColours = [70, 71, 72, 73, 74, 75, 69, 63, 99, 105, 141, 135, 171, 170, 169] as const;

export function terminalColour(hue: number): number {
  const share = (hue - firstHue) / (lastHue - firstHue);
  return (
    terminalColours[Math.min(terminalColours.length - 1, Math.floor(share * terminalColours.length))] ?? 75
  );
}
