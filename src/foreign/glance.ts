/** Judges without a lock what plainly may be done, because most writes are such. */
import { type Env, isKept, knownNow, peek } from "../ledger/index.js";
import { place } from "../placement/index.js";
import { LineSet } from "../text/index.js";
import type { ForeignWrite } from "./judge-write.js";
import { isKnownThroughout } from "./seen-places.js";

/** Verdict without a lock: allowed, nothing of the file was ever shown, or a judgement is needed. */
export type Glance = "allowed" | "unseen" | "unclear";

export async function glance({ path, change }: ForeignWrite, env: Env): Promise<Glance> {
  const file = await env.files.identify(path);
  const found = await peek(file, env);
  if (found === "missing" || (found === "unseen" && !(await env.files.read(file)))) return "allowed";
  if (typeof found !== "object") return found;
  if (change.kind === "patch") return "unclear";
  const { document, agent, state } = found;
  if (change.kind === "quotes") {
    // Lines shown of an older version that is not kept may have changed unnoticed.
    const isFollowed = isKept(file, document) || agent.showings.every((one) => one.state === state);
    const { hits, joined, doubtful, unended, loose, isGone } = place(change, document);
    const isKnown = isKnownThroughout(hits, agent) && joined.subtract(knownNow(agent)).isEmpty;
    const isClear = doubtful === null && unended.length === 0 && loose.length === 0 && !isGone;
    return isFollowed && isKnown && isClear ? "allowed" : "unclear";
  }
  return LineSet.all(document.lineCount).subtract(knownNow(agent)).isEmpty ? "allowed" : "unclear";
}
