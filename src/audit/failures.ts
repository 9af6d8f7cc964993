/** Why edits failed, by what the clients say and by the text they were meant for. */
import { textOf } from "../edits/index.js";
import { type ForeignChange, writtenBy } from "../placement/index.js";
import { Document } from "../text/index.js";
import { type Call, refusalIn } from "./sessions/steps.js";

export const failureKinds = [
  "blanks",
  "notFound",
  "notRead",
  "several",
  "stale",
  "declined",
  "other",
] as const;

export type FailureKind = (typeof failureKinds)[number];

/** In a few words, without what the client quotes of the file. */
export const failureReasons: Readonly<Record<FailureKind, string>> = {
  blanks: "the quote differed in blanks only",
  notFound: "the quoted text was not there",
  notRead: "the file had not been read",
  several: "the quote was in several places",
  stale: "the file had changed since",
  declined: "a person, a rule or a hook said no",
  other: "for another reason",
};

/** Tried in this order; the first match decides. */
const patterns: readonly (readonly [FailureKind, RegExp])[] = [
  [
    "declined",
    /\b(?:user|person) (?:doesn't want|rejected|declined|cancelled|denied|aborted)|rejected (?:by|permission)|permissions? (?:to|denied|was)|haven't granted|hook (?:error|blocked)|blocked by|patch rejected|not allowed/i,
  ],
  ["notRead", /not been read|must (?:be )?read|read it first|read (?:the|this) file (?:first|before)/i],
  ["stale", /modified since|unexpectedly modified|changed since|has been modified/i],
  [
    "several",
    /found (?:\d+|multiple) (?:matches|occurrences)|expected 1 occurrences? but found [2-9]\d*|expected 1 occurrences? but found 1\d+|multiple (?:matches|times|occurrences)|must be unique|not unique/i,
  ],
  [
    "notFound",
    /not found in|could not find|couldn't find|failed to find|no match|not find|0 occurrences|but found 0|does not contain/i,
  ],
];

/** `text`: the file at that time, if it is known. */
export function failureKind({ failure, asks }: Call, text: string | null | undefined): FailureKind {
  const said = failure ?? "";
  if (refusalIn(said) !== null) return "declined";
  const [kind = "other"] = patterns.find(([, pattern]) => pattern.test(said)) ?? [];
  if (kind !== "notFound" || typeof text !== "string") return kind;
  return asks.some(({ change }) => isOffInBlanks(change, text)) ? "blanks" : kind;
}

/** Every quote stands in the text, some of them with other blanks only. */
function isOffInBlanks(change: ForeignChange, text: string): boolean {
  const quotes = quotedIn(change);
  if (quotes.length === 0) return false;
  const bare = `\n${bareText(text)}\n`;
  const isOff = quotes.some((quote) => !text.includes(quote));
  return isOff && quotes.every((quote) => bareText(quote) !== "" && bare.includes(`\n${bareText(quote)}\n`));
}

function quotedIn(change: ForeignChange): readonly string[] {
  if (change.kind === "quotes") return change.quotes.map(({ old }) => old);
  return change.kind === "patch" ? change.hunks.map(({ quoted }) => quoted.join("\n")) : [];
}

/** Without blanks at line ends and starts, and without blank lines at its ends. */
function bareText(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

/** The text after a change; undefined if the change does not fit the text. */
export function changedText(change: ForeignChange, before: string | null): string | null | undefined {
  if (change.kind === "whole") return change.content ?? undefined;
  if (change.kind === "delete") return null;
  if (before === null) return undefined;
  const [only, ...more] = change.kind === "quotes" ? change.quotes : [];
  if (only && more.length === 0 && !only.all && only.new !== "") {
    const at = before.indexOf(only.old);
    const isOnly = at >= 0 && before.indexOf(only.old, at + 1) < 0;
    if (isOnly) return before.slice(0, at) + only.new + before.slice(at + only.old.length);
  }
  const made = writtenBy(change, Document.fromText(before));
  return made ? textOf(made.document) : undefined;
}
