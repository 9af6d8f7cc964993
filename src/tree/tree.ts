/** Looks at the working tree, one look at a time in whatever process, and names the authors of its changes. */
import { isAbsolute, join, relative, sep } from "node:path";
import { isUnderWay } from "../git/index.js";
import { type JournalEntry, onlooker } from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";
import { type CommandFacts, commandFacts } from "./commands/command.js";
import { hashesOfLines } from "./commands/command-lines.js";
import { LookJournal } from "./journal-look.js";
import { type LookContext, look, type Scope } from "./look.js";
import { emptyRecord, type RunningCommand, recordFrom, recordJson, type TreeRecord } from "./tree-record.js";
import { loadTree, saveTree } from "./tree-store.js";

/** Something happened that makes a look worth while. */
export interface Moment {
  /** `edit`: a tool is about to write these files, or has; nothing else is looked at. */
  readonly kind: "begin" | "prompt" | "before" | "after" | "tool" | "edit";
  readonly agent: string;
  readonly cwd: string;
  readonly command?: string;
  /** The client's name for the call. */
  readonly call?: string;
  /** Calls of one agent come one after the other. */
  readonly isSequential?: boolean;
  readonly paths?: readonly string[];
  /** The tool of an `edit` has written, or was refused. */
  readonly isDone?: boolean;
  /** The client lets the command go on. */
  readonly isBackground?: boolean;
}

export interface Observed {
  /** Nothing was on record of this tree before. */
  readonly isFirst: boolean;
  /** Files whose texts are on record. */
  readonly kept: number;
  /** Files that the bounds leave out. */
  readonly left: number;
  readonly entries: readonly JournalEntry[];
  /** A merge or a rebase has begun and not ended. */
  readonly isUnderWay: boolean;
}

const nothing: Observed = { isFirst: false, kept: 0, left: 0, entries: [], isUnderWay: false };

const longestCommand = 200;
/** Milliseconds after which a command that never ended counts as over. */
const longestRun = 6 * 3_600_000;
/** Milliseconds that a person may think about an edit before its file is looked at all the same. */
const longestEdit = 600_000;

export class Tree {
  constructor(private readonly context: LookContext) {}

  /** Looks, writes down what changed since the last look, and answers what others are to know. */
  async observe(moment: Moment): Promise<Observed> {
    const { mode, files, root, store } = this.context;
    if (mode === "off") return nothing;
    const facts = moment.command === undefined ? null : commandFacts(moment.command, moment.cwd);
    if (moment.kind === "before" && facts?.isReadOnly) return nothing;
    // Two looks at once would write the same change down twice. No such file is ever made.
    const turn = await files.identify(join(root, ".kedge-tree"));
    // On every host that shares the store.
    return files.hold([turn], () => store.unit([turn], onlooker, () => this.look(moment, facts)));
  }

  private async look(moment: Moment, facts: CommandFacts | null): Promise<Observed> {
    const { store, root, repository } = this.context;
    const previous = recordFrom((await loadTree(store, root))?.value ?? null);
    const opened = this.begun(previous, moment, facts);
    // A file that is looked at for the first time tells nothing of what it was.
    if (previous === null && moment.kind === "edit") return nothing;
    const scope =
      previous === null
        ? ({ kind: "patient", named: [], busy: new Set<string>() } as const)
        : this.scopeOf(moment, facts, opened);
    const looked = await look(previous, scope, this.context);
    const found = new LookJournal(this.context, { ...opened, editing: previous?.editing ?? [] }, looked);
    if (previous) await found.write();
    if (moment.kind === "edit" && !moment.isDone) await found.begin(scope.named);
    const { running, held, background } = opened;
    const editing = this.editing(opened, moment);
    const record = this.ended(
      { ...looked.record, ...found.seen, running, held, background, editing },
      moment,
      facts,
    );
    const json = recordJson(record);
    if (!previous || JSON.stringify(json) !== JSON.stringify(recordJson(previous)))
      await saveTree(store, root, json);
    return {
      isFirst: previous === null,
      kept: [...record.files.values()].filter(({ isKept }) => isKept).length,
      left: record.left,
      entries: found.entries,
      isUnderWay: repository !== null && isUnderWay(repository),
    };
  }

