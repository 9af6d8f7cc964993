import type { Range } from "../core/index.js";
import type { BatchRefusal, BatchResult, EditResult } from "./result.js";
import type { EditRequest, MultiEditRequest, Session } from "./session.js";

export interface RefreshOptions {
  /** Gets fresh rows to append to the conversation. Earlier messages are never rewritten: that would cost the cache. */
  readonly onContext: (rows: {
    readonly path: string;
    readonly ranges: readonly Range[];
    readonly text: string;
  }) => void;
}

type Tools = Pick<Session, "read" | "edit" | "multiEdit">;

/**
 * Wraps the tools of an agent loop: on a stale refusal the affected lines are read again and handed on, and the call
 * is sent once more, by its handle, if every edit of it merely moved. If anything it touches changed it is not: the
 * decision was made on text that is gone. A busy file is tried once more.
 *
 * @example
 * const tools = withRefresh(session, { onContext: ({ text }) => messages.push({ role: "user", content: text }) });
 */
export function withRefresh<Wrapped extends Tools>(tools: Wrapped, { onContext }: RefreshOptions): Wrapped {
  const refresh = async ({ path, affectedRanges: ranges }: BatchRefusal): Promise<void> => {
    if (ranges.length === 0) return;
    const fresh = await tools.read({ path, ranges });
    if (!fresh.isError) onContext({ path, ranges, text: fresh.text });
  };
  /** The call again, or null where the refusal stands. */
  const again = async <T>(
    refusal: BatchRefusal,
    run: { same: () => Promise<T>; retry: (handle: string) => Promise<T> },
  ) => {
    if (refusal.code === "busy") return run.same();
    if (!isStale(refusal)) return null;
    const merelyMoved = refusal.mismatches.length === 0;
    if (merelyMoved && refusal.retry !== undefined) return run.retry(refusal.retry);
    for (const one of refusal.files ?? [refusal]) await refresh(one);
    return null;
  };
  const edit = async (request: EditRequest): Promise<EditResult> => {
    const first = await tools.edit(request);
    if (first.details.status !== "refused") return first;
    const { path } = request;
    const run = { same: () => tools.edit(request), retry: (retry: string) => tools.edit({ path, retry }) };
    return (await again(first.details, run)) ?? first;
  };
  const multiEdit = async (request: MultiEditRequest): Promise<BatchResult> => {
    const first = await tools.multiEdit(request);
    if (first.details.status !== "refused") return first;
    const run = {
      same: () => tools.multiEdit(request),
      retry: (retry: string) => tools.multiEdit({ retry }),
    };
    return (await again(first.details, run)) ?? first;
  };
  const wrapped: Readonly<Record<string | symbol, unknown>> = { edit, multiEdit };
  return new Proxy(tools, { get: (target, key) => wrapped[key] ?? bound(target, key) });
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === "function" ? value.bind(target) : value;
}

function isStale({ code }: BatchRefusal): boolean {
  return code === "stale" || code === "deleted" || code === "ambiguous";
}
