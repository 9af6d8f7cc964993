/** Entries of a client's JSON configuration: added and removed again without touching entries of others. */
import type { Part } from "../types.js";
import { appendAt, isSameValue, removeAt, setAt, valueAt } from "./json-edit.js";
import type { JsonPath } from "./jsonc.js";

export interface Entry {
  readonly part: Part;
  isIn(text: string): boolean;
  put(text: string): string;
  /** Names the parts of it that are missing or were changed, whatever program is started. */
  gaps?(text: string): readonly string[];
  /** `base` is the text before Kedge wrote to it: entries that it holds belong to others. */
  take(text: string, base: string | null): string;
}

/** A member of an object. Removing it restores the value of `base`. */
export function member(part: Part, path: JsonPath, value: unknown): Entry {
  // A server with our name is ours in every version; a switch is ours if it has the value that we wrote.
  const isIn = (text: string): boolean =>
    part === "exclusive" ? isSameValue(valueAt(text, path), value) : valueAt(text, path) !== undefined;
  return {
    part,
    isIn,
    put: (text) => setAt(text, path, value),
    take: (text, base) => {
      if (!isIn(text)) return text;
      const before = base === null ? undefined : valueAt(base, path);
      return before === undefined ? removeWithEmpty(text, path, base) : setAt(text, path, before);
    },
  };
}

/** A word in a list. */
export function element(part: Part, path: JsonPath, value: string): Entry {
  const indexIn = (text: string): number => list(text, path).indexOf(value);
  return {
    part,
    isIn: (text) => indexIn(text) >= 0,
    put: (text) => (indexIn(text) >= 0 ? text : appendAt(text, path, value)),
    take: (text, base) => {
      const index = indexIn(text);
      const wasThere = base !== null && indexIn(base) >= 0;
      return index < 0 || wasThere ? text : removeWithEmpty(text, [...path, index], base);
    },
  };
}

/** One hook of a client that names them as `event: [{ matcher, hooks: [hook] }]`. */
export type Hook = Readonly<Record<string, unknown>>;

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

/** Fields that a person may add to a hook: it runs all the same. Others, such as `if` or `async`, take calls away from it. */
const harmless = ["name", "description", "statusMessage", "timeout", "onFailure"];

interface HooksSetup {
  /** The path of the events. */
  readonly path: JsonPath;
  readonly groups: Readonly<Record<string, HookGroup>>;
  readonly isOurs: (hook: Hook) => boolean;
}

/** Hooks, known as ours by the program that they start, in every version, also beside hooks of others. */
export function hookGroups({ path, groups, isOurs }: HooksSetup): Entry {
  const ours = (text: string): JsonPath[] =>
    hooksIn(text, path)
      .filter(({ hook }) => isOurs(hook))
      .map(at);
  const put = (text: string): string => {
    let result = text;
    for (const [event, group] of Object.entries(groups)) result = putGroup(result, event, group);
    const stale = ours(result).filter(([event]) => !(String(event) in groups));
    return takeAll(result, stale, null);
  };
  const putGroup = (text: string, event: string, group: HookGroup): string => {
    const places = ours(text).filter(([of]) => of === event);
    const [first, ...others] = places;
    const alone = first && list(text, [...path, event, first[1] as number, "hooks"]).length === 1;
    const kept = alone ? setAt(text, [...path, event, first[1] as number], group) : text;
    const cleared = takeAll(kept, alone ? others : places, text);
    return alone ? cleared : appendAt(cleared, [...path, event], group);
  };
  /** From the last to the first, so that the numbers of those before stay right. */
  const takeAll = (text: string, places: readonly JsonPath[], base: string | null): string =>
    places.toReversed().reduce((rest, [event, group, , hook]) => {
      const above = [...path, event as string, group as number];
      const isOnly = list(rest, [...above, "hooks"]).length === 1;
      return removeWithEmpty(rest, isOnly ? above : [...above, "hooks", hook as number], base);
    }, text);
  const gapsIn = (text: string, event: string, { matcher, hooks }: HookGroup): string[] => {
    const there = hooksIn(text, path).filter(({ hook, place }) => place[0] === event && isOurs(hook));
    if (there.length === 0) return [`its hook for ${event} is missing`];
    const matching = there.filter(
      ({ place }) => valueAt(text, [...path, event, place[1] as number, "matcher"]) === matcher,
    );
    if (matching.length === 0) return [`the matcher of its hook for ${event} was changed`];
    const known = new Set([...harmless, ...hooks.flatMap((hook) => Object.keys(hook))]);
    const isWhole = ({ hook }: PlacedHook) => Object.keys(hook).every((key) => known.has(key));
    return matching.some(isWhole) ? [] : [`its hook for ${event} was changed`];
  };
  return {
    part: "guard",
    isIn: (text) => ours(text).length > 0,
    gaps: (text) => Object.entries(groups).flatMap(([event, group]) => gapsIn(text, event, group)),
    put,
    take: (text, base) => takeAll(text, ours(text), base),
  };
}

export interface PlacedHook {
  readonly hook: Hook;
  /** Event, number of the group, "hooks", number of the hook. */
  readonly place: JsonPath;
}

const at = ({ place }: PlacedHook): JsonPath => place;

/** Returns every hook of a configuration. Values of another shape are left out. */
export function hooksIn(text: string, path: JsonPath): PlacedHook[] {
  const events = valueAt(text, path);
  if (typeof events !== "object" || events === null) return [];
  return Object.entries(events).flatMap(([event, groups]) =>
    asList(groups).flatMap((group, number) =>
      asList((group as { hooks?: unknown } | null)?.hooks).flatMap((hook, index) =>
        typeof hook === "object" && hook !== null
          ? [{ hook: hook as Hook, place: [event, number, "hooks", index] }]
          : [],
      ),
    ),
  );
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const list = (text: string, path: JsonPath): readonly unknown[] => asList(valueAt(text, path));

/** Removes the value at the path, and containers that are empty then, unless `base` has them. */
function removeWithEmpty(text: string, path: JsonPath, base: string | null): string {
  let result = removeAt(text, path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const above = path.slice(0, depth);
    const value = valueAt(result, above);
    const isEmpty = isSameValue(value, {}) || isSameValue(value, []);
    const wasThere = base !== null && valueAt(base, above) !== undefined;
    if (!isEmpty || wasThere) break;
    result = removeAt(result, above);
  }
  return result;
}
