/** Requests and options as callers without types send them: what is not meant is refused, never taken for a default. */
import { schemes } from "../core/index.js";
import { PortError } from "./ports.js";

/** What a field is, in words, and whether a value is that. Without a value it is absent, where it may be. */
type Check = readonly [what: string, fits: (value: unknown) => boolean, isNeeded?: boolean];
type Checks = Readonly<Record<string, Check>>;

const from = (least: number) => (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
const isText = (value: unknown): value is string => typeof value === "string";
const text: Check = ["a string", isText];
const needed: Check = ["a string", isText, true];
const flag: Check = ["true or false", (value) => typeof value === "boolean"];
const oneOf = (...names: readonly string[]): Check => [
  `one of ${names.join(", ")}`,
  (value) => names.includes(value as string),
];
const object: Check = ["an object", (value) => typeof value === "object" && value !== null, true];

const requests: Readonly<Record<string, Checks>> = {
  read: {
    path: needed,
    offset: ["a line number from 1", from(1)],
    limit: ["a number of lines from 1", from(1)],
    delta: flag,
    anchors: oneOf(...Object.keys(schemes), "none"),
  },
  grep: {
    ...{ pattern: needed, path: text, glob: text, ignoreCase: flag, literal: flag },
    context: ["a number of lines from 0", from(0)],
    maxResults: ["a number of lines from 1", from(1)],
    anchors: oneOf(...Object.keys(schemes)),
  },
  edit: { path: needed, dryRun: flag },
  multiEdit: { dryRun: flag },
  plan: { path: text, dryRun: flag },
  write: {
    path: needed,
    content: ["a string, or a list of lines", (value) => isText(value) || isTexts(value), true],
    dryRun: flag,
  },
  undo: {
    ...{ path: text, id: text, batch: text, anyone: flag, dryRun: flag },
    last: ["how many edits to take back, from 1", from(1)],
  },
  restore: { ids: ["a list of ids", isTexts], all: flag },
};

const options: Checks = {
  ...{ files: object, store: object, agent: needed, keepOnFold: flag },
  clock: ["a function", (value) => typeof value === "function", true],
  gate: oneOf("lines", "file", "off"),
  onStale: oneOf("relocate", "refuse"),
  anchors: oneOf(...Object.keys(schemes)),
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

export function checkRequest(call: string, request: unknown): void {
  if (!object[1](request))
    throw new PortError("bad_request", `${call} takes an object; got ${shown(request)}`);
  const found = complaints(request as object, requests[call] ?? {});
  if (found.length > 0) throw new PortError("bad_request", found.join("; "));
}

export function checkOptions(given: object): void {
  const [first] = complaints(given, options);
  if (first !== undefined) throw new TypeError(first);
}

function complaints(given: object, checks: Checks): string[] {
  return Object.entries(checks).flatMap(([name, [what, fits, isNeeded = false]]) => {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined) return isNeeded ? [`${name} is missing; it is ${what}`] : [];
    return fits(value) ? [] : [`${name} is ${what}; got ${shown(value)}`];
  });
}

function shown(value: unknown): string {
  if (isText(value)) return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return "a list";
  const isPlain = value === null || (typeof value !== "object" && typeof value !== "function");
  return isPlain ? String(value) : typeof value === "object" ? "an object" : "a function";
}
