import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchQuery, SearchResult } from "../../src/ports/files.js";
import { type Ground, ground } from "../support/node.js";
import { putRipgrepOnPath } from "../support/ripgrep.js";

/** Each starts a dozen processes. */
const numRuns = Math.ceil(Number(process.env.KEDGE_RUNS) / 3);
const hasRipgrep = await putRipgrepOnPath();

const names = [
  ...["a.txt", "b.ts", "C.TS", "x.log", "keep.log", ".env", ".hidden", "ü.txt", "sp ace", "n\newline"],
  ...["#a", "!a"],
  ...["back\\slash", "[b].ts", "a.txt.gz", "tail ", "-dash", "{c}.ts"],
];
const folders = [
  ...["", "src", "src/deep", "src/deep/er", "build", "src/build", ".config", "node_modules/m", "sub"],
  ...["sub/inner"],
  ...["Build", "ü", ".git/x", "sub/.hg"],
];
const rules = [
  ...["*.log", "!keep.log", "/build/", "build", "build/", "!build", "src/**", "!src/deep/", "**/deep"],
  ...["deep/**"],
  ...["/*", "!/src", "!/src/", "*", "!*.ts", "!*/", "*.ts", "a.*", "[ab].*", "[!a].txt", "\\#a"],
  ...["\\!a", "#a", "!a", "# note"],
  ...["  ", "sp\\ ace", "sp ace", "tail ", "tail\\ ", "*.TS", "src/*.ts", "src/**/b.ts", "**", "**/"],
  ...["!**/b.ts", "/a.txt", "a.txt/"],
  ...["{b,c}.ts", "{c}.ts", "\\[b\\].ts", "[[]b].ts", "?.ts", "??.ts", "ü*", "n?ewline"],
  ...["back\\\\slash", ".*", "!.env", "sub/inner/", "!x.log"],
  ...["inner", "!inner/", "src//deep", "./a.txt", "a**", "**a.txt", "src/**/**/b.ts", "[", "a[", "\\"],
  ...["a\\", "-dash", "[a-", "[]b].ts", "[^a].txt", "[[:alpha:]].ts"],
];
const ignoreNames = [".gitignore", ".gitignore", ".gitignore", ".ignore", ".rgignore"];
const ends = ["\n", "\n", "\n", "\r\n"];

const ignoreFile = fc
  .tuple(
    fc.constantFrom(...folders),
    fc.constantFrom(...ignoreNames),
    fc.array(fc.constantFrom(...rules), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...ends),
    fc.constantFrom("", "", "\ufeff"),
  )
  .map(([at, name, lines, end, mark]) => ({
    path: join(at, name),
    content: Buffer.from(mark + lines.join(end) + end),
  }));

const long = "x".repeat(70_000);
const lines = [
  ...["needle", "a needle in", "NEEDLE", "neEDle", "nee\tdle", "Straße", "STRASSE", "STRAẞE"],
  ...["\u212Aelvin", "kelvin", "ſharp", "sharp"],
  ...["äpfel", "Äpfel", "a\u0308pfel", "İstanbul", "istanbul", "ΣΊΣΥΦΟΣ", "σίσυφος", "日本needle語"],
  ...["😀needle", "éneedle", "needleé"],
  ...["", " ", "\t", "nee\u2028dle", "nee\u0085dle", "nee\rdle", "nee\fdle", "\u00a0needle"],
  ...[`${long}needle`, `needle${long}`, "foo(bar)", "$x = 1;", "a.b", "\\n"],
  ...["_needle_", "1needle2", "\u0130", "ﬁne", "needle\u200d", "\ufeffneedle"],
];
const content = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom("\n", "\n", "\r\n", "\r")), {
      maxLength: 6,
    }),
    fc.constantFrom(
      "plain",
      "plain",
      "plain",
      "plain",
      "unended",
      "mark",
      "le",
      "be",
      "le unmarked",
      "nul",
      "late nul",
      "latin1",
    ),
  )
  .map(([rows, form]) => encoded(rows.map((row) => row.join("")).join(""), form));

function encoded(text: string, form: string): Buffer {
  if (form === "unended") return Buffer.from(text.replace(/[\r\n]+$/, ""));
  if (form === "mark") return Buffer.from(`\ufeff${text}`);
  if (form === "le") return Buffer.from(`\ufeff${text}`, "utf16le");
  if (form === "be") return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  if (form === "le unmarked") return Buffer.from(text, "utf16le");
  if (form === "nul") return Buffer.from(`\0${text}`);
  if (form === "late nul") return Buffer.from(`${"needle\n".repeat(2000)}\0${text}`);
  if (form === "latin1") return Buffer.from(`${text.normalize("NFC")}\xe9\n`, "latin1");
  return Buffer.from(text);
}

const files = fc.array(
  fc
    .tuple(fc.constantFrom(...folders), fc.constantFrom(...names), content)
    .map(([at, name, bytes]) => ({ path: join(at, name), content: bytes })),
  { minLength: 1, maxLength: 14 },
);
const tree = fc.record({
  repository: fc.constantFrom(".git", ".git", ".git", "sub/.git", ".jj", "sub/.jj", ".hg", "none"),
  isFile: fc.constantFrom(false, false, true),
  files,
  ignores: fc.array(ignoreFile, { maxLength: 4 }),
  links: fc.array(
    fc.tuple(fc.constantFrom(...folders), fc.constantFrom("../a.txt", "src", "gone", ".", "..")),
    { maxLength: 2 },
  ),
});

