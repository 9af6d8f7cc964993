/** Looks which files of a work tree differ from the last look at it. Bytes are read only where identities say too little. */
import { basename, join } from "node:path";
import { isTemporaryName } from "../../disk/index.js";
import { headOf, indexStamp, type Listing, listChanges } from "../../git/index.js";
import type { Repository } from "../../host/index.js";
import { type FileId, type Files, type NewVersion, PortError } from "../../ports/index.js";
import type { Document } from "../../text/index.js";
import { emptyRecord, type TreeRecord } from "../tree-record.js";
import { changesOf, keepTexts, type TreeStore } from "../tree-store.js";
import { documentOf, isRecordable, keptDocument, largestRead, type TreeMode, textsIn } from "../tree-text.js";
import { hasLeft } from "./former-names.js";
import { absent, type DiskFile, isSettled, readSighted, type Sighting, statOf } from "./sighting.js";

export interface LookContext {
  readonly root: string;
  readonly repository: Repository | null;
  readonly files: Files;
  readonly store: TreeStore;
  readonly clock: () => number;
  readonly mode: TreeMode;
  /** Milliseconds that it may take to list the tree. */
  readonly patience: number;
  /** A folder that holds all a person has: there only files that agents name are looked at. */
  readonly isHome: boolean;
}

/** A file that was one thing at the last look and is another now. */
export interface Found {
  /** From the top, with "/". */
  readonly path: string;
  readonly file: FileId;
  /** null: there was no file. `text` is null where it is not known. */
  readonly before: { readonly version: string; readonly text: Document | null } | null;
  readonly after: { readonly version: string; readonly text: Document | null } | null;
  /** Its text in the commit that was checked out at the last look. */
  readonly base: Document | null;
  /** It is now as git has it. */
  readonly isClean: boolean;
  /** It is now as the index has it, and not as HEAD. */
  readonly isStaged: boolean;
  /** Milliseconds; null where the file is gone. */
  readonly changed: number | null;
}

export interface Looked {
  readonly record: TreeRecord;
  readonly found: readonly Found[];
  /** HEAD was there at the last look, and is elsewhere now. */
  readonly moved: { readonly from: string; readonly to: string } | null;
}

/**
 * `named`: only these; `known`: those of the record, with these; `all`: the tree; `patient`: the tree, though it took too
 * long last time.
 */
export interface Scope {
  readonly kind: "named" | "known" | "all" | "patient";
  readonly named: readonly string[];
  /** Files that are left as they were seen last: an edit tool is at work on them. */
  readonly busy: ReadonlySet<string>;
}

const bounds = { files: 2_000, bytes: 64 * 1024 * 1024, listed: 20_000 };
/** Bytes of names that git may list. */
const longestListing = 16 * 1024 * 1024;
/** Milliseconds by which times of files may be coarse. */
export const slack = 2_000;

/** The files of the tree that are in no commit; null where they cannot be listed within the budget. */
interface Dirty {
  readonly changed: ReadonlySet<string>;
  readonly tracked: ReadonlySet<string>;
  readonly untracked: ReadonlySet<string>;
}

