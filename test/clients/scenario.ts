/** What one scenario of the course is, and how its outcome is judged: by the bytes on disk and the request log. */
import type { Driver } from "./driver.js";
import type { Place } from "./place.js";
import type { Stage } from "./stage.js";

export type Verdict =
  | "refused"
  | "refused, reason shown"
  | "written"
  | "merged"
  | "written over"
  | "written elsewhere"
  | "refused until shown"
  | "refused for good"
  | "told to both, restored"
  | "lost, told to both"
  | "lost, told to one"
  | "lost, nobody told";

export interface Finding {
  readonly verdict: Verdict;
  /** What the model received at the deciding call, word for word but for the project's folder. */
  readonly received: string;
}

export interface Scenario {
  /** Its key among the results. */
  readonly name: string;
  /** Its row in the document. */
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the client has to be able to do. */
  readonly needs?: "compaction" | "rewind" | "subagents" | "formatter";
  play(stage: Stage): Promise<Finding>;
  /** What the guard has to bring about. */
  readonly right: readonly Verdict[];
}

/** The verdict whose text the file has, or whose test it passes; a text that none foresees is a failure of its own. */
export function judge<Name extends Verdict>(
  place: Place,
  path: string,
  outcomes: Readonly<Record<Name, string | ((text: string) => boolean)>>,
): Name {
  const now = place.text(path);
  const known = Object.entries<string | ((text: string) => boolean)>(outcomes).find(([, wanted]) =>
    typeof wanted === "string" ? wanted === now : wanted(now),
  );
  if (!known) throw new Error(`${path} holds neither of the foreseen texts, but:\n${now}`);
  return known[0] as Name;
}

/** Replaces a part that stands exactly once, so that a scenario cannot quietly change nothing. */
export function exchange(text: string, part: string, by: string): string {
  const pieces = text.split(part);
  if (pieces.length !== 2) throw new Error(`${JSON.stringify(part)} stands ${pieces.length - 1} times`);
  return pieces.join(by);
}

/** What has to come of it with the guard. What the client's own check refuses first can only be explained. */
export function rightOf({ name, right }: Scenario, driver: Driver): readonly Verdict[] {
  if (driver.refusesAnyway?.includes(name)) return ["refused"];
  return driver.refusesFirst?.includes(name) ? ["refused, reason shown"] : right;
}
