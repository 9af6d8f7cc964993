/** The colour of an agent: the same on the page, in the terminal and from start to start. */
import { shortAgentName } from "./agent-name.js";
import { shortHash } from "./hash.js";

/** Red and orange, up to this hue, are for lost work and stale views. */
const firstHue = 95;
const lastHue = 345;

/** Returns degrees on the colour circle, by the name that people read. */
export function hueOf(agent: string): number {
  const spread = Number.parseInt(shortHash(shortAgentName(agent)), 36);
  return firstHue + (spread % (lastHue - firstHue));
}

/** The colours of a terminal with 256 of them that are nearest to the hues, in their order around the circle. */
const terminalColours = [70, 71, 72, 73, 74, 75, 69, 63, 99, 105, 141, 135, 171, 170, 169] as const;

export function terminalColour(hue: number): number {
  const share = (hue - firstHue) / (lastHue - firstHue);
  return (
    terminalColours[Math.min(terminalColours.length - 1, Math.floor(share * terminalColours.length))] ?? 75
  );
}