export async function look(previous: TreeRecord | null, scope: Scope, context: LookContext): Promise<Looked> {
  if (scope.kind === "named") return lookAt(previous ?? emptyRecord, scope, context);
  const time = context.clock();
  const { repository } = context;
  const head = repository ? await headOf(repository) : null;
  const index = repository ? indexStamp(repository) : "";
  const isSame = previous !== null && previous.head === head && previous.index === index;
  const isWide = scope.kind === "patient" || (scope.kind === "all" && !previous?.isNarrow);
  const listed = isWide ? await list(context, isSame ? previous.staged : null) : null;
  const staged = listed?.staged ?? previous?.staged ?? [];
  const dirty: Dirty | null = listed && {
    changed: new Set(listed.changed),
    tracked: new Set([...listed.changed, ...staged]),
    untracked: new Set(listed.untracked),
  };
  const before = previous?.files ?? new Map<string, Sighting>();
  // Then whatever was not on record was clean, or not there.
  const isWhole = isSame && listed !== null && previous.left === 0 && !previous.isNarrow;
  const eyes = new Eyes({ context, previous, dirty, isWhole });
  const listedPaths = dirty ? [...dirty.tracked, ...dirty.untracked] : [];
  for (const path of new Set([...before.keys(), ...listedPaths, ...scope.named]))
    if (scope.busy.has(path)) eyes.leave(path);
    else await eyes.see(path);
  const found = await eyes.changes();
  const record: TreeRecord = {
    ...(previous ?? emptyRecord),
    ...{ staged, files: eyes.sightings, left: eyes.left },
    // Files that were not listed may have changed since the time before.
    ...(listed || !previous ? { time, head, index } : {}),
    isNarrow: isWide ? listed === null : (previous?.isNarrow ?? false),
  };
  const from = previous?.head ?? null;
  const moved = listed && from !== null && head !== null && from !== head ? { from, to: head } : null;
  return { record, found, moved };
}

/** Some files alone. */
async function lookAt(previous: TreeRecord, { named, busy }: Scope, context: LookContext): Promise<Looked> {
  const eyes = new Eyes({ context, previous, dirty: null, isWhole: false });
  for (const path of new Set(named)) if (!busy.has(path)) await eyes.see(path);
  const found = await eyes.changes();
  return {
    record: { ...previous, files: new Map([...previous.files, ...eyes.sightings]) },
    found,
    moved: null,
  };
}

async function list(
  { repository, root, isHome, patience }: LookContext,
  staged: readonly string[] | null,
): Promise<Listing | null> {
  if (repository) return listChanges(repository, { time: patience, names: longestListing }, staged);
  if (isHome) return { changed: [], untracked: [], staged: [] };
  const { listFiles } = await import("../../search/index.js");
  const untracked = await listFiles(root, { time: patience / 2, files: bounds.listed });
  return untracked && { changed: [], untracked, staged: [] };
}

interface Seeing {
  readonly context: LookContext;
  readonly previous: TreeRecord | null;
  readonly dirty: Dirty | null;
  /** The last look saw all that differed from git, of the same commit and index. */
  readonly isWhole: boolean;
}

interface Seen {
  readonly path: string;
  readonly file: FileId;
  readonly last: Sighting | null;
  readonly now: Sighting;
  readonly text: Document | null;
  readonly isClean: boolean;
  readonly changed: number | null;
}

class Eyes {
  readonly sightings = new Map<string, Sighting>();
  /** Files beyond the bounds. */
  left = 0;
  private readonly seen: Seen[] = [];
  private readonly texts: NewVersion[] = [];
  private bytes = 0;

  constructor(private readonly seeing: Seeing) {}

  leave(path: string): void {
    const last = this.seeing.previous?.files.get(path);
    if (last) this.sightings.set(path, last);
  }

  async see(path: string): Promise<void> {
    const { context, previous, dirty } = this.seeing;
    const last = previous?.files.get(path) ?? null;
    const isTracked = dirty?.tracked.has(path) ?? false;
    const isClean = dirty !== null && !isTracked && !dirty.untracked.has(path);
    if (isTemporaryName(basename(path))) return;
    const absolute = join(context.root, path);
    const there = statOf(absolute);
    if (there?.isOther) return;
    if (last && isUnchanged(last, there, previous?.time ?? 0)) {
      if (!isClean) this.sightings.set(path, last);
      return;
    }
    if (!there && !last && !isTracked) return;
    if (!last && !isClean && this.sightings.size >= bounds.files) {
      this.left++;
      return;
    }
    const file = await this.identify(absolute);
    if (file === "elsewhere") {
      this.left++;
      this.leave(path);
    }
    if (!file || file === "elsewhere") return;
    const read = there && readSighted(absolute, largestRead);
    const text = read && (await documentOf(read.bytes, file.key, context));
    const wasKept = last?.isKept === true && last.version === text?.version;
    const isKept = text !== null && (wasKept || (await this.keep(file, text, isTracked)));
    const identity = (read?.file ?? there)?.identity ?? "";
    const now = there ? { identity, version: text?.version ?? `~${identity}`, isKept } : absent;
    if (!isClean) this.sightings.set(path, now);
    this.seen.push({ path, file, last, now, text, isClean, changed: there?.changed ?? null });
  }

