/** Edits that an agent wants, out of what it was shown. Numbers are taken modulo what there is to choose from. */
import type { Edit, PatchLine } from "./client.js";
import type { Memory } from "./memory.js";

export interface Wish {
  /** Which look the text is taken from, from the newest on. */
  readonly look: number;
  readonly first: number;
  readonly count: number;
  /** Letters of the first line that are left out; -1: the end of the line above is quoted too. Of a patch, context. */
  readonly head: number;
  /** Letters of the last line that are left out; -1: its end is quoted too. Of a patch, context. */
  readonly tail: number;
  readonly fresh: "line" | "nothing" | "below" | "above" | "joined" | "parted" | "common";
  readonly form: "quote" | "all" | "patch";
}

/** `line`: one that stands nowhere yet. null: there is nothing to quote, or nothing would change. */
export function wished(wish: Wish, memory: Memory, line: string): Edit | null {
  const { looks, world } = memory;
  const look = looks[looks.length - 1 - (wish.look % Math.max(1, looks.length))];
  if (!look) return null;
  const first = look.first + (wish.first % (look.last - look.first + 1));
  const last = Math.min(look.last, first + wish.count - 1);
  const { texts } = world.states[look.state]!;
  const lines = texts.slice(first, last + 1);
  if (wish.form === "patch") return patch(lines, wish, line);
  const above = wish.head < 0 && first > look.first ? "\n" : "";
  const old = `${above}${part(lines, wish)}${wish.tail < 0 ? "\n" : ""}`;
  if (old === "" || (wish.form === "all" && old.trim() === "")) return null;
  const fresh = freshText(old, wish.fresh, line);
  return fresh === old ? null : { kind: "quote", old, new: fresh, all: wish.form === "all" };
}

function part(lines: readonly string[], wish: Wish): string {
  const body = lines.join("\n");
  const head = Math.min(Math.max(wish.head, 0), lines[0]!.length);
  const most = lines.at(-1)!.length - (lines.length === 1 ? head : 0);
  return body.slice(head, body.length - Math.min(Math.max(wish.tail, 0), most));
}

function freshText(old: string, fresh: Wish["fresh"], line: string): string {
  const [start, end] = [old.startsWith("\n") ? "\n" : "", old.endsWith("\n") ? "\n" : ""];
  switch (fresh) {
    case "nothing":
      return "";
    case "below":
      return `${old}${end === "" ? "\n" : ""}${line}${end}`;
    case "above":
      return `${start}${line}\n${old.slice(start.length)}`;
    case "joined":
      return `${start}${line}`;
    case "parted":
      return `${start}${line}\n`;
    case "common":
      return `${start}}${end}`;
    default:
      return `${start}${line}${end}`;
  }
}

function patch(lines: readonly string[], { fresh, head, tail }: Wish, line: string): Edit | null {
  const above = Math.min(Math.max(0, head), lines.length - 1);
  const below = Math.min(Math.max(0, tail), lines.length - 1 - above);
  const signed = (sign: PatchLine["sign"], part: readonly string[]): PatchLine[] =>
    part.map((text) => ({ sign, text }));
  const middle = lines.slice(above, lines.length - below);
  const isKept = fresh === "below" || fresh === "above";
  const written = fresh === "nothing" ? [] : signed("+", [fresh === "common" ? "}" : line]);
  if (fresh === "common" && middle.join() === "}") return null;
  return {
    kind: "patch",
    lines: [
      ...signed(" ", lines.slice(0, above)),
      ...(fresh === "above" ? written : []),
      ...signed(isKept ? " " : "-", middle),
      ...(fresh === "above" ? [] : written),
      ...signed(" ", lines.slice(lines.length - below)),
    ],
  };
}
