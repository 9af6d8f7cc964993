/** Text like source code, the same for every run: unique lines, repeated ones, blank ones, indentation. */
export function sourceText(lines: number, seed = 1): string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const result: string[] = [];
  for (let at = 0; at < lines; at++) {
    const kind = next(10);
    const indent = "  ".repeat(next(4));
    if (kind === 0) result.push("");
    else if (kind === 1) result.push(`${indent}}`);
    else if (kind === 2) result.push(`${indent}return result;`);
    else if (kind === 3) result.push(`${indent}if (value${next(50)} === undefined) {`);
    else result.push(`${indent}const item${at} = compute(${next(1000)}, "text ${next(100000)}");`);
  }
  return `${result.join("\n")}\n`;
}

/** The text with `count` lines changed by somebody else, spread over it; every third one an insertion. */
export function changed(text: string, count: number): string {
  const lines = text.split("\n");
  const step = Math.floor((lines.length - 2) / count);
  for (let at = count - 1; at >= 0; at--) {
    const line = at * step + 1;
    if (at % 3 === 0) lines.splice(line, 0, `// added by another writer ${at}`);
    else lines[line] = `${lines[line]} // changed ${at}`;
  }
  return lines.join("\n");
}
