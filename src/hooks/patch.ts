import { PatchError, parseCreation, parseUpdate } from "../core/index.js";
import type { Write } from "./event.js";

const section = /^\*\*\* (Update|Add|Delete) File: (.+)$/;
const moved = /^\*\*\* Move to: (.+)$/;

/**
 * The changes of a patch as OpenAI's models write them, file by file. A moved file is deleted where it was, and written
 * where it goes. What cannot be read is left out: the tool says itself what is wrong with it.
 */
export function patchWrites(tool: string, patch: string): Write[] {
  const writes: Write[] = [];
  const lines = patch.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const head = section.exec(lines[at] ?? "");
    if (!head) continue;
    const [, kind, path = ""] = head;
    const body: string[] = [];
    while (
      at + 1 < lines.length &&
      !/^\*\*\* (Update|Add|Delete) File: |^\*\*\* End Patch/.test(lines[at + 1] ?? "")
    )
      body.push(lines[++at] as string);
    writes.push(...sectionWrites({ kind: kind ?? "", path: path.trim(), tool }, body));
  }
  return writes;
}

interface Section {
  readonly kind: string;
  readonly path: string;
  readonly tool: string;
}

function sectionWrites({ kind, path, tool }: Section, body: readonly string[]): Write[] {
  if (kind === "Delete") return [{ path, tool, change: { kind: "delete" } }];
  try {
    if (kind === "Add") {
      const content = `${parseCreation(body.join("\n")).join("\n")}\n`;
      return [{ path, tool, change: { kind: "whole", content } }];
    }
    const to = moved.exec(body[0] ?? "")?.[1]?.trim();
    if (to !== undefined) {
      const sent = [path, ...body].join("\n");
      return [
        { path, tool, sent, change: { kind: "delete" } },
        { path: to, tool, sent, change: { kind: "whole", content: null } },
      ];
    }
    return [{ path, tool, change: { kind: "patch", hunks: parseUpdate(body.join("\n")) } }];
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
}
