import type { MissingNeed } from "./plan.js";

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
