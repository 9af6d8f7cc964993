import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  type Case,
  type Expectation,
  editText,
  type Hunk,
  ReplayError,
  setHash,
  toCrlf,
} from "./cases/case.js";
import type { CaseSet } from "./cases/generate.js";

/** A hunk as the files of a prepared set have it. */
interface StoredHunk {
  readonly s: number;
  readonly d: number;
  readonly new: readonly string[];
}

type Conversion = { readonly t: string };

interface Stored {
  readonly id?: string;
  readonly class: string;
  readonly repo?: string;
  readonly path?: string;
  readonly base: string;
  readonly agent: readonly StoredHunk[];
  readonly conc: readonly StoredHunk[] | Conversion;
  /** Missing where the right answer is to leave the file as it is. */
  readonly truth?: readonly StoredHunk[] | Conversion | null;
  readonly alt?: readonly { readonly hunks: readonly StoredHunk[] }[];
  readonly mode: "batch" | "seq";
  readonly order?: readonly number[];
  readonly expect: Expectation;
  readonly debatable?: string | null;
}

const toHunks = (stored: readonly StoredHunk[]): Hunk[] =>
  stored.map(({ s, d, new: lines }) => ({ start: s, count: d, lines }));

function build(stored: Stored, id: string, text: string): Case {
  const { conc, agent } = stored;
  const edits = toHunks(agent);
  const edited = editText(text, edits);
  const current = "t" in conc ? (conc.t === "lf2crlf" ? toCrlf(text) : text) : editText(text, toHunks(conc));
  const wanted = stored.truth ?? [];
  const truth =
    "t" in wanted ? (wanted.t === "A" ? edited : toCrlf(edited)) : editText(current, toHunks(wanted));
  return {
    ...{ id, class: stored.class, path: stored.path ?? "text", origin: stored.repo ?? "" },
    base: "t" in conc && conc.t === "crlf2lf" ? toCrlf(text) : text,
    ...{ current, truth, edits, expect: stored.expect },
    alternatives: (stored.alt ?? []).map(({ hunks }) => editText(current, toHunks(hunks))),
    sequence: stored.mode === "seq" ? (stored.order ?? agent.map((_, at) => at)) : null,
    debatable: stored.debatable || null,
    sampled: false,
  };
}

/** Each line of a file of the set, as what `make` makes of it. */
function readLines<Row, Made>(folder: string, name: string, make: (row: Row, at: number) => Made): Made[] {
  let at = 0;
  try {
    return gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .split("\n")
      .filter(Boolean)
      .map((line, index) => {
        at = index + 1;
        return make(JSON.parse(line) as Row, index);
      });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new ReplayError(`${folder} has no cases.jsonl.gz and blobs.jsonl.gz`);
    throw new ReplayError(`${join(folder, name)}${at > 0 ? `, line ${at}` : ""}: ${message}`);
  }
}

/** Reads a prepared set: `cases.jsonl.gz` and `blobs.jsonl.gz`. */
export function readPrepared(folder: string): CaseSet {
  const blobs = new Map(
    readLines(
      folder,
      "blobs.jsonl.gz",
      ({ sha, text }: { sha: string; text: string }) => [sha, text] as const,
    ),
  );
  const cases = readLines(folder, "cases.jsonl.gz", (stored: Stored, at) => {
    const text = blobs.get(stored.base);
    if (text === undefined) throw new ReplayError(`there is no text ${stored.base} in blobs.jsonl.gz`);
    return build(stored, stored.id ?? `${stored.class}-${at}`, text);
  });
  return { name: basename(folder), seed: "", hash: setHash(cases), cases, drawn: {} };
}
