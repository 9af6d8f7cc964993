// Plain English, as far as a script can hold it: prints each sentence of a comment that begins without its subject, and
// fails if there is one. `node scripts/prose.mjs [folder…]`; without a folder, all of src, scripts and bench.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "vite";
import { root } from "./shell.mjs";

/** Words that open a sentence before its subject is named; the reader has to go back to find out who does what. */
const opening =
  /^(What|Who|Whoever|Whatever|Whichever|Of|But for|Where it|Where that|That|Such|So many|So much|As far)\b(?! (?:is why|are the|is the)\b)/;

/** Comments next to each other, as one text with the line of each character. */
function* blocks(text, path) {
  const lineOf = (offset) => text.slice(0, offset).split("\n").length;
  let open = null;
  for (const { type, value, start, end } of parseSync(path, text).comments) {
    const line = lineOf(start);
    const body = type === "Block" ? value.replace(/^\s*\* ?/gm, "").replace(/^\*/, "") : value;
    if (open && type === "Line" && open.type === "Line" && open.last === line - 1) {
      open.text += `\n${body.trim()}`;
      open.last = line;
      continue;
    }
    if (open) yield open;
    open = { type, line, last: lineOf(end), text: body.trim() };
  }
  if (open) yield open;
}

/** Sentences of a comment without its tags, examples and code. A question is no riddle: folders open with theirs. */
function sentences(text) {
  const prose = text.split(/^@/m)[0].replace(/```[\s\S]*?```|`[^`]*`/g, "code");
  return prose
    .split(/(?<=[.:;!?])\s+(?=[A-Z])|\n\s*\n/)
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "" && !one.endsWith("?"));
}

/** Pronouns that speak of a noun beyond the full stop before them. */
const pronoun = /^(It|Those|Both|They)\b/;
/** The word is remove, in code, messages and comments alike. */
const takenOut = /\b(take|takes|took|taken|taking) (out|away)\b/;

const isRiddle = (sentence, index) =>
  opening.test(sentence) || takenOut.test(sentence) || (index > 0 && pronoun.test(sentence));

/** Each sentence of a source that has to be read twice, as `path:line: sentence`. */
function riddles(path, text) {
  return [...blocks(text, path)].flatMap(({ line, text: comment }) =>
    sentences(comment)
      .filter(isRiddle)
      .map((sentence) => `${path}:${line}: ${sentence.slice(0, 120)}`),
  );
}

function sourcesBelow(folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => join(root, folder, name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folders = process.argv.length > 2 ? process.argv.slice(2) : ["src", "scripts", "bench"];
  const found = folders
    .flatMap(sourcesBelow)
    .flatMap((path) => riddles(relative(root, path), readFileSync(path, "utf8")));
  if (found.length > 0) {
    console.log(found.join("\n"));
    console.log(
      `\n${found.length} sentences leave their subject to be guessed, or take out what is removed.`,
    );
    process.exitCode = 1;
  }
}
