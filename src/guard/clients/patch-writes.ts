import { PatchError, parseCreation, parseUpdate } from "../../placement/index.js";
import type { Write } from "../event.js";

const section = /^\*\*\* (Update|Add|Delete) File:(.+)$/;
const moved = /^\*\*\* Move to:(.+)$/;

/**
 * The changes of a patch as OpenAI's models write them, file by file. A moved file is deleted where it was, and written
 * where it goes. A patch that cannot be read is left out: the tool says itself what is wrong with it; but a lenient one
 * overlooks it.
 */
export function patchWrites(tool: string, patch: string, isLenient = false): Write[] {
  const writes: Write[] = [];
  const lines = patch.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const [, kind = "", path = ""] = section.exec((lines[at] as string).trimStart()) ?? [];
    if (kind === "") continue;
    // Blanks before a head do not count; among hunks they make it a line of context.
    const bare = (line: string): string => (kind === "Update" ? line : line.trimStart());
    const body: string[] = [];
    while (at + 1 < lines.length && !isHead(bare(lines[at + 1] as string))) body.push(lines[++at] as string);
    writes.push(...sectionWrites({ kind, path: path.trim(), tool, isLenient }, body));
  }
  return writes;
}

function isHead(line: string): boolean {
  return section.test(line) || line.startsWith("*** End Patch");
}

interface Section {
  readonly kind: string;
  readonly path: string;
  readonly tool: string;
  readonly isLenient: boolean;
}

function sectionWrites({ kind, path, tool, isLenient }: Section, body: readonly string[]): Write[] {
  if (kind === "Delete") return [{ path, tool, change: { kind: "delete" } }];
  if (kind === "Add") {
    const lines = readable(() => parseCreation(ended(body), isLenient));
    return lines ? [{ path, tool, change: { kind: "whole", content: ended(lines) } }] : [];
  }
  const hunks = readable(() => parseUpdate(ended(body), isLenient));
  const update: Write[] = hunks ? [{ path, tool, change: { kind: "patch", hunks } }] : [];
  const to = moved.exec(body[0] ?? "")?.[1]?.trim();
  if (to === undefined) return update;
  const sent = [path, ...body].join("\n");
  return [
    ...update.map((write) => ({ ...write, sent })),
    { path, tool, sent, change: { kind: "delete" } },
    { path: to, tool, sent, change: { kind: "whole", content: null } },
  ];
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PatchError) return null;
    throw error;
  }
}

function ended(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
