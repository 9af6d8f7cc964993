import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Lines [s, s + d) are taken out, `new` put there. */
export interface ReplayHunk {
  readonly s: number;
  readonly d: number;
  readonly new: readonly string[];
}

type Conversion = { readonly t: string };

interface RawCase {
  readonly id?: string;
  readonly class: string;
  readonly base: string;
  readonly agent: readonly ReplayHunk[];
  readonly conc: readonly ReplayHunk[] | Conversion;
  /** Missing where the right answer is to leave the file as it is. */
  readonly truth?: readonly ReplayHunk[] | Conversion | null;
  readonly alt?: readonly { readonly name: string; readonly hunks: readonly ReplayHunk[] }[];
  readonly mode: "batch" | "seq";
  readonly order?: readonly number[];
  readonly expect: "text" | "refuse" | "unchanged";
  readonly debatable?: string;
}

/** What the agent saw, what it wants, what is there now, what would be right. */
export interface ReplayCase {
  readonly id: string;
  readonly class: string;
  readonly base: string;
  readonly current: string;
  readonly truth: string;
  readonly alternatives: readonly string[];
  readonly agent: readonly ReplayHunk[];
  readonly sequence: readonly number[] | null;
  readonly expect: "text" | "refuse" | "unchanged";
  readonly debatable: boolean;
}

export function applyHunks(text: string, hunks: readonly ReplayHunk[]): string {
  const lines = text.split("\n");
  lines.pop();
  const result: string[] = [];
  let from = 0;
  for (const { s, d, new: added } of hunks.toSorted((one, two) => one.s - two.s)) {
    result.push(...lines.slice(from, s), ...added);
    from = s + d;
  }
  result.push(...lines.slice(from));
  return result.map((line) => `${line}\n`).join("");
}

const toCrlf = (text: string): string => text.replaceAll("\n", "\r\n");

function build(raw: RawCase, id: string, text: string): ReplayCase {
  const conversion = "t" in raw.conc ? raw.conc.t : null;
  const edited = applyHunks(text, raw.agent);
  const current =
    "t" in raw.conc ? (conversion === "lf2crlf" ? toCrlf(text) : text) : applyHunks(text, raw.conc);
  const wanted = raw.truth ?? [];
  const truth = "t" in wanted ? (wanted.t === "A" ? edited : toCrlf(edited)) : applyHunks(current, wanted);
  return {
    id,
    class: raw.class,
    base: conversion === "crlf2lf" ? toCrlf(text) : text,
    current,
    truth,
    alternatives: (raw.alt ?? []).map(({ hunks }) => applyHunks(current, hunks)),
    agent: raw.agent,
    sequence: raw.mode === "seq" ? (raw.order ?? raw.agent.map((_, at) => at)) : null,
    expect: raw.expect,
    debatable: raw.debatable !== undefined && raw.debatable !== null && raw.debatable !== "",
  };
}

/** Reads a prepared set: `cases.jsonl.gz` and `blobs.jsonl.gz`. */
export function readCases(folder: string): ReplayCase[] {
  const lines = (name: string): string[] =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .split("\n")
      .filter(Boolean);
  const blobs = new Map(
    lines("blobs.jsonl.gz").map((line) => {
      const { sha, text } = JSON.parse(line) as { sha: string; text: string };
      return [sha, text] as const;
    }),
  );
  return lines("cases.jsonl.gz").map((line, at) => {
    const raw = JSON.parse(line) as RawCase;
    return build(raw, raw.id ?? `${raw.class}-${at}`, blobs.get(raw.base) ?? "");
  });
}
