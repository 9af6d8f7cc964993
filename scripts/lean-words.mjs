// The word table of the `lean` scheme.
//
//   node scripts/lean-words.mjs           write src/anchors/lean-words.ts from data/lean-words.json
//   node scripts/lean-words.mjs --check   fail if either file differs from what the rules below give
//   node scripts/lean-words.mjs --choose  print the table that the rules give, writing nothing
//
// data/lean-words.json is the published table and never changes: anchors that were shown once depend on the
// position of every word. The rules are kept so that anyone can see how it came about and repeat it.
//
// A string qualifies if it is three letters a-z and, written directly before a number at the start of a row
// (`word12<TAB>text`, first row or after a newline), exactly one token in o200k_base, cl100k_base and the
// published Claude tokenizer. 1,997 strings do; that the number's digits do not matter is checked too.
import { readFileSync, writeFileSync } from "node:fs";
import { getTokenizer } from "@anthropic-ai/tokenizer";
import * as cl100k from "gpt-tokenizer/encoding/cl100k_base";
import * as o200k from "gpt-tokenizer/encoding/o200k_base";

const TABLE_SIZE = 1024;
const QUALIFYING = 1997;
const NUMBERS = [1, 12, 999, 1043, 10000];
const dataFile = new URL("../data/lean-words.json", import.meta.url);
const sourceFile = new URL("../src/anchors/lean-words.ts", import.meta.url);

// Left out because of what somebody may hear in them, in English or in a language near it.
const UNWELCOME = `
  abo ana ape arm ars ass axe azz boo boy bra bum cia cis cks con cow cox cul cum cus cut dag dam dic die dog
  ear eye fas fat flu gae gal gin god gun hel her hip his hit hoe hog hom hor hos ick idi ira jah jav jes
  jud jug kil kok leg les lez lip mad maf mob naz neg nik nut ona ped pee pig pis pot psy pus rap rat rib rip
  rod rum sex shi sin sla std sti sus tit tod tot tra uck ugh wap war xxx`;

// Left out because beside a number they already mean something: a count, a date, a place, a type, a command.
const LABELS = `
  add all and any aug col cpu day del div end fig for fps get gid git gpu hex idx img inc int jan jun len
  let mar max may min mod mon mov mph mul nan new nil not nov nth num oct old one out pdf pid pos put ref
  rgb row sat sec sep set sha six sql sub sun tab ten the top two uid utf var ver wed`;

const excluded = new Set(`${UNWELCOME} ${LABELS}`.trim().split(/\s+/));

const claude = getTokenizer();
const decoder = new TextDecoder();
const tokenizers = [
  (text) => o200k.encode(text).map((token) => o200k.decode([token])),
  (text) => cl100k.encode(text).map((token) => cl100k.decode([token])),
  (text) =>
    [...claude.encode(text, "all")].map((token) => decoder.decode(claude.decode(Uint32Array.of(token)))),
];

function qualifies(word) {
  return tokenizers.every(
    (split) =>
      split(word)[0] === word &&
      NUMBERS.every(
        (number) => split(`${word}${number}\tx`)[0] === word && split(`x\n${word}${number}\tx`)[2] === word,
      ),
  );
}

function qualifying() {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  return letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))).filter(qualifies);
}

function usable(word) {
  if (excluded.has(word)) return false;
  if (/^[a-fx][a-f][a-f]$/.test(word)) return false; // with its number it could be read as hex or as an escape
  if (/[lo]$/.test(word)) return false; // `l12` and `o12` look like 112 and 012
  if (/^(.)\1\1$/.test(word)) return false; // repeated letters are miscounted
  return !/[ijl]{2}/.test(word);
}

const vowels = "aeiouy";
const shapes = ["ijl", "uv", "vwy", "nmh", "gqp", "ceo", "bdh", "ft", "sz", "ckq"];
const looks = (word) => word.replace("rn", "m").replace("vv", "w").replace("cl", "d").replace(/[jl]/g, "i");
const letters = (word) => [...word].sort().join("");

/** How easily one word is taken for the other; only the order of these numbers matters. */
function confusion(one, other) {
  if (looks(one) === looks(other)) return 1000;
  if (letters(one) === letters(other)) {
    const ends = Number(one[0] === other[0]) + Number(one[2] === other[2]);
    return ends > 0 ? 40 : 10;
  }
  const differing = [0, 1, 2].filter((at) => one[at] !== other[at]);
  if (differing.length === 1) {
    const pair = [one[differing[0]], other[differing[0]]];
    const alike = [vowels, ...shapes].some((group) => pair.every((letter) => group.includes(letter)));
    return alike ? 6 : 2;
  }
  return one.slice(1) === other.slice(0, 2) || other.slice(1) === one.slice(0, 2) ? 1 : 0;
}

/** Drops the most confusable word until the table has its size; of equals, the rarer token (higher number) goes. */
function choose(candidates) {
  const rarity = new Map(candidates.map((word) => [word, o200k.encode(word)[0]]));
  const cost = new Map(
    candidates.map((word) => [
      word,
      candidates.reduce((sum, other) => sum + (other === word ? 0 : confusion(word, other)), 0),
    ]),
  );
  while (cost.size > TABLE_SIZE) {
    let worst;
    for (const word of cost.keys()) {
      const more = worst === undefined ? 1 : cost.get(word) - cost.get(worst);
      if (more > 0 || (more === 0 && rarity.get(word) > rarity.get(worst))) worst = word;
    }
    cost.delete(worst);
    for (const [word, sum] of cost) cost.set(word, sum - confusion(word, worst));
  }
  return [...cost.keys()].sort();
}

function source(words) {
  const rows = [];
  for (let at = 0; at < words.length; at += 16) rows.push(`  "${words.slice(at, at + 16).join(" ")}",`);
  return `// Generated from data/lean-words.json by scripts/lean-words.mjs. The order is part of the format and never changes.
const rows = [
${rows.join("\n")}
];

/** The word at position \`hash & 1023\` stands for a line in the \`lean\` scheme. */
export const leanWords: readonly string[] = Object.freeze(rows.join(" ").split(" "));
`;
}

function problems() {
  const found = [];
  const qualified = qualifying();
  if (qualified.length !== QUALIFYING) found.push(`${qualified.length} strings qualify, not ${QUALIFYING}`);
  const published = JSON.parse(readFileSync(dataFile, "utf8")).words;
  const chosen = choose(qualified.filter(usable));
  if (JSON.stringify(published) !== JSON.stringify(chosen)) {
    found.push("data/lean-words.json is not the table that the rules give: restore it, or the rules");
  }
  if (readFileSync(sourceFile, "utf8") !== source(published)) {
    found.push(
      "src/anchors/lean-words.ts is not made from data/lean-words.json: run node scripts/lean-words.mjs",
    );
  }
  return found;
}

const [mode] = process.argv.slice(2);
if (mode === "--check") {
  const found = problems();
  for (const problem of found) console.error(`lean-words: ${problem}`);
  process.exitCode = found.length > 0 ? 1 : 0;
} else if (mode === "--choose") {
  console.log(choose(qualifying().filter(usable)).join(" "));
} else {
  writeFileSync(sourceFile, source(JSON.parse(readFileSync(dataFile, "utf8")).words));
}