  private scopeOf(moment: Moment, facts: CommandFacts | null, { editing }: TreeRecord): Scope {
    const { kind, paths = [] } = moment;
    const named = [...paths, ...(facts?.names.map(({ path }) => path) ?? [])].flatMap((path) =>
      this.inTree(path),
    );
    const own = kind === "edit" ? named : [];
    const others = editing.filter(([agent, path]) => agent !== moment.agent || !own.includes(path));
    const busy = new Set(others.map(([, path]) => path));
    if (kind === "edit") return { kind: "named", named, busy };
    if (kind === "begin" || kind === "prompt") return { kind: "patient", named, busy };
    return {
      busy,
      kind: kind === "after" && facts?.isReadOnly ? "known" : "all",
      named: this.context.repository ? [] : named,
    };
  }

  /** Files that edit tools are at work on after this moment. */
  private editing(
    { editing }: TreeRecord,
    { kind, agent, paths = [], isDone }: Moment,
  ): TreeRecord["editing"] {
    if (kind !== "edit") return editing;
    const named = paths.flatMap((path) => this.inTree(path));
    const others = editing.filter(([one, path]) => one !== agent || !named.includes(path));
    if (isDone) return others;
    const time = this.context.clock();
    return [...others, ...named.map((path) => [agent, path, time] as const)];
  }

  /** From the top; none outside of the tree. */
  private inTree(path: string): string[] {
    const way = relative(this.context.root, path);
    const isOutside =
      way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) || /[*?[]/.test(way);
    return isOutside ? [] : [way.replaceAll(sep, "/")];
  }

  /** The commands that may have made what is found now: those that run, with one that tells only now that it has run. */
  private begun(previous: TreeRecord | null, moment: Moment, facts: CommandFacts | null): TreeRecord {
    const record = previous ?? emptyRecord;
    const now = this.context.clock();
    const running = record.running.filter(({ start }) => now - start < longestRun);
    const background = record.background.filter(([, time]) => now - time < longestRun);
    const isOwn = (one: RunningCommand): boolean => isCall(one, moment);
    const editing = record.editing.filter(
      ([agent, , time]) => now - time < longestEdit && !isNext(agent, moment),
    );
    if (moment.kind !== "after" || !facts || facts.isReadOnly || running.some(isOwn))
      return { ...record, running, background, editing };
    return {
      ...record,
      editing,
      running: [...running, this.running(moment, facts, record.time)],
      background,
    };
  }

  private running(
    { agent, call = "", command = "", isBackground = false }: Moment,
    facts: CommandFacts,
    start: number,
  ): RunningCommand {
    const { names, lines, writers, sweeps, movesHead } = facts;
    return {
      ...{ agent, call, start, tool: "shell", command: maskedCommand(command) },
      isBackground: facts.isBackground || isBackground,
      ...{ names, writers, sweeps, movesHead, hashes: hashesOfLines(lines) },
    };
  }

  private ended(record: TreeRecord, moment: Moment, facts: CommandFacts | null): TreeRecord {
    const { kind, agent, isSequential = false } = moment;
    const now = this.context.clock();
    const isOver = (one: RunningCommand): boolean => {
      if (one.agent !== agent) return false;
      if (kind === "after") return isCall(one, moment);
      return kind === "begin" || kind === "prompt" || (kind === "before" && isSequential);
    };
    const running = record.running.filter((one) => !isOver(one));
    const over = record.running.filter(isOver).map((one) => ({ ...one, end: now }));
    const held = [...record.held, ...over].filter(({ end = 0 }) =>
      record.editing.some(([, , time]) => time <= end),
    );
    if (kind === "before" && facts)
      return { ...record, held, running: [...running, this.running(moment, facts, now)] };
    const isLeft = kind === "after" && record.running.some((one) => one.isBackground && isOver(one));
    const others = record.background.filter(([one]) => one !== agent);
    return { ...record, held, running, background: isLeft ? [...others, [agent, now]] : record.background };
  }
}

/** An agent that goes on to something else has ended its edits, whatever became of them. */
function isNext(agent: string, { kind, agent: by, isSequential = false }: Moment): boolean {
  return agent === by && (kind === "begin" || kind === "prompt" || (kind === "before" && isSequential));
}

function maskedCommand(command: string): string {
  const text = withoutSecrets(command.trim());
  return text.length > longestCommand ? `${text.slice(0, longestCommand - 1)}…` : text;
}

function isCall(one: RunningCommand, { agent, call = "", command = "" }: Moment): boolean {
  if (one.agent !== agent) return false;
  return (call !== "" && one.call === call) || one.command === maskedCommand(command);
}
