/** An ambiguous anchor is the agent's to decide: what the call would do, for each line that it may mean. */
import type { Document, Splice } from "./document.js";
import { anchorOf, type OpenAnchor, type Problem } from "./problem.js";
import { LineSet } from "./ranges.js";
import type { View } from "./view.js";

/** One way to take the ambiguous anchors of a call, all of them from one showing. */
export interface Choice {
  /** The line of the file now (0-based) that each of them means, in the order of `openAnchors`. */
  readonly lines: readonly number[];
  readonly splices: readonly Splice[];
  /** It goes over changes of others, whose lines are marked. */
  readonly isForced: boolean;
}

/** The outcome of a call with one choice. `splices` is null if it cannot be sent again. */
export interface Chosen {
  readonly splices: readonly Splice[] | null;
  readonly problems: readonly Problem[];
}

const mostChoices = 4;

/** The ambiguous anchors of a call, each once. */
export function openAnchors(problems: readonly Problem[]): OpenAnchor[] {
  const found = new Map(problems.flatMap(({ open }) => (open ? [[open.key, open]] : [])));
  return [...found.values()];
}

/**
 * Adds the choices to a refusal, the newest showing first. What stands in the way of one of them is shown too, for who
 * sends its handle goes over that.
 */
export function withChoices<T extends { readonly problems: readonly Problem[] }>(
  made: T,
  choose: (choice: NonNullable<View["choice"]>) => Chosen,
): T {
  const open = openAnchors(made.problems);
  if (open.length === 0) return made;
  const anchors = new Set(open.map(({ key }) => key));
  const choices: Choice[] = [];
  const others = new Set<Problem>();
  for (const { showing, lines } of assignments(open)) {
    if (choices.length === mostChoices) break;
    const { splices, problems } = choose({ showing, anchors });
    if (!splices) continue;
    choices.push({ lines, splices, isForced: problems.some(({ changed }) => !changed.isEmpty) });
    for (const one of problems) others.add(one);
  }
  return { ...made, problems: withRows(made.problems, [...others]), choices };
}

/** Showings that name a living line for each of the anchors, the newest first; equal ones once. */
function assignments(open: readonly OpenAnchor[]): { showing: number; lines: number[] }[] {
  const showings = new Set(open.flatMap(({ lines }) => lines.flatMap((one) => one.showings)));
  const found = new Map<string, { showing: number; lines: number[] }>();
  for (const showing of [...showings].sort((one, two) => two - one)) {
    const places = open.map(({ lines }) => lines.find((one) => one.showings.includes(showing))?.line ?? -1);
    const key = places.join();
    if (!places.includes(-1) && !found.has(key)) found.set(key, { showing, lines: places });
  }
  return [...found.values()];
}

/** A line that an ambiguous anchor may mean, as it is printed now, and the handle that takes it. */
export interface ChoicePlace {
  readonly line: number;
  readonly anchor: string;
  readonly retry?: string;
}

/** All lines that the ambiguous anchors may mean. `handles`: those of the choices, in their order. */
export function choicePlaces(
  problems: readonly Problem[],
  choices: readonly Choice[],
  handles: readonly string[],
  now: Document,
): ChoicePlace[] {
  return openAnchors(problems).flatMap(({ lines, scheme }, at) =>
    lines.map(({ line }) => {
      const taking = choices.findIndex((choice) => choice.lines[at] === line);
      const retry = handles[taking];
      const place = { line: line + 1, anchor: anchorOf(now, line, scheme) };
      return retry === undefined ? place : { ...place, retry };
    }),
  );
}

function withRows(problems: readonly Problem[], others: readonly Problem[]): readonly Problem[] {
  if (others.length === 0) return problems;
  const all = (part: "rows" | "changed" | "missing") =>
    others.reduce((set, one) => set.union(one[part]), LineSet.empty);
  const at = problems.findIndex(({ open }) => open !== undefined);
  return problems.map((one, index) =>
    index === at
      ? {
          ...one,
          rows: one.rows.union(all("rows")),
          changed: one.changed.union(all("changed")),
          missing: one.missing.union(all("missing")),
        }
      : one,
  );
}
