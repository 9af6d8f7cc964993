/**
 * Looks for lines of one file in everything that the model was sent since the last compaction, before a call is refused as
 * unread. The demand for evidence is the same as in shell output.
 */

import { basename, dirname, extname, resolve } from "node:path";
import type { Unsure } from "../foreign/index.js";
import { withBlankEdges } from "./after-command.js";
import { attempt, type GuardContext, seen } from "./context.js";
import type { Row, Sent, Write } from "./event.js";
import { type Candidate, creditOutput } from "./output/credit.js";
import { pathsIn } from "./output/paths.js";
import { carriedText } from "./output/text-in-command.js";

/** Clients wait ten seconds for a hook. */
const longestSearch = 1_000;
/** Number of other files that a text may be of instead. */
const [namedFiles, knownFiles] = [40, 60];
/** Number of lines of a file that are looked for in a text, if the whole file has to have been shown. */
const samples = 64;

/** `later`: the event has to be sent again. `beyond`: there was more than could be looked through. */
type Found = "searched" | "later" | "beyond";

export async function recall(write: Write, unsure: Unsure, place: GuardContext): Promise<Found> {
  const until = place.clock() + longestSearch;
  const isLate = (): boolean => place.clock() > until;
  const recalled = place.recall(isLate);
  if (recalled === "later") return "later";
  const file = wantedFile(write.path, unsure, place);
  if (!file) return "searched";
  for (const sent of recalled.sent.toReversed()) {
    if (isLate()) return "beyond";
    if (!(await observed(sent, file, place))) continue;
    if ((await place.sessionFor(write.path).preview(write)).kind !== "unsure") return "searched";
  }
  return recalled.isComplete ? "searched" : "beyond";
}

interface Wanted extends Candidate {
  readonly unsure: Unsure;
  /** Time of its last change, in milliseconds. */
  readonly changed: number;
  /** Every text that matters holds one of these. */
  readonly telling: readonly string[];
  readonly neighbours: Neighbours;
}

function wantedFile(path: string, unsure: Unsure, place: GuardContext): Wanted | null {
  const lines = place.disk.lines(path);
  if (!lines) return null;
  const touched = unsure.lines?.flatMap(({ start, end }) => lines.slice(start - 1, end)) ?? lines;
  const says = touched.filter((line) => /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(line));
  const step = unsure.lines ? 1 : Math.max(1, Math.floor(says.length / samples));
  return {
    ...{ path, lines, named: true, unsure, neighbours: new Neighbours(path, place) },
    changed: place.disk.changed(path),
    telling: (says.length > 0 ? says : touched).filter((_, at) => at % step === 0),
  };
}

/** Credits wanted lines that the text shows; true if there are any. */
async function observed(sent: Sent, file: Wanted, place: GuardContext): Promise<boolean> {
  if (sent.of !== undefined && resolve(place.cwd, sent.of) !== file.path) return false;
  const { isUnread, lines: wanted } = file.unsure;
  // A text from before the last change does not say which lines were removed since, or which contradict it.
  const isFresh = sent.time > file.changed;
  if (!isFresh && (wanted === null || !isUnread)) return false;
  if (sent.whole) return credited(file, { rows: [], whole: true }, place);
  const shown = [sent.text, carriedBy(sent)].flatMap((text) => shownIn(text, sent, file));
  const isWanted = (line: number): boolean =>
    wanted === null || wanted.some(({ start, end }) => line >= start && line <= end);
  if (!shown.some(({ line }) => isWanted(line))) return false;
  const rows = isFresh ? withBlankEdges(shown, file.lines) : shown.filter(({ line }) => isWanted(line));
  return credited(file, { rows }, place);
}

/** Returns text that a command carried into files, also within a script: the model wrote it. A patch only says what it expects. */
function carriedBy({ call }: Sent): string {
  if (!call.includes("<<") || call.includes("*** Begin Patch")) return "";
  return carriedText(call);
}

function shownIn(text: string, { of, call }: Sent, file: Wanted): readonly Row[] {
  if (!file.telling.some((line) => text.includes(line))) return [];
  const isNamed = of !== undefined || `${call}\n${text}`.includes(basename(file.path));
  const others = of === undefined ? file.neighbours.of(text, call) : [];
  const found = creditOutput(text, [{ ...file, named: isNamed }, ...others]);
  return found.find(({ path }) => path === file.path)?.rows ?? [];
}

type Shown = Omit<Parameters<GuardContext["session"]["observe"]>[0], "path">;

async function credited({ path }: Wanted, shown: Shown, place: GuardContext): Promise<boolean> {
  let count = 0;
  await attempt(place, path, async () => {
    count = await place.sessionFor(path).observe({ path, ...shown });
    if (count > 0) seen(place, path);
  });
  return count > 0;
}

/** Returns files that a text may be of instead: files that it names, neighbours of the wanted one, files the agent has seen. */
class Neighbours {
  readonly #known = new Map<string, readonly string[] | null>();
  readonly #usual: readonly string[];

  constructor(
    private readonly path: string,
    private readonly place: GuardContext,
  ) {
    const seen = place.store.notes.all("seen", place.agent).filter((one) => typeof one === "string");
    this.#usual = [...place.disk.filesIn(dirname(path), extname(path)), ...seen.slice(-knownFiles)];
  }

  of(text: string, call: string): Candidate[] {
    const { cwd, disk } = this.place;
    const named = [...pathsIn(call, namedFiles), ...pathsIn(text, namedFiles)].map((one) =>
      resolve(cwd, one),
    );
    const beside = foldersIn(call, cwd).flatMap((folder) => disk.filesIn(folder, extname(this.path)));
    const all = new Map([...beside, ...this.#usual].map((one) => [one, false]));
    for (const one of named) all.set(one, true);
    all.delete(this.path);
    return [...all].flatMap(([path, isNamed]) => {
      const lines = this.lines(path);
      return lines ? [{ path, lines, named: isNamed }] : [];
    });
  }

  private lines(path: string): readonly string[] | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const lines = this.place.disk.lines(path);
    this.#known.set(path, lines);
    return lines;
  }
}

/** Returns folders that the words of a command name, with or without a pattern behind them. */
function foldersIn(call: string, cwd: string): string[] {
  const words = call.split(/[\s"'`=:,;()|&<>\\]+/).filter((word) => word !== "" && !word.startsWith("-"));
  const folders = words.map((word) => {
    const start = /^[^*?[{$]*/.exec(word)?.[0] ?? "";
    return resolve(cwd, start === word ? word : start.slice(0, start.lastIndexOf("/") + 1));
  });
  return [...new Set(folders)].slice(0, namedFiles);
}
