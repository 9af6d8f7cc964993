/** All calls of one agent: a refusal is a value, whatever was thrown. */
import { dryRunDoor, plainRefusal, type RefusalDetails, refusalText } from "../answers/index.js";
import {
  type BatchRefusal,
  type BatchResult,
  type Call,
  callOf,
  checkRequest,
  conflictIn,
  type EditResult,
  execute,
  type FileRequest,
  type GrepRequest,
  grep,
  type ReadDetails,
  type ReadRequest,
  type Result,
  read,
  retryOf,
  type SearchDetails,
  type Touched,
  withNamesEscaped,
} from "../calls/index.js";
import { type Edit, problem } from "../edits/index.js";
import {
  type Consideration,
  consider,
  type ForeignWrite,
  type Formatted,
  follow,
  formatted,
  type Glance,
  glance,
  type News,
  news,
  type Observation,
  type ObservedWrite,
  observe,
  preview,
  recordWrite,
  type Unsure,
} from "../foreign/index.js";
import { beginEpoch, type CallEnv, journalThrown } from "../ledger/index.js";
import {
  CannotUndo,
  forget,
  type LostCause,
  type LostEdit,
  type LostRequest,
  lost,
  lostBy,
  type RestoreDetails,
  type RestoreRequest,
  restore,
  type UndoDetails,
  type UndoRequest,
  undo,
} from "../lost/index.js";
import { type Cancellation, memoryStore, OutsideScope, PortError } from "../ports/index.js";
import { envOf, type SessionOptions } from "./session-options.js";

/** Fields that every request may have. */
interface Cancellable {
  /** Ends the call with an AbortError, unless its commit has begun. */
  readonly signal?: Cancellation | undefined;
}

interface Editing extends Cancellable {
  readonly dryRun?: boolean;
}

export type EditRequest = Editing &
  (
    | { readonly path: string; readonly edits: readonly Edit[] }
    | { readonly path: string; readonly retry: string }
  );

export type MultiEditRequest = Editing &
  ({ readonly files: readonly FileRequest[] } | { readonly retry: string });

/** A call that was tried out, not done: its diff can be shown and approved, then it is committed. */
export interface Plan {
  readonly result: EditResult | BatchResult;
  /** null if the request could not even be read. */
  readonly call: Call | null;
}

/**
 * One agent at work on files: what it was shown decides what it may do, and where its edits go.
 *
 * @example
 * const session = new Session({ files, store, agent: "main", clock: Date.now });
 * const [anchor = ""] = (await session.read({ path: "a.ts" })).text.split("|");
 * const done = await session.edit({ path: "a.ts", edits: [{ op: "set_line", anchor, text: "const a = 3;" }] });
 * console.log(done.details.status, files.text("a.ts")); // → applied const a = 3;\nconst b = 2;\n
 */
export class Session {
  private readonly settings: CallEnv;
  /** How often each refusal was given that no ledger counts, because it is about no file. */
  private thrown = new Map<string, number>();

  constructor(private readonly options: SessionOptions) {
    this.settings = envOf(options);
  }

  /** A session of which nothing is recorded has an empty store for each call. */
  private get env(): CallEnv {
    return this.settings.within === undefined ? this.settings : { ...this.settings, store: memoryStore() };
  }

  get agent(): string {
    return this.settings.agent;
  }

  /** The same files and store for another agent, with a ledger of its own; with a principal, for a part of that. */
  as(agent: string): Session {
    const { principal } = this.options;
    const id = principal === undefined ? agent : `${principal}/${agent}`;
    return id === this.agent ? this : this.with({ agent: id });
  }

  /** The same session with other settings for some calls. */
  with(settings: Partial<SessionOptions>): Session {
    const other = new Session({ ...this.options, ...settings });
    // Made for one call by doors that are told the agent with each.
    other.thrown = this.thrown;
    return other;
  }

  /** The same session; these settings count where it was given none. */
  withDefaults(settings: Partial<SessionOptions>): Session {
    return this.with({ ...settings, ...this.options });
  }

  read(request: ReadRequest): Promise<Result<ReadDetails | BatchRefusal>> {
    return this.answered(["read", request], () => read(request, this.envFor(request)));
  }

  grep(request: GrepRequest): Promise<Result<SearchDetails | BatchRefusal>> {
    return this.answered(["grep", request], () => grep(request, this.env));
  }

  async edit(request: EditRequest): Promise<EditResult> {
    return this.answered(["edit", request], async () => {
      const call = await this.editCall(request);
      return (await execute(call, this.envFor(request))) as EditResult;
    });
  }

  async multiEdit(request: MultiEditRequest): Promise<BatchResult> {
    return this.answered(
      ["multiEdit", request],
      async () => (await execute(await this.batchCall(request), this.envFor(request))) as BatchResult,
    );
  }

