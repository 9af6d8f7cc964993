/** Wraps the tools of an agent loop: a stale refusal reads the affected lines again. */
import type { BatchRefusal, BatchResult, EditResult } from "../calls/index.js";
import type { Range } from "../text/index.js";
import type { EditRequest, MultiEditRequest, Session } from "./session.js";
import type { SessionOptions } from "./session-options.js";

export interface RefreshOptions {
  /** Gets fresh rows to append to the conversation. Earlier messages are never rewritten: that would cost the cache. */
  readonly onContext: (rows: {
    readonly path: string;
    readonly ranges: readonly Range[];
    readonly text: string;
  }) => void;
}

type Tools = Pick<Session, "read" | "edit" | "multiEdit"> & Partial<Pick<Session, "as">>;

/**
 * Wraps the tools of an agent loop: on a stale refusal the affected lines are read again and handed on, and the call
 * is sent once more, by its handle, if every edit of it merely moved. If anything it touches changed it is not: the
 * decision was made on text that is gone. A busy file is tried once more.
 *
 * @example
 * const fresh: string[] = [];
 * const refreshed = withRefresh(session, { onContext: ({ text }) => fresh.push(text) });
 * const [anchor = ""] = (await refreshed.read({ path: "a.ts" })).text.split("|");
 * files.set("a.ts", "const a = 7;\nconst b = 2;\n");
 * await refreshed.edit({ path: "a.ts", edits: [{ op: "set_line", anchor, text: "const a = 8;" }] });
 * console.log(fresh[0]?.split("|")[1]); // → const a = 7;\n[1 of 2 lines]
 */
export function withRefresh<Wrapped extends Tools>(tools: Wrapped, options: RefreshOptions): Wrapped {
  const { onContext } = options;
  const refresh = async ({ path, affectedRanges, reread = [] }: BatchRefusal): Promise<void> => {
    // A text that is not kept tells no affected lines, only where they must be.
    const ranges = affectedRanges.length > 0 ? affectedRanges : reread;
    if (ranges.length === 0) return;
    const fresh = await tools.read({ path, ranges });
    if (!fresh.isError) onContext({ path, ranges, text: fresh.text });
  };
  const call = async <T extends EditResult | BatchResult>(
    send: () => Promise<T>,
    retry: (handle: string) => Promise<T>,
  ): Promise<T> => {
    const sent = await send();
    const first = isRefused(sent.details) && sent.details.code === "busy" ? await send() : sent;
    const { details } = first;
    if (!isRefused(details) || !isStale(details)) return first;
    const files = details.files ?? [details];
    const merelyMoved = files.every(
      ({ mismatches, affectedRanges }) => mismatches.length + affectedRanges.length === 0,
    );
    if (merelyMoved && details.retry !== undefined) return retry(details.retry);
    for (const one of files) await refresh(one);
    return first;
  };
  const edit = (request: EditRequest): Promise<EditResult> => {
    const { path, dryRun = false } = request;
    return call(
      () => tools.edit(request),
      (retry) => tools.edit({ path, retry, dryRun }),
    );
  };
  const multiEdit = (request: MultiEditRequest): Promise<BatchResult> => {
    const { dryRun = false } = request;
    return call(
      () => tools.multiEdit(request),
      (retry) => tools.multiEdit({ retry, dryRun }),
    );
  };
  // A call may name its agent, or come with settings of its own: it is refreshed like any other.
  const session = tools as Partial<Session>;
  const as = (agent: string) => withRefresh(session.as?.(agent) as Session, options);
  const others = (settings: Partial<SessionOptions>) =>
    withRefresh(session.with?.(settings) as Session, options);
  const defaults = (settings: Partial<SessionOptions>) =>
    withRefresh(session.withDefaults?.(settings) as Session, options);
  return Object.assign(boundTo(tools), {
    ...{ edit, multiEdit },
    ...(session.as ? { as } : {}),
    ...(session.with ? { with: others, withDefaults: defaults } : {}),
  });
}

/** An object of the same class whose functions run on the first one, also when they are taken off it. */
function boundTo<Wrapped extends object>(tools: Wrapped): Wrapped {
  const bound = Object.create(tools);
  for (let from: object = tools; from && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(from)))
      if (typeof value === "function" && name !== "constructor" && !Object.hasOwn(bound, name))
        bound[name] = value.bind(tools);
  return bound;
}

function isRefused(details: (EditResult | BatchResult)["details"]): details is BatchRefusal {
  return details.status === "refused";
}

function isStale({ code }: BatchRefusal): boolean {
  return code === "stale" || code === "deleted" || code === "ambiguous";
}
