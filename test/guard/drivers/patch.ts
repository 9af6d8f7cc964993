/** Patches as OpenAI's models write them, and what the tool for them does: lines are searched, the first place is taken. */
import { rmSync } from "node:fs";
import type { Replacement, Section, Who } from "./driver.js";
import { at, type Failure, linesOf, load, store } from "./files.js";

const marked = (mark: string, lines: readonly string[]): string[] => lines.map((line) => `${mark}${line}`);

/** Lines that both begin or end with are context. */
function hunkLines({ old, new: fresh }: Replacement): string[] {
  const [before, after] = [old.split("\n"), fresh === "" ? [] : fresh.split("\n")];
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    "@@",
    ...marked(" ", before.slice(0, head)),
    ...marked("-", before.slice(head, before.length - tail)),
    ...marked("+", after.slice(head, after.length - tail)),
    ...marked(" ", before.slice(before.length - tail)),
  ];
}

function sectionLines(section: Section): string[] {
  if (section.do === "add")
    return [`*** Add File: ${section.path}`, ...marked("+", linesOf(section.content))];
  if (section.do === "delete") return [`*** Delete File: ${section.path}`];
  const move = section.to === undefined ? [] : [`*** Move to: ${section.to}`];
  return [`*** Update File: ${section.path}`, ...move, ...section.hunks.flatMap(hunkLines)];
}

export function patchText(sections: readonly Section[]): string {
  return ["*** Begin Patch", ...sections.flatMap(sectionLines), "*** End Patch", ""].join("\n");
}

/** What a text of a patch says, part by part. */
export function parsePatch(text: string): Section[] {
  const sections: Section[] = [];
  const parts = text.split(/^\*\*\* (?=(?:Add|Update|Delete) File: )/m).slice(1);
  for (const part of parts) {
    const [head = "", ...body] = part.split("\n").filter((line) => line !== "" && line !== "*** End Patch");
    const [, kind, path = ""] = /^(Add|Update|Delete) File: (.*)$/.exec(head) ?? [];
    const to = /^\*\*\* Move to: (.*)$/.exec(body[0] ?? "")?.[1];
    if (kind === "Delete") sections.push({ do: "delete", path });
    else if (kind === "Add")
      sections.push({ do: "add", path, content: body.map((line) => `${line.slice(1)}\n`).join("") });
    else {
      const hunks = body
        .join("\n")
        .split(/^@@.*$\n?/m)
        .slice(1)
        .map(hunkOf);
      sections.push({ do: "update", path, hunks, ...(to === undefined ? {} : { to }) });
    }
  }
  return sections;
}

function hunkOf(text: string): Replacement {
  const lines = text.replace(/\n$/, "").split("\n");
  const side = (left: string): string =>
    lines
      .filter((line) => line.startsWith(" ") || line.startsWith(left))
      .map((line) => line.slice(1))
      .join("\n");
  return { old: side("-"), new: side("+") };
}

/** Exactly; else without blanks at the ends of lines; else without blanks around them. */
const looser: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

function placeOf(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const form of looser) {
    const [have, want] = [lines.map(form), wanted.map(form)];
    for (let start = from; start + want.length <= have.length; start++)
      if (want.every((line, index) => line === have[start + index])) return start;
  }
  return -1;
}

function updated(text: string, hunks: readonly Replacement[]): string | Failure {
  const lines = linesOf(text);
  let from = 0;
  for (const { old, new: fresh } of hunks) {
    const [before, after] = [old.split("\n"), fresh === "" ? [] : fresh.split("\n")];
    const found = placeOf(lines, before, from);
    if (found < 0) return { failed: `Failed to find expected lines:\n${old}` };
    lines.splice(found, before.length, ...after);
    from = found + after.length;
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** Carries a patch out: all of it, or nothing if a part fits nowhere. What was done, file by file. */
export function applyPatch(sections: readonly Section[], who: Who): string | Failure {
  const done: string[] = [];
  const steps: (() => void)[] = [];
  for (const section of sections) {
    const path = at(who, section.path);
    const before = load(path);
    if (section.do === "add") {
      steps.push(() => store(path, section.content, null));
      done.push(`A ${section.path}`);
      continue;
    }
    if (!before) return { failed: `Failed to read file to update ${section.path}` };
    if (section.do === "delete") {
      steps.push(() => rmSync(path));
      done.push(`D ${section.path}`);
      continue;
    }
    const text = updated(before.text, section.hunks);
    if (typeof text !== "string") return text;
    const target = section.to === undefined ? path : at(who, section.to);
    steps.push(() => {
      if (target !== path) rmSync(path);
      store(target, text, before);
    });
    done.push(`M ${section.to ?? section.path}`);
  }
  for (const step of steps) step();
  return ["Success. Updated the following files:", ...done, ""].join("\n");
}

/** A client that edits with patches alone says the same with them. */
export function asSections(path: string, edits: readonly Replacement[]): Section[] {
  return [{ do: "update", path, hunks: edits }];
}
