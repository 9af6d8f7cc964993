import type { SchemeName } from "../anchors/index.js";
import { compileGlob } from "../host/index.js";
import type { OnStale } from "../merge/index.js";

/** Everything that can be configured. A setting that nobody set is not there; each door has its defaults. */
export interface Settings {
  readonly anchors?: SchemeName | "none";
  readonly gate?: "lines" | "file" | "off";
  readonly onStale?: OnStale;
  readonly keepOnFold?: boolean;
  readonly roots?: readonly string[];
  readonly deny?: readonly string[];
  readonly secrets?: readonly string[];
  readonly limits?: LimitSettings;
  readonly encoding?: string;
  readonly failClosed?: boolean;
  /** Which files of the working tree go on record beside those that agents edit. */
  readonly tree?: "dirty" | "all" | "off";
  /** Where the record is kept, if not in the state folder. */
  readonly store?: StoreSettings;
}

/** A record that several hosts share. */
interface StoreSettings {
  /** The address of a PostgreSQL database. The address gives access to everything, so no message shows it. */
  readonly url?: string;
  /** The name of the tree there; if not given, the name of its folder. */
  readonly tree?: string;
  /** Folders whose record is kept there, with the names of their trees; all, if not given. */
  readonly trees?: Readonly<Record<string, string>>;
  /** Seconds that a lock lasts if its holder is not heard of. */
  readonly lease?: number;
}

export interface LimitSettings {
  /** Bytes of the largest file that is read or written. */
  readonly size?: number;
  /** Milliseconds to wait for a file that another process holds. */
  readonly wait?: number;
  /** Milliseconds that a search may take. */
  readonly time?: number;
  /** Days that the state of a workspace is kept. */
  readonly days?: number;
  /** Bytes that the state of a workspace may take. */
  readonly space?: number;
}

export type Key = keyof Settings;

interface KeyRule {
  /** Names the allowed values, in words. */
  readonly allowed: string;
  readonly variable: string;
  /** More variables, each for a field of the value. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The value is shown in no message. */
  readonly isSecret?: true;
  isValid(value: unknown): boolean;
  /** The value that a text from the environment means; it is checked like any other. */
  read(text: string, delimiter: string): unknown;
}

export const limitKeys = ["size", "wait", "time", "days", "space"] as const;

const oneOf = (variable: string, words: readonly string[]): KeyRule => ({
  allowed: words.map((word) => JSON.stringify(word)).join(", "),
  variable,
  isValid: (value) => typeof value === "string" && words.includes(value),
  read: (text) => text,
});

const flag = (variable: string): KeyRule => ({
  allowed: "true, false",
  variable,
  isValid: (value) => typeof value === "boolean",
  read: (text) => ({ "1": true, true: true, "0": false, false: false })[text] ?? text,
});

const list = (variable: string, what: string, isPathList = false): KeyRule => ({
  allowed: `a list of ${what}`,
  variable,
  isValid: (value) => Array.isArray(value) && value.every((one) => typeof one === "string" && one !== ""),
  read: (text, delimiter) => text.split(isPathList ? delimiter : ",").filter((one) => one !== ""),
});

/** One that is not understood must not wait until a file is looked at. */
const patterns = (variable: string): KeyRule => {
  const rule = list(variable, "patterns (globs)");
  return { ...rule, isValid: (value) => rule.isValid(value) && (value as string[]).every(isGlob) };
};

function isGlob(pattern: string): boolean {
  try {
    compileGlob(pattern, true);
    return true;
  } catch {
    return false;
  }
}

const limits: KeyRule = {
  allowed: `an object with numbers over 0 for any of ${limitKeys.join(", ")}`,
  variable: "KEDGE_LIMITS",
  isValid: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([key, one]) => (limitKeys as readonly string[]).includes(key) && typeof one === "number" && one > 0,
    ),
  read: (text) => {
    const pairs = text.split(",").map((pair) => pair.split("="));
    return Object.fromEntries(pairs.map(([key, value]) => [key?.trim(), Number(value)]));
  },
};

const isAddress = (value: unknown): boolean =>
  typeof value === "string" && /^postgres(ql)?:\/\/\S+$/.test(value) && URL.canParse(value);

/** Names are read by people, in messages and lists. */
const isTreeName = (value: unknown): boolean =>
  typeof value === "string" && /^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,99}$/u.test(value);

const storeFields: Readonly<Record<keyof StoreSettings, (value: unknown) => boolean>> = {
  url: isAddress,
  tree: isTreeName,
  trees: (value) => isObject(value) && Object.values(value).every(isTreeName),
  lease: (value) => typeof value === "number" && value >= 1 && value <= 3600,
};

const store: KeyRule = {
  allowed:
    'an object with any of "url" (postgres://…), "tree" (a name of letters, digits, blanks and . _ @ -), "trees" (names by folders), "lease" (1 to 3600 seconds)',
  variable: "KEDGE_STORE",
  fields: { KEDGE_TREE: "tree" },
  isSecret: true,
  isValid: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([key, one]) => Object.hasOwn(storeFields, key) && storeFields[key as keyof StoreSettings](one),
    ),
  read: (text) => ({ url: text }),
};

/** The one list of keys: what is not in it is no key. */
export const rules: Readonly<Record<Key, KeyRule>> = {
  anchors: oneOf("KEDGE_ANCHORS", ["hex6", "hex4", "lean", "none"]),
  gate: oneOf("KEDGE_GATE", ["lines", "file", "off"]),
  onStale: oneOf("KEDGE_ON_STALE", ["relocate", "refuse"]),
  keepOnFold: flag("KEDGE_KEEP_ON_FOLD"),
  roots: list("KEDGE_ROOTS", "folders", true),
  deny: patterns("KEDGE_DENY"),
  secrets: patterns("KEDGE_SECRETS"),
  limits,
  encoding: {
    allowed: 'the name of an encoding, such as "windows-1252"',
    variable: "KEDGE_ENCODING",
    isValid: (value) => typeof value === "string" && /^[\w:.+-]+$/.test(value),
    read: (text) => text,
  },
  failClosed: flag("KEDGE_FAIL_CLOSED"),
  // In the person's own configuration only: no variable sets it.
  tree: oneOf("", ["dirty", "all", "off"]),
  store,
};

export const keys = Object.keys(rules) as readonly Key[];

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
