import { readdirSync, readFileSync } from "node:fs";
import { formatHashLines } from "../../src/anchors/listing.js";
import { corpus } from "./corpus.js";
import { type Counts, minus, over, plus, tokens } from "./count.js";

export interface LineRow {
  readonly text: string;
  readonly way: string;
  /** Tokens a line beyond the bare text. */
  readonly extra: Counts;
}

type Listing = (text: string) => string;

const numbered: Listing = (text) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line, at) => `${String(at + 1).padStart(6)}\t${line}\n`)
    .join("");

const ways: Readonly<Record<string, Listing>> = {
  hex6: (text) => formatHashLines(text, { scheme: "hex6" }),
  hex4: (text) => formatHashLines(text, { scheme: "hex4" }),
  lean: (text) => formatHashLines(text, { scheme: "lean" }),
  "cat -n": numbered,
};

function rows(name: string, texts: readonly string[]): LineRow[] {
  const sum = (listing: Listing): Counts =>
    texts.map((text) => tokens(listing(text))).reduce((one, two) => plus(one, two));
  const count = texts.reduce((lines, text) => lines + text.split("\n").length - 1, 0);
  const bare = sum((text) => text);
  return Object.entries(ways).map(([way, listing]) => ({
    ...{ text: name, way },
    extra: over(minus(sum(listing), bare), count),
  }));
}

/** Files as they are; and one of 4,000 lines, since a number of four digits is two tokens. */
export function lineRows(): LineRow[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => readFileSync(`src/${name}`, "utf8"));
  const long = corpus(4000)
    .map((line) => `${line}\n`)
    .join("");
  return [...rows("the files of src", files), ...rows("one file of 4,000 lines", [long])];
}
