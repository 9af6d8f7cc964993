/** The lines of a file that are in no commit, and their authors. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { contentsOf, runGit } from "../git/index.js";
import type { Repository } from "../host/index.js";
import type { Files, JournalEntry, StoreReader } from "../ports/index.js";
import { Document } from "../text/index.js";
import { entriesByFile, movesTo, trailOf } from "../tree/index.js";
import { type Author, authorOf, unrecorded } from "./author.js";
import { committedPlaces } from "./committed.js";
import { bytesOnDisk, type ChangedFile, changedFiles } from "./git/work-tree.js";
import { embed } from "./lines/embed.js";
import { type Cleaning, follow, type KeptText, linesOf, stateText } from "./lines/follow.js";
import { type Item, itemsOf, joined, linesWith } from "./lines/text-work.js";
import type { Weave, WovenLine } from "./lines/weave.js";
import { CommitRefusal } from "./refusal.js";

export interface Surroundings {
  readonly repository: Repository;
  readonly files: Pick<Files, "identify">;
  readonly store: StoreReader;
}

export interface FileWork extends ChangedFile {
  readonly key: string;
  /** The path in HEAD of a file that was moved. */
  readonly from: string | null;
  /** The agent that made or moved the file; null for a file that is in HEAD under its name. */
  readonly creator: Author | null;
  /** The bytes that git would keep; null: the file is gone. A filtered file has those on the disk. */
  readonly bytes: Uint8Array | null;
  /** Its lines with those of HEAD; null where the change is one as a whole. */
  readonly items: readonly Item[] | null;
  /** The author of a change as a whole. */
  readonly author: Author;
  readonly weave: Weave | null;
}

/** Loads the work on these paths, from the top; none: on all of the tree. */
export async function loadWork(around: Surroundings, paths: readonly string[]): Promise<FileWork[]> {
  const { repository, store } = around;
  const { files: changed, conflicts } = await changedFiles(repository, paths);
  const [conflict] = conflicts;
  if (conflict !== undefined)
    throw new CommitRefusal("conflict", `${conflict} has conflicts: resolve them first`);
  const byKey = await filesByKey(changed, around);
  const moves = await movesTo([...byKey.keys()], store);
  const isMissing = [...moves.values()].some(({ file }) => !byKey.has(file));
  // A file that is named alone may have been moved from a path that is not named.
  const all = isMissing && paths.length > 0 ? (await changedFiles(repository, [])).files : [];
  const sources = new Map([...(await filesByKey(all, around)), ...byKey]);
  const files = [...byKey.keys(), ...[...moves.values()].map(({ file }) => file)];
  const entries = changed.length === 0 ? [] : await store.journal({ files });
  const byFile = entriesByFile(entries);
  const known = await contentsOf(repository, [
    ...new Set(
      [...sources.values()].flatMap(({ head }) => (head && head.mode !== "160000" ? [head.blob] : [])),
    ),
  ]);
  const isMoved = new Set<string>();
  const works: FileWork[] = [];
  for (const [key, file] of byKey) {
    const { journal, former } = trailOf(key, byFile, moves);
    const origin = file.head ? undefined : journal.findLast(isOrigin);
    const move = origin?.to === undefined ? undefined : origin;
    const from = move && former.map((one) => sources.get(one)).find((one) => one?.head && one.mode === null);
    if (from) isMoved.add(from.path);
    const head = from?.head ?? file.head;
    const headBytes = (head && known.get(head.blob)) ?? null;
    const moved = { ...file, head, key, from: from?.path ?? null };
    works.push(await workOf(moved, { journal, origin, headBytes }, around));
  }
  return works.filter(({ path, mode }) => mode !== null || !isMoved.has(path));
}

async function filesByKey(
  files: readonly ChangedFile[],
  around: Surroundings,
): Promise<Map<string, ChangedFile>> {
  const found = new Map<string, ChangedFile>();
  for (const file of files) found.set(await keyOf(file, around), file);
  return found;
}

/** Whether the file has its name since then. */
function isOrigin({ kind, before, after, to }: JournalEntry): boolean {
  return kind === "commit" && (to !== undefined || (before === null && after !== null));
}

async function keyOf({ path, mode }: ChangedFile, { files, repository }: Surroundings): Promise<string> {
  const full = resolve(repository.root, path);
  // The key of a link is that of the file behind it.
  if (mode === "120000") return full;
  return files.identify(full).then(
    ({ key }) => key,
    () => full,
  );
}

type Placed = ChangedFile & Pick<FileWork, "key" | "from">;

