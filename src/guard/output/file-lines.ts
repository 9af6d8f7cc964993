import { Buffer, isUtf8 } from "node:buffer";
import { Document } from "../../text/index.js";

/**
 * Returns the lines of a file as a document has them; null if it is binary. Nothing is hashed, because hashes of many files
 * take longer than everything else.
 */
export function linesIn(bytes: Uint8Array): string[] | null {
  if (!isUtf8(bytes)) {
    const document = Document.parse(bytes);
    return document.isBinary ? null : document.lines();
  }
  if (bytes.includes(0)) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const lines = (text.startsWith("\uFEFF") ? text.slice(1) : text).split("\n");
  const last = lines.pop() as string;
  if (text.includes("\r"))
    lines.forEach((line, at) => {
      if (line.endsWith("\r")) lines[at] = line.slice(0, -1);
    });
  return last === "" ? lines : [...lines, last];
}
