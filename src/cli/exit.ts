import { type Code, codes, exitStatus } from "../core/index.js";

/** How a call ended, as a shell sees it. The codes' own statuses stand in one table, in core. */
export const done = 0;
export const failed = 1;
export const usage = 2;
export const interrupted = 130;

/** The status of a result by its details: a refusal's code decides. */
export function statusOf(details: unknown): number {
  const { status, code } = details as { status?: string; code?: Code };
  return status === "refused" && code !== undefined && code in codes ? exitStatus(code) : done;
}
