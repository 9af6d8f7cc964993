/** Looks at the working tree, one look at a time in whatever process, and names the authors of its changes. */
import { isAbsolute, join, relative, sep } from "node:path";
import { countChanged, isUnderWay } from "../git/index.js";
import type { JournalEntry } from "../ports/index.js";
import { type Document, withoutSecrets } from "../text/index.js";
import { type Attribution, attribute, outside } from "./authors.js";
import { type CommandFacts, commandFacts } from "./commands/command.js";
import { hashesOfLines } from "./commands/command-lines.js";
import { ownersOf } from "./file-work.js";
import { changeBetween, envFor, journalHead, nameOf, write } from "./journal.js";
import { isReformat } from "./line-work.js";
import { type Found, type LookContext, type Looked, look, type Scope, slack } from "./look.js";
import { lostLines } from "./losses.js";
import { emptyRecord, type RunningCommand, recordFrom, recordJson, type TreeRecord } from "./tree-record.js";
import { changesOf, loadTree, saveTree } from "./tree-store.js";
import { keptDocument } from "./tree-text.js";

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
const looseFor = 3_600_000;
const mostLoose = 500;

export class Tree {
  constructor(private readonly context: LookContext) {}

  /** Looks, writes down what changed since the last look, and answers what others are to know. */
  async observe(moment: Moment): Promise<Observed> {
    const { mode, files, root } = this.context;
    if (mode === "off") return nothing;
    const facts = moment.command === undefined ? null : commandFacts(moment.command, moment.cwd);
    if (moment.kind === "before" && facts?.isReadOnly) return nothing;
    // Two looks at once would write the same change down twice. No such file is ever made.
    const turn = await files.identify(join(root, ".kedge-tree"));
    return files.hold([turn], () => this.look(moment, facts));
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
    const work = new Work(this.context, { ...opened, editing: previous?.editing ?? [] }, looked);
    if (previous) await work.write();
    const { running, held, background } = opened;
    const editing = this.editing(opened, moment);
    const record = this.ended(
      { ...looked.record, ...work.seen, running, held, background, editing },
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
      entries: work.entries,
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

/** Writes down what one look found. */
class Work {
  readonly entries: JournalEntry[] = [];
  private readonly loose: Map<string, number>;
  private outside: number;

  constructor(
    private readonly context: LookContext,
    private readonly before: TreeRecord,
    private readonly looked: Looked,
  ) {
    const now = context.clock();
    this.loose = new Map([...before.loose].filter(([, time]) => now - time < looseFor).slice(-mostLoose));
    this.outside = before.outside;
  }

  get seen(): Pick<TreeRecord, "loose" | "outside"> {
    return { loose: this.loose, outside: this.outside };
  }

  async write(): Promise<void> {
    if (this.looked.moved) await this.move(this.looked.moved);
    const moves = movesIn(this.looked.found);
    for (const one of this.looked.found) {
      const to = moves.get(one);
      if (to) await this.rename(one, to);
      else if (![...moves.values()].includes(one)) await this.one(one);
    }
  }

  private async move({ from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    const { repository, root } = this.context;
    const movers = this.before.running.filter(({ movesHead }) => movesHead);
    const running = movers.length > 0 ? movers : this.before.running;
    const agents = [...new Set(running.map(({ agent }) => agent))];
    const authors = movers.length > 0 && agents.length === 1 ? agents : [...agents, outside];
    const { agent, ...set } = nameOf(authors);
    const files = repository ? await countChanged(repository, from, to) : 0;
    const by = movers.at(-1);
    const told = {
      tool: by ? "shell" : "disk",
      head: { from, to, files },
      ...set,
      ...(by ? { cause: by.command } : {}),
    };
    await journalHead(root, told, envFor(agent, this.context));
  }

  /** A file has another name: the next entries of it are under that one. */
  private async rename(found: Found, to: Found): Promise<void> {
    const { authors, by } = this.attribution(to, false, changeBetween(null, to.after));
    const more = { tool: by ? "shell" : "disk", time: this.context.clock() };
    const moved = { ...found, after: found.before, to: to.file.path };
    this.entries.push(await write(moved, by ? { ...more, cause: by.command } : more, authors, this.context));
  }

  private async one(found: Found): Promise<void> {
    const { file } = found;
    const entries = await changesOf(this.context.store, file.key);
    const left = await this.unexplained(found, entries);
    if (!left) return;
    const text = { before: left.before?.text ?? null, after: left.after?.text ?? null };
    const change = changeBetween(left.before, left.after);
    const isLayout =
      text.before !== null &&
      text.after !== null &&
      change !== null &&
      isReformat(text.before, text.after, change);
    const { authors, by } = this.attribution(left, isLayout, change);
    const told = await this.baseline(left, entries);
    const swept = await this.swept(left, [...entries, ...told], { authors, by });
    const more = {
      ...{ tool: by ? "shell" : "disk", time: this.context.clock() },
      ...(by && file.keep ? { cause: by.command } : {}),
      ...(isLayout ? { reformat: true } : {}),
      ...(left.isClean && left.after ? { clean: true } : {}),
      ...(swept.length > 0 ? { swept } : {}),
    };
    this.entries.push(await write(left, more, authors, this.context));
  }

  /** The change without what is journaled of it already; null if that is all. */
  private async unexplained(found: Found, entries: readonly JournalEntry[]): Promise<Found | null> {
    const target = found.after?.version ?? null;
    let version = found.before?.version ?? null;
    const recent = entries.filter(({ time }) => time >= this.before.time - slack);
    // An edit after the last look is nearer than the look, whatever came between the two.
    for (const entry of recent)
      if (entry.before === version || (entry.time > this.before.time && entry.to === undefined))
        version = entry.after;
    if (version === target) return null;
    // Somebody wrote before a tool did: what that was is not known exactly, and the file is as the tool left it.
    if (recent.at(-1)?.after === target) return null;
    if (version === (found.before?.version ?? null)) return found;
    const text = await keptDocument(version, found.file.key, this.context);
    return { ...found, before: version === null ? null : { version, text } };
  }

  private attribution(
    found: Found,
    isLayout: boolean,
    change: ReturnType<typeof changeBetween>,
  ): Attribution {
    const { file, after, before, isClean, changed, path } = found;
    const now = this.context.clock();
    const text = after?.text ?? null;
    const added =
      text && change ? change.regions.flatMap(({ bStart, bEnd }) => text.lines(bStart, bEnd)) : [];
    const trace = { path: file.path, added, isNew: before === null, isReformat: isLayout, isClean, changed };
    const { running: alive, held, editing, background } = this.before;
    const agents = background.map(([agent]) => agent);
    const hid = held.filter(({ end = 0 }) => editing.some(([, one, time]) => one === path && time <= end));
    const around = {
      running: [...hid, ...alive],
      background: agents,
      isLoose: this.loose.has(path),
      outside: this.outside,
      now,
    };
    const found_ = attribute(trace, around);
    if (found_.by === null) {
      this.loose.set(path, now);
      this.outside = now;
    }
    return found_;
  }

  /** Work on record that is nobody's edit so far: the first who changes it finds it to be the person's. */
  private async baseline(
    { file, before, base }: Found,
    entries: readonly JournalEntry[],
  ): Promise<JournalEntry[]> {
    if (!before || before.version === base?.version || entries.some(({ after }) => after === before.version))
      return [];
    const from = await this.nearest(file.key, before, { base, entries });
    const time = Math.max(this.before.time, (entries.at(-1)?.time ?? 0) + 1);
    const step = { file, before: from, after: before };
    return [await write(step, { tool: "disk", time }, [outside], this.context)];
  }

  /**
   * Returns the text that the person began with: git's, or that of the newest edit. Edits that are not committed stand in the
   * newest edit's text, commits since then in git's: fewer lines differ from the one that the person had.
   */
  private async nearest(
    key: string,
    before: NonNullable<Found["before"]>,
    { base, entries }: { readonly base: Document | null; readonly entries: readonly JournalEntry[] },
  ): Promise<Found["before"]> {
    const fromGit = base && { version: base.version, text: base };
    const edited = entries.findLast(({ kind }) => kind === "commit" || kind === "undo")?.after ?? null;
    const text = edited === null ? null : await keptDocument(edited, key, this.context);
    if (edited === null || !text) return fromGit;
    const fromEdit = { version: edited, text };
    return changedLines(fromEdit, before) < changedLines(fromGit, before) ? fromEdit : fromGit;
  }

  /** Lines that the change removed so that they count as lost. */
  private async swept(
    { file, before, after, base, isClean }: Found,
    entries: readonly JournalEntry[],
    { authors, by }: Attribution,
  ): Promise<readonly number[]> {
    if (!before?.text) return [];
    const textOf = (version: string): Promise<Document | null> =>
      keptDocument(version, file.key, this.context);
    const owners = await ownersOf(before.text, base, entries, textOf);
    const isBack =
      isClean || after?.version === base?.version || entries.some((entry) => entry.before === after?.version);
    const lines = lostLines({
      ...{ path: file.path, before: before.text, after: after?.text ?? null, owners, authors, isBack },
      ...{ sweeps: by?.sweeps ?? [], writers: by?.writers ?? [], isCommand: by !== null },
      writersOf: (command) => commandFacts(command, this.context.root).writers,
    });
    return lines.toJSON();
  }
}

/** Returns how many lines differ; all of them where there is nothing to compare. */
function changedLines(from: Found["before"], to: Found["before"]): number {
  const regions = changeBetween(from, to)?.regions;
  if (!regions) return Number.POSITIVE_INFINITY;
  return regions.reduce((sum, { aStart, aEnd, bStart, bEnd }) => sum + aEnd - aStart + bEnd - bStart, 0);
}

/** Files that are gone, with those that appeared and hold the same text. */
function movesIn(found: readonly Found[]): Map<Found, Found> {
  const made = found.filter(({ before, after }) => before === null && after !== null);
  const moves = new Map<Found, Found>();
  for (const gone of found) {
    if (gone.after !== null || gone.before === null) continue;
    const at = made.findIndex(({ after }) => after?.version === gone.before?.version);
    const [to] = at < 0 ? [] : made.splice(at, 1);
    if (to) moves.set(gone, to);
  }
  return moves;
}
