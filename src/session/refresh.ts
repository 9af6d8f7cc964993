import type { EditToolDetails, Range } from "../core/index.js";
import type { BatchRefusal, EditResult, Result } from "./result.js";
import type { EditRequest, Session } from "./session.js";

export interface RefreshOptions {
  /** Gets fresh rows to append to the conversation. Earlier messages are never rewritten: that would cost the cache. */
  readonly onContext: (rows: {
    readonly path: string;
    readonly ranges: readonly Range[];
    readonly text: string;
  }) => void;
}

type Reader = Pick<Session, "read" | "edit">;

/**
 * Wraps the tools of an agent loop: on a stale refusal the affected lines are read again and handed on, and the call
 * is sent once more if every edit of it merely moved. If anything it touches changed it is not: the decision was
 * made on text that is gone. A busy file is tried once more.
 *
 * @example
 * const tools = withRefresh(session, { onContext: ({ text }) => messages.push({ role: "user", content: text }) });
 */
export function withRefresh<Tools extends Reader>(tools: Tools, { onContext }: RefreshOptions): Tools {
  const edit = async (request: EditRequest): Promise<EditResult> => {
    const first = await tools.edit(request);
    const refusal = refusalOf(first);
    if (!refusal) return first;
    if (refusal.code === "busy") return tools.edit(request);
    if (!isStale(refusal)) return first;
    if (refusal.affectedRanges.length > 0) {
      const { path, affectedRanges: ranges } = refusal;
      const fresh = await tools.read({ path, ranges });
      if (!fresh.isError) onContext({ path, ranges, text: fresh.text });
    }
    return refusal.mismatches.length === 0 && "edits" in request ? again(tools, request, refusal) : first;
  };
  return new Proxy(tools, { get: (target, key) => (key === "edit" ? edit : bound(target, key)) });
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === "function" ? value.bind(target) : value;
}

function refusalOf({ details }: Result<EditToolDetails | BatchRefusal>): BatchRefusal | null {
  return details.status === "refused" ? details : null;
}

function isStale({ code }: BatchRefusal): boolean {
  return code === "stale" || code === "deleted" || code === "ambiguous";
}

/** Nothing the call touches has changed: its anchors are taken to where the lines are now. */
async function again(
  tools: Reader,
  request: Extract<EditRequest, { edits: unknown }>,
  refusal: BatchRefusal,
): Promise<EditResult> {
  const moved = new Map(
    refusal.remaps.filter(({ kind }) => kind === "moved").map(({ from, to }) => [from, to]),
  );
  await tools.read({ path: refusal.path, ranges: [...moved.values()].map(lineOf) });
  const edits: unknown = JSON.parse(JSON.stringify(request.edits), (_, value: unknown) =>
    typeof value === "string" ? (moved.get(value) ?? value) : value,
  );
  return tools.edit({ ...request, edits });
}

function lineOf(anchor: string): Range {
  const line = Number(/\d+/.exec(anchor)?.[0] ?? 1);
  return { start: line, end: line };
}
