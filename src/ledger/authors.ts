/** Whose doing the lines of a file are, as far as commits are recorded: "you", an agent, or null. */
import type { StateRecord } from "./file-ledger.js";
import type { OpenFile } from "./open-file.js";

/** The remover of a line of an older state. */
export function remover(opened: OpenFile, { state, line }: { state: number; line: number }): string | null {
  const { history, states } = opened;
  let at = line;
  for (let next = state + 1; next <= history.last; next++) {
    const { exact, by } = states[next] as StateRecord;
    const map = exact ?? history.follow(next - 1, next);
    if (!map) return null;
    const found = map.index(at);
    if (found < 0) return exact ? nameOf(by, opened) : null;
    at = found;
  }
  return null;
}

/** The author of a line of the text now. */
export function writer(opened: OpenFile, line: number): string | null {
  const { history, states } = opened;
  let [at, end] = [line, history.last];
  for (let state = history.last; state > 0; state--) {
    const { exact, by } = states[state] as StateRecord;
    if (!exact) continue;
    // Step by step: the way from each state to the last by itself would take a second after some hundred edits.
    at = history.follow(state, end)?.invert().index(at) ?? -1;
    if (at < 0) return null;
    const before = exact.invert().index(at);
    if (before < 0) return nameOf(by, opened);
    [at, end] = [before, state - 1];
  }
  return null;
}

function nameOf(by: string | null, { context }: OpenFile): string | null {
  return by === context.agent ? "you" : by;
}
