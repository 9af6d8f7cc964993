import type { Document } from "./document.js";
import type { LineMap, Region } from "./linemap.js";

const context = 3;

/** A unified diff of two texts whose difference is known; no comparing is done here. */
export function unifiedDiff(path: string, before: Document, after: Document, map: LineMap): string {
  if (map.isIdentity) return "";
  const rows = [`--- a/${path}`, `+++ b/${path}`];
  for (const group of groups(map.regions)) rows.push(...hunk(group, before, after));
  return `${rows.join("\n")}\n`;
}

/** Regions whose context would touch share a hunk. */
function groups(regions: readonly Region[]): Region[][] {
  const result: Region[][] = [];
  for (const region of regions) {
    const last = result.at(-1)?.at(-1);
    if (last && region.aStart - last.aEnd <= 2 * context) result.at(-1)?.push(region);
    else result.push([region]);
  }
  return result;
}

function hunk(regions: readonly Region[], before: Document, after: Document): string[] {
  const [first, last] = [regions[0] as Region, regions.at(-1) as Region];
  const lead = Math.min(context, first.aStart);
  const trail = Math.min(context, before.lineCount - last.aEnd);
  const body: string[] = [];
  const put = (sign: " " | "-" | "+", document: Document, index: number): void => {
    body.push(sign + document.text(index));
    if (document.terminator(index) === "") body.push("\\ No newline at end of file");
  };
  const keep = (from: number, to: number): void => {
    for (let index = from; index < to; index++) put(" ", before, index);
  };
  let at = first.aStart - lead;
  for (const region of regions) {
    keep(at, region.aStart);
    for (let index = region.aStart; index < region.aEnd; index++) put("-", before, index);
    for (let index = region.bStart; index < region.bEnd; index++) put("+", after, index);
    at = region.aEnd;
  }
  keep(at, last.aEnd + trail);
  const [a, b] = [first.aStart - lead, first.bStart - lead];
  const span = (start: number, end: number) => `${end === start ? start : start + 1},${end - start}`;
  return [`@@ -${span(a, last.aEnd + trail)} +${span(b, last.bEnd + trail)} @@`, ...body];
}
