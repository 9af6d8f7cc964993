import type { Hunk } from "../cases/case.js";

/** An edit as a string replacement: what to look for, what to put there. */
export interface Quote {
  readonly old: string;
  readonly fresh: string;
}

interface Span {
  from: number;
  to: number;
  hunks: Hunk[];
}

/**
 * The quotes a careful agent writes: every line it changes, one more where nothing is left to find, and as many more as
 * it takes to be unique in what it read.
 */
export function quotes(base: string, hunks: readonly Hunk[]): Quote[] {
  const lines = base.split(/\r?\n/).slice(0, -1);
  const whole = lines.join("\n");
  let spans: Span[] = hunks.map((hunk) => ({ from: hunk.start, to: hunk.start + hunk.count, hunks: [hunk] }));
  for (const span of spans) if (isWithoutContext(span)) widen(span, lines.length);
  for (;;) {
    spans = joined(spans);
    const vague = spans.filter((span) => !isUnique(whole, lines.slice(span.from, span.to).join("\n")));
    const growing = vague.filter(({ from, to }) => from > 0 || to < lines.length);
    if (growing.length === 0) break;
    for (const span of growing) widen(span, lines.length);
  }
  return spans.map((span) => ({
    old: lines.slice(span.from, span.to).join("\n"),
    fresh: replaced(lines, span).join("\n"),
  }));
}

/** An insertion has nothing to quote; a deletion would leave its line break. */
const isWithoutContext = ({ hunks }: Span): boolean =>
  hunks.some(({ count, lines }) => count === 0 || lines.length === 0);

function widen(span: Span, length: number): void {
  span.from = Math.max(0, span.from - 1);
  span.to = Math.min(length, span.to + 1);
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, two) => one.from - two.from)) {
    const last = result.at(-1);
    if (last && span.from <= last.to) {
      last.to = Math.max(last.to, span.to);
      last.hunks.push(...span.hunks);
    } else result.push({ ...span });
  }
  return result;
}

function replaced(lines: readonly string[], { from, to, hunks }: Span): string[] {
  const result: string[] = [];
  let at = from;
  for (const { start, count, lines: added } of hunks.toSorted((one, two) => one.start - two.start)) {
    result.push(...lines.slice(at, start), ...added);
    at = start + count;
  }
  return [...result, ...lines.slice(at, to)];
}

export function isUnique(text: string, part: string): boolean {
  const at = text.indexOf(part);
  return at >= 0 && text.indexOf(part, at + 1) < 0;
}