interface Known {
  readonly journal: readonly JournalEntry[];
  /** The entry that made the file, or moved it to its name. */
  readonly origin: JournalEntry | undefined;
  readonly headBytes: Uint8Array | null;
}

async function workOf(file: Placed, known: Known, around: Surroundings): Promise<FileWork> {
  const { headBytes, journal, origin } = known;
  const disk = bytesOnDisk(around.repository, file);
  const isText = file.mode?.startsWith("100") && (file.head?.mode ?? "100").startsWith("100");
  const clean = await cleaningOf(file, disk, headBytes, around.repository);
  const now = disk && isText && !file.isFiltered ? stateText(Document.parse(disk), clean) : null;
  const head = headBytes === null ? [] : linesOf(headBytes);
  const isHeadText = headBytes === null || stateText(Document.parse(headBytes), clean) !== null;
  const weave = now && isHeadText ? await follow(journal, now, { ...around, clean }) : null;
  const items = weave && now ? await textItems(file, { weave, now, head, headBytes }, around) : null;
  return {
    ...file,
    bytes: now ? Buffer.from(now.lines.join(""), "latin1") : disk,
    ...{ items, weave, author: wholeAuthor(journal, headBytes, disk) },
    creator: file.head && file.from === null ? null : origin ? authorOf(origin) : unrecorded,
  };
}

interface SidesOfText {
  readonly weave: Weave;
  readonly now: KeptText;
  readonly head: readonly string[];
  readonly headBytes: Uint8Array | null;
}

async function textItems(file: Placed, texts: SidesOfText, { store }: Surroundings): Promise<Item[] | null> {
  const { weave, now, head } = texts;
  const known = file.head ? await committedPlaces(file.key, file.head.blob, weave, store) : null;
  const places = known ?? placesIn(head, weave, texts.headBytes);
  const items = itemsOf(weave, head, places);
  const isWhole = (isTaken: boolean, lines: readonly string[]): boolean =>
    joined(linesWith(items, () => isTaken)) === lines.join("");
  return isWhole(false, head) && isWhole(true, now.lines) ? items : null;
}

/** Finds lines of a text of git's in a weave: it is a state that the file was in, or made of lines that it had. */
export function placesIn(
  lines: readonly string[],
  weave: Weave,
  bytes: Uint8Array | null,
): (WovenLine | null)[] {
  const texts = bytes ? [bytes, Buffer.from(lines.join("").replace(/\r?\n/g, "\r\n"), "latin1")] : [];
  for (const one of texts) {
    const found = weave.livingIn(Document.parse(one).version);
    if (found?.length === lines.length && found.every(({ text }, at) => text === lines[at]))
      return [...found];
  }
  return embed(lines, [...weave.all()], weave.lines);
}

/** Whether git takes the line breaks of Windows for its own is asked only where there are some. */
async function cleaningOf(
  { path, isFiltered }: Placed,
  disk: Uint8Array | null,
  head: Uint8Array | null,
  repository: Repository,
): Promise<Cleaning> {
  const same = (line: string): string => line;
  const bytes = disk && Buffer.from(disk);
  if (isFiltered || !bytes?.includes("\r\n") || (head && Buffer.from(head).includes("\r\n"))) return same;
  const args = ["hash-object", `--path=${path}`, "--stdin"];
  const id = String(await runGit(repository, { args, input: bytes })).trim();
  const own = createHash(id.length === 40 ? "sha1" : "sha256");
  own.update(`blob ${bytes.length}\0`).update(bytes);
  return own.digest("hex") === id ? same : (line) => line.replace(/\r\n$/, "\n");
}

/** Names all that may have changed a file that has no lines, since it was as HEAD has it. */
function wholeAuthor(
  journal: readonly JournalEntry[],
  headBytes: Uint8Array | null,
  disk: Uint8Array | null,
): Author {
  const version = (bytes: Uint8Array | null): string | null => bytes && Document.parse(bytes).version;
  const [head, now] = [version(headBytes), version(disk)];
  const changes = journal.filter(({ kind }) => kind === "commit" || kind === "undo");
  const steps = changes.slice(changes.findLastIndex(({ after }) => after === head) + 1);
  const last = steps.at(-1);
  if (!last) return unrecorded;
  const names = new Set(steps.flatMap((entry) => authorOf(entry).authors));
  // A deletion is the work of the author who deleted the file, whatever others wrote before.
  if (disk === null) return last.after === null ? authorOf(last) : unrecorded;
  if (last.after !== now) for (const name of unrecorded.authors) names.add(name);
  return { ...authorOf(last), authors: [...names] };
}
