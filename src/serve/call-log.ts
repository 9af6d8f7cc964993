import type { Ended, Who } from "./callers.js";
import type { Metrics } from "./metrics.js";

/** A session's name in the log is cut: whoever calls chooses it. */
const longestSession = 100;

/** A call as the log and the metrics have it: who, which tool, how it ended, how long it took. No path and no content. */
export function logCall(
  log: (line: string) => void,
  metrics: Metrics,
): (who: Who, call: Ended, result: { readonly details: unknown } | null, milliseconds: number) => void {
  return ({ agent }, { tool, args }, result, milliseconds) => {
    const { status, code } = (result?.details ?? {}) as { status?: string; code?: string };
    const outcome = result === null ? "failed" : status === "refused" ? "refused" : "done";
    metrics.count("kedge_calls_total", { tool: tool.name, outcome });
    if (outcome === "refused") metrics.count("kedge_refusals_total", { code: code ?? "unknown" });
    metrics.observe("kedge_call_seconds", milliseconds / 1000, { tool: tool.name });
    const session = sessionIn(args);
    const row = {
      time: new Date().toISOString(),
      ...{ agent: session === null ? agent : `${agent}/${session}`, tool: tool.name, outcome },
      ...(code === undefined ? {} : { code }),
      ms: Math.round(milliseconds * 10) / 10,
    };
    log(JSON.stringify(row));
  };
}

function sessionIn(args: unknown): string | null {
  const session = typeof args === "object" && args !== null ? (args as { session?: unknown }).session : null;
  return typeof session === "string" && session !== "" ? session.slice(0, longestSession) : null;
}
