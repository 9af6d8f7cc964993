/** Any call on any history, for what must hold whatever is asked. */
import { History, type State } from "../../src/changes/history.js";
import type { Showing, View } from "../../src/edits/located-edit.js";
import { anchorOf } from "../../src/edits/problem.js";
import { LineSet } from "../../src/text/line-set.js";
import { stateOf, World } from "./model.js";
import type { Random } from "./random.js";

/** States made by others, on record or not, and (a share of those on record) by the agent; some are no longer kept. */
export function anyCall(random: Random, own = 0): { view: View; edits: readonly object[] } {
  const states = anyStates(random, own);
  const showings = states.flatMap(({ lineCount }, state): Showing[] => {
    if (lineCount === 0 || random.chance(0.3)) return [];
    const start = random.below(lineCount);
    const rows = LineSet.of([[start, Math.min(lineCount, start + random.between(1, 6))]]);
    return [{ state, rows, scheme: random.pick(["hex6", "hex6", "hex6", "lean", "hex4", null]) }];
  });
  const anchor = (): string => {
    if (showings.length === 0 || random.chance(0.1))
      return random.pick(["1#0f0dd9", "2#44bb18|}", "3", "kob1"]);
    const { state, rows, scheme } = random.pick(showings);
    const [start, end] = random.pick(rows.spans);
    const document = states[state]?.document;
    return document ? anchorOf(document, random.between(start, end - 1), scheme ?? "hex6") : "";
  };
  const edits = Array.from({ length: random.between(1, 3) }, () => anyEdit(random, anchor));
  const last = states.length - 1;
  const kept = states.map((state, at) =>
    at < last && random.chance(0.1) ? forgotten(state, random) : state,
  );
  return {
    view: { history: new History(kept, { agent: "own" }), showings, known: () => LineSet.empty },
    edits,
  };
}

function anyStates(random: Random, own: number): State[] {
  const world = new World(random, 0.8, random.between(0, 8));
  const states = [stateOf(world.document)];
  for (let step = random.below(4); step > 0; step--) {
    if (world.lines.length === 0) break;
    const made = world.disturb();
    if (random.chance(0.4)) states.push(stateOf(world.document));
    else states.push(...made.map((state) => ({ ...state, by: random.chance(own) ? "own" : null })));
  }
  return states;
}

function forgotten({ document, ...state }: State, random: Random): State {
  const hash = (index: number) => document?.lineHash(index) ?? 0;
  const hashes = Uint32Array.from({ length: state.lineCount }, (_, index) => hash(index));
  return { ...state, document: null, hashes: random.chance(0.5) ? hashes : null };
}

function anyEdit(random: Random, anchor: () => string): object {
  const text = random.pick([[], null, "", "}", "a\nb", ["}", "x"], ["a\n"], "x\r\ny"]);
  const range = { start: anchor(), end: anchor() };
  return random.pick([
    { op: "set_line", anchor: anchor(), text },
    { op: "replace_lines", ...range, text },
    { op: "delete_lines", ...range },
    { op: "insert_after", anchor: anchor(), text: "x" },
    { op: "insert_before", anchor: anchor(), text: ["}", ""] },
    { op: random.pick(["append", "prepend"]), text: "}" },
    { op: "move_lines", ...range, after: anchor() },
    { op: "copy_lines", ...range, after: anchor() },
    { op: "replace_text", old: random.pick(["}", "}\n", "\n", "line"]), new: "x", all: random.chance(0.5) },
    { op: "replace_text", old: "}", new: random.pick(["", "x\ny", "\n"]), anchor: anchor() },
  ]);
}