  /** Creates a file, or replaces all of one that was wholly shown and is unchanged since. */
  async write(
    request: Editing & { readonly path: string; readonly content: string | readonly string[] },
  ): Promise<EditResult> {
    return this.answered(["write", request], async () => {
      const { path, content, dryRun = false } = request;
      const entries = [{ path, edits: [], operations: [], content, problems: [] }];
      const call: Call = { tool: "write", entries, given: [], single: true, dryRun };
      return (await execute(call, { ...this.env, signal: request.signal })) as EditResult;
    });
  }

  undo(request: UndoRequest = {}): Promise<Result<UndoDetails | BatchRefusal>> {
    return this.answered(["undo", request], () => this.looked(() => undo(request, this.env)));
  }

  /** Returns everybody's edits whose lines are gone though no journaled edit replaced them. */
  lost(request: LostRequest = {}): Promise<readonly LostEdit[]> {
    return this.looked(() => lost(request, this.env));
  }

  /** Returns and journals the edits that this agent's command destroyed. For use after every command. */
  lostBy(cause: LostCause): Promise<readonly LostEdit[]> {
    return lostBy(cause, this.env);
  }

  /** Dismisses lost edits: they are listed no more. */
  forget(ids: readonly string[], request: LostRequest = {}): Promise<readonly LostEdit[]> {
    return this.looked(() => forget(ids, request, this.env));
  }

  /** Merges lost edits back. */
  restore(request: RestoreRequest): Promise<Result<RestoreDetails | BatchRefusal>> {
    return this.answered(["restore", request], () => this.looked(() => restore(request, this.env)));
  }

  /** Tries a call out. Show its diff, ask, then `commit`. */
  async plan(request: EditRequest | MultiEditRequest): Promise<Plan> {
    let call: Call | null = null;
    const result = await this.answered<EditResult | BatchResult>(["plan", request], async () => {
      call = await (isSingle(request) ? this.editCall(request) : this.batchCall(request));
      return execute({ ...call, dryRun: true }, this.envFor(request));
    });
    return { result, call };
  }

  /** Does what was planned, by the same rules, on the files as they are now. */
  async commit({ call, result }: Plan): Promise<EditResult | BatchResult> {
    if (!call) return result;
    const path = call.entries[0]?.path ?? "";
    return this.answered(["commit", { path, given: call.given }], () =>
      execute({ ...call, dryRun: false }, this.env),
    );
  }

  /** The conversation was compacted, cleared or truncated: nothing counts as shown or known any more. */
  async fold(): Promise<void> {
    if (this.options.keepOnFold) return;
    await beginEpoch(this.env);
  }

  /** Credits lines that somebody else's tool showed, by their content: known lines that name nothing. */
  async observe(observation: Observation): Promise<number> {
    if (!Array.isArray(observation.rows))
      throw new PortError("bad_request", "rows is a list of lines with their text");
    return observe(observation, this.env);
  }

  /**
   * The agent changed a file with somebody else's tool: what it wrote it knows, and the journal has it. Lines that a
   * quote of all places changed and the agent was not shown are answered, to be told; their rows count as shown.
   */
  async observeWrite(path: string, done: ObservedWrite = {}): Promise<Touched | null> {
    return recordWrite({ path, tool: "observed", ...done }, this.env);
  }

  /** Judges a write of another program's tool at a glance, where a glance is enough. */
  glance(write: ForeignWrite): Promise<Glance> {
    return glance(write, this.env);
  }

  /** Judges a write that another program's tool is about to make by its own rules. */
  consider(write: ForeignWrite): Promise<Consideration> {
    return consider(write, this.env);
  }

  /** Judges like `consider`, but only says that there would be a refusal, without wording one. */
  preview(write: ForeignWrite): Promise<Exclude<Consideration, { kind: "refused" }> | Unsure> {
    return preview(write, this.env);
  }

  /** Returns changes in lines that the agent has seen, once; `of` others: without those of its own commands. */
  news(path: string, room = Number.POSITIVE_INFINITY, of?: "others"): Promise<News | null> {
    return news(path, { room, ...(of ? { of } : {}) }, this.env);
  }

  /** Takes note that a file the agent has seen is, unchanged, under another path now. */
  follow(from: string, to: string): Promise<boolean> {
    return follow(from, to, this.env);
  }

  /** Returns lines that differ from those the agent wrote, once everything that runs after a write has run. Their rows count as shown. */
  formatted(path: string, room = Number.POSITIVE_INFINITY): Promise<Formatted | null> {
    return formatted(path, room, this.env);
  }

