/** Writes down what one look found: each change as one entry, with its authors and the lines of others that it removed. */
import { join, relative, sep } from "node:path";
import { countChanged, isUnderWay } from "../../git/index.js";
import { type JournalEntry, onlooker } from "../../ports/index.js";
import { type Document, outside } from "../../text/index.js";
import { type Attribution, attribute } from "../authors.js";
import { commandFacts } from "../commands/command.js";
import type { TreeRecord } from "../tree-record.js";
import { changesOf } from "../tree-store.js";
import { keptDocument, textsIn } from "../tree-text.js";
import { authorsOf, ownersOf } from "./file-work.js";
import { hasLeft } from "./former-names.js";
import { changeBetween, envFor, journalHead, nameOf, write } from "./journal.js";
import { isReformat } from "./line-work.js";
import { type Found, type LookContext, type Looked, slack } from "./look.js";
import { isTaken, lostLines } from "./losses.js";

const looseFor = 3_600_000;
const mostLoose = 500;

/** A change that no entry tells of, and all entries of its file. */
interface Open {
  readonly found: Found;
  readonly entries: readonly JournalEntry[];
}

/** One look's findings on their way into the journal. */
export class LookJournal {
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
    const open: Open[] = [];
    for (const found of this.looked.found) {
      const { entries, left } = await this.untold(found);
      if (left) open.push({ found: await this.withBase(left, entries), entries });
    }
    const moves = movesIn(open.map(({ found }) => found));
    const made = new Set(moves.values());
    for (const one of open) {
      const to = moves.get(one.found);
      if (to) await this.rename(one, to);
      else if (!made.has(one.found)) await this.one(one);
    }
  }

  private async untold({
    file,
    ...found
  }: Found): Promise<{ entries: readonly JournalEntry[]; left: Found | null }> {
    const { files, store } = this.context;
    const asked = async () => {
      const entries = await changesOf(store, file.key);
      return { entries, left: await this.unexplained({ ...found, file }, entries) };
    };
    const first = await asked();
    if (!first.left) return first;
    // A call that has written a file tells of it before it lets go of it.
    const isFree = await files
      .hold([file], () => store.unit([file], onlooker, async () => true))
      .catch(() => false);
    return isFree ? asked() : first;
  }

  /** A tool is about to write these files: lines that nobody has journaled so far are somebody else's. */
  async begin(paths: readonly string[]): Promise<void> {
    const { files, root, store, repository } = this.context;
    for (const path of paths) {
      const { version = null, isKept = false } = this.looked.record.files.get(path) ?? {};
      if (version === null || !isKept) continue;
      const file = await files.identify(join(root, path));
      const entries = await changesOf(store, file.key);
      if (entries.some(({ after }) => after === version)) continue;
      const text = await keptDocument(version, file.key, this.context);
      const base = await textsIn(repository, this.looked.record.head, new Map([[path, text]]));
      await this.baseline({ file, before: { version, text }, base: base.get(path) ?? null }, entries);
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
  private async rename({ found, entries }: Open, to: Found): Promise<void> {
    await this.baseline(found, entries);
    // A move changes no time of the file.
    const { authors, by } = this.attribution({ ...to, changed: null }, false, changeBetween(null, to.after));
    const more = { tool: by ? "shell" : "disk", time: this.context.clock() };
    const moved = { ...found, after: found.before, to: to.file };
    this.entries.push(await write(moved, by ? { ...more, cause: by.command } : more, authors, this.context));
  }

  /** A file that was moved has its text of the commit under the name that it had. */
  private async withBase(found: Found, entries: readonly JournalEntry[]): Promise<Found> {
    const { repository, root } = this.context;
    const [first] = entries;
    if (found.base || !first || first.file === found.file.key) return found;
    const path = relative(root, first.path).replaceAll(sep, "/");
    const texts = await textsIn(
      repository,
      this.before.head,
      new Map([[path, found.after?.text ?? found.before?.text ?? null]]),
    );
    return { ...found, base: texts.get(path) ?? null };
  }

  private async one({ found: left, entries }: Open): Promise<void> {
    const { file } = left;
    const text = { before: left.before?.text ?? null, after: left.after?.text ?? null };
    const change = changeBetween(left.before, left.after);
    const isGits = left.isClean || this.isMerged(left, change);
    const isLayout =
      text.before !== null &&
      text.after !== null &&
      change !== null &&
      isReformat(text.before, text.after, change);
    const { authors, by } = this.attribution(left, isLayout, change);
    const told = await this.baseline(left, entries);
    const past = [...entries, ...told];
    const swept = await this.swept(left, past, { authors, by });
    const isBack = by?.writers.includes("git") === true && (await this.isPutBack(left, past, change));
    const more = {
      ...{ tool: by ? "shell" : "disk", time: this.context.clock() },
      ...(by && file.keep ? { cause: by.command } : {}),
      ...(isLayout ? { reformat: true } : {}),
      ...((isGits || isBack) && left.after ? { clean: true } : {}),
      ...(swept ? { swept } : {}),
    };
    this.entries.push(await write(left, more, authors, this.context));
  }

  /** While git merges, it writes texts of commits, and both of them where they meet. */
  private isMerged({ isStaged, after }: Found, change: ReturnType<typeof changeBetween>): boolean {
    const { repository } = this.context;
    if (!repository || !isUnderWay(repository)) return false;
    const added = addedLines(after?.text ?? null, change);
    return isStaged || ["<<<<<<< ", ">>>>>>> "].every((mark) => added.some((line) => line.startsWith(mark)));
  }

  /** Every new line stood in the file before, and a sweep removed it: the lines belong to their former owners. */
  private async isPutBack(
    { file, after }: Found,
    entries: readonly JournalEntry[],
    change: ReturnType<typeof changeBetween>,
  ): Promise<boolean> {
    const taken = new Set<string>();
    for (const { swept, before } of entries) {
      const text = swept ? await keptDocument(before, file.key, this.context) : null;
      for (const line of text?.lines() ?? []) taken.add(line);
    }
    const added = addedLines(after?.text ?? null, change);
    return taken.size > 0 && added.length > 0 && added.every((line) => taken.has(line));
  }

  /** The change without what is journaled of it already; null if that is all. */
  private async unexplained(found: Found, entries: readonly JournalEntry[]): Promise<Found | null> {
    const target = found.after?.version ?? null;
    let version = found.before?.version ?? null;
    const recent = entries.filter(({ time }) => time >= this.before.time - slack);
    const left = (entry: JournalEntry): string | null =>
      hasLeft(entry, found.file.key) ? null : entry.after;
    // An edit after the last look is nearer than the look, whatever came between the two.
    for (const entry of recent)
      if (entry.before === version || entry.time > this.before.time) version = left(entry);
    if (version === target) return null;
    // Somebody wrote before a tool did: what that was is not known exactly, and the file is as the tool left it.
    const last = recent.at(-1);
    if (last && left(last) === target) return null;
    if (version === (found.before?.version ?? null)) return found;
    const text = await keptDocument(version, found.file.key, this.context);
    return { ...found, before: version === null ? null : { version, text } };
  }

  private attribution(
    found: Found,
    isLayout: boolean,
    change: ReturnType<typeof changeBetween>,
  ): Attribution {
    const { file, after, before, isClean, path } = found;
    const now = this.context.clock();
    const added = addedLines(after?.text ?? null, change);
    const changed = this.timeOf(found);
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

  /** null: a file that is new since the last look, with a time before it, came with the times that it had elsewhere. */
  private timeOf({ path, changed }: Found): number | null {
    const { time, editing } = this.before;
    const isHeld = editing.some(([, one]) => one === path);
    return changed !== null && changed < time && !isHeld ? null : changed;
  }

  /** Work on record that is nobody's edit so far: the first who changes it finds it to be the person's. */
  private async baseline(
    { file, before, base }: Pick<Found, "file" | "before" | "base">,
    entries: readonly JournalEntry[],
  ): Promise<JournalEntry[]> {
    if (!before || before.version === base?.version || entries.some(({ after }) => after === before.version))
      return [];
    const from = await this.nearest(file.key, before, { base, entries });
    const time = Math.max(this.before.time || this.looked.record.time, (entries.at(-1)?.time ?? 0) + 1);
    const step = { file, before: from, after: before };
    const told = { tool: "disk", time, ...(entries.length === 0 ? { initial: true } : {}) };
    return [await write(step, told, [outside], this.context)];
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

  /**
   * The text whose lines are safe in a commit. Where HEAD went elsewhere, lines of the commit that it left may be in none now:
   * whoever lists what is lost asks git.
   */
  private async keptBase(
    { path }: Found["file"],
    text: Document,
    base: Document | null,
  ): Promise<Document | null> {
    const { moved } = this.looked;
    if (!moved || !base) return base;
    const { repository, root } = this.context;
    const name = relative(root, path).replaceAll(sep, "/");
    return (await textsIn(repository, moved.to, new Map([[name, text]]))).get(name) ?? null;
  }

  /** Lines that the change removed so that they count as lost. */
  private async swept(
    { file, before, after, base, isClean }: Found,
    entries: readonly JournalEntry[],
    { authors, by }: Attribution,
  ): Promise<readonly number[] | null> {
    if (!before) return null;
    const textOf = (version: string): Promise<Document | null> =>
      keptDocument(version, file.key, this.context);
    if (!before.text) {
      const owner = entries.findLast((entry) => entry.after === before.version);
      const isGits = !owner || before.version === base?.version;
      return !isGits &&
        isTaken({ path: file.path, isGone: after === null, owner: authorsOf(owner), authors, by })
        ? []
        : null;
    }
    const kept = await this.keptBase(file, before.text, base);
    const owners = await ownersOf(before.text, kept, entries, textOf);
    const isBack =
      isClean || after?.version === base?.version || entries.some((entry) => entry.before === after?.version);
    // Former texts are needed only where a person may have written.
    const versions = by ? [] : entries.flatMap(({ before: version }) => version ?? []);
    const former = await Promise.all([...new Set(versions)].slice(-mostFormer).map(textOf));
    const lines = lostLines({
      former: [base, ...former],
      ...{ path: file.path, before: before.text, after: after?.text ?? null, owners, authors, isBack },
      ...{ sweeps: by?.sweeps ?? [], writers: by?.writers ?? [], isCommand: by !== null },
      writersOf: (command) => commandFacts(command, this.context.root).writers,
    });
    return lines.isEmpty ? null : lines.toJSON();
  }
}

/** Former texts of a file in which lines are looked for. */
const mostFormer = 20;

function addedLines(text: Document | null, change: ReturnType<typeof changeBetween>): string[] {
  return text && change ? change.regions.flatMap(({ bStart, bEnd }) => text.lines(bStart, bEnd)) : [];
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
