import { markOf } from "./names.js";

const head = ',"sum":"';
const tail = '"}';
const length = head.length + markOf("").length + tail.length;

/**
 * JSON with a checksum as its last field: a flipped bit of a number would otherwise count as what was shown, or name
 * another file. Still one line of JSON, for whoever looks.
 */
export function sealed(value: object): string {
  const text = JSON.stringify(value).slice(0, -1);
  return `${text}${head}${markOf(text)}${tail}`;
}

/** Throws if it is damaged. What has no checksum was written before there were any. */
export function unsealed(text: string): unknown {
  const end = text.length - length;
  if (!text.startsWith(head, end)) return JSON.parse(text);
  const value = text.slice(0, Math.max(end, 0));
  if (text !== `${value}${head}${markOf(value)}${tail}`) throw new Error("its checksum is another");
  return JSON.parse(`${value}}`);
}
