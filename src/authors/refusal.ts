/** A commit that is refused, and what its lines stand on. */
import type { Author } from "./author.js";

export interface MissingNeed {
  readonly path: string;
  readonly author: Author;
  /** Numbers in the file now of the lines that stand on another's; of a new or moved file none. */
  readonly lines: readonly number[];
  /** Those of the lines in the way. */
  readonly standing: readonly number[];
  readonly why: "between" | "new" | "moved";
}

type RefusalCode = "needs" | "nothing" | "underway" | "conflict" | "hook" | "git" | "busy" | "no_repository";

/** A commit that was not made; nothing is written then. */
export class CommitRefusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly needs: readonly MissingNeed[] = [],
  ) {
    super(message);
  }
}