  /** A path that the person denies is known to be there, and no more; one outside of the roots is for others to look at. */
  private async identify(path: string): Promise<FileId | "elsewhere" | null> {
    try {
      return await this.seeing.context.files.identify(path);
    } catch (error) {
      if (error instanceof PortError) return error.code === "outside_roots" ? "elsewhere" : null;
      throw error;
    }
  }

  private async keep(file: FileId, text: Document, isTracked: boolean): Promise<boolean> {
    const { mode } = this.seeing.context;
    if (!isRecordable(file, text, { mode, isTracked })) return false;
    if (this.bytes + text.bytes.length > bounds.bytes) {
      this.left++;
      return false;
    }
    this.bytes += text.bytes.length;
    this.texts.push({ id: text.version, bytes: text.toBytes(), file: file.key });
    return true;
  }

  /** Those whose text is another than it was. A file that was not on record was as the commit has it, or not there. */
  async changes(): Promise<Found[]> {
    const { previous, context } = this.seeing;
    if (!previous) {
      await keepTexts(context.store, this.texts);
      return [];
    }
    const isSince = ({ changed }: Seen): boolean => changed === null || changed >= previous.time - slack;
    // A file may come with the times that it had elsewhere, or is only ignored no more.
    const isIgnoring = this.seen.some((one) => basename(one.path) === ".gitignore" && isSince(one));
    const isAll = this.seeing.isWhole && !isIgnoring;
    const isFresh = (one: Seen): boolean =>
      one.last ? one.last.version !== one.now.version : isAll || isSince(one);
    const fresh: Seen[] = [];
    for (const one of this.seen) if (isFresh(one) && !(await this.isTold(one))) fresh.push(one);
    const bases = await textsIn(
      context.repository,
      previous.head,
      new Map(fresh.map(({ path, text }) => [path, text])),
    );
    const found: Found[] = [];
    for (const one of fresh) {
      const base = bases.get(one.path) ?? null;
      const before = one.last
        ? await this.recorded(one.last, one.file)
        : base && { version: base.version, text: base };
      const after = one.now.version === null ? null : { version: one.now.version, text: one.text };
      if ((before?.version ?? null) === (after?.version ?? null)) continue;
      // Git's before, and git's after: HEAD went from one to the other.
      if (one.isClean && (before?.version ?? null) === (base?.version ?? null)) continue;
      if (base && isRecordable(one.file, base, { mode: "all", isTracked: true }))
        this.texts.push({ id: base.version, bytes: base.toBytes(), file: one.file.key });
      const { path, file, isClean, changed } = one;
      const { dirty } = this.seeing;
      const isStaged = !isClean && dirty !== null && dirty.tracked.has(path) && !dirty.changed.has(path);
      found.push({ path, file, before, after, base, isClean, isStaged, changed });
    }
    await keepTexts(context.store, this.texts);
    return found;
  }

  /** The newest entry since the last look tells of the text as it is: git need not be asked what stood there. */
  private async isTold({ last, now, file }: Seen): Promise<boolean> {
    const { previous, context } = this.seeing;
    if (!last || !previous) return false;
    const newest = (await changesOf(context.store, file.key)).at(-1);
    if (!newest || newest.time < previous.time - slack) return false;
    return (hasLeft(newest, file.key) ? null : newest.after) === now.version;
  }

  private async recorded({ version }: Sighting, { key }: FileId): Promise<Found["before"]> {
    return version === null ? null : { version, text: await keptDocument(version, key, this.seeing.context) };
  }
}

export function isUnchanged(last: Sighting, there: DiskFile | null, time: number): boolean {
  if (!there) return last.version === null;
  return last.identity === there.identity && isSettled(there, time);
}
