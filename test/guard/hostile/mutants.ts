/** Payloads with one field replaced by what nobody expects there. */
import type { Payload } from "../drivers/driver.js";

export interface Mutant {
  readonly what: string;
  readonly payload: unknown;
}

const huge = "x".repeat(200_000);

export const junk: Readonly<Record<string, unknown>> = {
  null: null,
  "a number": 42,
  "a list": [[], null, { x: 1 }],
  "an object": { length: -1, toString: null, path: { path: [] } },
  true: true,
  "a huge text": huge,
  "an empty text": "",
  "a text with NUL": "a\0b",
  "a text with newlines": "a\nb\n../../../etc",
  "a lone surrogate": "\ud800",
  "a negative number": -1e308,
};

/** Each field, at any depth, once; which junk it gets goes round, so that every run has other pairs. */
export function mutants(payload: Payload, start: number): Mutant[] {
  const names = Object.keys(junk);
  let at = start;
  const found: Mutant[] = [];
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) {
      const name = names[at++ % names.length] as string;
      found.push({ what: `${path.join(".")} is ${name}`, payload: replacedAt(payload, path, junk[name]) });
      if (at % 5 === 0)
        found.push({ what: `${path.join(".")} is missing`, payload: replacedAt(payload, path, undefined) });
    }
    if (path.length > 6 || typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
  };
  visit(payload, []);
  return found;
}

function replacedAt(value: unknown, [first, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value))
    return value.map((one, at) => (String(at) === first ? replacedAt(one, rest, by) : one));
  const from = value as Record<string, unknown>;
  return { ...from, [first]: replacedAt(from[first], rest, by) };
}
