/** Anchors that a caller has copied from printed rows into the text it sends. */
import { type Anchor, anchorAt, stripAnchors } from "./anchor.js";
import type { View } from "./view.js";

/** Anchors at the heads of lines, with the index of each line. */
export function copiedAnchors(
  lines: readonly string[],
): { readonly index: number; readonly anchor: Anchor }[] {
  return lines.flatMap((line, index) => {
    const anchor = anchorAt(line);
    return anchor ? [{ index, anchor }] : [];
  });
}

export interface Uncopied {
  readonly lines: readonly string[];
  readonly warning: string | null;
}

/** Anchors are taken off only if every line has one and each was printed of this file; others are kept, and said. */
export function withoutCopied(lines: readonly string[], view: View): Uncopied {
  const served = copiedAnchors(lines).filter(({ anchor }) => wasServed(anchor, view));
  if (served.length === 0) return { lines, warning: null };
  const stripped = served.length === lines.length ? stripAnchors(lines) : null;
  if (stripped) return { lines: stripped.lines, warning: "the text repeated anchors; they were removed" };
  const numbers = served.map(({ index }) => index + 1);
  const listed = `${numbers.slice(0, named).join(", ")}${numbers.length > named ? ", …" : ""}`;
  const [begin, them] =
    numbers.length === 1
      ? [`line ${listed} of the text begins with an anchor`, "it was kept as text"]
      : [`lines ${listed} of the text begin with anchors`, "they were kept as text"];
  return { lines, warning: `${begin} of this file; ${them}` };
}

const named = 10;

function wasServed({ line, hash, scheme }: Anchor, { showings, history }: View): boolean {
  return showings.some(
    (showing) =>
      showing.scheme === scheme &&
      showing.rows.has(line - 1) &&
      (showing.hashes?.[line - 1] ?? history.hash(showing.state, line - 1, scheme)) === hash,
  );
}
