/** A record told by the one before it: what of it is another one. */
import type { Json } from "../../ports/index.js";

type Fields = { readonly [key: string]: Json };

/** A list by what is put in the place of so many of its items; an object, or a list of which one item is another one, by its fields; else another value. */
export type Difference =
  | { readonly items: readonly (readonly [at: number, count: number, fresh: readonly Json[]])[] }
  | { readonly fields: { readonly [key: string]: Difference } }
  | { readonly value: Json };

/** Items that are looked over for the next one that is in both lists. */
const reach = 16;

/** null: they are equal. */
export function differenceOf(before: Json, after: Json): Difference | null {
  if (before === after) return null;
  if (isList(before) && isList(after)) return listDifference(before, after);
  if (!isFields(before) || !isFields(after) || !hasSameKeys(before, after)) return { value: after };
  const changed = Object.keys(after).flatMap((key) => {
    const found = differenceOf(before[key] as Json, after[key] as Json);
    return found ? [[key, found] as const] : [];
  });
  return changed.length === 0 ? null : { fields: Object.fromEntries(changed) };
}

/** Throws if this is no difference to such a record. */
export function withDifference(before: Json, difference: Difference): Json {
  if ("value" in difference) return difference.value;
  if ("fields" in difference) {
    if (before === null || typeof before !== "object")
      throw new TypeError("no fields are there to be changed");
    const changed = Object.entries(difference.fields).map(([key, found]) => {
      if (!Object.hasOwn(before, key)) throw new TypeError(`no ${key} is there to be changed`);
      return [key, withDifference((before as Fields)[key] as Json, found)] as const;
    });
    if (!isList(before)) return { ...before, ...Object.fromEntries(changed) };
    return changed.reduce((list, [key, value]) => list.with(Number(key), value), before);
  }
  if (!isList(before)) throw new TypeError("no items are there to be changed");
  const parts: Json[] = [];
  let from = 0;
  for (const [at, count, fresh] of difference.items) {
    if (at < from || at + count > before.length) throw new RangeError("the difference is to another list");
    parts.push(...before.slice(from, at), ...fresh);
    from = at + count;
  }
  return [...parts, ...before.slice(from)];
}

function listDifference(before: readonly Json[], after: readonly Json[]): Difference | null {
  const others = after.flatMap((item, at) => (isEqual(before[at], item) ? [] : [at]));
  const [only] = others;
  if (only !== undefined && others.length === 1 && before.length === after.length) {
    const found = differenceOf(before[only] as Json, after[only] as Json);
    return found && { fields: { [only]: found } };
  }
  const items: (readonly [number, number, readonly Json[]])[] = [];
  let [old, fresh] = [0, 0];
  while (old < before.length || fresh < after.length) {
    if (old < before.length && fresh < after.length && isEqual(before[old], after[fresh])) {
      old += 1;
      fresh += 1;
      continue;
    }
    const [gone, come] = toNextSame(before.slice(old, old + reach), after.slice(fresh, fresh + reach)) ?? [
      before.length - old,
      after.length - fresh,
    ];
    items.push([old, gone, after.slice(fresh, fresh + come)]);
    old += gone;
    fresh += come;
  }
  return items.length === 0 ? null : { items };
}

/** How many items are passed over in both until the next that is in both. */
function toNextSame(before: readonly Json[], after: readonly Json[]): readonly [number, number] | null {
  for (let both = 1; both < before.length + after.length; both++)
    for (let gone = Math.min(both, before.length - 1); gone >= Math.max(0, both - after.length + 1); gone--)
      if (isEqual(before[gone], after[both - gone])) return [gone, both - gone];
  return null;
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
  if (!isFields(one) || !isFields(other) || !hasSameKeys(one, other)) return false;
  return Object.keys(one).every((key) => isEqual(one[key], other[key]));
}

function hasSameKeys(one: Fields, other: Fields): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isFields = (value: Json): value is Fields =>
  typeof value === "object" && value !== null && !isList(value);
