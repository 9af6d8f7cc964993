import { compileGlob, compileGlobAbove } from "../host/index.js";
import { PortError } from "../ports/index.js";

const mostPatterns = 100;
const longestPattern = 1000;

/** The paths of a tree that somebody may touch, as globs from its root. A folder that one matches is meant whole. */
export class Scope {
  private readonly inside: readonly ((path: string) => boolean)[];
  private readonly above: readonly ((folder: string) => boolean)[];

  /** Throws `bad_request` for what is no such glob: taken for another one it would match too much or too little. */
  constructor(readonly patterns: readonly string[]) {
    if (patterns.length > mostPatterns)
      throw new PortError("bad_request", `a scope has at most ${mostPatterns} paths`);
    const bodies = patterns.map(bodyOf);
    // With regard to case: where the file system has none, too little is let through rather than too much.
    this.inside = bodies.flatMap((body) => [compileGlob(body, false), compileGlob(`${body}/**`, false)]);
    this.above = bodies.map((body) => compileGlobAbove(`${body}/**`));
  }

  /** `path`: from the root, with "/"; "" for the root. */
  has(path: string): boolean {
    return this.inside.some((isMatch) => isMatch(path));
  }

  /** Whether something in this folder may be in the scope. */
  isAbove(folder: string): boolean {
    return this.above.some((isOnTheWay) => isOnTheWay(folder));
  }
}

function bodyOf(pattern: string): string {
  const wrong = (what: string): PortError =>
    new PortError("bad_request", `the path ${JSON.stringify(pattern.slice(0, 200))} ${what}`);
  if (pattern.length > longestPattern) throw wrong(`has more than ${longestPattern} characters`);
  if (/^(?:[/\\!]|[A-Za-z]:)/.test(pattern))
    throw wrong("does not begin at the root of the tree: write src/**");
  if (pattern.split(/[/\\]/).includes("..")) throw wrong("leads out with ..");
  if (pattern.includes("\0")) throw wrong("has a NUL in it");
  const body = pattern.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  if (body === "") throw wrong("is empty; ** is the whole tree");
  return body === "." ? "**" : body;
}
