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
  for (let state = history.last; state > 0; state--) {
    const { exact, by } = states[state] as StateRecord;
    if (!exact) continue;
    const there = history.follow(state)?.invert().index(line) ?? -1;
    if (there < 0) continue;
    if (exact.regions.some(({ bStart, bEnd }) => bStart <= there && there < bEnd)) return by;
  }
  return null;
}
