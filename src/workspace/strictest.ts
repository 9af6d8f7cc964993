/** Loosening a setting is up to the person. A project, and in a hook the environment, can only make it stricter. */
import { defaultLimits } from "../disk/index.js";
import { visible } from "../text/index.js";
import { type Key, keys, type LimitSettings, limitKeys, type Settings } from "./settings.js";

interface Source {
  /** The name that people know it by: a file, the environment. */
  readonly name: string;
  readonly settings: Settings;
}

interface Sources {
  /** The person at the command line, the stronger first: each decides alone. */
  readonly commanding: readonly Source[];
  /** The person's own file. */
  readonly own: Source;
  /** A value that comes with a project counts only where it is stricter. */
  readonly asking: readonly Source[];
  readonly isHook: boolean;
}

interface Joined {
  readonly settings: Settings;
  readonly sources: Readonly<Partial<Record<Key, string>>>;
  /** The requests that do not count, a sentence each without its end. */
  readonly vain: readonly string[];
}

type Value = string | boolean | number;

/** From lax to strict; the one that counts where nobody says anything. */
interface Rank {
  readonly order: readonly Value[];
  readonly usual: Value;
}

const ranks: Readonly<Partial<Record<Key, Rank>>> = {
  gate: { order: ["off", "file", "lines"], usual: "lines" },
  onStale: { order: ["relocate", "refuse"], usual: "relocate" },
  failClosed: { order: [false, true], usual: false },
  keepOnFold: { order: [true, false], usual: false },
};

/**
 * The table of what is stricter. A value that is not in the list (`anchors`, `encoding`) forbids nothing: the stronger
 * source decides.
 *
 * | key | stricter |
 * |---|---|
 * | `gate`, `onStale`, `failClosed`, `keepOnFold` | by rank |
 * | `deny`, `secrets` | both lists |
 * | `roots` | the folders that are in both |
 * | `limits.size`, `wait`, `time` | the smaller, for our own tools; the guard lets through what it cannot look at, so there a project has no say |
 * | `tree` | the person's alone: it says what is written down of their own work |
 * | `store` | the person's alone: it is where the record goes, and who can read it |
 * | `limits.days`, `space` | the person's alone: the record of lost work is theirs |
 */
export function join(sources: Sources): Joined {
  const settings: Record<string, unknown> = {};
  const named: Partial<Record<Key, string>> = {};
  const vain: string[] = [];
  for (const key of keys) {
    const found = joiners(key)(key, sources);
    if (found === null) continue;
    settings[key] = found.value;
    named[key] = found.names.join(", ");
    vain.push(...found.vain);
  }
  return { settings: settings as Settings, sources: named, vain };
}

interface Found {
  readonly value: unknown;
  readonly names: readonly string[];
  readonly vain: readonly string[];
}

type Joiner = (key: Key, sources: Sources) => Found | null;

function joiners(key: Key): Joiner {
  if (key === "deny" || key === "secrets") return both;
  if (key === "roots") return within;
  if (key === "limits") return limited;
  if (key === "tree") return persons;
  if (key === "store") return stored;
  return ranks[key] ? ranked : strongest;
}

const has =
  (key: Key) =>
  ({ settings }: Source): boolean =>
    settings[key] !== undefined;

const decided = (key: Key, { name, settings }: Source): Found => ({
  value: settings[key],
  names: [name],
  vain: [],
});

/** Says what is written down of a person's own work: their file alone decides. */
const persons: Joiner = (key, { commanding, own, asking }) => {
  const others = [...commanding, ...asking].filter(has(key));
  const vain = others.map((one) => inVain(one, key, one.settings[key] as Value));
  if (has(key)(own)) return { ...decided(key, own), vain };
  return vain.length > 0 ? { value: undefined, names: ["default"], vain } : null;
};

/** Each field by the strongest of the person's sources that names it: a flag may name the tree, and a file the address. */
const stored: Joiner = (key, { commanding, own, asking }) => {
  const given = [...commanding, own].filter(has(key));
  const vain = asking.filter(has(key)).map(({ name }) => `${visible(name)} asks in vain for a store`);
  if (given.length > 0) {
    const value = Object.assign({}, ...given.toReversed().map(({ settings }) => settings[key]));
    return { value, names: given.map(({ name }) => name), vain };
  }
  return vain.length > 0 ? { value: undefined, names: ["default"], vain } : null;
};

