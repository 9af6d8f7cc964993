/** The kinds of files that installing changes: JSON with our entries in it, a marked block of lines, a file of our own. */
import { InputError } from "../../input.js";
import { type ConfigFile, type Part, parts } from "../types.js";
import type { Entry } from "./entries.js";
import { beyondJson, JsonProblem, parseJsonc } from "./jsonc.js";

/** A client that does not read every JSON file. */
interface Strictness {
  readonly title: string;
  readonly comments: boolean;
}

/** A client takes comments and trailing commas unless `strict` says otherwise. */
export function jsonFile(path: string, entries: readonly Entry[], strict?: Strictness): ConfigFile {
  const readable = (text: string | null): string => (text === null || isBlank(text) ? "{}\n" : text);
  return {
    path,
    has: (text) =>
      parts.filter((part) => {
        const own = entries.filter((entry) => entry.part === part);
        return own.length > 0 && own.every((entry) => entry.isIn(readable(text)));
      }),
    gaps: (text) => entries.flatMap((entry) => entry.gaps?.(text) ?? []),
    put(text, wanted) {
      const put = entries.filter(({ part }) => wanted.has(part));
      if (put.length === 0) return text;
      const before = readable(text);
      if (strict) refuseBeyond(before, strict);
      return put.reduce((result, entry) => entry.put(result), before);
    },
    take(text, unwanted, base) {
      const before = typeof base === "string" ? readable(base) : null;
      const taken = entries
        .filter(({ part }) => unwanted.has(part))
        .toReversed()
        .reduce((result, entry) => entry.take(result, before), readable(text));
      if (taken === readable(text)) return text;
      return base === null && isEmptyObject(taken) ? null : taken;
    },
  };
}

/** Refuses a file that the client would pass over in silence: a guard in it would guard nothing. */
function refuseBeyond(text: string, { title, comments }: Strictness): void {
  const { comment, comma } = beyondJson(text);
  if (comment !== null && !comments)
    throw new JsonProblem(`${title} does not read a file with a comment in it`, comment);
  if (comma !== null)
    throw new JsonProblem(`${title} does not read a file with a comma before a closing bracket`, comma);
}

const isBlank = (text: string): boolean => text.replace("\ufeff", "").trim() === "";

/** True if the object holds nothing, not even a comment. */
function isEmptyObject(text: string): boolean {
  return parseJsonc(text).children?.length === 0 && /^\s*\{\s*\}\s*$/.test(text);
}

interface BlockSetup {
  readonly part: Part;
  /** Starts a comment in the file's language; the first and the last line of the block begin with it. */
  readonly comment: string;
  readonly lines: readonly string[];
  /** Matches a line that must not be in the file beside the block. */
  readonly rival: RegExp;
  /** Throws if the client cannot read the file as it is. */
  readonly check: (text: string) => void;
}

/** Lines at the end of a file, between two marks, for languages that always allow them there. */
export function blockFile(path: string, { part, comment, lines, rival, check }: BlockSetup): ConfigFile {
  const first = `${comment} >>> kedge: written by kedge install, taken out by kedge uninstall`;
  const last = `${comment} <<< kedge`;
  const block = new RegExp(`(?:^|\\r?\\n)${escaped(first)}\\r?\\n[\\s\\S]*?${escaped(last)}(?=\\r?\\n|$)`);
  const take = (text: string): string => {
    const found = block.exec(text);
    if (!found) return text;
    const rest = text.slice(found.index + found[0].length);
    const before = text.slice(0, found.index);
    return before === "" ? rest.replace(/^\r?\n/, "") : before + rest;
  };
  return {
    path,
    has: (text) => (block.test(text) ? [part] : []),
    put(text, wanted) {
      if (text !== null) check(text);
      if (!wanted.has(part)) return text;
      const other = rival.exec(take(text ?? ""))?.[0];
      if (other !== undefined)
        throw new InputError(`${path} has ${other.trim()} already; nothing was changed, take that out first`);
      const eol = text?.includes("\r\n") ? "\r\n" : "\n";
      const made = [first, ...lines, last].join(eol);
      const there = block.exec(text ?? "");
      if (text && there) return text.replace(there[0], () => (/^\r?\n/.exec(there[0])?.[0] ?? "") + made);
      if (text === null || text === "") return made + eol;
      return text + (text.endsWith("\n") ? "" : eol) + made + eol;
    },
    take(text, unwanted, base) {
      if (!unwanted.has(part)) return text;
      const taken = take(text);
      return base === null && taken === "" ? null : taken;
    },
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A file that holds nothing but the guard; `mark` is in every version of it. */
export function ownFile(path: string, content: string, mark: string): ConfigFile {
  return {
    path,
    has: (text) => (text.includes(mark) ? ["guard"] : []),
    put(text, wanted) {
      if (!wanted.has("guard")) return text;
      if (text !== null && !text.includes(mark))
        throw new InputError(`${path} is in the way, and was not written by kedge; rename it first`);
      return content;
    },
    take: (text, unwanted) => (unwanted.has("guard") && text.includes(mark) ? null : text),
  };
}
