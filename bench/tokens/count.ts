import { getTokenizer } from "@anthropic-ai/tokenizer";
import { countTokens as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200k } from "gpt-tokenizer/encoding/o200k_base";

// Its own countTokens builds the whole table anew for every text.
const published = getTokenizer();
const claude = (text: string): number => published.encode(text.normalize("NFKC"), "all").length;

const tokenizers = { o200k_base: o200k, cl100k_base: cl100k, claude } as const;

export type Counts = Readonly<Record<keyof typeof tokenizers, number>>;

export function tokens(text: string): Counts {
  return { o200k_base: o200k(text), cl100k_base: cl100k(text), claude: claude(text) };
}

export const plus = (one: Counts, two: Counts): Counts => combine(one, two, (left, right) => left + right);
export const minus = (one: Counts, two: Counts): Counts => combine(one, two, (left, right) => left - right);
export const over = (one: Counts, count: number): Counts => combine(one, one, (left) => left / count);

function combine(one: Counts, two: Counts, join: (left: number, right: number) => number): Counts {
  return {
    o200k_base: join(one.o200k_base, two.o200k_base),
    cl100k_base: join(one.cl100k_base, two.cl100k_base),
    claude: join(one.claude, two.claude),
  };
}

/** Takes the middle one of several measurements, for each tokenizer: one place in a text is luck. */
export function middle(all: readonly Counts[]): Counts {
  const of = (name: keyof Counts): number =>
    all.map((one) => one[name]).sort((one, two) => one - two)[Math.floor(all.length / 2)] as number;
  return { o200k_base: of("o200k_base"), cl100k_base: of("cl100k_base"), claude: of("claude") };
}
