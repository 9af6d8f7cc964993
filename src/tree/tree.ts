/** Looks at the working tree, one look at a time in whatever process, and names the authors of its changes. */
import { isAbsolute, join, relative, sep } from "node:path";
import { headOf, isUnderWay } from "../git/index.js";
import { type FileId, type JournalEntry, onlooker, PortError } from "../ports/index.js";
import { withoutSecrets } from "../text/index.js";
import { type CommandFacts, commandFacts } from "./commands/command.js";
import { hashesOfLines } from "./commands/command-lines.js";
import { LookJournal } from "./looks/journal-look.js";
import { isUnchanged, type LookContext, look, type Scope, slack } from "./looks/look.js";
import { statOf } from "./looks/sighting.js";
import { emptyRecord, type RunningCommand, recordFrom, recordJson, type TreeRecord } from "./tree-record.js";
import { loadTree, saveTree } from "./tree-store.js";

/** Something happened that makes a look worth while. */
export interface Moment {
  /**
   * `edit`: a client's tool is about to write these files, or has; nothing else is looked at. The last four are our own tools':
   * a program that goes on has started (`open`), a call is about to change these files, has read them, or has its answer (`tool`).
   */
  readonly kind: "begin" | "prompt" | "before" | "after" | "tool" | "open" | "call" | "read" | "edit";
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
/** Looks that nobody waits for take one part in so many of the time. */
const rest = 20;
/** Milliseconds. */
const longestRest = 60_000;
/** Milliseconds after which a command that never ended counts as over. */
const longestRun = 6 * 3_600_000;
/** Milliseconds that a person may think about an edit before its file is looked at all the same. */
const longestEdit = 600_000;

export class Tree {
  constructor(private readonly context: LookContext) {}

  /** Looks, writes down what changed since the last look, and answers what others are to know. */
  async observe(moment: Moment): Promise<Observed> {
    const { mode, files, store } = this.context;
    if (mode === "off") return nothing;
    const facts = moment.command === undefined ? null : commandFacts(moment.command, moment.cwd);
    if (moment.kind === "before" && facts?.isReadOnly) return nothing;
    if ((moment.kind === "call" || moment.kind === "read") && (await this.isTold(moment))) return nothing;
    const turn = await this.turn();
    // On every host that shares the store.
    return files.hold([turn], () => store.unit([turn], onlooker, () => this.look(moment, facts)));
  }

  /** The record that the last look left; null: there was none. */
  private async record(): Promise<TreeRecord | null> {
    const { store, root } = this.context;
    return recordFrom((await loadTree(store, root))?.value ?? null);
  }

  /** When a look that nobody waits for may begin, so that looks take a small share of the time, whoever looks. */
  async rested(): Promise<number> {
    const { rested } = (await this.record()) ?? emptyRecord;
    // The clock may have been set back.
    return rested > this.context.clock() + longestRest ? 0 : rested;
  }

  /** Two looks at once would write the same change down twice. No such file is ever made. */
  private async turn(): Promise<FileId> {
    const { files, root } = this.context;
    const path = join(root, ".kedge-tree");
    try {
      return await files.identify(path);
    } catch (error) {
      // The roots are below the top of the tree.
      if (error instanceof PortError && error.code === "outside_roots")
        return { key: path, path, keep: false };
      throw error;
    }
  }

  /**
   * Whether a look at these files alone would find nothing: each is as the last look at the tree left it, and before a change
   * none of them is work that is in no commit. Takes no lock, and starts nothing.
   */
  private async isTold({ kind, paths = [] }: Moment): Promise<boolean> {
    const { root, repository, isHome } = this.context;
    const named = paths.flatMap((path) => this.inTree(path));
    if (named.length === 0) return true;
    const record = await this.record();
    if (!record || record.isNarrow || record.left > 0) return false;
    if (repository && (await headOf(repository)) !== record.head) return false;
    return named.every((path) => {
      const last = record.files.get(path);
      const there = statOf(join(root, path));
      if (last) return (kind === "read" || last.version === null) && isUnchanged(last, there, record.time);
      return !there || there.isOther || (!isHome && there.changed < record.time - slack);
    });
  }

  private async look(moment: Moment, facts: CommandFacts | null): Promise<Observed> {
    const { store, root, repository } = this.context;
    const began = this.context.clock();
    const previous = await this.record();
    const opened = this.begun(previous, moment, facts);
    // A file that is looked at for the first time tells nothing of what it was.
    if (previous === null && moment.kind === "edit") return nothing;
    const scope =
      previous === null
        ? ({ kind: "patient", named: [], busy: new Set<string>() } as const)
        : await this.scopeOf(moment, facts, opened);
    const looked = await look(previous, scope, this.context);
    const found = new LookJournal(this.context, { ...opened, editing: previous?.editing ?? [] }, looked);
    if (previous) await found.write();
    if (moment.kind === "call" || (moment.kind === "edit" && !moment.isDone))
      await found.begin((moment.paths ?? []).flatMap((path) => this.inTree(path)));
    const { running, held, background } = opened;
    const editing = this.editing(opened, moment);
    const record = this.ended(
      { ...looked.record, ...found.seen, running, held, background, editing },
      moment,
      facts,
    );
    const now = this.context.clock();
    const rested = scope.kind === "named" ? record.rested : now + Math.min((now - began) * rest, longestRest);
    const json = recordJson({ ...record, rested });
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

  private async scopeOf(
    moment: Moment,
    facts: CommandFacts | null,
    { editing, head, isNarrow }: TreeRecord,
  ): Promise<Scope> {
    const { kind, paths = [] } = moment;
    const named = [...paths, ...(facts?.names.map(({ path }) => path) ?? [])].flatMap((path) =>
      this.inTree(path),
    );
    const { repository } = this.context;
    const own = kind === "edit" ? named : [];
    const others = editing.filter(([agent, path]) => agent !== moment.agent || !own.includes(path));
    const busy = new Set(others.map(([, path]) => path));
    if (kind === "edit") return { kind: "named", named, busy };
    if (kind === "begin" || kind === "prompt" || kind === "open") return { kind: "patient", named, busy };
    // After a move of HEAD only git can say what is whose.
    const isHere = !repository || isNarrow || (await headOf(repository)) === head;
    if ((kind === "call" || kind === "read") && isHere) return { kind: "named", named, busy };
    return {
      busy,
      kind: kind === "after" && facts?.isReadOnly ? "known" : "all",
      // A listing has them.
      named: repository && !isNarrow ? [] : named,
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
