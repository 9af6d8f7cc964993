import type { Mechanism } from "../score.js";
import { endsAside } from "./ends.js";
import { candidates } from "./fuzzy.js";
import { isUnique, type Quote, quotes } from "./quotes.js";

/** All quotes of a call in turn, or nothing. */
function replaceAll(
  current: string,
  wanted: readonly Quote[],
  find: (text: string, old: string) => string | null,
) {
  let text = current;
  for (const { old, fresh } of wanted) {
    const found = find(text, old);
    if (found === null) return null;
    const at = text.indexOf(found);
    text = text.slice(0, at) + fresh + text.slice(at + found.length);
  }
  return text;
}

const exact = (text: string, old: string): string | null => (isUnique(text, old) ? old : null);

export const strings: Mechanism = endsAside({
  name: "exact string replacement",
  short: "string",
  about: "the old text must be there once",
  start: (base) => ({ edit: (current, hunks) => replaceAll(current, quotes(base, hunks), exact) }),
});

export const fuzzy: Mechanism = endsAside({
  name: "fuzzy string replacement",
  short: "fuzzy",
  about: "a cascade of ever looser matches, as common agents have it",
  start: (base) => ({
    edit: (current, hunks) =>
      replaceAll(current, quotes(base, hunks), (text, old) => {
        for (const found of candidates(text, old)) if (isUnique(text, found)) return found;
        return null;
      }),
  }),
});