type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never;

const literals = [
  ...["needle", "NEEDLE", "nee", "e", "Straße", "kelvin", "k", "s", "sharp", "äpfel", "İ", "i"],
  ...["σίσυφος", "ΣΊΣΥΦΟΣ", "日", "😀", "foo(bar)"],
  ...["$x", "a.b", "\\n", " ", "\t", "\ufeff", "-e", "ﬁ", "nee\u2028dle", "\r", "needle\r", "\0", "\n"],
  ...["needle\n", "--files"],
];
const expressions = [
  ...["needle", "(?i)needle", "\\bneedle\\b", "^needle", "needle$", "^$", "^", "$", "^\\s*$", "\\s"],
  ...["\\S", ".", "..", "^.$", "(n|N)eedle", "needle|kelvin"],
  ...["(?<=a )needle", "(?<!a )needle", "needle(?= in)", "needle(?! in)", "\\p{L}+", "\\p{Lu}"],
  ...["\\P{L}", "(?i)\\p{Lu}", "\\w+", "\\W", "\\d", "[^n]eedle"],
  ...["nee.dle", "nee\\sdle", "(?i)straße", "(?i)kelvin", "(?i)\\bs", "(.)\\1", "(?<x>e)\\k<x>"],
  ...["x{70000}", "needles?", "nee+dle", "n[e]{2}dle", "\\u006eeedle", "\\x6eeedle"],
  ...["\\u{6e}eedle", "needle\\b", "é", "e\\b", "[\\s\\S]", "\\n", "\\r", "needle\\r", "needle\\n"],
  ...["[äÄ]pfel", "foo\\(bar\\)", "\\$x", "a\\.b", "(?:)", "a*", "\\/", "\\-", '\\"', "\\<needle", "{"],
  ...["a{,2}", "x{2", "}", "]"],
  ...["(?m)^needle", "(?i:NEEDLE)", "(?s).", "(?x) needle", "(?P<n>needle)", "\\Aneedle", "needle\\z"],
  ...["[[:alpha:]]", "\\h", "(?>a)", "a++", "(", "[", "*"],
];
const query: fc.Arbitrary<SearchQuery> = fc.record(
  {
    pattern: fc.constantFrom(...literals),
    literal: fc.constant(true),
    ignoreCase: fc.boolean(),
    maxResults: fc.constantFrom(1000, 1000, 3, 1),
    path: fc.constantFrom(".", "src", "build", "sub", "src/", "node_modules", ".config", "a.txt"),
    glob: fc.constantFrom(
      "*.ts",
      "!*.ts",
      "src/**",
      "**/deep/*",
      "*.{ts,txt}",
      "*.TS",
      "build",
      "/a.txt",
      "[",
      "{",
      "\\[b\\].ts",
    ),
  },
  { requiredKeys: ["pattern", "literal", "ignoreCase", "maxResults"] },
);
const anyQuery = fc.oneof(
  query,
  fc
    .tuple(query, fc.constantFrom(...expressions))
    .map(([one, pattern]) => ({ ...one, pattern, literal: false })),
);

function build(at: Ground, wanted: Tree): void {
  const marker = join(at.root, wanted.repository);
  mkdirSync(dirname(marker), { recursive: true });
  // A work tree has a file there.
  if (wanted.isFile) writeFileSync(marker, "gitdir: elsewhere\n");
  else mkdirSync(marker);
  const attempt = (make: () => void): void => {
    try {
      make();
    } catch {
      // A file where the folder should be, from another draw.
    }
  };
  for (const file of [...wanted.files, ...wanted.ignores])
    attempt(() => {
      mkdirSync(dirname(join(at.root, file.path)), { recursive: true });
      writeFileSync(join(at.root, file.path), file.content);
    });
  for (const [where, to] of wanted.links) attempt(() => symlinkSync(to, join(at.root, where, "link.txt")));
}

type Answer = SearchResult | string;

async function answer(at: Ground, ripgrep: boolean, asked: SearchQuery): Promise<Answer> {
  const found = at.files({ ripgrep }).search(asked);
  return found.catch((error: Error & { code?: string }) => `${error.code}: ${error.message}`);
}

/** The same search, of which nothing tells beforehand what a line must hold: each one is looked at. */
function unhurried(asked: SearchQuery): SearchQuery {
  const { pattern, literal } = asked;
  const source = literal ? pattern.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") : pattern.replace(/^\(\?i\)/, "");
  const ignoreCase = asked.ignoreCase || (!literal && pattern.startsWith("(?i)"));
  return { ...asked, literal: false, ignoreCase, pattern: `(?=)(?:${source})` };
}

/** ripgrep only narrows down; so it must never leave out a file that has a hit. */
const law = fc.asyncProperty(
  tree,
  fc.array(anyQuery, { minLength: 3, maxLength: 8 }),
  async (wanted, queries) => {
    const at = ground();
    try {
      build(at, wanted);
      for (const asked of queries) {
        const own = await answer(at, false, asked);
        expect(await answer(at, true, asked), JSON.stringify(asked)).toEqual(own);
        if (typeof own !== "string")
          expect(await answer(at, false, unhurried(asked)), JSON.stringify(asked)).toEqual(own);
      }
    } finally {
      at.dispose();
    }
  },
);

test.runIf(hasRipgrep)(
  "the same hits with ripgrep and without, over any tree",
  () => fc.assert(law, { numRuns }),
  3_600_000,
);

test.runIf(!hasRipgrep)("ripgrep is not there: nothing was compared", () => {});
