/** Lines that somebody else's tool showed to the agent. */
import { type Document, LineSet } from "../core/index.js";
import { peek, withFile } from "./holding.js";
import { observeLate, type Row, type Standing, standing } from "./late.js";
import { isShownLast } from "./ledger.js";
import { PortError } from "./ports.js";
import type { Env } from "./result.js";

export interface Observation {
  readonly path: string;
  /** Line numbers with the text they were shown with. */
  readonly rows: readonly Row[];
  /** All of it was shown, in a form that is not its lines. */
  readonly whole?: boolean;
}

/** Credits lines by their content; how many. Rows that read otherwise now were shown of an older text. */
export async function observe(observation: Observation, env: Env): Promise<number> {
  const { path, rows } = observation;
  // Read again, and nothing happened: what is written down already takes no lock.
  const file = await env.files.identify(path);
  const known = await peek(file, env, ({ showings }) => showings.at(-1)?.printer === "observed");
  if (typeof known === "object") {
    const { lines, others } = standingOf(observation, known.document);
    if (
      others.isEmpty &&
      isShownLast(known.agent, { state: known.state, rows: lines, printer: "observed", scheme: null })
    )
      return lines.size;
  }
  return withFile(file, env, async (opened) => {
    const { document } = opened;
    if (!document) throw new PortError("not_found", `${path} does not exist`);
    const now = standingOf(observation, document);
    const isEmpty = rows.length === 0 && document.lineCount === 0;
    if (now.others.isEmpty) {
      if (!now.lines.isEmpty || isEmpty) opened.showed(now.lines, null, "observed");
      await opened.save();
      return now.lines.size;
    }
    const count = await observeLate(rows, now, opened, env);
    await opened.save();
    return count;
  });
}

function standingOf({ rows, whole }: Observation, text: Document): Standing {
  return whole ? { lines: LineSet.all(text.lineCount), others: LineSet.empty } : standing(rows, text);
}
