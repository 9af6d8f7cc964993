import type { Stream } from "./output.js";

const barWidth = 24;

export type Bar = (what: string, at: number, of: number) => void;

/** Draws only where somebody looks, and at most every fiftieth of a second. */
export function progressBar(stream: Stream): { draw: Bar; clear: () => void } {
  let last = 0;
  let isDrawn = false;
  const clear = (): void => {
    if (isDrawn) stream.raw("\r\x1b[K");
    isDrawn = false;
  };
  const draw: Bar = (what, at, of) => {
    if (!stream.isTerminal) return;
    const now = performance.now();
    if (at >= of) return clear();
    if (now - last < 20) return;
    last = now;
    isDrawn = true;
    const filled = Math.round((barWidth * at) / of);
    const line = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} ${what} ${at}/${of}`;
    // A line that wraps could not be cleared.
    stream.raw(`\r\x1b[K${line.slice(0, stream.columns - 1)}`);
  };
  return { draw, clear };
}
