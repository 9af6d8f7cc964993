/** Whose doing the lines of a file are, as far as commits are recorded. */
import type { History } from "../core/index.js";
import type { StateRecord } from "./record.js";

export function remover(
  history: History,
  states: readonly StateRecord[],
  { state, line }: { readonly state: number; readonly line: number },
): string | null {
  let at = line;
  for (let next = state + 1; next <= history.last; next++) {
    const { exact, by } = states[next] as StateRecord;
    const map = exact ?? history.follow(next - 1, next);
    if (!map) return null;
    const found = map.index(at);
    if (found < 0) return exact ? by : null;
    at = found;
  }
  return null;
}

export function writer(history: History, states: readonly StateRecord[], line: number): string | null {
  let [at, end] = [line, history.last];
  for (let state = history.last; state > 0; state--) {
    const { exact, by } = states[state] as StateRecord;
    if (!exact) continue;
    // Step by step: the way from each state to the last by itself would take a second after some hundred edits.
    at = history.follow(state, end)?.invert().index(at) ?? -1;
    if (at < 0) return null;
    const before = exact.invert().index(at);
    if (before < 0) return by;
    [at, end] = [before, state - 1];
  }
  return null;
}
