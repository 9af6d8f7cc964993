import { type HashMismatch, type RefusalDetails, visible } from "../core/index.js";

type Refusal = RefusalDetails & { readonly files?: readonly RefusalDetails[] };

/** What was shown against what is there now, as a diff; "" where nothing differs. */
export function staleDiff(refusal: Refusal): string {
  return (refusal.files ?? [refusal]).map(fileDiff).join("");
}

function fileDiff({ path, mismatches, remaps }: RefusalDetails): string {
  const rows = [...mismatches.flatMap(hunk), ...moves(mismatches, remaps)];
  return rows.length > 0
    ? `${[`--- ${visible(path)} as shown`, `+++ ${visible(path)} now`, ...rows].join("\n")}\n`
    : "";
}

function hunk({ anchor, line, shown, now, cause, actual }: HashMismatch): string[] {
  // The line is as it was; nobody ever showed the anchor.
  if (cause === "miscopied" && line !== null)
    return [`@@ ${anchor} was not shown; line ${line} is @@`, ` ${actual}|${now}`];
  if (shown === null && now === null && cause !== "deleted") return [];
  const place = `@@ ${anchor || "new"}${line === null ? "" : `, line ${line} now`} @@`;
  if (shown === now && now !== null) return [place, ` ${now}`];
  const unknown = cause === "inserted" ? [] : [`-[${anchor}: its text is not on record]`];
  return [place, ...(shown === null ? unknown : [`-${shown}`]), ...(now === null ? [] : [`+${now}`])];
}

/** Lines that are as they were, at another place. */
function moves(mismatches: readonly HashMismatch[], remaps: RefusalDetails["remaps"]): string[] {
  const told = new Set(mismatches.map(({ anchor }) => anchor));
  return remaps
    .filter(({ from, kind }) => kind === "moved" && !told.has(from))
    .map(({ from, to }) => `@@ ${from} is ${to} now, unchanged @@`);
}