const strongest: Joiner = (key, { commanding, own, asking }) => {
  const first = [...commanding, ...asking.toReversed(), own].find(has(key));
  return first ? decided(key, first) : null;
};

const ranked: Joiner = (key, { commanding, own, asking }) => {
  const first = commanding.find(has(key));
  if (first) return decided(key, first);
  const { order, usual } = ranks[key] as Rank;
  let [value, name] = [own.settings[key] as Value | undefined, own.name];
  const vain: string[] = [];
  for (const one of asking.filter(has(key))) {
    const asked = one.settings[key] as Value;
    if (order.indexOf(asked) < order.indexOf(value ?? usual)) vain.push(inVain(one, key, asked));
    else if (value !== asked) [value, name] = [asked, one.name];
  }
  if (value === undefined) return vain.length > 0 ? { value: usual, names: ["default"], vain } : null;
  return { value, names: [name], vain };
};

/** The last pattern that matches decides: a project's come after those of the person's file, and take none back. */
const both: Joiner = (key, { commanding, own, asking }) => {
  const given = [own, ...asking, ...commanding.toReversed()].filter(has(key));
  if (given.length === 0) return null;
  const lists = given.map((one) => {
    const list = one.settings[key] as readonly string[];
    return asking.includes(one) ? list.filter((pattern) => !pattern.startsWith("!")) : list;
  });
  const vain = asking.flatMap((one) =>
    ((one.settings[key] ?? []) as readonly string[])
      .filter((pattern) => pattern.startsWith("!"))
      .map((pattern) => inVain(one, key, pattern)),
  );
  return { value: lists.flat(), names: given.map(({ name }) => name).toReversed(), vain };
};

/** Roots of the project are folders in it, and absolute. */
const within: Joiner = (key, { commanding, own, asking }) => {
  const first = commanding.find(has(key));
  if (first) return decided(key, first);
  let [value, names]: [readonly string[] | undefined, string[]] = [own.settings.roots, [own.name]];
  const vain: string[] = [];
  for (const one of asking.filter(has(key))) {
    const asked = one.settings.roots as readonly string[];
    const narrower = value === undefined ? asked : inBoth(value, asked);
    const left = asked.filter((root) => !narrower.some((folder) => isIn(folder, root)));
    vain.push(...left.map((root) => inVain(one, key, root)));
    if (narrower.length === 0) continue;
    names = value === undefined ? [one.name] : [one.name, ...names];
    value = narrower;
  }
  return value === undefined ? null : { value, names, vain };
};

function inBoth(one: readonly string[], two: readonly string[]): string[] {
  const inner = (from: readonly string[], to: readonly string[]): string[] =>
    from.filter((folder) => to.some((root) => isIn(folder, root)));
  return [...new Set([...inner(two, one), ...inner(one, two)])];
}

const isIn = (folder: string, root: string): boolean =>
  folder === root ||
  [`${root}/`, `${root}\\`, root].some((top) => /[\\/]$/.test(top) && folder.startsWith(top));

const limited: Joiner = (_, { commanding, own, asking, isHook }) => {
  const value: Record<string, number> = {};
  const named = new Set<string>();
  const vain: string[] = [];
  const take = (name: keyof LimitSettings, limit: number, { name: source }: Source): void => {
    value[name] = limit;
    named.add(source);
  };
  for (const name of limitKeys) {
    const limitOf = ({ settings }: Source): number | undefined => settings.limits?.[name];
    const person = [...commanding, own].find((one) => limitOf(one) !== undefined);
    if (person) take(name, limitOf(person) as number, person);
    if (person && person !== own) continue;
    const usual = name === "days" || name === "space" ? undefined : defaultLimits[name];
    for (const one of asking) {
      const asked = limitOf(one);
      if (asked === undefined || asked === value[name]) continue;
      const counts = usual !== undefined && !isHook && asked <= (value[name] ?? usual);
      if (counts) take(name, asked, one);
      else vain.push(inVain(one, `limits.${name}`, asked));
    }
  }
  if (Object.keys(value).length === 0 && vain.length === 0) return null;
  const names = [...commanding, ...asking.toReversed(), own].map(({ name }) => name);
  return { value, names: names.filter((name) => named.has(name)), vain };
};

function inVain({ name }: Source, key: string, asked: Value): string {
  return `${visible(name)} asks in vain for ${key} ${visible(JSON.stringify(asked))}`;
}
