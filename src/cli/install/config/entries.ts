/** What is put into a client's JSON configuration, entry by entry, and taken out again without touching what is not ours. */
import type { Part } from "../types.js";
import { appendAt, isSameValue, removeAt, setAt, valueAt } from "./json-edit.js";
import type { JsonPath } from "./jsonc.js";

export interface Entry {
  readonly part: Part;
  isIn(text: string): boolean;
  put(text: string): string;
  /** `base` is the text before anything of ours was in it: what stands there already was not ours. */
  take(text: string, base: string | null): string;
}

/** A member of an object. What stood there before comes back. */
export function member(part: Part, path: JsonPath, value: unknown): Entry {
  // A server of our name is ours, of whatever version; a switch is ours if it stands as we put it.
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

interface HooksSetup {
  /** Where the events are. */
  readonly path: JsonPath;
  readonly groups: Readonly<Record<string, HookGroup>>;
  readonly isOurs: (hook: Hook) => boolean;
}

/** Hooks, ours by what they start: of whatever version, and also where somebody has put others beside them. */
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
  return {
    part: "guard",
    isIn: (text) => ours(text).length > 0,
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

/** Every hook of a configuration; what is not shaped like one is passed over. */
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

/** With the containers that are empty then, unless they were there before. */
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
