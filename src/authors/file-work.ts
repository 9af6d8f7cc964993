/** The lines of a file that are in no commit, and their authors. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { contentsOf, runGit } from "../git/index.js";
import type { Repository } from "../host/index.js";
import type { Files, JournalEntry, StoreReader } from "../ports/index.js";
import { Document } from "../text/index.js";
import { type Author, authorOf, unrecorded } from "./author.js";
import { committedPlaces, formerKeys } from "./committed.js";
import { embed } from "./embed.js";
import { type Cleaning, follow, type KeptText, linesOf, stateText } from "./follow.js";
import { type Item, itemsOf, joined, linesWith } from "./text-work.js";
import type { Weave, WovenLine } from "./weave.js";
import { bytesOnDisk, type ChangedFile, changedFiles } from "./work-tree.js";

export interface Surroundings {
  readonly repository: Repository;
  readonly files: Pick<Files, "identify">;
  readonly store: StoreReader;
}

export interface FileWork extends ChangedFile {
  readonly key: string;
  /** The path in HEAD of a file that was moved. */
  readonly from: string | null;
  /** The key that it had there; its own if it was not moved. */
  readonly fromKey: string;
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
  const changed = await changedFiles(repository, paths);
  const keys = new Map<string, string>();
  for (const file of changed) keys.set(file.path, await keyOf(file, around));
  const former = await formerKeys([...keys.values()], store);
  const entries = changed.length === 0 ? [] : await store.journal({ files: [...keys.values(), ...former] });
  const byFile = new Map<string, JournalEntry[]>();
  for (const entry of entries) byFile.set(entry.file, [...(byFile.get(entry.file) ?? []), entry]);
  const moves = await movesOf(entries, around);
  const known = await contentsOf(repository, [
    ...new Set(changed.flatMap(({ head }) => (head && head.mode !== "160000" ? [head.blob] : []))),
  ]);
  const byKey = new Map(changed.map((file) => [keys.get(file.path) as string, file]));
  const isMoved = new Set<string>();
  const works: FileWork[] = [];
  for (const file of changed) {
    const key = keys.get(file.path) as string;
    const journal = journalOf(key, byFile, moves);
    const move = file.head ? undefined : journal.findLast(({ to }) => to !== undefined);
    const source = move && byKey.get(move.file);
    const from = source?.head && source.mode === null ? source : null;
    if (from) isMoved.add(from.path);
    const head = from?.head ?? file.head;
    const headBytes = (head && known.get(head.blob)) ?? null;
    const moved = { ...file, head, key, from: from?.path ?? null, fromKey: from ? (move?.file ?? key) : key };
    works.push(await workOf(moved, { journal, move, headBytes }, around));
  }
  return works.filter(({ path, mode }) => mode !== null || !isMoved.has(path));
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

/** Moves by the key of the file that they led to. */
async function movesOf(
  entries: readonly JournalEntry[],
  { files }: Surroundings,
): Promise<Map<string, JournalEntry>> {
  const found = new Map<string, JournalEntry>();
  for (const entry of entries)
    if (entry.to !== undefined && entry.kind === "commit")
      await files.identify(entry.to).then(
        ({ key }) => found.set(key, entry),
        () => {},
      );
  return found;
}

/** Entries of a file, those under its former names first. */
function journalOf(
  key: string,
  byFile: ReadonlyMap<string, readonly JournalEntry[]>,
  moves: ReadonlyMap<string, JournalEntry>,
): JournalEntry[] {
  const own = byFile.get(key) ?? [];
  const seen = new Set([key]);
  const before: JournalEntry[] = [];
  let time = Number.POSITIVE_INFINITY;
  for (let at = moves.get(key); at && !seen.has(at.file) && at.time <= time; at = moves.get(at.file)) {
    const move: JournalEntry = at;
    seen.add(move.file);
    time = move.time;
    before.unshift(...(byFile.get(move.file) ?? []).filter(({ time: then }) => then <= move.time));
  }
  const first = before.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
  return [...before, ...own.filter((entry) => entry.time >= first)];
}

type Placed = ChangedFile & Pick<FileWork, "key" | "from" | "fromKey">;

interface Known {
  readonly journal: readonly JournalEntry[];
  readonly move: JournalEntry | undefined;
  readonly headBytes: Uint8Array | null;
}

async function workOf(file: Placed, known: Known, around: Surroundings): Promise<FileWork> {
  const { headBytes, journal, move } = known;
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
    creator: file.head && file.from === null ? null : creatorOf(journal, move),
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
  // A deletion is the doing of whoever deleted, whatever was written before.
  if (disk === null) return last.after === null ? authorOf(last) : unrecorded;
  if (last.after !== now) for (const name of unrecorded.authors) names.add(name);
  return { ...authorOf(last), authors: [...names] };
}

function creatorOf(journal: readonly JournalEntry[], move: JournalEntry | undefined): Author {
  if (move) return authorOf(move);
  const made = journal.findLast(
    ({ kind, before, after }) => kind === "commit" && before === null && after !== null,
  );
  return made ? authorOf(made) : unrecorded;
}
