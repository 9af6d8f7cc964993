/** Which lines belong to the line above or below them, as far as their first characters tell in most languages. */

export function hasWord(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

/** Lines that a merge leaves in a file where it found a conflict. */
export function isMarker(line: string): boolean {
  return /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/.test(line);
}

/** A decorator or an attribute: it applies to what follows it. */
export function isAnnotation(line: string): boolean {
  return /^\s*(?:@|#\[)/.test(line);
}

/** A line of a comment, or the end of one: it speaks of what follows it. */
export function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*\/|#(?=[\s!#]|$)|--\s|<!--|-->)/.test(line);
}

/** A clause of the statement above it: text between would part the two. */
export function isClause(line: string, between: readonly string[]): boolean {
  return clause.test(line) && !isInside(between, line);
}

/** The end or the rest of what stands above it: text between would part the two. */
export function continues(line: string, between: readonly string[]): boolean {
  if (isInside(between, line)) return false;
  if (closing.test(line) || clause.test(line)) return true;
  const sign = operator.exec(line)?.[1];
  // One more line of the same kind, as in a list or a chain, parts nothing.
  return sign !== undefined && between.every((one) => operator.exec(one)?.[1] !== sign);
}

const clause =
  /^\s*(?:(?:end|else|elif|elseif|elsif|catch|except|finally|rescue|ensure|then|and|or)\b|#\s*(?:else|elif|endif)\b|\{%-?\s*(?:else|elif|end))/;
const closing = /^\s*(?:[)\]}]|<\/|\/>|\*\/|-->)/;
const operator =
  /^\s*(\.(?=[\p{L}_$])|\?\.|[,;]|(?:[-+*/%<>=^|&?:]|&&|\|\||\?\?|==+|!==?|<=|>=|<<|>>|\|>|=>|->)(?=\s|$))/u;

/** All lines stand deeper than the last one, and so within what it ends. */
function isInside(lines: readonly string[], last: string): boolean {
  const indent = indentOf(last);
  return lines.every((line) => {
    const own = indentOf(line);
    return line.trim() === "" || (own.length > indent.length && own.startsWith(indent));
  });
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}