  /** After a look at the tree: the call is about whatever anybody did there. */
  private async looked<T>(run: () => Promise<T>): Promise<T> {
    await this.env.watch?.before([]);
    return run();
  }

  private envFor({ dryRun, signal }: Editing): CallEnv {
    const env = signal ? { ...this.env, signal } : this.env;
    const { voice } = env;
    return dryRun ? { ...env, voice: { ...voice, door: dryRunDoor(voice.door) } } : env;
  }

  private editCall(request: EditRequest): Promise<Call> | Call {
    const { path } = request;
    checkOne(request);
    const options = { single: true, dryRun: request.dryRun ?? false };
    if ("retry" in request && request.retry !== undefined)
      return retryOf(request.retry, { ...options, path }, this.env);
    return callOf("edit", [{ path, edits: (request as FileRequest).edits }], options);
  }

  private batchCall(request: MultiEditRequest): Promise<Call> | Call {
    checkOne(request);
    const options = { single: false, dryRun: request.dryRun ?? false };
    if ("retry" in request && request.retry !== undefined) return retryOf(request.retry, options, this.env);
    const { files } = request as { files: readonly FileRequest[] };
    if (!Array.isArray(files) || files.length === 0)
      throw new PortError("bad_request", 'files is a list like [{"path":"a.ts","edits":[…]}]');
    return callOf("multi_edit", files, options);
  }

  /** Turns an error of a port or of a malformed request into a refusal, which is a value. */
  private async answered<T>(asked: Asked, run: () => Promise<T> | T): Promise<T> {
    try {
      checkRequest(...asked);
      return withNamesEscaped(asked[1], await run(), this.agent);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      await this.journal(asked, error);
      return withNamesEscaped(asked[1], this.refusal(asked, error), this.agent) as T;
    } finally {
      this.settings.watch?.answered();
    }
  }

  private async journal([call, request]: Asked, error: PortError): Promise<void> {
    const { code, message } = error;
    const tool = writing[call];
    const { path, files } = (request ?? {}) as { path?: unknown; files?: readonly { path?: unknown }[] };
    if (tool && error instanceof OutsideScope)
      return journalThrown({ tool, path: "", code, message, lines: [] }, this.env);
    const named = [path, ...(Array.isArray(files) ? files.map((one) => one?.path) : [])];
    const paths = named.filter((one) => typeof one === "string");
    const given = paths.find((one) => message.includes(one)) ?? paths[0];
    if (tool && given !== undefined)
      await journalThrown({ tool, path: given, code, message, lines: [] }, this.env);
  }

  private refusal(asked: Asked, error: PortError): Result<RefusalDetails> {
    const { code, message } = error;
    const given = (asked[1] as { path?: unknown } | null)?.path;
    const path = typeof given === "string" && !(error instanceof OutsideScope) ? given : "";
    const plain = plainRefusal(path, code, message);
    const details = error instanceof CannotUndo ? { ...plain, ...error.found } : plain;
    const repeated = this.count(`${this.agent} ${code} ${message} ${keyOf(asked)}`);
    const now = null;
    const text = refusalText({
      // No read helps an undo along: without a path there is no next step to name.
      details: error instanceof CannotUndo ? { ...details, path: "" } : details,
      problems: [problem(code, [], message)],
      rows: [],
      complete: true,
      now,
      scheme: this.env.anchors,
      voice: this.env.voice,
      repeated,
      writes: !reading.has(asked[0]),
    });
    return { text, isError: true, details };
  }

  /** Counts a refusal; returns how often it was given before. */
  private count(key: string): number {
    const before = this.thrown.get(key) ?? 0;
    this.thrown.delete(key);
    this.thrown.set(key, before + 1);
    const [oldest] = this.thrown.keys();
    if (this.thrown.size > countedRefusals && oldest !== undefined) this.thrown.delete(oldest);
    return before;
  }
}

function isSingle(request: EditRequest | MultiEditRequest): request is EditRequest {
  return (request as { path?: unknown }).path !== undefined;
}

const reading: ReadonlySet<string> = new Set(["read", "grep"]);

/** Calls that would have written, as the journal names them. */
const writing: Readonly<Record<string, string>> = { edit: "edit", multiEdit: "multi_edit", write: "write" };

function checkOne(request: object): void {
  const conflict = conflictIn(request);
  if (conflict !== null) throw new PortError("bad_request", conflict);
}

const countedRefusals = 256;
const toldApart = 4096;

type Asked = readonly [call: string, request: object];

/** Key under which repeated refusals are counted; truncated. */
function keyOf(asked: Asked): string {
  try {
    const text = JSON.stringify(asked);
    return `${text.length} ${text.slice(0, toldApart)}`;
  } catch {
    // Nested deeper than it can be written.
    return asked[0];
  }
}
